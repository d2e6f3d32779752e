#include "controller/lane.h"

#include "base/check.h"
#include "controller/backoff.h"

namespace chandler::controller {

Lane::Ticket Lane::join(KeyId key) {
  waiting_.emplace(next_ticket_, key);
  return next_ticket_++;
}

std::optional<KeyId> Lane::front() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->second;
}

bool Lane::has_slot(WallTime now) const {
  if (under_way_ >= limits_.calls) return false;
  if (!open_until_) return true;
  return !probing_ && now >= *open_until_;
}

void Lane::sent(WallTime now) {
  CH_CHECK(has_slot(now));
  ++under_way_;
  if (open_until_) probing_ = true;
}

void Lane::answered(WallTime now, bool failed) {
  CH_CHECK(under_way_ > 0);
  --under_way_;
  if (!failed) {
    failures_ = 0;
    openings_ = 0;
    open_until_.reset();
    probing_ = false;
    return;
  }
  ++failures_;
  // Calls that were under way when the breaker opened tell nothing new; only the one after the delay does.
  const bool opens = open_until_ ? probing_ : failures_ >= limits_.breaker_failures;
  if (!opens) return;
  probing_ = false;
  ++openings_;
  open_until_ = now + spread(doubled(limits_.first_breaker_delay, limits_.last_breaker_delay, openings_),
                             stable_hash(name_) + openings_);
}

}  // namespace chandler::controller
