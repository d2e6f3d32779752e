// Ending a binding: because its object is deleted, or to clean up after a request whose outcome is unknown.
#include "reconcilers/binding/binding_secrets.h"
#include "reconcilers/binding/pass.h"
#include "reconcilers/binding/requests.h"
#include "reconcilers/binding/secret.h"
#include "reconcilers/catalog/abandon.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/instance/instance_view.h"

namespace chandler::reconcilers {
namespace {

using controller::Step;

Step call_unbind(BindingPass& pass) {
  const auto& binding = pass.binding;
  if (pass.now() < next_attempt_of(binding.status())) return Step::wait_until(next_attempt_of(binding.status()));
  auto call = unbind_call(binding);
  // The instance may have moved to another plan since; the broker knows it by the present one.
  const InstanceView instance(pass.view.get(kInstances, binding.ns(), binding.instance_name()));
  if (instance.object() && instance.external_id() == binding.instance_id()) {
    if (const auto target = instance.external_target(); !target.plan_id.empty()) call.plan_id = target.plan_id;
  }
  return call_broker(pass.draft(), binding.target(), std::move(call), intent_of(binding),
                     secrets_of(binding, pass.settings, pass.view), pass.settings, pass.view);
}

// The secrets that this binding wrote; nobody else's.
std::vector<client::Write> eject(BindingPass& pass) {
  std::vector<client::Write> deletions;
  for (const auto& name : {pass.binding.secret_name(), pass.binding.written_secret()}) {
    if (name.empty() || (!deletions.empty() && deletions.back().name == name)) continue;
    const auto secret = pass.view.get(kSecrets, pass.binding.ns(), name);
    if (secret && !secret.deleting() && owns(pass.binding, secret)) deletions.push_back(delete_of(kSecrets, secret));
  }
  return deletions;
}

Step begin_unbind(BindingPass& pass) {
  auto draft = pass.draft();
  auto& status = draft.status();
  status["inProgressProperties"] = pass.binding.properties();
  begin_operation(status, "Unbind", pass.settings, pass.now());
  wait_for_stragglers(status, pass.binding.status(), pass.binding.cleaning_up(), pass.settings, pass.now());
  status.erase("orphanMitigationInProgress");
  remove_condition(status, kOrphanMitigation);
  remove_condition(status, kFailed);
  set_condition(status, kReady, Truth::kFalse, reason::kUnbindRequestInFlight,
                "The request to unbind is about to be sent.", pass.now());
  return save_status(std::move(draft));
}

}  // namespace

Step remove(BindingPass& pass) {
  const auto& binding = pass.binding;
  if (auto deletions = eject(pass); !deletions.empty()) {
    Step step;
    step.stages.push_back(std::move(deletions));
    return step;
  }
  if (annotation_of(binding.object(), kAbandonAnnotation) == "true") {
    return abandon(pass.draft(), binding.object(),
                   {"ServiceBinding", binding.needs_unbind(), binding.target(), binding.instance_id(), binding.id()},
                   pass.view);
  }
  if (!binding.needs_unbind()) {
    auto draft = pass.draft();
    draft.remove_finalizer(kFinalizer);
    return Step::write(std::move(draft).update());
  }
  if (binding.operation() != BindingOperation::kUnbind) return begin_unbind(pass);
  return binding.polling() ? poll(pass) : call_unbind(pass);
}

Step clean_up(BindingPass& pass) { return pass.binding.polling() ? poll(pass) : call_unbind(pass); }

}  // namespace chandler::reconcilers
