// Priority lanes: requests that really occupy something for a while (a place in the store's queue, a worker) take seats
// of their lane, so that one client cannot use up everything, and within a lane users take turns. Reads from memory,
// watches that are open, discovery and health occupy nothing and take no seat. Thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/lanes/fair_gate.h"
#include "apiserver/request_info.h"
#include "auth/user.h"
#include "base/metrics.h"

namespace chandler::apiserver {

enum class Lane { kExempt, kSystem, kWorkload, kCatchAll };
inline constexpr size_t kLanes = 4;
std::string_view lane_name(Lane lane);  // "workload"

// exempt: system:masters. system: the system's own users, service accounts of kube-system, and leases of whoever is
// known, since controllers lose their office with them. workload: everybody else with a name. catch-all: the anonymous.
Lane lane_of(const auth::User& user, const RequestInfo& info);

enum class LaneWork {
  kWrite,  // waits for the store
  kHeavy,  // needs a worker: long lists, tables, whole collections
  kBody,   // needs a worker that reads, checks and prepares a large body or object
};
inline constexpr size_t kLaneWorks = 3;

class Lanes {
 public:
  struct Options {
    uint32_t writes = 600;        // at once, over all lanes but the exempt one
    uint32_t heavy = 8;           // likewise; about twice the workers
    uint32_t bodies = 16;         // pieces of 256 KiB of large bodies at once, likewise; about four times the workers
    size_t queue_per_user = 256;  // in seats
    std::chrono::milliseconds longest_wait{15'000};
  };

  Lanes(const Options& options, metrics::Registry& metrics);

  // Null: no seat is needed. The exempt have no queue before the store; where workers are short they too take turns,
  // with a queue as long as the pool's own.
  FairGate* gate(Lane lane, LaneWork work);
  void count_refusal(Lane lane, LaneWork work);
  void tick(MonoTime now);  // every now and then: ends what waits for too long, tells the metrics

 private:
  struct Entry {
    Lane lane = Lane::kExempt;
    std::unique_ptr<FairGate> gate;
    metrics::Gauge* waiting = nullptr;
    metrics::Gauge* used = nullptr;
    metrics::Counter* full = nullptr;
    metrics::Counter* overdue = nullptr;
  };
  Entry& entry(Lane lane, LaneWork work) {
    return entries_[static_cast<size_t>(lane) * kLaneWorks + static_cast<size_t>(work)];
  }

  std::array<Entry, kLanes * kLaneWorks> entries_;
};

// How many seats a look at so many objects takes.
uint32_t list_width(size_t objects);
// How many seats a body takes: the work of a worker grows with its bytes.
uint32_t body_width(size_t bytes);

}  // namespace chandler::apiserver
