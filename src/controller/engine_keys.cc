// Keys: waking, running, and what follows from a decision.
#include <exception>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/log.h"
#include "controller/backoff.h"
#include "controller/engine_parts.h"

namespace chandler::controller {
namespace {

constexpr std::chrono::seconds kUntilListed{1};

std::string_view result_name(const Step& step) {
  if (!step.stages.empty()) return "write";
  if (step.call) return "call";
  return step.wake ? "wait" : "done";
}

// The last call of an object that is gone usually was the one that cleared up.
bool has_removed(const CallOutcome& outcome) {
  return (outcome.call.method == osb::Method::kDeprovision || outcome.call.method == osb::Method::kUnbind) &&
         osb::judge(outcome.call, outcome.answer).consequence == osb::Consequence::kDone;
}

}  // namespace

std::string KeyName::text() const {
  return ns.empty() ? fmt::format("{} {}", kind.plural, name) : fmt::format("{} {}/{}", kind.plural, ns, name);
}

size_t KeyNameHash::operator()(const KeyNameView& name) const {
  constexpr size_t kOdd = 0x9E3779B97F4A7C15;
  size_t hash = name.reconciler;
  for (const auto text : {name.kind.plural, name.kind.group, name.ns, name.name}) hash = hash * kOdd + hash_text(text);
  return hash;
}

uint64_t stable_hash_of(const KeyNameView& name) {
  uint64_t seed = stable_hash(name.kind.plural, name.reconciler + 1);
  seed = stable_hash(name.kind.group, seed);
  seed = stable_hash(name.ns, seed);
  return stable_hash(name.name, seed * 31);
}

Key& Engine::Parts::add_key(const KeyNameView& name) {
  auto made = std::make_unique<Key>();
  Key& key = *made;
  key.id = ++last_id;
  key.name = {name.reconciler, name.kind, std::string(name.ns), std::string(name.name)};
  keys.emplace(key.id, std::move(made));
  keys_by_name.emplace(key.name.view(), &key);
  return key;
}

Key* Engine::Parts::find(KeyId id) {
  const auto found = keys.find(id);
  return found == keys.end() ? nullptr : found->second.get();
}

void Engine::Parts::queue(Key& key) {
  CH_CHECK(key.phase == Phase::kIdle);
  key.phase = Phase::kQueued;
  ++busy;
  ready.push(key.name.ns, key.id);
  metrics.queue(reconciler_name(key), 1);
}

void Engine::Parts::wake(Key& key) {
  if (key.phase == Phase::kIdle && !key.held) queue(key);
}

void Engine::Parts::touch(Key& key) {
  if (key.phase == Phase::kWriting) key.writing->overtaken = true;
  wake(key);
}

void Engine::Parts::set_timer(Key& key, std::optional<WallTime> due) {
  if (key.due) timers.erase({*key.due, key.id});
  key.due = due;
  if (due) timers.emplace(*due, key.id);
}

std::chrono::microseconds Engine::Parts::failure_delay(const Key& key) const {
  return spread(doubled(options.first_write_delay, options.last_write_delay, key.failures),
                stable_hash_of(key.name.view()) + key.failures);
}

void Engine::Parts::hold(Key& key, std::chrono::microseconds delay) {
  leave_lane(key);
  key.held = true;
  key.steps = 0;
  set_timer(key, clock.now() + delay);
}

void Engine::Parts::fault(Key& key, std::string_view what, std::string_view detail) {
  ++key.failures;
  log::error(what, {{"reconciler", reconciler_name(key)}, {"object", key.name.text()}, {"detail", detail}});
  hold(key, failure_delay(key));
}

bool Engine::Parts::is_looping(Key& key) {
  if (++key.steps <= options.steps_in_a_row) return false;
  log::error("a reconciler goes round in circles",
             {{"reconciler", reconciler_name(key)}, {"object", key.name.text()}, {"steps", options.steps_in_a_row}});
  hold(key, options.last_write_delay);
  return true;
}

void Engine::Parts::consume_outcome(Key& key) {
  key.outcome.reset();
  key.outcome_uid.clear();
  key.outcome_lane.clear();
}

void Engine::Parts::forget(Key& key) {
  leave_lane(key);
  set_timer(key, std::nullopt);
  dependencies.forget(key.id);
  waiting_for_access.erase(key.id);
  catching_up.erase(key.id);
  keys_by_name.erase(key.name.view());
  keys.erase(key.id);
}

void Engine::Parts::run(Key& key) {
  if (key.phase == Phase::kQueued) {
    --busy;
    metrics.queue(reconciler_name(key), -1);
  }
  key.phase = Phase::kIdle;
  key.held = false;
  set_timer(key, std::nullopt);
  waiting_for_access.erase(key.id);

  auto& state = api.state();
  const auto object = parsed.share(state.get(key.name.kind, key.name.ns, key.name.name));
  // An answer for an object that is gone, or for an earlier one of the same name, has nobody to take it.
  if (key.outcome && (!object || object.uid() != key.outcome_uid)) {
    if (!has_removed(*key.outcome)) {
      log::warn("a broker answered for an object that is gone; what it made may be left there",
                {{"object", key.name.text()},
                 {"uid", key.outcome_uid},
                 {"broker", key.outcome_lane},
                 {"method", osb::method_name(key.outcome->call.method)},
                 {"instance", key.outcome->call.instance_id},
                 {"binding", key.outcome->call.binding_id}});
    }
    consume_outcome(key);
  }
  if (!object) return forget(key);
  if (key.catch_up && key.catch_up->uid != object.uid()) stop_catching_up(key);
  if (key.catch_up) key.catch_up->asked = false;

  View view(state, api.access(), clock.now(), key.outcome.get(), this, &parsed);
  view.set_last_failure(key.last_failure);
  const auto begin = std::chrono::steady_clock::now();
  Step step;
  std::string thrown;
  running = &key;
  try {
    step = reconcilers[key.name.reconciler]->reconcile(key.name.kind, object, view);
  } catch (const std::exception& e) {
    thrown = e.what();
    if (thrown.empty()) thrown = "an exception without words";
  }
  running = nullptr;
  if (key.catch_up) key.catch_up->uid = object.uid();
  if (key.catch_up && !key.catch_up->asked) stop_catching_up(key);
  std::erase_if(step.stages, [](const auto& stage) { return stage.empty(); });
  metrics.ran(reconciler_name(key), thrown.empty() ? result_name(step) : "fault",
              std::chrono::steady_clock::now() - begin);
  // What waits for more than changes needs its next run.
  if (!step.stages.empty() && (step.wake || view.waits_for_access() || catching_up.contains(key.id))) {
    step.call.reset();
    step.rests = false;
  }
  // Writing mostly ends in another run, which will say what it depends on; whatever changes before is seen by that run.
  const bool leads_to_run = !step.stages.empty() && !step.call && !step.rests && !view.is_incomplete();
  if (!leads_to_run) dependencies.replace(key.id, view.take_reads());
  if (view.waits_for_access()) waiting_for_access.insert(key.id);
  if (!thrown.empty()) return fault(key, "a reconciler threw", thrown);
  // The first list of what it read comes as changes, and they wake it; the timer is for a kind without any objects.
  if (view.is_incomplete()) {
    leave_lane(key);
    return set_timer(key, clock.now() + kUntilListed);
  }
  perform(key, object, std::move(step), view.waits_for_access());
}

void Engine::Parts::perform(Key& key, const client::Object& object, Step step, bool waits_for_access) {
  if (step.call && step.stages.empty()) return call_or_wait(key, object, std::move(step));
  leave_lane(key);
  if (step.stages.empty()) return settle(key, object, step, waits_for_access);
  if (!is_looping(key)) begin_writing(key, object, std::move(step));
}

// Nothing to do now.
void Engine::Parts::settle(Key& key, const client::Object& object, const Step& step, bool waits_for_access) {
  // A time that has passed is no wait.
  if (step.wake && *step.wake <= clock.now()) {
    if (is_looping(key)) return;
  } else {
    key.steps = 0;
  }
  key.failures = 0;
  key.conflicts = 0;
  for (const auto& note : step.notes) events.record(object, note);
  // It could not decide yet what the answer means.
  if (!waits_for_access) consume_outcome(key);
  set_timer(key, step.wake);
}

}  // namespace chandler::controller
