// Options of storage classes come from manifests and from an annotation, selectors from claims. The first line is the
// annotation, the rest a selector. What is resolved must fit the selector, and what is shown must not drive a terminal.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/reader.h"
#include "meta/selector.h"
#include "resolve/volume_selector.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace chandler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(text.find('\n'), text.size());
  json::Object annotations;
  annotations[resolve::kSelectorOptionsAnnotation] = json::String(text.data(), end);
  const json::Value storage_class = json::Object{{"metadata", {{"name", "c"}, {"annotations", std::move(annotations)}}},
                                                 {"provisioner", "p"},
                                                 {"parameters", {{"zones", "a, b"}}}};
  meta::FieldErrors errors;
  resolve::check_selector_options(storage_class, errors);
  const auto read = resolve::read_tunable_class(storage_class);
  if (!read.ok()) {
    CH_CHECK(!errors.empty());
    return 0;
  }
  for (const char c : resolve::describe_selector_options(read->options)) {
    CH_CHECK(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
  (void)resolve::check_tunable_class(*read, resolve::common_profile());
  const auto selector = end < text.size() ? json::parse(text.substr(end + 1)) : Result<json::Value>(json::Value());
  if (!selector.ok() || !errors.empty()) return 0;
  const auto resolution = resolve::resolve_selector(
      *read, resolve::common_profile(), {.namespace_name = "n", .claim_name = "c-1", .selector = &*selector});
  if (!resolution.ok() || !selector->is_object()) return 0;
  const auto values = resolution.values();
  const auto parsed = meta::LabelSelector::from_json(*selector);
  CH_CHECK(parsed.ok() && parsed->matches([&](std::string_view key) -> std::optional<std::string_view> {
    const auto found = values.find(std::string(key));
    return found == values.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }));
  return 0;
}
