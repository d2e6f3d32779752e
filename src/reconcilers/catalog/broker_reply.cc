#include "reconcilers/catalog/broker_reply.h"

#include <fmt/format.h>

#include "reconcilers/catalog/reasons.h"

namespace chandler::reconcilers {
namespace {

using controller::Step;

constexpr std::chrono::milliseconds kSlow{60'000};  // between attempts that a broker has refused on principle
constexpr std::chrono::seconds kGoneIsBelieved{60};

}  // namespace

Step wait_for_broker(BrokerReply& reply, std::string_view ready_reason, std::string_view message) {
  begin_polling(reply.status(), reply.outcome.answer, reply.settings, reply.object.uid(), reply.now);
  set_condition(reply.status(), kReady, Truth::kFalse, ready_reason, message, reply.now);
  return reply.save(normal(ready_reason, message));
}

Step retry_removal(BrokerReply& reply, std::string_view call_failed, std::string_view message) {
  auto& status = reply.status();
  const bool is_refused = reply.verdict.consequence == osb::Consequence::kRejected;
  const bool is_late = out_of_time(reply.stored(), reply.settings.reconciliation_retry_duration, reply.now);
  if (true_at(reply.stored(), "asyncOpInProgress")) {
    note_failed_removal(status, reply.settings, reply.object.uid(), message, reply.now);
  } else {
    note_failure(status, reply.outcome.answer, reply.settings, reply.object.uid(), message, reply.now,
                 is_refused ? kSlow : std::chrono::milliseconds(0));
  }
  status.erase("asyncOpInProgress");
  status.erase("lastOperation");
  const auto text =
      fmt::format("{} It will be retried; to give up what the broker may still have, set the annotation {}: \"true\".",
                  sentence(message), kAbandonAnnotation);
  set_condition(status, kReady, Truth::kUnknown,
                is_late && reply.is_cleaning_up() ? reason::kMitigationFailed : call_failed, text, reply.now);
  // A clean-up is followed by the next try, so it must not look as if all was over.
  const bool has_failed = is_late && !reply.is_cleaning_up();
  if (has_failed) set_condition(status, kFailed, Truth::kTrue, reason::kRetryTimeout, text, reply.now);
  return reply.save(warnings({call_failed, has_failed ? reason::kRetryTimeout : ""}, message));
}

Polled read_progress(const BrokerReply& reply, bool is_removal, std::chrono::seconds limit) {
  Polled polled;
  polled.poll = osb::read_poll(reply.outcome.call, reply.outcome.answer);
  const auto& poll = polled.poll;
  const auto told = poll.description.empty() ? std::string() : fmt::format(" ({})", poll.description);
  const auto becomes = [&](Progress progress, std::string message = "") {
    polled.progress = progress;
    polled.message = std::move(message);
    return polled;
  };
  const bool is_gone = poll.state == osb::PollState::kGone;
  if (poll.state == osb::PollState::kSucceeded || (is_gone && is_removal)) return becomes(Progress::kDone);
  if (poll.state == osb::PollState::kFailed)
    return becomes(Progress::kFailure, fmt::format("The broker reported that the operation failed{}.", told));
  if (const auto since = time_at(member(reply.stored(), "retry"), "goneSince");
      is_gone && since && reply.now >= *since + kGoneIsBelieved) {
    return becomes(Progress::kFailure, fmt::format("The broker keeps answering that it is gone{}.", told));
  }
  if (polled_too_long(reply.stored(), limit, reply.now))
    return becomes(Progress::kLate, "The operation took longer than is allowed.");
  if (is_removal && reply.outcome.answer.status == 404)
    return becomes(Progress::kLost, "The broker no longer knows the operation.");
  return becomes(Progress::kGoesOn, told);
}

Step go_on_polling(BrokerReply& reply, const Polled& polled, std::string_view ready_reason, std::string_view waiting) {
  const bool is_valid = polled.poll.state == osb::PollState::kInProgress;
  auto& status = reply.status();
  keep_polling(status, reply.outcome.answer, reply.settings, reply.object.uid(), is_valid ? "" : reply.verdict.message,
               reply.now);
  note_gone(status, polled.poll.state == osb::PollState::kGone, reply.now);
  if (!is_valid) {
    set_condition(status, kReady, Truth::kFalse, reason::kErrorPolling,
                  fmt::format("{} The broker will be asked again.", sentence(reply.verdict.message)), reply.now);
    return reply.save(warning(reason::kErrorPolling, reply.verdict.message));
  }
  const auto message = fmt::format("{}{}", waiting, polled.message);
  const auto* before = condition(reply.stored(), kReady);
  const bool is_news = !polled.message.empty() && (before == nullptr || text_at(*before, "message") != message);
  set_condition(status, kReady, Truth::kFalse, ready_reason, message, reply.now);
  return save_status(std::move(reply.draft),
                     is_news ? std::vector{normal(ready_reason, message)} : std::vector<controller::Note>());
}

}  // namespace chandler::reconcilers
