// How operations of the memory broker go on and end, and what is there.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "brokers/scripted/memory_broker.h"
#include "osb/server/reply.h"

namespace chandler::brokers {
namespace {

using osb::server::Action;
using osb::server::Phase;
using osb::server::Refusal;
using osb::server::reply;
using osb::server::Work;

constexpr size_t kMaxFinished = 1000;  // per shard

std::string key_of(const std::string& instance_id, const std::string& binding_id) {
  return instance_id + '\n' + binding_id;
}

std::string_view phase_name(Phase phase) {
  constexpr std::string_view kNames[] = {"creating", "ready", "updating", "deleting", "broken"};
  return kNames[static_cast<size_t>(phase)];
}

}  // namespace

http::Response MemoryBroker::poll(Shard& shard, const Context& context) {
  const auto& request = context.request;
  std::optional<Operation>* current = nullptr;
  bool exists = false;
  Phase phase = Phase::kReady;
  if (const auto place = shard.instances.find(request.instance_id); place != shard.instances.end()) {
    if (request.action == Action::kPollInstance) {
      exists = true;
      current = &place->second.operation;
      phase = place->second.phase;
    } else if (const auto at = place->second.bindings.find(request.binding_id); at != place->second.bindings.end()) {
      exists = true;
      current = &at->second.operation;
      phase = at->second.phase;
    }
  }
  Operation told;
  if (current != nullptr && *current && (request.operation.empty() || request.operation == (*current)->id)) {
    if ((*current)->is_running && (*current)->polled++ >= (*current)->script.polls) {
      (*current)->is_running = false;
      told = **current;
      conclude(shard, request.instance_id, request.binding_id, told);
    } else {
      told = **current;
    }
  } else if (const auto old = shard.finished.find(key_of(request.instance_id, request.binding_id));
             old != shard.finished.end() && (request.operation.empty() || request.operation == old->second.id)) {
    told = old->second;
  } else if (exists) {
    return reply(200, json::Object{{"state", phase == Phase::kBroken ? "failed" : "succeeded"}});
  } else if (request.operation.starts_with("delete-") || request.operation.starts_with("unbind-")) {
    return reply(410, json::Object());
  } else {
    return reply(Refusal{404, "", "there is no such operation, and nothing with this id"});
  }

  const auto& script = told.script;
  json::Object body;
  std::string description = script.outcome_description;
  if (told.is_running) {
    body["state"] = "in progress";
    const auto at = static_cast<size_t>(std::max<int64_t>(told.polled - 1, 0));
    if (!script.descriptions.empty()) {
      description = script.descriptions[std::min(at, script.descriptions.size() - 1)];
    } else {
      description = fmt::format("{} of {} steps done", at, script.polls);
    }
  } else {
    body["state"] = script.succeeds ? "succeeded" : "failed";
    if (script.instance_usable) body["instance_usable"] = *script.instance_usable;
    if (script.update_repeatable) body["update_repeatable"] = *script.update_repeatable;
  }
  if (!description.empty()) body["description"] = description;
  auto response = reply(200, body);
  if (told.is_running && script.retry_after) response.headers.add("Retry-After", std::to_string(*script.retry_after));
  return response;
}

// The operation has come to its end: what it did takes effect.
void MemoryBroker::conclude(Shard& shard, const std::string& instance_id, const std::string& binding_id,
                            Operation operation) {
  const auto place = shard.instances.find(instance_id);
  if (place == shard.instances.end()) return;
  const bool ok = operation.script.succeeds;
  const Work work = operation.work;
  if (ok && (work == Work::kDelete || work == Work::kUnbind)) {
    if (work == Work::kDelete) {
      shard.instances.erase(place);
    } else {
      place->second.bindings.erase(binding_id);
    }
    auto key = key_of(instance_id, binding_id);
    if (shard.finished.insert_or_assign(key, std::move(operation)).second) {
      shard.finished_order.push_back(std::move(key));
    }
    if (shard.finished_order.size() > kMaxFinished) {
      shard.finished.erase(shard.finished_order.front());
      shard.finished_order.pop_front();
    }
    return;
  }
  const Phase after = ok || work == Work::kUpdate ? Phase::kReady : Phase::kBroken;
  if (!binding_id.empty()) {
    place->second.bindings[binding_id].phase = after;
    return;
  }
  place->second.phase = after;
  if (ok && operation.target) place->second.spec = *operation.target;
}

std::string MemoryBroker::plan_of(const std::string& instance_id) const {
  Shard& shard = shard_of(instance_id);
  MutexLock lock(shard.mutex);
  const auto place = shard.instances.find(instance_id);
  return place == shard.instances.end() ? "" : place->second.spec.plan_id;
}

json::Value MemoryBroker::ledger() const {
  std::map<std::string, json::Value> instances;
  json::Array bindings;
  for (auto& shard : shards_) {
    MutexLock lock(shard.mutex);
    for (const auto& [id, instance] : shard.instances) {
      json::Object entry = instance_entry(instance.spec).as_object();
      entry["id"] = id;
      entry["organization_guid"] = instance.spec.organization_guid;
      entry["space_guid"] = instance.spec.space_guid;
      entry["state"] = phase_name(instance.phase);
      instances.emplace(id, std::move(entry));
      for (const auto& [binding_id, binding] : instance.bindings) {
        bindings.push_back(json::Object{{"id", binding_id},
                                        {"instance_id", id},
                                        {"parameters", binding.spec.parameters},
                                        {"predecessor_binding_id", binding.spec.predecessor_id},
                                        {"state", phase_name(binding.phase)}});
      }
    }
  }
  json::Array list;
  for (auto& [id, entry] : instances) list.push_back(std::move(entry));
  return json::Object{{"instances", std::move(list)}, {"bindings", std::move(bindings)}};
}

void MemoryBroker::clear() {
  for (auto& shard : shards_) {
    MutexLock lock(shard.mutex);
    shard.instances.clear();
    shard.finished.clear();
    shard.finished_order.clear();
  }
}

}  // namespace chandler::brokers
