#include "reconcilers/catalog/operation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/time_text.h"
#include "reconcilers/catalog/late_request.h"
#include "reconcilers/catalog/reasons.h"

namespace chandler::reconcilers {
namespace {

using std::chrono::milliseconds;

constexpr size_t kLongestError = 4096;

milliseconds asked_delay(const osb::Answer& answer) {
  constexpr auto kLongest = std::chrono::hours(24);
  return answer.retry_after ? std::min<milliseconds>(*answer.retry_after, kLongest) : milliseconds(0);
}

void forget_polling(json::Object& retry) {
  retry.erase("pollingSince");
  retry.erase("goneSince");
}

void forget_attempts(json::Object& status) {
  auto& retry = object_in(status, "retry");
  retry.erase("attempts");
  retry.erase("lastError");
  forget_polling(retry);
}

bool has_failed(const json::Object& status) {
  const auto* list = status.if_contains("conditions");
  if (list == nullptr || !list->is_array()) return false;
  for (const auto& entry : list->get_array()) {
    if (text_at(entry, "type") == kFailed) return text_at(entry, "status") == "True";
  }
  return false;
}

int64_t count_in(json::Object& status, std::string_view key) {
  const auto* count = object_in(status, "retry").if_contains(key);
  return count != nullptr && count->is_int64() ? count->get_int64() : 0;
}

int64_t rounds_of(json::Object& status) { return count_in(status, "rounds"); }

int64_t attempts_in(json::Object& status) { return count_in(status, "attempts"); }

}  // namespace

bool began_here(const json::Value& status, const Settings& settings) {
  return text_at(status, "operationRun") == settings.run;
}

void begin_operation(json::Object& status, std::string_view operation, const Settings& settings, WallTime now) {
  if (!status.contains("orphanMitigationInProgress")) forget_late_request(status, now);
  status["currentOperation"] = text(operation);
  status["operationRun"] = text(settings.run);
  status["operationStartTime"] = text(rfc3339_micro(now));
  status.erase("asyncOpInProgress");
  status.erase("lastOperation");
}

void end_operation(json::Object& status) {
  for (const auto key : {"currentOperation", "operationStartTime", "operationRun", "asyncOpInProgress", "lastOperation",
                         "inProgressProperties"}) {
    status.erase(key);
  }
}

void begin_polling(json::Object& status, const osb::Answer& answer, const Settings& settings, std::string_view uid,
                   WallTime now) {
  status["asyncOpInProgress"] = true;
  // Accepted: from here on no refusal proves that there is nothing, and no end that all deletions have arrived.
  if (!status.contains("orphanMitigationInProgress") || attempts_in(status) > 0) status.erase("operationRun");
  if (const auto operation = json::string_at(answer.body, "operation")) {
    status["lastOperation"] = text(*operation);
  } else {
    status.erase("lastOperation");
  }
  forget_attempts(status);
  keep_polling(status, answer, settings, uid, "", now);
  auto& retry = object_in(status, "retry");
  retry["attempts"] = 0;  // none of the polls was made yet
  retry["pollingSince"] = text(rfc3339_micro(now));
}

void keep_polling(json::Object& status, const osb::Answer& answer, const Settings& settings, std::string_view uid,
                  std::string_view error, WallTime now) {
  const Backoff backoff{settings.polling_first_delay, settings.operation_polling_maximum_backoff};
  note_attempt(status, backoff, uid, error, now, asked_delay(answer));
}

void note_gone(json::Object& status, bool is_gone, WallTime now) {
  auto& retry = object_in(status, "retry");
  if (!is_gone) {
    retry.erase("goneSince");
  } else if (!retry.contains("goneSince")) {
    retry["goneSince"] = text(rfc3339_micro(now));
  }
}

void note_failure(json::Object& status, const osb::Answer& answer, const Settings& settings, std::string_view uid,
                  std::string_view error, WallTime now, milliseconds at_least) {
  // A broker that is busy with the object will be done with it, as with an operation that is polled.
  const bool busy = answer.error == "ConcurrencyError";
  const Backoff backoff{settings.retry_first_delay,
                        busy ? settings.operation_polling_maximum_backoff : settings.retry_last_delay};
  note_attempt(status, backoff, uid, error, now, std::max(at_least, asked_delay(answer)));
}

void begin_clean_up(json::Object& status, std::string_view ready_reason, std::string_view why, std::string_view message,
                    const Settings& settings, WallTime now, milliseconds quiet) {
  forget_late_request(status, now);
  status["orphanMitigationInProgress"] = true;
  status["operationRun"] = text(settings.run);  // which is going to delete
  status["operationStartTime"] = text(rfc3339_micro(now));
  status.erase("asyncOpInProgress");
  status.erase("lastOperation");
  auto& retry = object_in(status, "retry");
  retry["rounds"] = rounds_of(status) + 1;
  retry["lastError"] = text(cut_text(message, kLongestError));
  retry.erase("attempts");
  retry.erase("nextAttemptTime");
  if (quiet > milliseconds(0)) retry["nextAttemptTime"] = text(rfc3339_micro(now + quiet));
  forget_polling(retry);
  set_condition(status, kReady, Truth::kFalse, ready_reason,
                "The request failed; what it may have left at the broker is being removed.", now);
  set_condition(status, kOrphanMitigation, Truth::kTrue, why, message, now);
}

void note_failed_removal(json::Object& status, const Settings& settings, std::string_view uid, std::string_view error,
                         WallTime now) {
  const Backoff backoff{settings.retry_first_delay, settings.retry_last_delay};
  auto& retry = object_in(status, "retry");
  retry["rounds"] = rounds_of(status) + 1;
  retry["attempts"] = 0;
  retry["lastError"] = text(cut_text(error, kLongestError));
  retry["nextAttemptTime"] = text(rfc3339_micro(now + delay_after(backoff, rounds_of(status), uid)));
  forget_polling(retry);
}

milliseconds quiet_after(const osb::Answer& answer, const Settings& settings) {
  const bool unanswered = answer.failure && leaves_open(answer);
  return std::max(unanswered ? settings.osb_api_request_timeout : milliseconds(0), asked_delay(answer));
}

void wait_for_stragglers(json::Object& status, const json::Value& stored, bool cleaning_up, const Settings& settings,
                         WallTime now) {
  clear_retry(status);
  auto until = cleaning_up ? next_attempt_of(stored) : WallTime{};
  const bool asked = !text_at(stored, "operationRun").empty();
  if (asked && !began_here(stored, settings)) until = std::max(until, now + settings.osb_api_request_timeout);
  note_dead_run(status, stored, settings, now);
  if (until > now) object_in(status, "retry")["nextAttemptTime"] = text(rfc3339_micro(until));
}

void begin_again(json::Object& status, WallTime next, WallTime now) {
  // A deletion that got no answer may still arrive: see end_clean_up().
  if (!status.contains("asyncOpInProgress") && attempts_in(status) > 0) status.erase("operationRun");
  status["operationStartTime"] = text(rfc3339_micro(now));  // no answer to the request before counts for this one
  status.erase("asyncOpInProgress");
  status.erase("lastOperation");
  forget_attempts(status);
  object_in(status, "retry")["nextAttemptTime"] = text(rfc3339_micro(next));
}

void end_clean_up(json::Object& status, const Settings& settings, std::string_view uid, WallTime now) {
  // A deletion that got no answer must not arrive after the next request; another run may have died waiting for one.
  const auto* run = status.if_contains("operationRun");
  const bool is_ours = run != nullptr && run->is_string() && json::view(run->get_string()) == settings.run;
  const bool is_answered = is_ours && (status.contains("asyncOpInProgress") || attempts_in(status) == 0);
  end_operation(status);
  status.erase("orphanMitigationInProgress");
  const Backoff backoff{settings.retry_first_delay, settings.retry_last_delay};
  auto& retry = object_in(status, "retry");
  retry["nextAttemptTime"] = text(rfc3339_micro(now + delay_after(backoff, rounds_of(status), uid)));
  retry.erase("attempts");
  forget_polling(retry);
  remove_condition(status, kOrphanMitigation);
  if (has_failed(status)) clear_retry(status);
  if (!is_answered) {
    object_in(status, "retry")["quietUntil"] = text(rfc3339_micro(now + settings.osb_api_request_timeout));
  }
  set_condition(status, kReady, Truth::kFalse, reason::kMitigationSuccessful,
                "What the failed request may have left was removed.", now);
}

bool out_of_time(const json::Value& status, std::chrono::seconds limit, WallTime now) {
  const auto start = time_at(status, "operationStartTime");
  return start && now >= *start + limit;
}

bool polled_too_long(const json::Value& status, std::chrono::seconds limit, WallTime now) {
  const auto since = time_at(member(status, "retry"), "pollingSince");
  return since ? now >= *since + limit : out_of_time(status, limit, now);
}

std::string sentence(std::string_view message) {
  std::string out(message);
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  if (!out.empty() && out.back() != '.') out += '.';
  return out;
}

controller::Step save_status(Draft draft, std::vector<controller::Note> notes) {
  if (!draft.changed()) return controller::Step::done();
  auto step = controller::Step::write(std::move(draft).update_status());
  step.notes = std::move(notes);
  return step;
}

controller::Step show_problem(Draft draft, const Problem& problem, WallTime now, std::optional<WallTime> wake) {
  set_condition(draft.status(), kReady, Truth::kFalse, problem.reason, problem.message, now);
  auto step = save_status(std::move(draft), {warning(problem.reason, problem.message)});
  if (step.stages.empty()) step.wake = wake;
  if (step.stages.empty() && !wake && problem.again.count() > 0) step.wake = now + problem.again;
  return step;
}

std::optional<Problem> missing_broker(const Target& target, controller::View& view) {
  if (target.broker.empty()) {
    return Problem{
        reason::kNoSuchBroker,
        fmt::format("Status does not say which broker this is at, and class and plan, which would, do not exist. Bring "
                    "them back to go on; a deletion can give up what a broker may still have by the annotation {}: "
                    "\"true\".",
                    kAbandonAnnotation)};
  }
  if (broker_object(target.broker, view)) return std::nullopt;
  return Problem{reason::kNoSuchBroker,
                 fmt::format("The {} \"{}\" does not exist. Register it again to go on; a deletion can give up what it "
                             "may still have by the annotation {}: \"true\".",
                             names_of(target.broker.scope).broker_kind, target.broker.lane(), kAbandonAnnotation)};
}

Found<controller::BrokerCall> call_to(const Target& target, osb::Call call, std::string intent,
                                      osb::Sensitive sensitive, const Settings& settings, controller::View& view) {
  if (auto problem = missing_broker(target, view)) return *std::move(problem);
  auto endpoint = endpoint_of(broker_object(target.broker, view), target.broker.scope, settings, view);
  if (!endpoint.ok()) return Problem{reason::kErrorGettingCredentials, endpoint.error().message};
  return controller::BrokerCall{target.broker.lane(), *std::move(endpoint), std::move(call), std::move(intent),
                                std::move(sensitive)};
}

controller::Step call_broker(Draft draft, const Target& target, osb::Call call, std::string intent,
                             osb::Sensitive sensitive, const Settings& settings, controller::View& view) {
  auto made = call_to(target, std::move(call), std::move(intent), std::move(sensitive), settings, view);
  if (!made.ok()) return show_problem(std::move(draft), made.error(), view.now());
  controller::Step step;
  step.call = *std::move(made);
  return step;
}

controller::Note normal(std::string_view reason, std::string_view message) {
  return {false, std::string(reason), std::string(message)};
}

controller::Note warning(std::string_view reason, std::string_view message) {
  return {true, std::string(reason), std::string(message)};
}

std::vector<controller::Note> warnings(std::initializer_list<std::string_view> reasons, std::string_view message) {
  std::vector<controller::Note> notes;
  notes.reserve(reasons.size());
  for (const auto reason : reasons) {
    const bool is_told = !notes.empty() && notes.back().reason == reason;
    if (!reason.empty() && !is_told) notes.push_back(warning(reason, message));
  }
  return notes;
}

controller::Note backing_off() {
  return warning(reason::kRetryBackoff, "The request is repeated after a delay; status.retry says when.");
}

}  // namespace chandler::reconcilers
