// What each answer of a broker leads to. osb::judge() says what the answer means; here that meets the operation under
// way.
#include <algorithm>

#include <fmt/format.h>

#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/instance/changes.h"
#include "reconcilers/instance/pass.h"
#include "reconcilers/instance/requests.h"

namespace chandler::reconcilers {
namespace {

using controller::CallOutcome;
using controller::Step;
using osb::Consequence;

constexpr std::string_view kLook = ":look";
constexpr std::chrono::milliseconds kSlow{60'000};  // between attempts that a broker has refused on principle

// An answer in the light of the pass it came to.
struct Reply {
  InstancePass& pass;
  const CallOutcome& outcome;
  osb::Verdict verdict;
  Draft draft;

  Reply(InstancePass& p, const CallOutcome& o)
      : pass(p), outcome(o), verdict(osb::judge(o.call, o.answer)), draft(p.draft()) {}

  json::Object& status() { return draft.status(); }
  const InstanceView& instance() const { return pass.instance; }
  std::string_view uid() const { return pass.instance.object().uid(); }
  bool answered() const { return !outcome.answer.failure; }
  Step save(controller::Note note) { return save_status(std::move(draft), {std::move(note)}); }
};

// Words that differ between provisioning and updating.
struct Words {
  std::string_view in_progress, call_failed, error_calling, waiting;
};
Words words_of(const InstanceView& instance) {
  if (instance.operation() == InstanceOperation::kUpdate) {
    return {reason::kUpdatingInstance, reason::kUpdateCallFailed, reason::kErrorCallingUpdate,
            "The instance is being updated asynchronously"};
  }
  return {reason::kProvisioning, reason::kProvisionCallFailed, reason::kErrorCallingProvision,
          "The instance is being provisioned asynchronously"};
}

Step succeed(Reply& reply) {
  note_dashboard(reply.status(), reply.outcome.answer.body);
  if (reply.instance().operation() == InstanceOperation::kUpdate) {
    note_updated(reply.status(), reply.instance(), reply.pass.now());
    return reply.save(normal(reason::kInstanceUpdated, "The instance was updated successfully"));
  }
  note_provisioned(reply.status(), reply.instance(), reply.pass.now());
  return reply.save(normal(reason::kProvisionedSuccessfully, "The instance was provisioned successfully"));
}

Step refuse(Reply& reply, std::string_view message) {
  const auto words = words_of(reply.instance());
  const bool update = reply.instance().operation() == InstanceOperation::kUpdate;
  note_refused(reply.status(), reply.instance(), words.call_failed,
               update ? reason::kUpdateCallFailed : reason::kBrokerReturnedFailure, message, reply.pass.now());
  // Another run may have asked before and died; that this request was refused says nothing about that one.
  if (!update && !began_here(reply.instance().status(), reply.pass.settings)) {
    reply.status()["currentOperation"] = text(operation_name(InstanceOperation::kProvision));
    reply.status()["inProgressProperties"] = reply.instance().in_progress();
    reply.status()["deprovisionStatus"] = "Required";
    begin_clean_up(reply.status(), reason::kStartingMitigation, words.call_failed, message, reply.pass.settings,
                   reply.pass.now(), reply.pass.settings.osb_api_request_timeout);
  }
  return reply.save(warning(words.call_failed, message));
}

Step clean_up_after(Reply& reply, std::string_view why, std::string_view message) {
  begin_clean_up(reply.status(), reason::kStartingMitigation, why, message, reply.pass.settings, reply.pass.now(),
                 quiet_after(reply.outcome.answer, reply.pass.settings));
  return reply.save(warning(reason::kStartingMitigation, message));
}

Step try_later(Reply& reply) {
  const auto words = words_of(reply.instance());
  const auto why = reply.answered() ? words.call_failed : words.error_calling;
  const bool provision = reply.instance().operation() == InstanceOperation::kProvision;
  if (out_of_time(reply.instance().status(), reply.pass.settings.reconciliation_retry_duration, reply.pass.now())) {
    note_refused(reply.status(), reply.instance(), why, reason::kRetryTimeout,
                 fmt::format("Given up after {} attempts: {}", attempts_of(reply.instance().status()) + 1,
                             sentence(reply.verdict.message)),
                 reply.pass.now());
    // This attempt did nothing, but the answer to an earlier one may have been lost: deleting asks the broker.
    if (provision) reply.status()["deprovisionStatus"] = "Required";
    return reply.save(warning(reason::kRetryTimeout, reply.verdict.message));
  }
  note_failure(reply.status(), reply.outcome.answer, reply.pass.settings, reply.uid(), reply.verdict.message,
               reply.pass.now());
  set_condition(reply.status(), kReady, Truth::kFalse, why,
                fmt::format("{} It will be retried.", sentence(reply.verdict.message)), reply.pass.now());
  return reply.save(warning(why, reply.verdict.message));
}

// What the broker has under this ID is not what we ask for now. An ID that nobody chose is ours, and so is what an
// earlier request left there. One that somebody chose may mean somebody else's, which is not ours to remove.
Step conflict(Reply& reply) {
  if (reply.instance().external_id() == reply.uid()) {
    return clean_up_after(reply, reason::kProvisionCallFailed,
                          "An earlier request has left something else under the ID of this instance.");
  }
  const auto message = fmt::format(
      "The broker already has an instance with ID \"{}\" that is not this one; remove it there, or create the instance "
      "with another spec.externalID.",
      reply.instance().external_id());
  note_refused(reply.status(), reply.instance(), reason::kProvisionCallFailed, reason::kBrokerReturnedFailure, message,
               reply.pass.now());
  return reply.save(warning(reason::kProvisionCallFailed, message));
}

// Something with this ID exists. If the broker can be asked, it says whether it is what we want.
Step look_again(Reply& reply) {
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto name = reply.instance().class_ref(scope);
    if (name.empty()) continue;
    const ClassView service_class(
        scope,
        reply.pass.view.get(names_of(scope).classes, scope == Scope::kCluster ? "" : reply.instance().ns(), name));
    if (!service_class || !service_class.instance_retrievable()) break;
    const auto target = reply.instance().in_progress_target();
    return call_broker(std::move(reply.draft), target, get_call(reply.instance(), target),
                       intent_of(reply.instance()) + std::string(kLook), reply.pass.settings, reply.pass.view);
  }
  return conflict(reply);
}

// What the broker shows of the parameters is what we would send. It need not show all of them.
bool same_parameters(const json::Value& shown, const json::Value& wanted) {
  if (!shown.is_object() || !wanted.is_object()) return true;
  for (const auto& [key, value] : shown.get_object()) {
    const auto* ours = wanted.get_object().if_contains(key);
    if (ours != nullptr && !json::equal(*ours, value)) return false;
  }
  return true;
}

Step absorb_look(Reply& reply) {
  const auto& body = reply.outcome.answer.body;
  const auto& instance = reply.instance();
  const auto target = instance.in_progress_target();
  if (reply.verdict.consequence == Consequence::kRetry) return try_later(reply);
  if (reply.verdict.consequence != Consequence::kDone) return conflict(reply);
  if (text_at(body, "service_id") != target.service_id || text_at(body, "plan_id") != target.plan_id) {
    return conflict(reply);
  }
  const auto parameters = parameters_of(instance.spec(), instance.ns(), reply.pass.view);
  if (!parameters.ok()) return try_later(reply);
  return same_parameters(member(body, "parameters"), parameters->value) ? succeed(reply) : conflict(reply);
}

Step wait_for_broker(Reply& reply, std::string_view ready_reason, std::string_view message) {
  note_dashboard(reply.status(), reply.outcome.answer.body);
  begin_polling(reply.status(), reply.outcome.answer, reply.pass.settings, reply.uid(), reply.pass.now());
  set_condition(reply.status(), kReady, Truth::kFalse, ready_reason, message, reply.pass.now());
  return reply.save(normal(ready_reason, message));
}

// An error that left the instance unusable says so; bindings then wait.
void note_usable(Reply& reply) {
  if (json::bool_at(reply.outcome.answer.body, "instance_usable") == false) reply.status()["instanceUsable"] = false;
}

// Provision and update.
Step absorb_request(Reply& reply) {
  const bool update = reply.instance().operation() == InstanceOperation::kUpdate;
  const auto words = words_of(reply.instance());
  if (update) note_usable(reply);
  switch (reply.verdict.consequence) {
    case Consequence::kDone:
    case Consequence::kNotModified:
      return succeed(reply);
    case Consequence::kPoll:
      return wait_for_broker(reply, words.in_progress, words.waiting);
    case Consequence::kRejected:
    case Consequence::kSendAsync:
      return refuse(reply, reply.verdict.message);
    case Consequence::kLookAgain:
      return update ? refuse(reply, reply.verdict.message) : look_again(reply);
    case Consequence::kRetry:
      // The broker knows best whether the same update can ever succeed.
      if (update && json::bool_at(reply.outcome.answer.body, "update_repeatable") == false)
        return refuse(reply, reply.verdict.message);
      return try_later(reply);
    case Consequence::kCleanUp:
      break;
  }
  if (update) return try_later(reply);
  return clean_up_after(reply, reply.answered() ? words.call_failed : words.error_calling, reply.verdict.message);
}

Step finish_removal(Reply& reply) {
  if (reply.instance().cleaning_up()) {
    note_cleaned_up(reply.status(), reply.instance(), reply.pass.settings, reply.pass.now());
    return reply.save(normal(reason::kMitigationSuccessful, "What the failed request may have left was removed."));
  }
  note_deprovisioned(reply.status(), reply.pass.now());
  return reply.save(normal(reason::kDeprovisioned, "The instance was deprovisioned successfully"));
}

// A deletion never ends by itself without success: it is tried again and again, ever more slowly, and says so.
Step retry_removal(Reply& reply, std::string_view message) {
  auto& status = reply.status();
  const auto now = reply.pass.now();
  const bool refused = reply.verdict.consequence == Consequence::kRejected;
  const bool late = out_of_time(reply.instance().status(), reply.pass.settings.reconciliation_retry_duration, now);
  if (reply.instance().polling()) {
    note_failed_removal(status, reply.pass.settings, reply.uid(), message, now);
  } else {
    note_failure(status, reply.outcome.answer, reply.pass.settings, reply.uid(), message, now,
                 refused ? kSlow : std::chrono::milliseconds(0));
  }
  status.erase("asyncOpInProgress");
  status.erase("lastOperation");
  const auto text = fmt::format(
      "{} It will be retried; to give up what the broker may still have, set the annotation {}: "
      "\"true\".",
      sentence(message), kAbandonAnnotation);
  set_condition(status, kReady, Truth::kUnknown,
                late && reply.instance().cleaning_up() ? reason::kMitigationFailed : reason::kDeprovisionCallFailed,
                text, now);
  // A clean-up is followed by the next try, so it must not look as if all was over.
  if (late && !reply.instance().cleaning_up())
    set_condition(status, kFailed, Truth::kTrue, reason::kRetryTimeout, text, now);
  return reply.save(warning(reason::kDeprovisionCallFailed, message));
}

Step absorb_removal(Reply& reply) {
  note_usable(reply);
  switch (reply.verdict.consequence) {
    case Consequence::kDone:
      return finish_removal(reply);
    case Consequence::kPoll:
      return wait_for_broker(reply, reason::kDeprovisioning, "The instance is being deprovisioned asynchronously");
    default:
      return retry_removal(reply, reply.verdict.message);
  }
}

std::chrono::seconds polling_limit(const Reply& reply) {
  auto limit = reply.pass.settings.reconciliation_retry_duration;
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto name = reply.instance().plan_ref(scope);
    if (name.empty()) continue;
    const PlanView plan(
        scope, reply.pass.view.get(names_of(scope).plans, scope == Scope::kCluster ? "" : reply.instance().ns(), name));
    if (plan && plan.maximum_polling_seconds() > 0) {
      limit = std::min(limit, std::chrono::seconds(plan.maximum_polling_seconds()));
    }
  }
  return limit;
}

Step poll_failed(Reply& reply, const osb::Poll& poll, std::string_view failed_reason, std::string_view message) {
  const auto& instance = reply.instance();
  if (instance.operation() == InstanceOperation::kDeprovision || instance.cleaning_up())
    return retry_removal(reply, message);
  if (instance.operation() == InstanceOperation::kUpdate) {
    if (!poll.instance_usable) reply.status()["instanceUsable"] = false;
    note_refused(reply.status(), instance, reason::kUpdateCallFailed, failed_reason, message, reply.pass.now());
    return reply.save(warning(reason::kUpdateCallFailed, message));
  }
  set_condition(reply.status(), kFailed, Truth::kTrue, failed_reason, message, reply.pass.now());
  return clean_up_after(reply, reason::kProvisionCallFailed, message);
}

Step absorb_poll(Reply& reply) {
  const auto& instance = reply.instance();
  const bool removing = instance.operation() == InstanceOperation::kDeprovision || instance.cleaning_up();
  const auto poll = osb::read_poll(reply.outcome.call, reply.outcome.answer);
  const auto told = poll.description.empty() ? std::string() : fmt::format(" ({})", poll.description);
  switch (poll.state) {
    case osb::PollState::kSucceeded:
      return removing ? finish_removal(reply) : succeed(reply);
    case osb::PollState::kFailed:
      return poll_failed(
          reply, poll,
          instance.operation() == InstanceOperation::kUpdate ? reason::kUpdateCallFailed : reason::kProvisionCallFailed,
          fmt::format("The broker reported that the operation failed{}.", told));
    case osb::PollState::kGone:
      if (removing) return finish_removal(reply);
      break;
    case osb::PollState::kInProgress:
    case osb::PollState::kUnknown:
      break;
  }
  if (polled_too_long(instance.status(), polling_limit(reply), reply.pass.now())) {
    return poll_failed(reply, poll, reason::kRetryTimeout, "The operation took longer than is allowed.");
  }
  if (removing && reply.outcome.answer.status == 404)
    return retry_removal(reply, "The broker no longer knows the operation.");
  const bool valid = poll.state == osb::PollState::kInProgress;
  keep_polling(reply.status(), reply.outcome.answer, reply.pass.settings, reply.uid(),
               valid ? "" : reply.verdict.message, reply.pass.now());
  if (!valid) {
    set_condition(reply.status(), kReady, Truth::kFalse, reason::kErrorPolling,
                  fmt::format("{} The broker will be asked again.", sentence(reply.verdict.message)), reply.pass.now());
    return reply.save(warning(reason::kErrorPolling, reply.verdict.message));
  }
  const auto ready = removing ? reason::kDeprovisioning : words_of(instance).in_progress;
  const auto message = fmt::format(
      "{}{}", removing ? "The instance is being deprovisioned asynchronously" : words_of(instance).waiting, told);
  const auto* before = condition(instance.status(), kReady);
  const bool news = !told.empty() && (before == nullptr || text_at(*before, "message") != message);
  set_condition(reply.status(), kReady, Truth::kFalse, ready, message, reply.pass.now());
  return save_status(std::move(reply.draft),
                     news ? std::vector{normal(ready, message)} : std::vector<controller::Note>());
}

}  // namespace

std::string intent_of(const InstanceView& instance) {
  return fmt::format("{}:{}:{}:{}{}", text_at(instance.status(), "currentOperation"),
                     text_at(instance.status(), "operationStartTime"), attempts_of(instance.status()),
                     instance.cleaning_up() ? "clean-up" : "", instance.polling() ? ":poll" : "");
}

Step absorb(InstancePass& pass, const CallOutcome& outcome) {
  Reply reply(pass, outcome);
  switch (outcome.call.method) {
    case osb::Method::kProvision:
    case osb::Method::kUpdate:
      return absorb_request(reply);
    case osb::Method::kDeprovision:
      return absorb_removal(reply);
    case osb::Method::kGetInstance:
      return absorb_look(reply);
    default:
      return absorb_poll(reply);
  }
}

bool answers(const InstanceView& instance, const CallOutcome& outcome) {
  const auto intent = intent_of(instance);
  return outcome.intent == intent || outcome.intent == intent + std::string(kLook);
}

}  // namespace chandler::reconcilers
