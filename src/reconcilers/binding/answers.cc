// What each answer of a broker leads to. osb::judge() says what the answer means; here that meets the operation under
// way.
#include <algorithm>

#include <fmt/format.h>

#include "reconcilers/binding/changes.h"
#include "reconcilers/binding/pass.h"
#include "reconcilers/binding/requests.h"
#include "reconcilers/binding/secret.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/instance/instance_view.h"

namespace chandler::reconcilers {
namespace {

using controller::CallOutcome;
using controller::Step;
using osb::Consequence;

constexpr std::string_view kFetch = ":fetch";
constexpr std::chrono::milliseconds kSlow{60'000};  // between attempts that a broker has refused on principle

// An answer in the light of the pass it came to.
struct Reply {
  BindingPass& pass;
  const CallOutcome& outcome;
  osb::Verdict verdict;
  Draft draft;

  Reply(BindingPass& p, const CallOutcome& o)
      : pass(p), outcome(o), verdict(osb::judge(o.call, o.answer)), draft(p.draft()) {}

  json::Object& status() { return draft.status(); }
  const BindingView& binding() const { return pass.binding; }
  std::string_view uid() const { return pass.binding.object().uid(); }
  Step save(controller::Note note) { return save_status(std::move(draft), {std::move(note)}); }
};

Step clean_up_after(Reply& reply, std::string_view message) {
  begin_clean_up(reply.status(), reason::kBindingNeedsMitigation, reason::kBindCallFailed, message, reply.pass.settings,
                 reply.pass.now(), quiet_after(reply.outcome.answer, reply.pass.settings));
  return reply.save(warning(reason::kBindingNeedsMitigation, message));
}

// It failed for good; what the broker may have of it goes first.
Step give_up(Reply& reply, std::string_view why, std::string_view message) {
  set_condition(reply.status(), kFailed, Truth::kTrue, why, message, reply.pass.now());
  reply.status()["reconciledGeneration"] = reply.binding().generation();
  return clean_up_after(reply, message);
}

Step try_later(Reply& reply, std::string_view why, std::string_view message) {
  const auto now = reply.pass.now();
  if (!reply.binding().bound() &&
      out_of_time(reply.binding().status(), reply.pass.settings.reconciliation_retry_duration, now)) {
    // The broker made it, but the credentials found no place.
    if (why != reason::kBindCallFailed) return give_up(reply, reason::kRetryTimeout, message);
    note_refused(reply.status(), reply.binding(), reason::kRetryTimeout, message, now);
    // This attempt did nothing, but the answer to an earlier one may have been lost: deleting asks the broker.
    reply.status()["unbindStatus"] = "Required";
    return reply.save(warning(reason::kRetryTimeout, message));
  }
  note_failure(reply.status(), reply.outcome.answer, reply.pass.settings, reply.uid(), message, now);
  set_condition(reply.status(), kReady, Truth::kFalse, why, fmt::format("{} It will be retried.", sentence(message)),
                now);
  return reply.save(warning(why, message));
}

// The credentials are here: first the secret, then the status that says so.
Step succeed(Reply& reply) {
  const auto& body = reply.outcome.answer.body;
  auto write = deliver(reply.binding(), member(body, "credentials"), reply.pass.view);
  if (!write.ok()) {
    if (write.error().reason.empty()) return Step::done();
    return try_later(reply, reason::kErrorInjecting, write.error().message);
  }
  note_bound(reply.status(), reply.binding(), reply.pass.now());
  note_validity(reply.status(), body);
  Step step;
  step.stages.push_back({*std::move(write)});
  step.stages.push_back({std::move(reply.draft).update_status()});
  if (auto old = former_secret(reply.binding(), reply.pass.view)) step.stages[0].push_back(*std::move(old));
  step.notes.push_back(normal(reason::kInjected, kBoundMessage));
  return step;
}

Step refuse(Reply& reply) {
  // What was bound before and is refused now is ended and begun anew.
  if (reply.binding().bound()) return clean_up_after(reply, reply.verdict.message);
  note_refused(reply.status(), reply.binding(), reason::kBindingReturnedFailure, reply.verdict.message,
               reply.pass.now());
  // Another run may have asked before and died; that this request was refused says nothing about that one.
  if (!began_here(reply.binding().status(), reply.pass.settings)) {
    reply.status()["currentOperation"] = "Bind";
    reply.status()["inProgressProperties"] = reply.binding().in_progress();
    reply.status()["unbindStatus"] = "Required";
    begin_clean_up(reply.status(), reason::kBindingNeedsMitigation, reason::kBindCallFailed, reply.verdict.message,
                   reply.pass.settings, reply.pass.now(), reply.pass.settings.osb_api_request_timeout);
  }
  return reply.save(warning(reason::kBindCallFailed, reply.verdict.message));
}

Step fetch(Reply& reply) {
  return call_broker(std::move(reply.draft), reply.binding().target(), get_call(reply.binding()),
                     intent_of(reply.binding()) + std::string(kFetch), reply.pass.settings, reply.pass.view);
}

Step wait_for_broker(Reply& reply, std::string_view ready_reason, std::string_view message) {
  begin_polling(reply.status(), reply.outcome.answer, reply.pass.settings, reply.uid(), reply.pass.now());
  set_condition(reply.status(), kReady, Truth::kFalse, ready_reason, message, reply.pass.now());
  return reply.save(normal(ready_reason, message));
}

Step absorb_bind(Reply& reply) {
  switch (reply.verdict.consequence) {
    case Consequence::kDone:
    case Consequence::kNotModified:
      return succeed(reply);
    case Consequence::kPoll:
      return wait_for_broker(reply, reason::kBinding, "The binding is being created asynchronously");
    case Consequence::kLookAgain:  // perhaps an earlier attempt made it, and its answer was lost
      if (can_fetch(reply.pass)) return fetch(reply);
      // What was bound before is ours, and so is what an earlier request left under an ID that nobody chose.
      if (reply.binding().bound() || reply.binding().id() == reply.uid())
        return clean_up_after(reply, reply.verdict.message);
      note_refused(reply.status(), reply.binding(), reason::kBindingReturnedFailure, reply.verdict.message,
                   reply.pass.now());
      return reply.save(warning(reason::kBindCallFailed, reply.verdict.message));
    case Consequence::kRejected:
    case Consequence::kSendAsync:
      return refuse(reply);
    case Consequence::kRetry:
      return try_later(reply, reason::kBindCallFailed, reply.verdict.message);
    case Consequence::kCleanUp:
      break;
  }
  return clean_up_after(reply, reply.verdict.message);
}

// The answer to a GET: after an asynchronous bind, or for a secret that got lost.
Step absorb_fetch(Reply& reply) {
  if (reply.verdict.consequence == Consequence::kDone) return succeed(reply);
  if (reply.verdict.consequence == Consequence::kRetry || reply.verdict.consequence == Consequence::kCleanUp) {
    return try_later(reply, reason::kFetchingBindingFailed, reply.verdict.message);
  }
  return clean_up_after(reply, fmt::format("The credentials cannot be fetched: {}", reply.verdict.message));
}

Step finish_removal(Reply& reply) {
  if (reply.binding().cleaning_up()) {
    note_cleaned_up(reply.status(), reply.binding(), reply.pass.settings, reply.pass.now());
    return reply.save(normal(reason::kMitigationSuccessful, "What the failed request may have left was removed."));
  }
  note_unbound(reply.status(), reply.pass.now());
  return reply.save(normal(reason::kUnbound, "The binding was deleted successfully"));
}

// A deletion never ends by itself without success: it is tried again and again, ever more slowly, and says so.
Step retry_removal(Reply& reply, std::string_view message) {
  auto& status = reply.status();
  const auto now = reply.pass.now();
  const bool refused = reply.verdict.consequence == Consequence::kRejected;
  const bool late = out_of_time(reply.binding().status(), reply.pass.settings.reconciliation_retry_duration, now);
  if (reply.binding().polling()) {
    note_failed_removal(status, reply.pass.settings, reply.uid(), message, now);
  } else {
    note_failure(status, reply.outcome.answer, reply.pass.settings, reply.uid(), message, now,
                 refused ? kSlow : std::chrono::milliseconds(0));
  }
  status.erase("asyncOpInProgress");
  status.erase("lastOperation");
  const auto text = fmt::format(
      "{} It will be retried; to give up what the broker may still have, set the annotation "
      "{}: \"true\".",
      sentence(message), kAbandonAnnotation);
  set_condition(status, kReady, Truth::kUnknown,
                late && reply.binding().cleaning_up() ? reason::kMitigationFailed : reason::kUnbindCallFailed, text,
                now);
  // A clean-up is followed by the next try, so it must not look as if all was over.
  if (late && !reply.binding().cleaning_up())
    set_condition(status, kFailed, Truth::kTrue, reason::kRetryTimeout, text, now);
  return reply.save(warning(reason::kUnbindCallFailed, message));
}

Step absorb_unbind(Reply& reply) {
  switch (reply.verdict.consequence) {
    case Consequence::kDone:
      return finish_removal(reply);
    case Consequence::kPoll:
      return wait_for_broker(reply, reason::kUnbinding, "The binding is being deleted asynchronously");
    default:
      return retry_removal(reply, reply.verdict.message);
  }
}

// What the plan allows, if it says so.
std::chrono::seconds polling_limit(const Reply& reply) {
  const auto limit = reply.pass.settings.reconciliation_retry_duration;
  const InstanceView instance(reply.pass.view.get(kInstances, reply.binding().ns(), reply.binding().instance_name()));
  if (!instance.object()) return limit;
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto name = instance.plan_ref(scope);
    if (name.empty()) continue;
    const PlanView plan(
        scope, reply.pass.view.get(names_of(scope).plans, scope == Scope::kCluster ? "" : instance.ns(), name));
    if (plan && plan.maximum_polling_seconds() > 0)
      return std::min(limit, std::chrono::seconds(plan.maximum_polling_seconds()));
  }
  return limit;
}

Step absorb_poll(Reply& reply) {
  const auto& binding = reply.binding();
  const bool removing = binding.operation() == BindingOperation::kUnbind || binding.cleaning_up();
  const auto poll = osb::read_poll(reply.outcome.call, reply.outcome.answer);
  const auto told = poll.description.empty() ? std::string() : fmt::format(" ({})", poll.description);
  if (poll.state == osb::PollState::kSucceeded) return removing ? finish_removal(reply) : fetch(reply);
  if (poll.state == osb::PollState::kGone && removing) return finish_removal(reply);
  const bool failed = poll.state == osb::PollState::kFailed;
  if (failed || polled_too_long(binding.status(), polling_limit(reply), reply.pass.now())) {
    const auto message = failed ? fmt::format("The broker reported that the operation failed{}.", told)
                                : std::string("The operation took longer than is allowed.");
    if (removing) return retry_removal(reply, message);
    return give_up(reply, failed ? reason::kBindCallFailed : reason::kAsyncTimeout, message);
  }
  if (removing && reply.outcome.answer.status == 404) {
    return retry_removal(reply, "The broker no longer knows the operation.");
  }
  const bool valid = poll.state == osb::PollState::kInProgress;
  keep_polling(reply.status(), reply.outcome.answer, reply.pass.settings, reply.uid(),
               valid ? "" : reply.verdict.message, reply.pass.now());
  if (!valid) return reply.save(warning(reason::kErrorPolling, reply.verdict.message));
  const auto ready = removing ? reason::kUnbinding : reason::kBinding;
  set_condition(reply.status(), kReady, Truth::kFalse, ready,
                fmt::format("The binding is being {} asynchronously{}", removing ? "deleted" : "created", told),
                reply.pass.now());
  return save_status(std::move(reply.draft));
}

}  // namespace

std::string intent_of(const BindingView& binding) {
  return fmt::format("{}:{}:{}:{}{}", text_at(binding.status(), "currentOperation"), binding.operation_start(),
                     attempts_of(binding.status()), binding.cleaning_up() ? "clean-up" : "",
                     binding.polling() ? ":poll" : "");
}

bool answers(const BindingView& binding, const CallOutcome& outcome) {
  const auto intent = intent_of(binding);
  return outcome.intent == intent || outcome.intent == intent + std::string(kFetch);
}

Step absorb(BindingPass& pass, const CallOutcome& outcome) {
  Reply reply(pass, outcome);
  switch (outcome.call.method) {
    case osb::Method::kBind:
      return absorb_bind(reply);
    case osb::Method::kUnbind:
      return absorb_unbind(reply);
    case osb::Method::kGetBinding:
      return absorb_fetch(reply);
    default:
      return absorb_poll(reply);
  }
}

}  // namespace chandler::reconcilers
