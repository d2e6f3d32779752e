#include "simulation/sim_broker.h"

#include <utility>

#include <fmt/format.h>

#include "json/writer.h"

namespace chandler::simulation {
namespace {

using Type = SimOperation::Type;

http::ClientResponse reply(int status, const json::Value& body = json::Object{}) {
  http::ClientResponse out;
  out.status = status;
  out.body = json::write(body);
  return out;
}

http::ClientResponse refuse(int status, std::string_view error, std::string_view description) {
  return reply(status, json::Object{{"error", std::string(error)}, {"description", std::string(description)}});
}

http::ClientResponse accepted(const SimOperation& operation) {
  return reply(202, json::Object{{"operation", operation.id}});
}

json::Value parameters_of(const json::Value& body) {
  const auto* found = json::find(body, "parameters");
  return found == nullptr ? json::Value(json::Object{}) : *found;
}

}  // namespace

// The dearer plan of the service that takes its time has a limit, which some operations exceed.
json::Value SimBroker::plan(const std::string& service, std::string_view name) const {
  json::Object out{{"id", fmt::format("{}-{}", service, name)},
                   {"name", std::string(name)},
                   {"description", "A plan of the simulation"},
                   {"free", name == "free"}};
  if (name == "paid") out["maximum_polling_duration"] = 600;
  if (name == "free" && !is_async(service)) {
    out["metadata"] = json::Object{{"tags", json::Array{"SuggestedPlan=true"}},
                                   {"defaultProvisionParameters", json::Object{{"backup", "daily"}}}};
  }
  return out;
}

bool SimBroker::is_offered(const std::string& service, const std::string& plan) const {
  return !withdrawn_.contains(service) && !withdrawn_.contains(plan);
}

// Two services: one that answers at once and tells nothing later, one that takes its time and can be asked.
http::ClientResponse SimBroker::catalog() const {
  json::Array services;
  for (const bool async : {false, true}) {
    const std::string id = name_ + (async ? "-async" : "-sync");
    json::Array plans;
    for (const std::string_view name : {"free", "paid"}) {
      if (is_offered(id, fmt::format("{}-{}", id, name))) plans.push_back(plan(id, name));
    }
    if (plans.empty()) continue;
    services.push_back(json::Object{{"id", id},
                                    {"name", id},
                                    {"description", "A service of the simulation"},
                                    {"bindable", true},
                                    {"plan_updateable", true},
                                    {"instances_retrievable", async},
                                    {"bindings_retrievable", async},
                                    {"tags", json::Array{async ? "ServiceType=db" : "ServiceType=cache"}},
                                    {"plans", std::move(plans)}});
  }
  return reply(200, json::Object{{"services", std::move(services)}});
}

bool SimBroker::is_async(const std::string& service) const { return service.ends_with("-async"); }

SimOperation SimBroker::begin(Type type, json::Value update) {
  SimOperation out;
  out.type = type;
  out.id = fmt::format("op{}", ++last_operation_);
  out.ends =
      clock_.now() + std::chrono::seconds(random_.chance(0.1) && may_fail_ ? random_.below(900) : random_.below(10));
  out.fails = random_.chance(0.15) && may_fail_;
  out.update = std::move(update);
  return out;
}

bool SimBroker::finish(SimInstance& instance) {
  const SimOperation ended = std::move(*instance.operation);
  instance.operation.reset();
  instance.last_failed = ended.fails;
  if (ended.type == Type::kDelete) return ended.fails;
  if (ended.type == Type::kCreate) {
    instance.has_failed = ended.fails;
    instance.is_ready = !ended.fails;
  } else if (!ended.fails) {
    instance.plan = json::string_or(ended.update, "plan");
    instance.parameters = ended.update.at("parameters");
  }
  return true;
}

bool SimBroker::finish(SimBinding& binding) {
  const SimOperation ended = std::move(*binding.operation);
  binding.operation.reset();
  binding.last_failed = ended.fails;
  if (ended.type == Type::kDelete) return ended.fails;
  binding.has_failed = ended.fails;
  binding.is_ready = !ended.fails;
  return true;
}

template <typename Item, typename Finish>
void finish_due(std::map<std::string, Item>& items, WallTime now, const Finish& finish) {
  for (auto item = items.begin(); item != items.end();) {
    const bool is_over = item->second.operation && item->second.operation->ends <= now;
    item = is_over && !finish(item->second) ? items.erase(item) : std::next(item);
  }
}

void SimBroker::finish_operations() {
  const auto now = clock_.now();
  for (auto& [id, instance] : instances_)
    finish_due(instance.bindings, now, [](SimBinding& binding) { return finish(binding); });
  finish_due(instances_, now, [](SimInstance& instance) { return finish(instance); });
}

http::ClientResponse SimBroker::handle(const osb::Call& call) {
  using osb::Method;
  finish_operations();
  const auto found = instances_.find(call.instance_id);
  if (found != instances_.end() && found->second.is_busy && call.method != Method::kGetCatalog)
    return refuse(422, "ConcurrencyError", "another request for this instance is under way");
  switch (call.method) {
    case Method::kGetCatalog:
      return catalog();
    case Method::kProvision:
      return provision(call);
    case Method::kUpdate:
      return update(call);
    case Method::kDeprovision:
      return deprovision(call);
    case Method::kGetInstance:
      return get_instance(call);
    case Method::kPollInstance:
      return poll_instance(call);
    case Method::kBind:
      return bind(call);
    case Method::kUnbind:
      return unbind(call);
    case Method::kGetBinding:
      return get_binding(call);
    case Method::kPollBinding:
      return poll_binding(call);
  }
  return reply(500);
}

http::ClientResponse SimBroker::provision(const osb::Call& call) {
  const auto service = json::string_or(call.body, "service_id");
  const auto plan = json::string_or(call.body, "plan_id");
  const auto parameters = parameters_of(call.body);
  if (const auto found = instances_.find(call.instance_id); found != instances_.end()) {
    const auto& instance = found->second;
    const bool is_same =
        instance.service == service && instance.plan == plan && json::equal(instance.parameters, parameters);
    if (!is_same) return refuse(409, "Conflict", "the instance exists with other attributes");
    if (instance.operation && instance.operation->type == Type::kCreate) return accepted(*instance.operation);
    if (instance.operation) return refuse(422, "ConcurrencyError", "another operation is under way");
    if (instance.has_failed) return refuse(409, "Conflict", "the instance exists and has failed");
    return reply(200);
  }
  if (!is_offered(service, plan)) return refuse(400, "", "there is no such plan");
  if (is_async(service) && !call.accepts_incomplete) return refuse(422, "AsyncRequired", "takes a while");

  SimInstance made;
  made.service = service;
  made.plan = plan;
  made.parameters = parameters;
  note_owner(made, call);
  if (!is_async(service)) {
    made.is_ready = true;
    instances_.emplace(call.instance_id, std::move(made));
    return reply(201);
  }
  made.operation = begin(Type::kCreate);
  return accepted(*instances_.emplace(call.instance_id, std::move(made)).first->second.operation);
}

// Whoever is told of in the context has one instance at most.
void SimBroker::note_owner(SimInstance& made, const osb::Call& call) {
  const auto* context = json::find(call.body, "context");
  if (context == nullptr) return;
  made.owner = json::string_or(*context, "namespace") + "/" + json::string_or(*context, "instance_name");
  for (const auto& [id, other] : instances_) {
    if (other.owner == made.owner && !is_abandoned(id) && !is_abandoned(call.instance_id))
      violations_.push_back(fmt::format("{} has two instances at {}", made.owner, name_));
  }
}

http::ClientResponse SimBroker::update(const osb::Call& call) {
  const auto found = instances_.find(call.instance_id);
  if (found == instances_.end()) return refuse(404, "", "no such instance");
  auto& instance = found->second;
  if (instance.operation) return refuse(422, "ConcurrencyError", "another operation is under way");
  if (is_async(instance.service) && !call.accepts_incomplete) return refuse(422, "AsyncRequired", "takes a while");
  json::Value wanted = json::Object{
      {"plan", json::string_or(call.body, "plan_id", instance.plan)},
      {"parameters", json::find(call.body, "parameters") == nullptr ? instance.parameters : parameters_of(call.body)}};
  if (const auto plan = json::string_or(wanted, "plan"); plan != instance.plan && !is_offered(instance.service, plan))
    return refuse(400, "", "there is no such plan");
  if (is_async(instance.service)) {
    instance.operation = begin(Type::kUpdate, std::move(wanted));
    return accepted(*instance.operation);
  }
  instance.plan = json::string_or(wanted, "plan");
  instance.parameters = wanted.at("parameters");
  return reply(200);
}

http::ClientResponse SimBroker::deprovision(const osb::Call& call) {
  const auto found = instances_.find(call.instance_id);
  if (found == instances_.end()) return reply(410);
  auto& instance = found->second;
  if (instance.operation && instance.operation->type == Type::kDelete) return accepted(*instance.operation);
  if (instance.operation && instance.operation->type == Type::kUpdate)
    return refuse(422, "ConcurrencyError", "another operation is under way");
  if (call.plan_id != instance.plan) return refuse(400, "", "the instance has another plan");
  for (const auto& [id, binding] : instance.bindings) {
    if (!is_abandoned(id)) violations_.push_back(fmt::format("{} was deprovisioned with a binding", instance.owner));
  }
  if (is_async(instance.service)) {
    if (!call.accepts_incomplete) return refuse(422, "AsyncRequired", "takes a while");
    instance.operation = begin(Type::kDelete);
    return accepted(*instance.operation);
  }
  instances_.erase(found);
  return reply(200);
}

http::ClientResponse SimBroker::poll_instance(const osb::Call& call) {
  const auto found = instances_.find(call.instance_id);
  if (found == instances_.end()) return reply(410);
  const auto& instance = found->second;
  if (instance.operation) return reply(200, json::Object{{"state", "in progress"}});
  return reply(200, json::Object{{"state", instance.last_failed ? "failed" : "succeeded"}});
}

http::ClientResponse SimBroker::get_instance(const osb::Call& call) const {
  const auto found = instances_.find(call.instance_id);
  if (found == instances_.end() || !found->second.is_ready) return reply(404);
  const auto& instance = found->second;
  return reply(
      200,
      json::Object{{"service_id", instance.service}, {"plan_id", instance.plan}, {"parameters", instance.parameters}});
}

http::ClientResponse SimBroker::bind(const osb::Call& call) {
  const auto found = instances_.find(call.instance_id);
  if (found == instances_.end()) return refuse(404, "", "no such instance");
  auto& instance = found->second;
  if (instance.operation) return refuse(422, "ConcurrencyError", "an operation on the instance is under way");
  const auto parameters = parameters_of(call.body);
  if (const auto known = instance.bindings.find(call.binding_id); known != instance.bindings.end()) {
    const auto& binding = known->second;
    if (!json::equal(binding.parameters, parameters) || binding.has_failed)
      return refuse(409, "Conflict", "the binding exists with other attributes");
    if (binding.operation && binding.operation->type == Type::kCreate) return accepted(*binding.operation);
    if (binding.operation) return refuse(422, "ConcurrencyError", "another operation is under way");
    return reply(200, json::Object{{"credentials", binding.credentials}});
  }
  SimBinding made;
  made.service = json::string_or(call.body, "service_id");
  made.plan = json::string_or(call.body, "plan_id");
  made.parameters = parameters;
  made.credentials =
      json::Object{{"user", "u"}, {"password", fmt::format("{}{}-{}", kSecretMark, name_, ++last_password_)}};
  if (is_async(instance.service) && call.accepts_incomplete) {
    made.operation = begin(Type::kCreate);
    return accepted(*instance.bindings.emplace(call.binding_id, std::move(made)).first->second.operation);
  }
  made.is_ready = true;
  const auto& stored = instance.bindings.emplace(call.binding_id, std::move(made)).first->second;
  return reply(201, json::Object{{"credentials", stored.credentials}});
}

http::ClientResponse SimBroker::unbind(const osb::Call& call) {
  const auto found = instances_.find(call.instance_id);
  if (found == instances_.end()) return reply(410);
  auto& bindings = found->second.bindings;
  const auto known = bindings.find(call.binding_id);
  if (known == bindings.end()) return reply(410);
  auto& binding = known->second;
  if (binding.operation && binding.operation->type == Type::kDelete) return accepted(*binding.operation);
  if (is_async(found->second.service) && call.accepts_incomplete) {
    binding.operation = begin(Type::kDelete);
    return accepted(*binding.operation);
  }
  bindings.erase(known);
  return reply(200);
}

http::ClientResponse SimBroker::poll_binding(const osb::Call& call) {
  const auto found = instances_.find(call.instance_id);
  if (found == instances_.end()) return reply(410);
  const auto known = found->second.bindings.find(call.binding_id);
  if (known == found->second.bindings.end()) return reply(410);
  const auto& binding = known->second;
  if (binding.operation) return reply(200, json::Object{{"state", "in progress"}});
  return reply(200, json::Object{{"state", binding.last_failed ? "failed" : "succeeded"}});
}

http::ClientResponse SimBroker::get_binding(const osb::Call& call) const {
  const auto found = instances_.find(call.instance_id);
  if (found == instances_.end()) return reply(404);
  const auto known = found->second.bindings.find(call.binding_id);
  if (known == found->second.bindings.end() || !known->second.is_ready) return reply(404);
  return reply(200, json::Object{{"credentials", known->second.credentials}, {"parameters", known->second.parameters}});
}

}  // namespace chandler::simulation
