// What each answer of a broker leads to. osb::judge() says what the answer means; here that meets the operation under
// way.
#include <fmt/format.h>

#include "reconcilers/catalog/broker_doubt.h"
#include "reconcilers/catalog/broker_reply.h"
#include "reconcilers/catalog/late_request.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/instance/changes.h"
#include "reconcilers/instance/instance_offer.h"
#include "reconcilers/instance/instance_secrets.h"
#include "reconcilers/instance/pass.h"
#include "reconcilers/instance/requests.h"
#include "reconcilers/secrets/secret_protection.h"

namespace chandler::reconcilers {
namespace {

using controller::CallOutcome;
using controller::Step;
using osb::Consequence;

constexpr std::string_view kLook = ":look";
constexpr std::string_view kLeftBefore = "An earlier request has left something else under the ID of this instance.";
constexpr std::string_view kBeingDeprovisioned = "The instance is being deprovisioned asynchronously";

// An answer in the light of the pass it came to.
struct Reply : BrokerReply {
  InstancePass& pass;

  Reply(InstancePass& p, const CallOutcome& o)
      : BrokerReply(p.instance.object(), p.draft(), p.settings, p.now(), o), pass(p) {}

  const InstanceView& instance() const { return pass.instance; }
  std::string_view uid() const { return object.uid(); }
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

// Whether a run upon this success would find nothing to do, and look at nothing but the instance: see decide().
bool leaves_at_rest(const InstanceView& instance) {
  return !instance.object().deleting() && instance.generation() == instance.observed_generation() &&
         !instance.in_progress_target().empty() && !prepare(kInstances, instance.object()) &&
         named_secrets(instance.object()).empty();
}

Step rest_after(const InstanceView& instance, Step step) {
  step.rests = leaves_at_rest(instance);
  return step;
}

Step succeed(Reply& reply) {
  auto notes = note_dashboard(reply.status(), reply.outcome.answer);
  if (reply.instance().operation() == InstanceOperation::kUpdate) {
    note_updated(reply.status(), reply.instance(), reply.now);
    notes.push_back(normal(reason::kInstanceUpdated, "The instance was updated successfully"));
  } else {
    note_provisioned(reply.status(), reply.instance(), reply.now);
    notes.push_back(normal(reason::kProvisionedSuccessfully, "The instance was provisioned successfully"));
  }
  return rest_after(reply.instance(), reply.save(std::move(notes)));
}

Step refuse(Reply& reply, std::string_view message) {
  const auto words = words_of(reply.instance());
  const bool update = reply.instance().operation() == InstanceOperation::kUpdate;
  const auto failed_reason = update ? reason::kUpdateCallFailed : reason::kBrokerReturnedFailure;
  note_refused(reply.status(), reply.instance(), words.call_failed, failed_reason, message, reply.now);
  // Another run may have asked before and died; that this request was refused says nothing about that one.
  const bool cleans_up = !update && !began_here(reply.instance().status(), reply.settings);
  if (cleans_up) {
    reply.status()["currentOperation"] = text(operation_name(InstanceOperation::kProvision));
    reply.status()["inProgressProperties"] = reply.instance().in_progress();
    reply.status()["deprovisionStatus"] = "Required";
    begin_clean_up(reply.status(), reason::kStartingMitigation, words.call_failed, message, reply.settings, reply.now,
                   reply.settings.osb_api_request_timeout);
  }
  return reply.save(
      warnings({words.call_failed, failed_reason, cleans_up ? reason::kStartingMitigation : ""}, message));
}

// `failed_reason` is that of a Failed condition, if there is one.
Step clean_up_after(Reply& reply, std::string_view why, std::string_view message, std::string_view failed_reason = "") {
  begin_clean_up(reply.status(), reason::kStartingMitigation, why, message, reply.settings, reply.now,
                 quiet_after(reply.outcome.answer, reply.settings));
  return reply.save(warnings({why, failed_reason, reason::kStartingMitigation}, message));
}

Step try_later(Reply& reply) {
  const auto words = words_of(reply.instance());
  const auto why = reply.has_answer() ? words.call_failed : words.error_calling;
  const bool provision = reply.instance().operation() == InstanceOperation::kProvision;
  if (out_of_time(reply.instance().status(), reply.settings.reconciliation_retry_duration, reply.now)) {
    note_refused(reply.status(), reply.instance(), why, reason::kRetryTimeout,
                 fmt::format("Given up after {} attempts: {}", attempts_of(reply.instance().status()) + 1,
                             sentence(reply.verdict.message)),
                 reply.now);
    // This attempt did nothing, but the answer to an earlier one may have been lost: deleting asks the broker.
    if (provision) {
      reply.status()["deprovisionStatus"] = "Required";
      reply.status()["inProgressProperties"] = reply.instance().in_progress();
    }
    return reply.save(warnings({why, reason::kRetryTimeout}, reply.verdict.message));
  }
  note_failure(reply.status(), reply.outcome.answer, reply.settings, reply.uid(), reply.verdict.message, reply.now);
  set_condition(reply.status(), kReady, Truth::kFalse, why,
                fmt::format("{} It will be retried.", sentence(reply.verdict.message)), reply.now);
  return reply.save({warning(why, reply.verdict.message), backing_off()});
}

// What the broker has under this ID is not what we ask for now. An ID that nobody chose is ours, and so is what an
// earlier request left there. One that somebody chose may mean somebody else's, which is not ours to remove.
Step conflict(Reply& reply) {
  if (reply.instance().external_id() == reply.uid()) {
    return clean_up_after(reply, reason::kProvisionCallFailed, kLeftBefore);
  }
  const auto message = fmt::format(
      "The broker already has an instance with ID \"{}\" that is not this one; remove it there, or create the instance "
      "with another spec.externalID.",
      reply.instance().external_id());
  note_refused(reply.status(), reply.instance(), reason::kProvisionCallFailed, reason::kBrokerReturnedFailure, message,
               reply.now);
  return reply.save(warnings({reason::kProvisionCallFailed, reason::kBrokerReturnedFailure}, message));
}

// Something with this ID exists. If the broker can be asked, it says whether it is what we want.
Step look_again(Reply& reply) {
  const auto offer = offer_of(reply.instance(), reply.pass.view);
  if (offer.service_class && offer.service_class.instance_retrievable()) {
    const auto target = reply.instance().in_progress_target();
    return call_broker(std::move(reply.draft), target, get_call(reply.instance(), target),
                       intent_of(reply.instance()) + std::string(kLook),
                       secrets_of(reply.instance(), reply.pass.settings, reply.pass.view), reply.settings,
                       reply.pass.view);
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

// The broker keeps an ID that somebody chose and shows no instance of it. It may be making one for somebody else; or a
// provision has failed, which a run of ours may have asked for before it died.
Step look_at_operation(Reply& reply) {
  const auto target = reply.instance().in_progress_target();
  return call_broker(std::move(reply.draft), target, poll_call(reply.instance(), target),
                     intent_of(reply.instance()) + std::string(kLook),
                     secrets_of(reply.instance(), reply.pass.settings, reply.pass.view), reply.settings,
                     reply.pass.view);
}

Step absorb_operation(Reply& reply) {
  const auto& answer = reply.outcome.answer;
  const auto state = osb::read_poll(reply.outcome.call, answer).state;
  if (state == osb::PollState::kFailed) {
    // The dead run's request may still be on its way.
    begin_clean_up(reply.status(), reason::kStartingMitigation, reason::kProvisionCallFailed, kLeftBefore,
                   reply.settings, reply.now, reply.settings.osb_api_request_timeout);
    return reply.save(warnings({reason::kProvisionCallFailed, reason::kStartingMitigation}, kLeftBefore));
  }
  const bool knows_none = answer.status == 400 || answer.status == 404 || answer.status == 410;
  if (state == osb::PollState::kSucceeded || (reply.has_answer() && knows_none)) return conflict(reply);
  if (state == osb::PollState::kInProgress) {
    reply.verdict.message = "the broker is at work on something else under the ID of this instance";
  }
  return try_later(reply);
}

Step absorb_look(Reply& reply) {
  const auto& body = reply.outcome.answer.body;
  const auto& instance = reply.instance();
  const auto target = instance.in_progress_target();
  const int status = reply.outcome.answer.status;
  if (reply.verdict.consequence == Consequence::kRetry) return try_later(reply);
  if (reply.verdict.consequence != Consequence::kDone) {
    const bool is_chosen = instance.external_id() != reply.uid();
    const bool shows_none = reply.has_answer() && (status == 404 || status == 410);
    return is_chosen && shows_none && !began_here(instance.status(), reply.settings) ? look_at_operation(reply)
                                                                                     : conflict(reply);
  }
  if (text_at(body, "service_id") != target.service_id || text_at(body, "plan_id") != target.plan_id) {
    return conflict(reply);
  }
  const auto parameters = parameters_of(instance.object(), reply.settings, reply.pass.view);
  if (!parameters.ok()) return try_later(reply);
  return same_parameters(member(body, "parameters"), parameters->value) ? succeed(reply) : conflict(reply);
}

Step wait_for(Reply& reply, std::string_view ready_reason, std::string_view message) {
  auto notes = note_dashboard(reply.status(), reply.outcome.answer);
  auto step = wait_for_broker(reply, ready_reason, message);
  step.notes.insert(step.notes.end(), notes.begin(), notes.end());
  return step;
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
      return wait_for(reply, words.in_progress, words.waiting);
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
  return clean_up_after(reply, reply.has_answer() ? words.call_failed : words.error_calling, reply.verdict.message);
}

Step finish_removal(Reply& reply) {
  if (auto step = remove_once_more(reply)) return *std::move(step);
  if (reply.instance().cleaning_up()) {
    note_cleaned_up(reply.status(), reply.instance(), reply.settings, reply.now);
    std::vector notes{normal(reason::kMitigationSuccessful, "What the failed request may have left was removed.")};
    if (!condition_true(reply.stored(), kFailed)) notes.push_back(backing_off());
    return reply.save(std::move(notes));
  }
  note_deprovisioned(reply.status(), reply.now);
  return reply.save(normal(reason::kDeprovisioned, "The instance was deprovisioned successfully"));
}

Step absorb_removal(Reply& reply) {
  note_usable(reply);
  switch (reply.verdict.consequence) {
    case Consequence::kDone:
      return finish_removal(reply);
    case Consequence::kPoll:
      return wait_for_broker(reply, reason::kDeprovisioning, kBeingDeprovisioned);
    default:
      return retry_removal(reply, reason::kDeprovisionCallFailed, reply.verdict.message);
  }
}

// A provision or an update came to nothing.
Step poll_failed(Reply& reply, const Polled& polled, std::string_view failed_reason) {
  const auto& instance = reply.instance();
  if (instance.operation() == InstanceOperation::kUpdate) {
    if (!polled.poll.instance_usable) reply.status()["instanceUsable"] = false;
    note_refused(reply.status(), instance, reason::kUpdateCallFailed, failed_reason, polled.message, reply.now);
    return reply.save(warnings({reason::kUpdateCallFailed, failed_reason}, polled.message));
  }
  set_condition(reply.status(), kFailed, Truth::kTrue, failed_reason, polled.message, reply.now);
  return clean_up_after(reply, reason::kProvisionCallFailed, polled.message, failed_reason);
}

Step absorb_poll(Reply& reply) {
  const auto& instance = reply.instance();
  const bool removing = instance.operation() == InstanceOperation::kDeprovision || instance.cleaning_up();
  const auto words = words_of(instance);
  const auto polled = read_progress(reply, removing, polling_limit(instance, reply.settings, reply.pass.view));
  switch (polled.progress) {
    case Progress::kDone:
      return removing ? finish_removal(reply) : succeed(reply);
    case Progress::kFailure:
    case Progress::kLate:
      if (removing) break;
      return poll_failed(reply, polled, polled.progress == Progress::kLate ? reason::kRetryTimeout : words.call_failed);
    case Progress::kLost:
      break;
    case Progress::kGoesOn:
      return removing ? go_on_polling(reply, polled, reason::kDeprovisioning, kBeingDeprovisioned)
                      : go_on_polling(reply, polled, words.in_progress, words.waiting);
  }
  return retry_removal(reply, reason::kDeprovisionCallFailed, polled.message);
}

Step absorb_any(Reply& reply) {
  switch (reply.outcome.call.method) {
    case osb::Method::kProvision:
    case osb::Method::kUpdate:
      return absorb_request(reply);
    case osb::Method::kDeprovision:
      return absorb_removal(reply);
    case osb::Method::kGetInstance:
      return absorb_look(reply);
    default:
      return reply.outcome.intent.ends_with(kLook) ? absorb_operation(reply) : absorb_poll(reply);
  }
}

}  // namespace

std::string intent_of(const json::Value& status) {
  return fmt::format("{}:{}:{}:{}{}", text_at(status, "currentOperation"), text_at(status, "operationStartTime"),
                     attempts_of(status), true_at(status, "orphanMitigationInProgress") ? "clean-up" : "",
                     true_at(status, "asyncOpInProgress") ? ":poll" : "");
}

Step absorb(InstancePass& pass, const CallOutcome& outcome) {
  Reply reply(pass, outcome);
  note_late_request(reply.status(), reply.stored(), outcome, pass.settings, reply.now);
  auto step = absorb_any(reply);
  if (raises_doubt(reply.verdict)) {
    auto target = pass.instance.in_progress_target();
    if (target.broker.empty()) target = pass.instance.external_target();
    add_doubt(step, target.broker, pass.view);
  }
  return step;
}

bool answers(const InstanceView& instance, const CallOutcome& outcome) {
  const auto intent = intent_of(instance);
  return outcome.intent == intent || outcome.intent == intent + std::string(kLook);
}

}  // namespace chandler::reconcilers
