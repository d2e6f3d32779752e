// Writing: the stages of a step, one after the other.
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "controller/engine_parts.h"

namespace chandler::controller {
namespace {

constexpr size_t kConflictsAtOnce = 5;  // then with delay, as any failure

// The decision was made on something that has changed: decide again.
bool is_stale(const Error& error) {
  return error.reason == Reason::kConflict || error.reason == Reason::kAlreadyExists ||
         error.reason == Reason::kNotFound;
}

bool is_update(const client::Write& write) {
  return write.verb != client::Write::Verb::kCreate && write.verb != client::Write::Verb::kDelete;
}

std::set<client::KindName> updated_behind_the_first(const std::vector<std::vector<client::Write>>& stages) {
  std::set<client::KindName> out;
  for (size_t i = 1; i < stages.size(); ++i) {
    for (const auto& write : stages[i]) {
      if (is_update(write)) out.insert(write.kind);
    }
  }
  return out;
}

// What is to be written now. What remains of the plan tells what that was.
client::Write taken(client::Write& planned) {
  if (planned.make) return std::exchange(planned.make, nullptr)();
  return {.verb = planned.verb,
          .kind = planned.kind,
          .ns = planned.ns,
          .name = planned.name,
          .object = std::move(planned.object),
          .uid = std::move(planned.uid),
          .resource_version = std::move(planned.resource_version),
          .with_status = planned.with_status,
          .base = std::move(planned.base)};
}

// An update of what an earlier stage has written follows upon that write.
void continue_version(const Writing& writing, client::Write& write) {
  if (writing.written.empty() || !is_update(write)) return;
  const auto found = writing.written.find({write.kind, write.ns, write.name});
  if (found == writing.written.end() || !write.object.is_object()) return;
  auto& metadata = write.object.get_object()["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  metadata.get_object()["resourceVersion"] = std::to_string(found->second);
}

std::string version_in(const client::Write& write) {
  const auto* metadata = json::find(write.object, "metadata");
  return metadata == nullptr ? "" : json::string_or(*metadata, "resourceVersion");
}

// The status of an object, and then the object itself, both decided on the same state of it.
bool are_one(const std::vector<client::Write>& first, const std::vector<client::Write>& second) {
  using Verb = client::Write::Verb;
  if (first.size() != 1 || second.size() != 1) return false;
  const auto& status = first.front();
  const auto& object = second.front();
  if (status.verb != Verb::kUpdateStatus || object.verb != Verb::kUpdate) return false;
  if (status.kind != object.kind || status.ns != object.ns || status.name != object.name) return false;
  return status.object.is_object() && object.object.is_object() && !version_in(status).empty() &&
         version_in(status) == version_in(object);
}

// Where the API can do it, an object and its status are written at once: one commit less to wait for, and nobody sees
// the one without the other.
void join_stages(std::vector<std::vector<client::Write>>& stages) {
  for (size_t i = 0; i + 1 < stages.size(); ++i) {
    if (!are_one(stages[i], stages[i + 1])) continue;
    auto& both = stages[i + 1].front();
    both.verb = client::Write::Verb::kUpdateBoth;
    auto& members = both.object.get_object();
    if (auto* status = json::find(stages[i].front().object, "status")) {
      members["status"] = std::move(*status);
    } else {
      members.erase("status");
    }
    stages.erase(stages.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

void Engine::Parts::begin_writing(Key& key, const client::Object& object, Step step) {
  key.phase = Phase::kWriting;
  ++busy;
  ++key.serial;
  key.writing = std::make_unique<Writing>();
  key.writing->about = object;
  key.writing->stages = std::move(step.stages);
  key.writing->as_told = api.writer().writes_both();
  if (key.writing->as_told) join_stages(key.writing->stages);
  // Those of thousands that wait for their turn hold no more than they must.
  for (auto& stage : key.writing->stages) {
    if (stage.size() <= options.writes_in_flight) continue;
    for (auto& write : stage) write.base = {};
  }
  key.writing->updated_later = updated_behind_the_first(key.writing->stages);
  key.writing->notes = std::move(step.notes);
  key.writing->call = std::move(step.call);
  key.writing->rests = step.rests;
  go_on_writing(key);
}

void Engine::Parts::go_on_writing(Key& key) {
  Writing& writing = *key.writing;
  for (;;) {
    if (!writing.error) {
      auto& stage = writing.stages[writing.stage];
      while (writing.next < stage.size() && writing.under_way < options.writes_in_flight) {
        ++writing.under_way;
        const size_t index = writing.next++;
        client::Write write = taken(stage[index]);
        continue_version(writing, write);
        write.more_follows = in_burst = true;
        // May end inside this call; its report comes by mail all the same.
        api.writer().write(std::move(write), [box = mailbox, id = key.id, serial = key.serial,
                                              index](const Result<client::Object>& done) {
          WriteEnded ended{id, serial, std::nullopt, index};
          if (!done.ok()) ended.error = done.error();
          if (done.ok() && *done) ended.revision = done->revision();
          box->put(std::move(ended));
        });
      }
    }
    if (writing.under_way > 0) return;
    if (!writing.error && writing.refused) writing.error = std::move(writing.refused);
    if (writing.error || ++writing.stage == writing.stages.size()) return end_writing(key);
    writing.next = 0;
  }
}

void Engine::Parts::end_writing(Key& key) {
  const auto writing = std::move(key.writing);
  key.phase = Phase::kIdle;
  --busy;
  if (!catching_up.empty()) tell_those_behind(key.id);
  if (!writing->error) {
    key.failures = 0;
    key.last_failure.clear();
    key.conflicts = 0;
    consume_outcome(key);
    for (const auto& note : writing->notes) events.record(writing->about, note);
    return go_on_after(key, *writing);
  }
  const Error& error = *writing->error;
  metrics.write_failed(reconciler_name(key), error);
  if (is_stale(error) && ++key.conflicts <= kConflictsAtOnce) return queue(key);
  ++key.failures;
  key.last_failure = error.message;
  auto delay = failure_delay(key);
  if (error.retry_after_seconds) {
    delay = std::max<std::chrono::microseconds>(delay, std::chrono::seconds(*error.retry_after_seconds));
  }
  log::warn("a write failed; trying again later",
            {{"reconciler", reconciler_name(key)},
             {"object", key.name.text()},
             {"error", error.message},
             {"failures", key.failures},
             {"delay_ms", std::chrono::duration_cast<std::chrono::milliseconds>(delay).count()}});
  hold(key, delay);
}

// The step may have said what the next run would decide; otherwise that runs.
void Engine::Parts::go_on_after(Key& key, Writing& writing) {
  const bool is_told = (writing.call || writing.rests) && writing.as_told && api.writer().writes_both();
  if (!is_told || writing.overtaken) return queue(key);
  const auto object = api.state().get(key.name.kind, key.name.ns, key.name.name);
  if (!object || object.revision() != writing.left) return queue(key);
  if (options.checks_what_follows) check_what_follows(key, object, writing);
  if (!writing.call) {
    key.steps = 0;
    return;
  }
  Lane& lane = lane_for(writing.call->lane);
  // One that waits for its turn decides anew then, and must say what it depends on meanwhile.
  if (lane.waiting() > 0 || !lane.has_slot(key.name.ns, clock.now())) return queue(key);
  Step step;
  step.call = std::move(writing.call);
  send(key, lane, object, std::move(step));
}

void Engine::Parts::check_what_follows(Key& key, const client::Object& object, const Writing& writing) {
  View view(api.state(), api.access(), clock.now(), nullptr, this, &parsed);
  running = &key;
  const Step step = reconcilers[key.name.reconciler]->reconcile(key.name.kind, object, view);
  running = nullptr;
  if (view.asked_for_access()) return;  // rights may have changed since
  CH_CHECK(step.stages.empty() && !step.wake && step.call.has_value() == writing.call.has_value());
  if (!step.call) return;
  const auto& [a, b] = std::pair<const BrokerCall&, const BrokerCall&>(*step.call, *writing.call);
  CH_CHECK(a.lane == b.lane && a.intent == b.intent && a.endpoint.url == b.endpoint.url &&
           a.endpoint.authorization == b.endpoint.authorization && a.call.method == b.call.method &&
           a.call.instance_id == b.call.instance_id && a.call.binding_id == b.call.binding_id &&
           a.call.service_id == b.call.service_id && a.call.plan_id == b.call.plan_id &&
           a.call.originating_identity == b.call.originating_identity && json::equal(a.call.body, b.call.body) &&
           a.sensitive.values == b.sensitive.values && a.sensitive.missing == b.sensitive.missing);
}

bool Engine::Parts::has_caught_up(const client::KindName& kind) {
  Key& key = *running;
  if (!key.catch_up) key.catch_up = std::make_unique<CatchUp>();
  key.catch_up->asked = true;
  const auto [found, is_first] = key.catch_up->behind.try_emplace(kind);
  auto& behind = found->second;
  if (is_first) {
    for (const auto& [id, other] : keys) {
      if (other->phase == Phase::kWriting && other->name.kind == kind) behind.insert(id);
    }
  }
  if (!behind.empty()) catching_up.insert(key.id);
  return behind.empty();
}

void Engine::Parts::stop_catching_up(Key& key) {
  catching_up.erase(key.id);
  key.catch_up.reset();
}

// What a key decides next is decided on what can be seen now, so only the writes that ended here were waited for.
void Engine::Parts::tell_those_behind(KeyId ended) {
  for (auto it = catching_up.begin(); it != catching_up.end();) {
    Key& key = *find(*it);
    bool is_behind = false;
    for (auto& [kind, others] : key.catch_up->behind) {
      others.erase(ended);
      is_behind = is_behind || !others.empty();
    }
    if (is_behind) {
      ++it;
    } else {
      it = catching_up.erase(it);
      touch(key);
    }
  }
}

}  // namespace chandler::controller
