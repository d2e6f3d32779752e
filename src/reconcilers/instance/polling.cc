// Asking the broker how an asynchronous operation is getting on.
#include "reconcilers/catalog/operation.h"
#include "reconcilers/instance/instance_secrets.h"
#include "reconcilers/instance/pass.h"
#include "reconcilers/instance/requests.h"

namespace chandler::reconcilers {

controller::Step poll(InstancePass& pass) {
  const auto& instance = pass.instance;
  if (pass.now() < next_attempt_of(instance.status())) {
    return controller::Step::wait_until(next_attempt_of(instance.status()));
  }
  // After a change of plan the broker wants to hear of the plan before it.
  const bool update = instance.operation() == InstanceOperation::kUpdate;
  auto target = update ? instance.external_target() : instance.in_progress_target();
  return call_broker(pass.draft(), target, poll_call(instance, target), intent_of(instance),
                     secrets_of(instance, pass.settings, pass.view), pass.settings, pass.view);
}

}  // namespace chandler::reconcilers
