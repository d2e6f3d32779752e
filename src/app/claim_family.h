// The controllers of claims: which class serves a claim, what is made for it, and that nothing in use goes away.
#pragma once

#include <string>

#include "app/family.h"
#include "reconcilers/claim/claim_settings.h"

namespace chandler::app {

inline constexpr std::string_view kClaimDuty = "claims";

// What operators can say about claims. The names are those of the flags.
struct ClaimOptions {
  std::string claim_class_namespaces = "crossplane-system";  // separated by commas
  std::string claim_default_policy = "Ambiguous";            // or Newest, Priority
};

// An error names the flag.
Result<reconcilers::claims::ClaimSettings> claim_settings_of(const ClaimOptions& options);

Family claim_family(reconcilers::claims::ClaimSettings settings);

}  // namespace chandler::app
