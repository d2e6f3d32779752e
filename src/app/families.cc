#include "app/families.h"

#include <utility>

#include "app/catalog_family.h"
#include "app/claim_family.h"
#include "app/usage_family.h"

namespace chandler::app {

Result<std::vector<Family>> all_families(const FamilyOptions& options) {
  CH_TRY_LET(catalog, settings_of(options.catalog));
  CH_TRY_LET(claims, claim_settings_of(options.claims));
  CH_TRY_LET(volumes, volume_family(options.volumes));
  std::vector<Family> families;
  families.push_back(catalog_family(std::move(catalog)));
  families.push_back(claim_family(std::move(claims)));
  families.push_back(std::move(volumes));
  families.push_back(usage_family());
  return families;
}

const std::vector<std::string_view>& family_duties() {
  static const auto duties = [] {
    std::vector<std::string_view> names;
    const auto families = all_families({});
    if (families.ok()) {
      for (const auto& family : *families) names.push_back(family.duty);
    }
    return names;
  }();
  return duties;
}

}  // namespace chandler::app
