// What operators may set about claims; the flags of the same names fill it. Plain data.
#pragma once

#include <string>
#include <vector>

#include "resolve/choose_default.h"

namespace chandler::reconcilers::claims {

struct ClaimSettings {
  // Whose classes serve claims of all namespaces.
  std::vector<std::string> class_namespaces = {"crossplane-system"};
  // What happens when several classes have the same right.
  resolve::TieRule several_defaults = resolve::TieRule::kReject;
};

}  // namespace chandler::reconcilers::claims
