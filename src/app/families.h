// The families of controllers there are, for `chandler serve` and `chandler controllers` alike.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/catalog_options.h"
#include "app/claim_family.h"
#include "app/family.h"
#include "app/volume_family.h"

namespace chandler::app {

// What operators can say about them; the flags fill it.
struct FamilyOptions {
  CatalogOptions catalog;
  ClaimOptions claims;
  VolumeOptions volumes;
};

// All of them, in the order in which they start. An error names the flag.
Result<std::vector<Family>> all_families(const FamilyOptions& options);

// Their duties, for --controllers.
const std::vector<std::string_view>& family_duties();

}  // namespace chandler::app
