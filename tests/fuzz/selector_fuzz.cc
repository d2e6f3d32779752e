// Label and field selectors come from query strings. What parses must print, and parse again to the same.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "meta/selector.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace chandler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto labels = meta::LabelSelector::parse(text); labels.ok()) {
    const auto again = meta::LabelSelector::parse(labels->str());
    CH_CHECK(again.ok() && again->str() == labels->str());
    (void)labels->matches([&](std::string_view key) -> std::optional<std::string_view> { return key; });
    (void)labels->matches([&](std::string_view) -> std::optional<std::string_view> { return std::nullopt; });
  }
  if (const auto fields = meta::FieldSelector::parse(text); fields.ok()) {
    const auto again = meta::FieldSelector::parse(fields->str());
    CH_CHECK(again.ok() && again->str() == fields->str());
  }
  return 0;
}
