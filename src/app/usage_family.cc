#include "app/usage_family.h"

#include <memory>

#include "client/local/local_api.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/usage/injection_reporter.h"
#include "reconcilers/usage/usage_kind_reconciler.h"
#include "reconcilers/usage/usage_names.h"
#include "reconcilers/usage/usage_reconciler.h"

namespace chandler::app {

Family usage_family() {
  using namespace reconcilers;
  Family family;
  family.duty = kUsageDuty;
  family.account = "binding-usage-controller";
  family.component = "binding-usage-controller";
  family.groups = {kUsageGroup, kCatalogGroup, kPodPresets.group};
  // Workloads come to these as usages name them.
  family.kinds = {kUsageKinds, kUsages,         kPodPresets, kCrds,    kPods,        kBindings,
                  kInstances,  kClusterClasses, kClasses,    kSecrets, kSnapshotMaps};
  family.furnish = [account = family.account](client::Api&, controller::Engine& engine) -> Result<void> {
    const auto controller = client::service_account("kube-system", account);
    engine.add(std::make_unique<UsageKindReconciler>(controller));
    engine.add(std::make_unique<UsageReconciler>(controller));
    engine.add(std::make_unique<InjectionReporter>());
    return {};
  };
  return family;
}

}  // namespace chandler::app
