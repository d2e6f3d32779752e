// The calls to one broker: which key is next, how many calls are under way, and the circuit breaker. A lane only counts
// and decides; the engine sends. Belongs to the engine's thread.
//
// Keys of one namespace are served in the order in which they came. Between namespaces, the one with the fewest calls
// under way is next, and of these the one that was served longest ago: a namespace with a thousand instances, or with
// instances that the broker is slow about, delays another namespace by one turn. The last slots are kept for namespaces
// that have no call under way.
//
// The breaker opens after some failures in a row. While it is open keys wait, and nothing is lost. After a delay one
// call is let through; if it fails the breaker opens again for twice as long, if not it closes. A namespace none of
// whose calls is among the failures does not wait: it may try one, since what failed may be another tenant's doing.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

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
  using Ticket = uint64_t;  // a place among the keys of its namespace; earlier ones go first

  Lane(std::string name, const LaneLimits& limits) : name_(std::move(name)), limits_(limits) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const std::string& name() const { return name_; }
  Ticket join(std::string_view ns, KeyId key);
  void leave(std::string_view ns, Ticket ticket);
  // Which key is next.
  std::optional<KeyId> front() const;
  bool is_front(std::string_view ns, Ticket ticket) const;

  // A call for an object of that namespace may be sent now.
  bool has_slot(std::string_view ns, WallTime now) const;
  // A key waits and its call may be sent now.
  bool is_ready(WallTime now) const;
  void sent(std::string_view ns, WallTime now);
  void answered(std::string_view ns, WallTime now, bool failed);

  // Set while the breaker is open: when it lets the next call through.
  std::optional<WallTime> open_until() const { return open_until_; }
  size_t waiting() const { return waiting_; }
  size_t under_way() const { return under_way_; }
  bool is_idle() const { return waiting_ == 0 && under_way_ == 0; }
  // Nothing worth remembering.
  bool is_forgettable() const { return is_idle() && failures_ == 0; }

 private:
  // A namespace with keys that wait or calls under way.
  struct Space {
    std::map<Ticket, KeyId> waiting;
    size_t under_way = 0;
    uint64_t turn = 0;        // when it was served last, or came
    bool has_failed = false;  // since the last call of any namespace that succeeded

    bool is_idle() const { return waiting.empty() && under_way == 0; }
  };
  using Spaces = std::map<std::string, Space, std::less<>>;
  // Failed, calls under way, turn, namespace.
  using Turn = std::tuple<bool, size_t, uint64_t, std::string_view>;

  static Turn turn_of(const Spaces::value_type& space) {
    return {space.second.has_failed, space.second.under_way, space.second.turn, space.first};
  }
  const Space& space_at_turn() const;
  Spaces::iterator space_of(std::string_view ns);
  // What decides about its turn is changed between these two.
  void take_out(Spaces::iterator space);
  void put_back(Spaces::iterator space);
  bool has_slot(const Space& space, WallTime now) const;
  void forgive();
  // Slots that one namespace cannot take.
  size_t spare() const { return limits_.calls / 8; }

  const std::string name_;
  const LaneLimits limits_;
  Spaces spaces_;
  std::set<Turn> turns_;                  // of the namespaces in which keys wait
  std::vector<Spaces::iterator> failed_;  // those that have failed
  uint64_t next_turn_ = 1;
  Ticket next_ticket_ = 1;
  size_t waiting_ = 0;
  size_t under_way_ = 0;
  size_t failures_ = 0;  // in a row
  size_t openings_ = 0;  // in a row
  std::optional<WallTime> open_until_;
  bool probing_ = false;  // the one call after the delay is under way
};

}  // namespace chandler::controller
