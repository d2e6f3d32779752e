// Calling brokers: lanes, sending, answers.
#include <utility>

#include "base/log.h"
#include "controller/engine_parts.h"
#include "osb/broker_text.h"

namespace chandler::controller {
namespace {

constexpr size_t kMostIdleLanes = 4'096;

}  // namespace

Lane& Engine::Parts::lane_for(const std::string& name) {
  auto& lane = lanes[name];
  if (lane == nullptr) {
    lane = std::make_unique<Lane>(name, LaneLimits{options.calls_per_lane, options.breaker_failures,
                                                   options.first_breaker_delay, options.last_breaker_delay});
  }
  return *lane;
}

void Engine::Parts::lane_changed(Lane& lane) {
  metrics.lane(lane.name(), lane.under_way(), lane.waiting(), lane.open_until().has_value());
  if (lane.is_ready(clock.now()) && listed_lanes.insert(lane.name()).second) ready_lanes.push_back(lane.name());
  if (lane.is_forgettable() || (lane.is_idle() && lanes.size() > kMostIdleLanes)) lanes.erase(lane.name());
}

void Engine::Parts::leave_lane(Key& key) {
  if (key.lane == nullptr) return;
  Lane& lane = *std::exchange(key.lane, nullptr);
  lane.leave(key.name.ns, key.ticket);
  --waiting;
  lane_changed(lane);
}

void Engine::Parts::call_or_wait(Key& key, const client::Object& object, Step step) {
  Lane& lane = lane_for(step.call->lane);
  if (key.lane != nullptr && key.lane != &lane) leave_lane(key);
  const bool is_next = key.lane != nullptr ? lane.is_front(key.name.ns, key.ticket) : lane.waiting() == 0;
  if (is_next && lane.has_slot(key.name.ns, clock.now())) return send(key, lane, object, std::move(step));
  // Only its place is kept: when its turn comes it decides anew, on what is true then.
  if (key.lane == nullptr) {
    key.lane = &lane;
    key.ticket = lane.join(key.name.ns, key.id);
    ++waiting;
    lane_changed(lane);
  }
  key.steps = 0;
  set_timer(key, step.wake);
}

void Engine::Parts::send(Key& key, Lane& lane, const client::Object& object, Step step) {
  if (is_looping(key)) return;
  lane.sent(key.name.ns, clock.now());  // before leaving, so that an empty lane is not forgotten
  leave_lane(key);
  lane_changed(lane);
  key.phase = Phase::kCalling;
  ++busy;
  ++key.serial;
  key.failures = 0;
  key.conflicts = 0;
  consume_outcome(key);
  for (const auto& note : step.notes) events.record(object, note);
  BrokerCall& call = *step.call;
  call.sensitive.add_authorization(call.endpoint.authorization);
  auto sensitive = std::make_shared<const osb::Sensitive>(std::move(call.sensitive));
  key.calling = std::make_unique<Calling>(Calling{lane.name(), std::string(object.uid()), std::move(call.intent),
                                                  std::move(call.call), clock.mono(), sensitive});
  // Cleaned where it arrives: nothing behind this line sees what the broker said word for word.
  sender.send(call.endpoint, key.calling->call,
              [box = mailbox, id = key.id, serial = key.serial, sensitive](osb::Answer answer) {
                osb::clean(answer, *sensitive);
                box->put(CallEnded{id, serial, std::move(answer)});
              });
}

void Engine::Parts::end_call(Key& key, osb::Answer answer) {
  const auto calling = std::move(key.calling);
  key.phase = Phase::kIdle;
  --busy;
  metrics.answered(calling->lane, calling->call, answer, clock.mono() - calling->since);
  Lane& lane = lane_for(calling->lane);
  const auto was_open = lane.open_until();
  lane.answered(key.name.ns, clock.now(), osb::judge(calling->call, answer).breaker);
  if (lane.open_until() && lane.open_until() != was_open) {
    reopenings.emplace(*lane.open_until(), lane.name());
    log::warn("a broker fails again and again; its calls wait", {{"broker", lane.name()}, {"waiting", lane.waiting()}});
  } else if (was_open && !lane.open_until()) {
    log::info("a broker answers again", {{"broker", lane.name()}});
  }
  lane_changed(lane);
  key.outcome = std::make_unique<CallOutcome>(CallOutcome{
      std::move(calling->intent), std::move(calling->call), std::move(answer), clock.now(), {}, calling->sensitive});
  key.outcome_uid = calling->uid;
  key.outcome_lane = calling->lane;
  queue(key);
}

}  // namespace chandler::controller
