// A list of transforms, a line end, credentials. What is read is written and read again to the same; applying and
// encoding never crash and stay within their bounds.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/reader.h"
#include "resolve/secret_transform.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace chandler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line_end = text.find('\n');
  if (line_end == text.npos) return 0;
  const auto list = json::parse(text.substr(0, line_end));
  const auto credentials = json::parse(text.substr(line_end + 1));
  if (!list.ok() || !credentials.ok()) return 0;

  meta::FieldErrors errors;
  const auto transforms = resolve::parse_secret_transforms(*list, meta::Path("t"), errors);
  meta::FieldErrors none;
  const auto again = resolve::parse_secret_transforms(resolve::to_json(transforms), meta::Path("t"), none);
  CH_CHECK(none.empty() && again == transforms);
  CH_CHECK(resolve::describe_transforms(transforms).size() == transforms.size());
  (void)resolve::merge_secret_transforms({transforms, true}, {transforms}, transforms, "ns");

  const resolve::SecretEntries entries = {{"a", "b"}, {"c", std::string("\0\xFF", 2)}};
  const resolve::SecretLookup lookup = [&](const resolve::SecretName&) { return &entries; };
  const auto applied = resolve::apply_secret_transforms(*credentials, transforms, "ns", lookup);
  if (applied.ok()) (void)resolve::encode_secret_data(*applied);
  return 0;
}
