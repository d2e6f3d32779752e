// A labels path, and labels that are put there: never crashes, what is parsed has one spelling, and what was put on
// goes off without a trace.
#include <cstdint>
#include <cstdlib>

#include "json/reader.h"
#include "json/writer.h"
#include "resolve/label_projection.h"

using namespace chandler;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const json::Value document =
      json::parse(
          R"({"metadata":{"name":"w"},"spec":{"template":{"metadata":{"labels":{"app":"w"}}},"size":1,"null":null,"list":[]}})")
          .value();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto path = resolve::LabelPath::parse(text);
  if (!path.ok()) return 0;
  const auto again = resolve::LabelPath::parse(path->str());
  if (!again.ok() || *again != *path) std::abort();
  (void)resolve::judge_label_path(document, *path);
  json::Value object = document;
  const resolve::LabelClaim claim{"uid-1", *path, {{"use-1", "x", ""}, {"tier", "db", "class"}}, {}};
  if (resolve::project_labels(object, claim)) {
    if (json::write(object) != json::write(document)) std::abort();
    return 0;
  }
  if (!resolve::withdraw_labels(object, "uid-1", *path, {"use-1"})) std::abort();
  if (json::write(object) != json::write(document)) std::abort();
  return 0;
}
