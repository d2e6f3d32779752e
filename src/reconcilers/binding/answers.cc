// What each answer of a broker leads to. osb::judge() says what the answer means; here that meets the operation under
// way.
#include <fmt/format.h>

#include "osb/broker_text.h"
#include "reconcilers/binding/binding_secrets.h"
#include "reconcilers/binding/changes.h"
#include "reconcilers/binding/pass.h"
#include "reconcilers/binding/requests.h"
#include "reconcilers/binding/secret.h"
#include "reconcilers/catalog/broker_doubt.h"
#include "reconcilers/catalog/broker_reply.h"
#include "reconcilers/catalog/late_request.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/instance/instance_offer.h"

namespace chandler::reconcilers {
namespace {

using controller::CallOutcome;
using controller::Step;
using osb::Consequence;

constexpr size_t kMostTold = 4000;
constexpr std::string_view kFetch = ":fetch";
constexpr std::string_view kBeingCreated = "The binding is being created asynchronously";
constexpr std::string_view kBeingDeleted = "The binding is being deleted asynchronously";

// An answer in the light of the pass it came to.
struct Reply : BrokerReply {
  BindingPass& pass;

  Reply(BindingPass& p, const CallOutcome& o)
      : BrokerReply(p.binding.object(), p.draft(), p.settings, p.now(), o), pass(p) {}

  const BindingView& binding() const { return pass.binding; }
  std::string_view uid() const { return object.uid(); }
};

// `failed_reason` is that of a Failed condition, if there is one; `why` is the reason that Ready would have without the
// clean-up.
Step clean_up_after(Reply& reply, std::string_view message, std::string_view failed_reason = "",
                    std::string_view why = reason::kBindCallFailed) {
  begin_clean_up(reply.status(), reason::kBindingNeedsMitigation, reason::kBindCallFailed, message, reply.settings,
                 reply.now, quiet_after(reply.outcome.answer, reply.settings));
  return reply.save(warnings({why, failed_reason, reason::kBindingNeedsMitigation}, message));
}

// It failed for good; what the broker may have of it goes first.
Step give_up(Reply& reply, std::string_view why, std::string_view failed_reason, std::string_view message) {
  set_condition(reply.status(), kFailed, Truth::kTrue, failed_reason, message, reply.now);
  reply.status()["reconciledGeneration"] = reply.binding().generation();
  return clean_up_after(reply, message, failed_reason, why);
}

Step try_later(Reply& reply, std::string_view why, std::string_view message) {
  const auto now = reply.now;
  if (!reply.binding().bound() &&
      out_of_time(reply.binding().status(), reply.settings.reconciliation_retry_duration, now)) {
    // The broker made it, but the credentials found no place.
    if (why != reason::kBindCallFailed) return give_up(reply, why, reason::kRetryTimeout, message);
    note_refused(reply.status(), reply.binding(), reason::kRetryTimeout, message, now);
    // This attempt did nothing, but the answer to an earlier one may have been lost: deleting asks the broker.
    reply.status()["unbindStatus"] = "Required";
    reply.status()["inProgressProperties"] = reply.binding().in_progress();
    return reply.save(warnings({why, reason::kRetryTimeout}, message));
  }
  note_failure(reply.status(), reply.outcome.answer, reply.settings, reply.uid(), message, now);
  set_condition(reply.status(), kReady, Truth::kFalse, why, fmt::format("{} It will be retried.", sentence(message)),
                now);
  return reply.save(warning(why, message));
}

// The credentials are here: first the secret, then the status that says so.
Step succeed(Reply& reply) {
  if (const auto& refused = reply.outcome.refused; !refused.empty()) {
    return try_later(reply, reason::kErrorInjecting,
                     fmt::format("The API refuses to store {} {}/{}: {}", refused.front().kind.plural,
                                 refused.front().ns, refused.front().name, refused.front().message));
  }
  const auto& body = reply.outcome.answer.body;
  auto write = deliver(reply.binding(), member(body, "credentials"), reply.pass.view);
  if (!write.ok()) {
    if (write.error().reason.empty()) return Step::done();
    // It names keys of the credentials, which the broker has chosen.
    return try_later(reply, reason::kErrorInjecting,
                     osb::BrokerText(reply.outcome.what_is_sensitive()).own_line(write.error().message, kMostTold));
  }
  note_bound(reply.status(), reply.binding(), reply.now);
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
  note_refused(reply.status(), reply.binding(), reason::kBindingReturnedFailure, reply.verdict.message, reply.now);
  // Another run may have asked before and died; that this request was refused says nothing about that one.
  const bool cleans_up = !began_here(reply.binding().status(), reply.settings);
  if (cleans_up) {
    reply.status()["currentOperation"] = "Bind";
    reply.status()["inProgressProperties"] = reply.binding().in_progress();
    reply.status()["unbindStatus"] = "Required";
    begin_clean_up(reply.status(), reason::kBindingNeedsMitigation, reason::kBindCallFailed, reply.verdict.message,
                   reply.settings, reply.now, reply.settings.osb_api_request_timeout);
  }
  return reply.save(warnings(
      {reason::kBindCallFailed, reason::kBindingReturnedFailure, cleans_up ? reason::kBindingNeedsMitigation : ""},
      reply.verdict.message));
}

Step fetch(Reply& reply) {
  return call_broker(std::move(reply.draft), reply.binding().target(), get_call(reply.binding()),
                     intent_of(reply.binding()) + std::string(kFetch),
                     secrets_of(reply.binding(), reply.pass.settings, reply.pass.view), reply.settings,
                     reply.pass.view);
}

Step absorb_bind(Reply& reply) {
  switch (reply.verdict.consequence) {
    case Consequence::kDone:
    case Consequence::kNotModified:
      return succeed(reply);
    case Consequence::kPoll:
      return wait_for_broker(reply, reason::kBinding, kBeingCreated);
    case Consequence::kLookAgain:  // perhaps an earlier attempt made it, and its answer was lost
      if (can_fetch(reply.pass)) return fetch(reply);
      // What was bound before is ours, and so is what an earlier request left under an ID that nobody chose.
      if (reply.binding().bound() || reply.binding().id() == reply.uid())
        return clean_up_after(reply, reply.verdict.message);
      note_refused(reply.status(), reply.binding(), reason::kBindingReturnedFailure, reply.verdict.message, reply.now);
      return reply.save(warnings({reason::kBindCallFailed, reason::kBindingReturnedFailure}, reply.verdict.message));
    case Consequence::kRejected:
    case Consequence::kSendAsync:
      return refuse(reply);
    case Consequence::kRetry:
      return try_later(reply, reason::kBindCallFailed, reply.verdict.message);
    case Consequence::kCleanUp:
      break;
  }
  // Asking once more for what is bound can leave nothing new, and workloads may live on the credentials there are.
  if (reply.binding().bound()) return try_later(reply, reason::kBindCallFailed, reply.verdict.message);
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
  if (auto step = remove_once_more(reply)) return *std::move(step);
  if (reply.binding().cleaning_up()) {
    note_cleaned_up(reply.status(), reply.binding(), reply.settings, reply.now);
    return reply.save(normal(reason::kMitigationSuccessful, "What the failed request may have left was removed."));
  }
  note_unbound(reply.status(), reply.now);
  return reply.save(normal(reason::kUnbound, "The binding was deleted successfully"));
}

Step absorb_unbind(Reply& reply) {
  switch (reply.verdict.consequence) {
    case Consequence::kDone:
      return finish_removal(reply);
    case Consequence::kPoll:
      return wait_for_broker(reply, reason::kUnbinding, kBeingDeleted);
    default:
      return retry_removal(reply, reason::kUnbindCallFailed, reply.verdict.message);
  }
}

std::chrono::seconds polling_limit(const Reply& reply) {
  const InstanceView instance(reply.pass.view.get(kInstances, reply.binding().ns(), reply.binding().instance_name()));
  return instance.object() ? polling_limit(instance, reply.settings, reply.pass.view)
                           : reply.settings.reconciliation_retry_duration;
}

Step absorb_poll(Reply& reply) {
  const auto& binding = reply.binding();
  const bool removing = binding.operation() == BindingOperation::kUnbind || binding.cleaning_up();
  const auto polled = read_progress(reply, removing, polling_limit(reply));
  switch (polled.progress) {
    case Progress::kDone:
      return removing ? finish_removal(reply) : fetch(reply);
    case Progress::kFailure:
    case Progress::kLate:
      if (removing) break;
      return polled.progress == Progress::kLate
                 ? give_up(reply, reason::kAsyncTimeout, reason::kRetryTimeout, polled.message)
                 : give_up(reply, reason::kBindCallFailed, reason::kBindCallFailed, polled.message);
    case Progress::kLost:
      break;
    case Progress::kGoesOn:
      return removing ? go_on_polling(reply, polled, reason::kUnbinding, kBeingDeleted)
                      : go_on_polling(reply, polled, reason::kBinding, kBeingCreated);
  }
  return retry_removal(reply, reason::kUnbindCallFailed, polled.message);
}

Step absorb_any(Reply& reply) {
  switch (reply.outcome.call.method) {
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
  note_late_request(reply.status(), reply.stored(), outcome, pass.settings, reply.now);
  auto step = absorb_any(reply);
  if (raises_doubt(reply.verdict)) add_doubt(step, pass.binding.target().broker, pass.view);
  return step;
}

}  // namespace chandler::reconcilers
