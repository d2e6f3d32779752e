#include "reconcilers/binding/binding_reconciler.h"

#include "reconcilers/binding/pass.h"
#include "reconcilers/catalog/abandon.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/late_request.h"
#include "reconcilers/catalog/parameters.h"

namespace chandler::reconcilers {

using controller::Step;

std::vector<client::KindName> BindingReconciler::kinds() const { return {kBindings}; }

std::vector<client::KindName> BindingReconciler::reads() const {
  return {kInstances, kClusterBrokers, kClusterClasses, kClusterPlans, kBrokers,
          kClasses,   kPlans,          kSecrets,        kNamespaces,   kConfigMaps};
}

Step BindingReconciler::reconcile(const client::KindName& kind, const client::Object& object,
                                  controller::View& view) const {
  BindingPass pass{settings_, BindingView(object), view};
  const auto& binding = pass.binding;
  // Credentials for a binding that is going away are of no use; that there may be a binding to end is on record. But
  // not that its request may still be carried out.
  const bool is_ending = object.deleting() && binding.operation() == BindingOperation::kBind && !binding.cleaning_up();
  if (const auto* outcome = view.outcome(); outcome != nullptr && answers(binding, *outcome)) {
    const bool too_late = is_ending && !may_come_late(*outcome);
    if (!too_late) return absorb(pass, *outcome);
  }
  if (!has_finalizer(object) && object.deleting()) return Step::done();
  if (auto draft = prepare(kind, object)) return Step::write(std::move(*draft).update());
  if (auto step = seal_checksums(kind, object, settings_)) return *std::move(step);
  if (auto step = complete_record(pass)) return *std::move(step);
  if (object.deleting()) return remove(pass);
  if (binding.cleaning_up()) return clean_up(pass);
  if (binding.polling()) return poll(pass);
  if (binding.operation() == BindingOperation::kBind) return proceed(pass);
  return decide(pass);
}

}  // namespace chandler::reconcilers
