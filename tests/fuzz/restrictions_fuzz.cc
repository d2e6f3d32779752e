// Catalog restrictions come from manifests; each line is one. What parses must print, and parse again to the same.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "resolve/catalog_restrictions.h"
#include "resolve/object_name.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace chandler;
  using resolve::RestrictedKind;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> lines;
  for (const auto line : split(text, '\n')) lines.emplace_back(line);
  for (const auto kind : {RestrictedKind::kClass, RestrictedKind::kClusterPlan, RestrictedKind::kPlan}) {
    meta::FieldErrors errors;
    const auto parsed = resolve::CatalogRestrictions::parse(lines, kind, meta::Path("r"), errors);
    CH_CHECK(parsed.has_value() == errors.empty());
    if (!parsed) continue;
    const resolve::CatalogEntry entry{"a", "b c", text, true, "d"};
    const std::vector<std::string> canonical = {parsed->str()};
    if (canonical[0].size() > 60'000) continue;  // quotes may make it longer than a string may be
    const auto again = resolve::CatalogRestrictions::parse(canonical, kind, meta::Path("r"), errors);
    CH_CHECK(again.has_value() && again->str() == parsed->str() && again->matches(entry) == parsed->matches(entry));
  }
  CH_CHECK(resolve::object_name_of_id(text).size() <= 63);
  return 0;
}
