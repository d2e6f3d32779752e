// Ending an instance: because its object is deleted, or to clean up after a request whose outcome is unknown.
#include <algorithm>

#include <fmt/format.h>

#include "reconcilers/binding/binding_view.h"
#include "reconcilers/catalog/abandon.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/instance/changes.h"
#include "reconcilers/instance/instance_secrets.h"
#include "reconcilers/instance/pass.h"
#include "reconcilers/instance/requests.h"
#include "resolve/choose_default.h"

namespace chandler::reconcilers {
namespace {

using controller::Step;

Target target_of(const InstanceView& instance) {
  auto target = instance.in_progress_target();
  if (target.empty()) target = instance.external_target();
  // After updates that nobody confirmed, or a provision that was carried out late, any of their plans may be the one
  // that the broker wants to hear.
  std::vector<Target> targets{target};
  const auto add = [&](const json::Value& properties) {
    auto other = read_target(properties, instance.object().ns());
    const bool is_known = std::any_of(targets.begin(), targets.end(),
                                      [&](const Target& known) { return known.plan_id == other.plan_id; });
    if (!is_known && !other.empty()) targets.push_back(std::move(other));
  };
  for (const auto& properties : instance.unconfirmed()) add(properties);
  add(member(instance.status(), "lateRequestProperties"));
  return targets[static_cast<size_t>(attempts_of(instance.status())) % targets.size()];
}

// Bindings go first: by themselves, or deleted by us when the spec says so.
std::optional<Step> wait_for_bindings(InstancePass& pass) {
  const auto& instance = pass.instance;
  const auto bindings = pass.view.list(kBindings, {instance.ns(), {{"spec.instanceRef.name", instance.name()}}});
  const bool cascades = text_at(instance.spec(), "deletionPolicy") == "Cascade";
  const auto& deleter = member(instance.spec(), "userInfo");
  std::vector<std::string> names;
  std::vector<client::Write> records;
  std::vector<client::Write> deletions;
  for (const auto& binding : bindings) {
    // What was never provisioned cannot have been bound: such a binding only waits, and nobody waits for it.
    const BindingView user(binding);
    if (!instance.provisioned() && !user.needs_unbind()) continue;
    // One that was made for an instance of the same name before this one holds nothing of this one.
    if (user.needs_unbind() && !user.instance_id().empty() && user.instance_id() != instance.external_id()) continue;
    names.emplace_back(binding.name());
    if (!cascades || binding.deleting()) continue;
    deletions.push_back(delete_of(kBindings, binding));
    // Whoever deletes the instance is behind this, not who made the binding; brokers are told.
    if (!deleter.is_object() || json::equal(user.requester(), deleter)) continue;
    Draft draft(kBindings, binding);
    draft.status()["cascadedBy"] = deleter;
    records.push_back(std::move(draft).update_status());
  }
  if (names.empty()) return std::nullopt;
  const auto listed = resolve::list_names(names);
  if (!cascades) {
    return show_problem(
        pass.draft(),
        {reason::kDeprovisionBlocked,
         fmt::format("The instance has bindings: {}. Delete them, or set spec.deletionPolicy to Cascade, "
                     "and it goes on.",
                     listed)},
        pass.now());
  }
  if (!deletions.empty()) {
    Step step;
    if (!records.empty()) step.stages.push_back(std::move(records));
    step.stages.push_back(std::move(deletions));
    step.notes.push_back(
        normal(reason::kBindingsDeletion, fmt::format("Deleting bindings of the instance: {}.", listed)));
    return step;
  }
  return show_problem(pass.draft(),
                      {reason::kBindingsDeletion, fmt::format("Waiting for bindings to be gone: {}.", listed)},
                      pass.now());
}

Step begin_deprovision(InstancePass& pass) {
  auto draft = pass.draft();
  auto& status = draft.status();
  // An update that is cut off here may have been carried out or not: any of the plans may be right.
  note_unconfirmed(status, pass.instance);
  if (pass.instance.operation() == InstanceOperation::kUpdate || pass.instance.in_progress_target().empty()) {
    status["inProgressProperties"] = pass.instance.external();
  }
  begin_operation(status, operation_name(InstanceOperation::kDeprovision), pass.settings, pass.now());
  wait_for_stragglers(status, pass.instance.status(), pass.instance.cleaning_up(), pass.settings, pass.now());
  status.erase("orphanMitigationInProgress");
  remove_condition(status, kOrphanMitigation);
  remove_condition(status, kFailed);
  set_condition(status, kReady, Truth::kFalse, reason::kDeprovisionRequestInFlight,
                "The request to deprovision the instance is about to be sent.", pass.now());
  return save_status(std::move(draft));
}

Step call_deprovision(InstancePass& pass) {
  if (pass.now() < next_attempt_of(pass.instance.status())) {
    return Step::wait_until(next_attempt_of(pass.instance.status()));
  }
  const auto target = target_of(pass.instance);
  return call_broker(pass.draft(), target, deprovision_call(pass.instance, target), intent_of(pass.instance),
                     secrets_of(pass.instance, pass.settings, pass.view), pass.settings, pass.view);
}

}  // namespace

Step remove(InstancePass& pass) {
  const auto& instance = pass.instance;
  if (annotation_of(instance.object(), kAbandonAnnotation) == "true") {
    return abandon(pass.draft(), instance.object(),
                   {"ServiceInstance", instance.needs_deprovision(), target_of(instance), instance.external_id(), ""},
                   pass.view);
  }
  // Bindings of an instance that the broker never had hold nothing; they end by themselves.
  if (instance.needs_deprovision()) {
    if (auto step = wait_for_bindings(pass)) return *std::move(step);
  } else {
    auto draft = pass.draft();
    draft.remove_finalizer(kFinalizer);
    return Step::write(std::move(draft).update());
  }
  if (instance.operation() != InstanceOperation::kDeprovision) return begin_deprovision(pass);
  return instance.polling() ? poll(pass) : call_deprovision(pass);
}

Step clean_up(InstancePass& pass) { return pass.instance.polling() ? poll(pass) : call_deprovision(pass); }

}  // namespace chandler::reconcilers
