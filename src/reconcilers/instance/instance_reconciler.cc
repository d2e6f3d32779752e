#include "reconcilers/instance/instance_reconciler.h"

#include "reconcilers/catalog/abandon.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/instance/pass.h"

namespace chandler::reconcilers {

using controller::Step;

std::vector<client::KindName> InstanceReconciler::kinds() const { return {kInstances}; }

std::vector<client::KindName> InstanceReconciler::reads() const {
  return {kClusterBrokers, kClusterClasses, kClusterPlans, kBrokers,    kClasses,
          kPlans,          kBindings,       kSecrets,      kNamespaces, kConfigMaps};
}

Step InstanceReconciler::reconcile(const client::KindName& kind, const client::Object& object,
                                   controller::View& view) const {
  InstancePass pass{settings_, InstanceView(object), view};
  const auto& instance = pass.instance;
  if (const auto* outcome = view.outcome(); outcome != nullptr && answers(instance, *outcome)) {
    return absorb(pass, *outcome);
  }
  if (!has_finalizer(object) && object.deleting()) return Step::done();
  if (auto draft = prepare(kind, object)) return Step::write(std::move(*draft).update());
  if (auto step = seal_checksums(kind, object, settings_)) return *std::move(step);
  if (auto step = complete_record(pass)) return *std::move(step);
  if (object.deleting()) return remove(pass);
  if (instance.cleaning_up()) return clean_up(pass);
  if (instance.polling()) return poll(pass);
  if (instance.operation() != InstanceOperation::kNone) return proceed(pass);
  return decide(pass);
}

}  // namespace chandler::reconcilers
