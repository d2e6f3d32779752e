#include "app/claim_family.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/names.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/claim/claim_reconciler.h"
#include "reconcilers/claim/class_keeper.h"
#include "reconcilers/claim/kinds.h"

namespace chandler::app {

Result<reconcilers::claims::ClaimSettings> claim_settings_of(const ClaimOptions& options) {
  reconcilers::claims::ClaimSettings settings;
  settings.class_namespaces.clear();
  if (!trim(options.claim_class_namespaces).empty()) {
    for (const auto piece : split(options.claim_class_namespaces, ',')) {
      const std::string ns(trim(piece));
      if (const auto fault = meta::check_dns1123_label(ns); !fault.empty()) {
        return bad_request(fmt::format("--claim-class-namespaces: {} is not a namespace: {}", quoted(ns), fault));
      }
      auto& all = settings.class_namespaces;
      if (std::find(all.begin(), all.end(), ns) == all.end()) all.push_back(ns);
    }
  }
  if (options.claim_default_policy == "Ambiguous") {
    settings.several_defaults = resolve::TieRule::kReject;
  } else if (options.claim_default_policy == "Newest") {
    settings.several_defaults = resolve::TieRule::kNewest;
  } else if (options.claim_default_policy == "Priority") {
    settings.several_defaults = resolve::TieRule::kPriority;
  } else {
    return bad_request(fmt::format("--claim-default-policy: {} is not one of Ambiguous, Newest and Priority",
                                   quoted(options.claim_default_policy)));
  }
  return settings;
}

Family claim_family(reconcilers::claims::ClaimSettings settings) {
  using namespace reconcilers;
  Family family;
  family.duty = kClaimDuty;
  family.account = "claims-controller";
  family.component = "claims-controller";
  family.groups = {claims::kCoreGroup, "storage.crossplane.io", "cache.crossplane.io"};
  // Not those of the service catalog, which may be absent: they are followed once a class orders from it.
  family.kinds = {claims::kResourceClasses, claims::kProviders, claims::kDefinitions, kSecrets};
  family.kinds.insert(family.kinds.end(), std::begin(claims::kBuiltInClaims), std::end(claims::kBuiltInClaims));
  family.furnish = [settings = std::move(settings)](client::Api&, controller::Engine& engine) -> Result<void> {
    engine.add(std::make_unique<claims::ClaimReconciler>(settings));
    engine.add(std::make_unique<claims::ClassKeeper>());
    return {};
  };
  return family;
}

}  // namespace chandler::app
