// A document, a line end, a patch: all three kinds of patch are tried. None crashes, whatever a patch makes can be
// written and read, and a merge patch applied twice does what it does once.
#include "base/check.h"
#include "json/patch.h"
#include "json/reader.h"
#include "json/writer.h"

using namespace chandler::json;

namespace {

// Short names decide, so that random input meets every rule.
class LetterRules : public MergeRules {
 public:
  Node root() const override { return &kOther; }
  Node member(Node, std::string_view key) const override {
    return key.starts_with('k') ? &kKeyed : key.starts_with('s') ? &kSet : &kOther;
  }
  Node item(Node) const override { return &kOther; }
  ListRule rule(Node node) const override { return *static_cast<const ListRule*>(node); }

 private:
  static inline const ListRule kOther{};
  static inline const ListRule kKeyed{.merge = true, .key = "n"};
  static inline const ListRule kSet{.merge = true, .key = ""};
};

void check_readable(const Value& value) {
  ReadOptions options;
  options.max_depth = 512;
  CH_CHECK(parse(write(value), options).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line_end = text.find('\n');
  if (line_end == text.npos) return 0;
  const auto document = parse(text.substr(0, line_end));
  const auto patch = parse(text.substr(line_end + 1));
  if (!document.ok() || !patch.ok()) return 0;

  Value merged = *document;
  merge_patch(merged, *patch);
  check_readable(merged);
  const std::string once = write(merged);
  merge_patch(merged, *patch);
  CH_CHECK(write(merged) == once);

  Value patched = *document;
  if (json_patch(patched, *patch).ok()) check_readable(patched);

  Value strategic = *document;
  if (strategic_merge_patch(strategic, *patch, LetterRules()).ok()) check_readable(strategic);
  return 0;
}
