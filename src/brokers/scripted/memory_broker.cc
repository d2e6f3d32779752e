#include "brokers/scripted/memory_broker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "brokers/derived_name.h"
#include "osb/server/reply.h"

namespace chandler::brokers {
namespace {

using osb::server::Action;
using osb::server::BindingSpec;
using osb::server::BrokerRequest;
using osb::server::concurrency_error;
using osb::server::InstanceSpec;
using osb::server::Phase;
using osb::server::Plan;
using osb::server::Refusal;
using osb::server::reply;
using osb::server::Work;

http::Response refuse(int status, std::string description) {
  return reply(Refusal{status, "", std::move(description)});
}
http::Response accepted(const std::string& id) { return reply(202, json::Object{{"operation", id}}); }

// Reproducible, so that a repeated PUT and a GET tell the same.
json::Object credentials_of(const BindingSpec& spec) {
  const std::string user = derived_name("u", spec.id);
  const std::string password = derived_name("p", spec.instance_id + "/" + spec.id);
  return json::Object{
      {"credentials", json::Object{{"type", "scripted"},
                                   {"host", "127.0.0.1"},
                                   {"port", 5555},
                                   {"username", user},
                                   {"password", password},
                                   {"uri", fmt::format("scripted://{}:{}@127.0.0.1:5555/", user, password)}}}};
}

std::optional<Work> work_of(Action action) {
  switch (action) {
    case Action::kProvision:
      return Work::kCreate;
    case Action::kUpdate:
      return Work::kUpdate;
    case Action::kDeprovision:
      return Work::kDelete;
    case Action::kBind:
      return Work::kBind;
    case Action::kUnbind:
      return Work::kUnbind;
    default:
      return std::nullopt;
  }
}

}  // namespace

json::Value MemoryBroker::instance_entry(const InstanceSpec& spec) {
  json::Object entry{{"service_id", spec.service_id}, {"plan_id", spec.plan_id}, {"parameters", spec.parameters}};
  if (!spec.maintenance_version.empty()) {
    entry["maintenance_info"] = json::Object{{"version", spec.maintenance_version}};
  }
  return entry;
}

std::optional<AsyncScript> async_of(const Plan& plan, Work work) {
  const auto* scripted = plan.metadata == nullptr ? nullptr : json::find(*plan.metadata, "scripted");
  if (scripted == nullptr) return std::nullopt;
  const bool is_binding = work == Work::kBind || work == Work::kUnbind;
  if (!json::bool_at(*scripted, is_binding ? "asyncBindings" : "async").value_or(false)) return std::nullopt;
  AsyncScript script;
  script.polls = json::int_at(*scripted, "polls").value_or(1);
  return script;
}

MemoryBroker::Shard& MemoryBroker::shard_of(const std::string& instance_id) const {
  return shards_[hash_text(instance_id) % kShards];
}

MemoryBroker::Operation MemoryBroker::begin(Work work, const AsyncScript& script) {
  Operation operation;
  operation.id = fmt::format("{}-{}", work_name(work), counter_.fetch_add(1) + 1);
  operation.work = work;
  operation.script = script;
  return operation;
}

http::Response MemoryBroker::answer(const BrokerRequest& request, const osb::server::Catalog& catalog,
                                    const osb::server::ParameterCheck& check,
                                    const std::optional<AsyncScript>& script) {
  if (const auto refusal = osb::server::check_ids(request, catalog)) return reply(*refusal);
  Context context{request, catalog, check, catalog.plan(request.service_id, request.plan_id), std::nullopt};
  Shard& shard = shard_of(request.instance_id);
  MutexLock lock(shard.mutex);
  const auto there = shard.instances.find(request.instance_id);
  if (const auto work = work_of(request.action)) {
    if (context.plan == nullptr && there != shard.instances.end()) {
      context.plan = catalog.plan(there->second.spec.service_id, there->second.spec.plan_id);
    }
    if (context.plan != nullptr) {
      const auto usual = async_of(*context.plan, *work);
      if (const auto refusal = check_plan(request, *context.plan, usual.has_value(), check)) return reply(*refusal);
      context.script = script ? script : usual;
      if (!request.accepts_incomplete) context.script.reset();
    }
  }
  switch (request.action) {
    case Action::kProvision:
      return provision(shard, context);
    case Action::kUpdate:
      return update(shard, context);
    case Action::kDeprovision:
      return deprovision(shard, context);
    case Action::kBind:
      return bind(shard, context);
    case Action::kUnbind:
      return unbind(shard, context);
    case Action::kPollInstance:
    case Action::kPollBinding:
      return poll(shard, context);
    default:
      return read(shard, context);
  }
}

http::Response MemoryBroker::provision(Shard& shard, Context& context) {
  InstanceSpec wanted = instance_of(context.request, *context.plan);
  auto [place, is_new] = shard.instances.try_emplace(context.request.instance_id);
  Instance& instance = place->second;
  if (!is_new) {
    const bool running = instance.operation && instance.operation->is_running;
    if (running && instance.operation->work != Work::kCreate) {
      return reply(concurrency_error("the instance is being changed"));
    }
    if (!is_same(wanted, instance.spec)) return refuse(409, "an instance with this id exists with other attributes");
    if (running) return accepted(instance.operation->id);
    if (instance.phase == Phase::kReady) return reply(200, json::Object());
  }
  instance.spec = std::move(wanted);
  instance.phase = context.script ? Phase::kCreating : Phase::kReady;
  instance.operation.reset();
  if (!context.script) return reply(201, json::Object());
  instance.operation = begin(Work::kCreate, *context.script);
  return accepted(instance.operation->id);
}

http::Response MemoryBroker::update(Shard& shard, Context& context) {
  const auto place = shard.instances.find(context.request.instance_id);
  if (place == shard.instances.end()) return refuse(404, "there is no such instance");
  Instance& instance = place->second;
  if (instance.spec.service_id != context.request.service_id) return refuse(400, "the instance is of another service");
  if (context.plan == nullptr) return refuse(400, "the plan is no longer in the catalog");
  InstanceSpec wanted = instance.spec;
  wanted.plan_id = context.plan->id;
  if (context.request.parameters) wanted.parameters = *context.request.parameters;
  const bool is_move = wanted.plan_id != instance.spec.plan_id;
  if (context.request.maintenance_version || is_move) wanted.maintenance_version = context.plan->maintenance_version;
  if (instance.operation && instance.operation->is_running) {
    const auto& target = instance.operation->target;
    if (target && is_same(*target, wanted)) return accepted(instance.operation->id);
    return reply(concurrency_error("the instance is being changed"));
  }
  if (instance.phase != Phase::kReady) return refuse(422, "the instance is broken; delete it");
  if (is_same(wanted, instance.spec) && wanted.maintenance_version == instance.spec.maintenance_version) {
    return reply(200, json::Object());
  }
  const Plan* current = context.catalog.plan(instance.spec.service_id, instance.spec.plan_id);
  if (is_move && current != nullptr && !current->is_updateable) {
    return refuse(422, "instances of this plan cannot change to another plan");
  }
  if (!context.script) {
    instance.spec = std::move(wanted);
    return reply(200, json::Object());
  }
  instance.phase = Phase::kUpdating;
  instance.operation = begin(Work::kUpdate, *context.script);
  instance.operation->target = std::move(wanted);
  return accepted(instance.operation->id);
}

http::Response MemoryBroker::deprovision(Shard& shard, Context& context) {
  const auto& request = context.request;
  const auto place = shard.instances.find(request.instance_id);
  const bool is_there = place != shard.instances.end();
  const bool fits =
      is_there && place->second.spec.service_id == request.service_id && place->second.spec.plan_id == request.plan_id;
  if (!fits && context.catalog.plan(request.service_id, request.plan_id) == nullptr) {
    return refuse(400, "service_id and plan_id are not in the catalog");
  }
  if (!is_there) return reply(410, json::Object());
  if (!fits) return refuse(400, "the instance is of another service or plan");
  Instance& instance = place->second;
  if (instance.operation && instance.operation->is_running) {
    if (instance.operation->work == Work::kDelete) return accepted(instance.operation->id);
    return reply(concurrency_error("the instance is being changed"));
  }
  const bool binding_runs = std::any_of(instance.bindings.begin(), instance.bindings.end(), [](const auto& entry) {
    return entry.second.operation && entry.second.operation->is_running;
  });
  if (binding_runs) return reply(concurrency_error("a binding is being changed"));
  if (!context.script) {
    shard.instances.erase(place);
    return reply(200, json::Object());
  }
  instance.phase = Phase::kDeleting;
  instance.operation = begin(Work::kDelete, *context.script);
  return accepted(instance.operation->id);
}

http::Response MemoryBroker::bind(Shard& shard, Context& context) {
  const auto& request = context.request;
  const auto place = shard.instances.find(request.instance_id);
  if (place == shard.instances.end()) return refuse(404, "there is no such instance");
  Instance& instance = place->second;
  if (instance.spec.service_id != request.service_id || instance.spec.plan_id != request.plan_id) {
    return refuse(400, "the instance is of another service or plan");
  }
  if (instance.operation && instance.operation->is_running) {
    return reply(concurrency_error("the instance is being changed"));
  }
  BindingSpec wanted = binding_of(request);
  if (!wanted.predecessor_id.empty()) {
    const auto predecessor = instance.bindings.find(wanted.predecessor_id);
    if (predecessor == instance.bindings.end() || predecessor->second.phase != Phase::kReady) {
      return refuse(400, "predecessor_binding_id names no binding of this instance");
    }
    if (!request.parameters) wanted.parameters = predecessor->second.spec.parameters;
  }
  if (instance.phase != Phase::kReady) return refuse(422, "the instance is broken; delete it");
  auto [at, is_new] = instance.bindings.try_emplace(request.binding_id);
  Binding& binding = at->second;
  if (!is_new) {
    const bool running = binding.operation && binding.operation->is_running;
    if (running && binding.operation->work != Work::kBind) {
      return reply(concurrency_error("the binding is being deleted"));
    }
    if (!is_same(wanted, binding.spec)) return refuse(409, "a binding with this id exists with other attributes");
    if (running) return accepted(binding.operation->id);
    if (binding.phase == Phase::kReady) return reply(200, credentials_of(binding.spec));
  }
  binding.spec = std::move(wanted);
  binding.phase = context.script ? Phase::kCreating : Phase::kReady;
  binding.operation.reset();
  if (!context.script) return reply(201, credentials_of(binding.spec));
  binding.operation = begin(Work::kBind, *context.script);
  return accepted(binding.operation->id);
}

http::Response MemoryBroker::unbind(Shard& shard, Context& context) {
  const auto& request = context.request;
  const auto place = shard.instances.find(request.instance_id);
  const bool known = context.catalog.plan(request.service_id, request.plan_id) != nullptr;
  if (place == shard.instances.end() || !place->second.bindings.contains(request.binding_id)) {
    return known ? reply(410, json::Object()) : refuse(400, "service_id and plan_id are not in the catalog");
  }
  Instance& instance = place->second;
  Binding& binding = instance.bindings.find(request.binding_id)->second;
  const bool fits = binding.spec.service_id == request.service_id &&
                    (binding.spec.plan_id == request.plan_id || instance.spec.plan_id == request.plan_id);
  if (!fits) return refuse(400, "the binding is of another service or plan");
  if (instance.operation && instance.operation->is_running) {
    return reply(concurrency_error("the instance is being changed"));
  }
  if (binding.operation && binding.operation->is_running) {
    if (binding.operation->work == Work::kUnbind) return accepted(binding.operation->id);
    return reply(concurrency_error("the binding is being created"));
  }
  if (!context.script) {
    instance.bindings.erase(request.binding_id);
    return reply(200, json::Object());
  }
  binding.phase = Phase::kDeleting;
  binding.operation = begin(Work::kUnbind, *context.script);
  return accepted(binding.operation->id);
}

http::Response MemoryBroker::read(Shard& shard, const Context& context) {
  const auto& request = context.request;
  const auto place = shard.instances.find(request.instance_id);
  if (place == shard.instances.end()) return refuse(404, "there is no such instance");
  const Instance& instance = place->second;
  const Plan* plan = context.catalog.plan(instance.spec.service_id, instance.spec.plan_id);
  if (request.action == Action::kGetInstance) {
    const bool other = (!request.service_id.empty() && request.service_id != instance.spec.service_id) ||
                       (!request.plan_id.empty() && request.plan_id != instance.spec.plan_id);
    if (other || instance.phase == Phase::kCreating) return refuse(404, "there is no such instance");
    if (plan != nullptr && !plan->instances_retrievable) return refuse(400, "instances of this service cannot be read");
    if (instance.phase == Phase::kReady) return reply(200, instance_entry(instance.spec));
    if (instance.phase == Phase::kBroken) return refuse(422, "the instance is broken; delete it");
    return reply(concurrency_error("the instance is being changed"));
  }
  const auto found = instance.bindings.find(request.binding_id);
  if (found == instance.bindings.end() || found->second.phase == Phase::kCreating) {
    return refuse(404, "there is no such binding");
  }
  if (plan != nullptr && !plan->bindings_retrievable) return refuse(400, "bindings of this service cannot be read");
  if (found->second.phase == Phase::kBroken) return refuse(422, "the binding is broken; delete it");
  if (found->second.phase != Phase::kReady) return reply(concurrency_error("the binding is being deleted"));
  json::Object body = credentials_of(found->second.spec);
  body["parameters"] = found->second.spec.parameters;
  return reply(200, body);
}

}  // namespace chandler::brokers
