#include "controller/lane.h"

#include "base/check.h"
#include "controller/backoff.h"

namespace chandler::controller {

Lane::Spaces::iterator Lane::space_of(std::string_view ns) {
  const auto known = spaces_.find(ns);
  if (known != spaces_.end()) return known;
  const auto made = spaces_.emplace(ns, Space{}).first;
  made->second.turn = next_turn_++;
  return made;
}

void Lane::take_out(Spaces::iterator space) { turns_.erase(turn_of(*space)); }

void Lane::put_back(Spaces::iterator space) {
  if (!space->second.waiting.empty()) {
    turns_.insert(turn_of(*space));
  } else if (space->second.is_idle() && !space->second.has_failed) {
    spaces_.erase(space);
  }
}

// A broker that answers one namespace has not failed for the others as a whole.
void Lane::forgive() {
  for (const auto space : std::exchange(failed_, {})) {
    take_out(space);
    space->second.has_failed = false;
    put_back(space);
  }
}

const Lane::Space& Lane::space_at_turn() const {
  return spaces_.find(std::get<std::string_view>(*turns_.begin()))->second;
}

Lane::Ticket Lane::join(std::string_view ns, KeyId key) {
  const auto space = space_of(ns);
  space->second.waiting.emplace(next_ticket_, key);
  ++waiting_;
  put_back(space);
  return next_ticket_++;
}

void Lane::leave(std::string_view ns, Ticket ticket) {
  const auto space = spaces_.find(ns);
  CH_CHECK(space != spaces_.end());
  take_out(space);
  waiting_ -= space->second.waiting.erase(ticket);
  put_back(space);
}

std::optional<KeyId> Lane::front() const {
  if (turns_.empty()) return std::nullopt;
  return space_at_turn().waiting.begin()->second;
}

bool Lane::is_front(std::string_view ns, Ticket ticket) const {
  if (turns_.empty() || std::get<std::string_view>(*turns_.begin()) != ns) return false;
  return space_at_turn().waiting.begin()->first == ticket;
}

bool Lane::has_slot(const Space& space, WallTime now) const {
  if (under_way_ >= (space.under_way == 0 ? limits_.calls : limits_.calls - spare())) return false;
  if (!open_until_ || (space.under_way == 0 && !space.has_failed)) return true;
  return !probing_ && now >= *open_until_;
}

bool Lane::has_slot(std::string_view ns, WallTime now) const {
  const auto space = spaces_.find(ns);
  return has_slot(space == spaces_.end() ? Space{} : space->second, now);
}

bool Lane::is_ready(WallTime now) const { return !turns_.empty() && has_slot(space_at_turn(), now); }

void Lane::sent(std::string_view ns, WallTime now) {
  CH_CHECK(has_slot(ns, now));
  const auto space = space_of(ns);
  take_out(space);
  ++space->second.under_way;
  space->second.turn = next_turn_++;
  put_back(space);
  ++under_way_;
  if (open_until_ && now >= *open_until_) probing_ = true;
}

void Lane::answered(std::string_view ns, WallTime now, bool failed) {
  const auto space = spaces_.find(ns);
  CH_CHECK(space != spaces_.end() && space->second.under_way > 0);
  take_out(space);
  --space->second.under_way;
  --under_way_;
  if (failed && !std::exchange(space->second.has_failed, true)) failed_.push_back(space);
  put_back(space);
  if (!failed) {
    failures_ = 0;
    openings_ = 0;
    open_until_.reset();
    probing_ = false;
    forgive();
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
