#include "reconcilers/catalog/late_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/time_text.h"
#include "reconcilers/catalog/reasons.h"

namespace chandler::reconcilers {
namespace {

constexpr std::string_view kLateRequestUntil = "lateRequestUntil";

// The operation that makes something was begun by a run that is no more. The name of the run goes when the broker
// accepts the operation, which is an answer.
bool outlived_its_run(const json::Value& stored, const Settings& settings) {
  const auto operation = text_at(stored, "currentOperation");
  return (operation == "Provision" || operation == "Bind") && !true_at(stored, "orphanMitigationInProgress") &&
         !text_at(stored, "operationRun").empty() && !began_here(stored, settings);
}

std::optional<WallTime> until_of(const json::Object& status) {
  const auto* until = status.if_contains(kLateRequestUntil);
  return until != nullptr && until->is_string() ? parse_rfc3339(json::view(until->get_string())) : std::nullopt;
}

// Of several requests the latest counts.
void reckon_with_it(json::Object& status, WallTime until) {
  status[kLateRequestUntil] = text(rfc3339_micro(std::max(until, until_of(status).value_or(until))));
}

}  // namespace

bool leaves_open(const osb::Answer& answer) {
  // Too large an answer is one all the same.
  if (!answer.failure) return answer.status >= 500 && answer.status <= 599;
  return answer.failure->may_have_arrived() && answer.failure->kind != http::ClientFailure::Kind::kTooLarge;
}

bool may_come_late(const controller::CallOutcome& outcome) {
  const auto method = outcome.call.method;
  return (method == osb::Method::kProvision || method == osb::Method::kBind) && leaves_open(outcome.answer);
}

void note_late_request(json::Object& status, const json::Value& stored, const controller::CallOutcome& outcome,
                       const Settings& settings, WallTime now) {
  note_dead_run(status, stored, settings, now);
  if (!may_come_late(outcome)) return;
  // Its deletion is sent when it is believed to have arrived; it may stay in the broker for as long again.
  reckon_with_it(status, now + quiet_after(outcome.answer, settings) + settings.osb_api_request_timeout);
}

void note_dead_run(json::Object& status, const json::Value& stored, const Settings& settings, WallTime now) {
  if (!outlived_its_run(stored, settings) || status.contains(kLateRequestUntil)) return;
  // It is not younger than the first time that this was noticed. Its sender would still wait for it; then as above.
  reckon_with_it(status, now + 3 * settings.osb_api_request_timeout);
}

void forget_late_request(json::Object& status, WallTime now) {
  if (const auto until = until_of(status); until && *until > now) return;
  status.erase(kLateRequestUntil);
  status.erase("lateRequestProperties");
}

std::optional<controller::Step> remove_once_more(BrokerReply& reply) {
  auto& status = reply.status();
  if (!status.contains(kLateRequestUntil)) return std::nullopt;
  const auto next = std::max(until_of(status).value_or(reply.now), reply.now + reply.settings.osb_api_request_timeout);
  status.erase(kLateRequestUntil);
  begin_again(status, next, reply.now);
  const auto message = fmt::format(
      "The broker has removed it, but a request whose outcome is unknown may still be carried out; at {} the broker is "
      "asked to remove it once more.",
      rfc3339(next));
  set_condition(status, kReady, Truth::kFalse, reason::kRemovalRepeated, message, reply.now);
  return reply.save(normal(reason::kRemovalRepeated, message));
}

}  // namespace chandler::reconcilers
