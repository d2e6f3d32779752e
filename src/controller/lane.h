// The calls to one broker: who waits, how many are under way, and the circuit breaker. A lane only counts and decides;
// the engine sends. Belongs to the engine's thread.
//
// The breaker opens after some failures in a row. While it is open nothing is sent and nothing is lost: keys wait.
// After a delay one call is let through; if it fails the breaker opens again for twice as long, if not it closes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "controller/dependency_index.h"

namespace chandler::controller {

struct LaneLimits {
  size_t calls = 32;  // under way at a time
  size_t breaker_failures = 5;
  std::chrono::milliseconds first_breaker_delay{1'000};
  std::chrono::milliseconds last_breaker_delay{60'000};
};

class Lane {
 public:
  using Ticket = uint64_t;  // a place in the lane; earlier ones go first

  Lane(std::string name, const LaneLimits& limits) : name_(std::move(name)), limits_(limits) {}

  const std::string& name() const { return name_; }
  Ticket join(KeyId key);
  void leave(Ticket ticket) { waiting_.erase(ticket); }
  std::optional<KeyId> front() const;
  bool is_front(Ticket ticket) const { return !waiting_.empty() && waiting_.begin()->first == ticket; }

  // A call may be sent now.
  bool has_slot(WallTime now) const;
  // Somebody waits and may send now.
  bool is_ready(WallTime now) const { return !waiting_.empty() && has_slot(now); }
  void sent(WallTime now);
  void answered(WallTime now, bool failed);

  // Set while the breaker is open: when it lets the next call through.
  std::optional<WallTime> open_until() const { return open_until_; }
  size_t waiting() const { return waiting_.size(); }
  size_t under_way() const { return under_way_; }
  bool is_idle() const { return waiting_.empty() && under_way_ == 0; }
  // Nothing worth remembering.
  bool is_forgettable() const { return is_idle() && failures_ == 0; }

 private:
  const std::string name_;
  const LaneLimits limits_;
  std::map<Ticket, KeyId> waiting_;
  Ticket next_ticket_ = 1;
  size_t under_way_ = 0;
  size_t failures_ = 0;  // in a row
  size_t openings_ = 0;  // in a row
  std::optional<WallTime> open_until_;
  bool probing_ = false;  // the one call after the delay is under way
};

}  // namespace chandler::controller
