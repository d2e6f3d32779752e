#include "apiserver/lanes/lanes.h"

#include <algorithm>

#include "auth/system_users.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kSystemPrefix = "system:";
constexpr std::string_view kAllAccounts = "system:serviceaccounts";
constexpr size_t kExemptQueue = 10'000;  // what the pool itself would queue
constexpr auto kExemptWait = std::chrono::seconds(60);
constexpr size_t kObjectsPerSeat = 10'000;
constexpr uint32_t kWidestList = 10;
constexpr size_t kBytesPerSeat = size_t{256} * 1024;

// Percent of all seats.
uint32_t share_of(Lane lane) {
  switch (lane) {
    case Lane::kExempt:
      return 100;
    case Lane::kSystem:
      return 30;
    case Lane::kWorkload:
      return 60;
    case Lane::kCatchAll:
      return 10;
  }
  return 0;
}

std::string_view work_name(LaneWork work) {
  switch (work) {
    case LaneWork::kWrite:
      return "write";
    case LaneWork::kHeavy:
      return "heavy";
    case LaneWork::kBody:
      return "body";
  }
  return "";
}

uint32_t seats_for(const Lanes::Options& options, LaneWork work) {
  switch (work) {
    case LaneWork::kWrite:
      return options.writes;
    case LaneWork::kHeavy:
      return options.heavy;
    case LaneWork::kBody:
      return options.bodies;
  }
  return 0;
}

}  // namespace

std::string_view lane_name(Lane lane) {
  switch (lane) {
    case Lane::kExempt:
      return "exempt";
    case Lane::kSystem:
      return "system";
    case Lane::kWorkload:
      return "workload";
    case Lane::kCatchAll:
      return "catch-all";
  }
  return "";
}

Lane lane_of(const auth::User& user, const RequestInfo& info) {
  if (user.in_group(auth::kMasters)) return Lane::kExempt;
  if (!user.in_group(auth::kAuthenticated)) return Lane::kCatchAll;
  if (user.in_group(auth::kSystemAccounts)) return Lane::kSystem;
  if (user.name.starts_with(kSystemPrefix) && !user.in_group(kAllAccounts)) return Lane::kSystem;
  if (info.resource == "leases" && info.group == "coordination.k8s.io" && info.verb != "deletecollection") {
    return Lane::kSystem;
  }
  return Lane::kWorkload;
}

Lanes::Lanes(const Options& options, metrics::Registry& metrics) {
  auto& waiting = metrics.gauge("apiserver_flowcontrol_current_inqueue_requests",
                                "Requests that wait for a seat of their lane.", {"priority_level", "work"});
  auto& used = metrics.gauge("apiserver_flowcontrol_current_executing_seats", "Seats of a lane that are taken.",
                             {"priority_level", "work"});
  auto& refused = metrics.counter("apiserver_flowcontrol_rejected_requests_total",
                                  "Requests refused with 429, because the user's queue was full or the wait too long.",
                                  {"priority_level", "work", "reason"});
  for (const auto lane : {Lane::kExempt, Lane::kSystem, Lane::kWorkload, Lane::kCatchAll}) {
    for (const auto work : {LaneWork::kWrite, LaneWork::kHeavy, LaneWork::kBody}) {
      if (lane == Lane::kExempt && work == LaneWork::kWrite) continue;
      auto& made = entry(lane, work);
      const auto name = lane_name(lane);
      const auto sort = work_name(work);
      FairGate::Limits limits;
      const uint64_t all = seats_for(options, work);
      limits.seats = std::max<uint32_t>(1, static_cast<uint32_t>(all * share_of(lane) / 100));
      limits.queue_per_flow = lane == Lane::kExempt ? kExemptQueue : options.queue_per_user;
      limits.longest_wait = lane == Lane::kExempt ? kExemptWait : options.longest_wait;
      made.lane = lane;
      made.gate = std::make_unique<FairGate>(limits);
      made.waiting = &waiting.with({name, sort});
      made.used = &used.with({name, sort});
      made.full = &refused.with({name, sort, "queue-full"});
      made.overdue = &refused.with({name, sort, "time-out"});
    }
  }
}

FairGate* Lanes::gate(Lane lane, LaneWork work) { return entry(lane, work).gate.get(); }

void Lanes::count_refusal(Lane lane, LaneWork work) {
  if (auto* full = entry(lane, work).full) full->add();
}

void Lanes::tick(MonoTime now) {
  for (auto& one : entries_) {
    if (one.gate == nullptr) continue;
    one.overdue->add(one.gate->refuse_overdue(now));
    one.waiting->set(one.gate->waiting());
    one.used->set(one.gate->used());
  }
}

uint32_t list_width(size_t objects) {
  return static_cast<uint32_t>(std::min<size_t>(kWidestList, 1 + objects / kObjectsPerSeat));
}

uint32_t body_width(size_t bytes) { return static_cast<uint32_t>(1 + bytes / kBytesPerSeat); }

}  // namespace chandler::apiserver
