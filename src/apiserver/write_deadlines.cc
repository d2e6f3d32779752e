#include "apiserver/write_deadlines.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "apiserver/call.h"
#include "apiserver/respond.h"
#include "base/text.h"
#include "base/time_text.h"

namespace chandler::apiserver {

void WriteDeadlines::add(Ticket& ticket, const Services& services, Call& call, MonoTime due) {
  ticket.owner_ = this;
  MutexLock lock(mutex_);
  ticket.services_ = &services;
  ticket.call_ = &call;
  ticket.due_ = due;
  ticket.listed_ = true;
  ticket.before_ = nullptr;
  ticket.after_ = first_;
  if (first_ != nullptr) first_->before_ = &ticket;
  first_ = &ticket;
}

void WriteDeadlines::remove(Ticket& ticket) {
  MutexLock lock(mutex_);
  if (ticket.listed_) unlink(ticket);
}

void WriteDeadlines::unlink(Ticket& ticket) {
  (ticket.before_ != nullptr ? ticket.before_->after_ : first_) = ticket.after_;
  if (ticket.after_ != nullptr) ticket.after_->before_ = ticket.before_;
  ticket.listed_ = false;
}

std::vector<WriteDeadlines::Overdue> WriteDeadlines::take_due(MonoTime now) {
  std::vector<Overdue> overdue;
  MutexLock lock(mutex_);
  for (Ticket* ticket = first_; ticket != nullptr;) {
    Ticket& here = *std::exchange(ticket, ticket->after_);
    if (here.due_ > now) continue;
    unlink(here);
    // Null: its last owner is letting go of it at this moment and waits for the lock.
    if (auto call = here.call_->weak_from_this().lock()) overdue.push_back({here.services_, std::move(call)});
  }
  return overdue;
}

Result<std::chrono::nanoseconds> request_timeout(std::string_view parameter) {
  constexpr std::chrono::nanoseconds kLongest = WriteDeadlines::kLongest;
  if (parameter.empty()) return kLongest;
  const auto wanted = parse_go_duration(parameter);
  if (!wanted) {
    return bad_request(
        fmt::format("invalid timeout specified in the request URL: {} is no duration such as 30s", quoted(parameter)));
  }
  return wanted->count() <= 0 ? kLongest : std::min(*wanted, kLongest);
}

void answer_overdue(const WriteDeadlines::Overdue& overdue) {
  overdue.call->overdue = true;
  respond_error(
      *overdue.services, *overdue.call,
      timeout("request did not complete within the requested timeout: the write may still take effect, so read "
              "the object before trying again"));
}

}  // namespace chandler::apiserver
