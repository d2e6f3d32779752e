// Carrying out what was begun: completing the spec, sending the request, asking how it is getting on.
#include <fmt/format.h>

#include "reconcilers/binding/binding_secrets.h"
#include "reconcilers/binding/changes.h"
#include "reconcilers/binding/defaults.h"
#include "reconcilers/binding/pass.h"
#include "reconcilers/binding/requests.h"
#include "reconcilers/binding/secret.h"
#include "reconcilers/catalog/late_request.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/catalog/retry.h"
#include "reconcilers/instance/instance_offer.h"
#include "reconcilers/secrets/secret_protection.h"

namespace chandler::reconcilers {
namespace {

using controller::Step;

Step start_over(BindingPass& pass) {
  constexpr std::string_view kWhy =
      "The parameters changed while a request was under way; what that may have left is removed first.";
  auto draft = pass.draft();
  note_dead_run(draft.status(), pass.binding.status(), pass.settings, pass.now());
  begin_clean_up(draft.status(), reason::kBindingNeedsMitigation, reason::kBindCallFailed, kWhy, pass.settings,
                 pass.now(),
                 began_here(pass.binding.status(), pass.settings) ? std::chrono::milliseconds(0)
                                                                  : pass.settings.osb_api_request_timeout);
  return save_status(std::move(draft), {warning(reason::kBindingNeedsMitigation, kWhy)});
}

// What is bound stays so, fetched once more or not. Without its broker the attempt is over: nobody would end it. What
// is to be removed goes on waiting for the broker.
std::optional<Step> stop_fetching(BindingPass& pass) {
  const auto& binding = pass.binding;
  const bool is_fetching = binding.bound() && binding.operation() == BindingOperation::kBind &&
                           !binding.cleaning_up() && !binding.object().deleting();
  if (!is_fetching) return std::nullopt;
  const auto problem = missing_broker(binding.target(), pass.view);
  if (!problem) return std::nullopt;
  auto draft = pass.draft();
  end_operation(draft.status());
  clear_retry(draft.status());
  return show_problem(std::move(draft), *problem, pass.now());
}

}  // namespace

bool can_fetch(BindingPass& pass) {
  const InstanceView instance(pass.view.get(kInstances, pass.binding.ns(), pass.binding.instance_name()));
  if (!instance.object()) return false;
  const auto offer = offer_of(instance, pass.view);
  return offer.service_class && offer.service_class.binding_retrievable();
}

Step proceed(BindingPass& pass) {
  const auto& binding = pass.binding;
  // When the step that began the operation ended between its two writes.
  if (auto completed = complete_spec(binding, binding.status())) return Step::write(*std::move(completed));
  // A crash between secret and status leaves only the status to be written.
  const auto secret = pass.view.get(kSecrets, binding.ns(), binding.secret_name());
  if (secret && delivered(binding, secret)) {
    auto draft = pass.draft();
    note_bound(draft.status(), binding, pass.now());
    auto step = save_status(std::move(draft), {normal(reason::kInjected, kBoundMessage)});
    if (auto old = former_secret(binding, pass.view)) step.stages[0].push_back(*std::move(old));
    return step;
  }
  if (pass.now() < next_attempt_of(binding.status())) return Step::wait_until(next_attempt_of(binding.status()));
  if (auto step = stop_fetching(pass)) return *std::move(step);
  if (auto problem = obstacle(binding, pass.view)) return show_problem(pass.draft(), *problem, pass.now());

  auto parameters = parameters_of(binding.object(), pass.settings, pass.view);
  if (!parameters.ok()) {
    if (parameters.error().reason.empty()) return Step::done();
    return show_problem(pass.draft(), parameters.error(), pass.now());
  }
  const bool fetch = can_fetch(pass);
  if (binding.bound() && fetch) {
    return call_broker(pass.draft(), binding.target(), get_call(binding), intent_of(binding),
                       secrets_of(binding, pass.settings, pass.view), pass.settings, pass.view);
  }
  if (!has_parameters(binding.in_progress(), *parameters)) return start_over(pass);
  if (auto step = protect_secrets_of(binding.object(), pass.view)) return *std::move(step);
  if (!binding.needs_unbind()) {  // the last attempt left nothing behind; this one may
    auto draft = pass.draft();
    draft.status()["unbindStatus"] = "Required";
    return save_status(std::move(draft));
  }
  const auto space = pass.view.get(kNamespaces, "", binding.ns());
  if (!space) {
    return show_problem(pass.draft(),
                        {reason::kErrorFindingNamespace, fmt::format("Namespace \"{}\" does not exist.", binding.ns())},
                        pass.now());
  }
  return call_broker(pass.draft(), binding.target(),
                     bind_call(binding, parameters->value, space.uid(), fetch, pass.settings), intent_of(binding),
                     secrets_of(binding, pass.settings, pass.view), pass.settings, pass.view);
}

Step poll(BindingPass& pass) {
  const auto& binding = pass.binding;
  if (auto step = stop_fetching(pass)) return *std::move(step);
  if (pass.now() < next_attempt_of(binding.status())) return Step::wait_until(next_attempt_of(binding.status()));
  return call_broker(pass.draft(), binding.target(), poll_call(binding), intent_of(binding),
                     secrets_of(binding, pass.settings, pass.view), pass.settings, pass.view);
}

}  // namespace chandler::reconcilers
