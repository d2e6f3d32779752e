#include "simulation/catalog_run.h"

#include <set>
#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "json/writer.h"
#include "reconcilers/binding/binding_reconciler.h"
#include "reconcilers/broker/broker_reconciler.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/instance/instance_reconciler.h"
#include "reconcilers/offers/default_plan_keeper.h"
#include "reconcilers/offers/offer_keeper.h"
#include "reconcilers/secrets/secret_keeper.h"

namespace chandler::simulation {
namespace {

using reconcilers::kBindings;
using reconcilers::kInstances;
using std::chrono::hours;
using std::chrono::seconds;

constexpr std::string_view kNs = "dev";
constexpr size_t kNames = 5;  // few, so that names come again

void add_reconcilers(controller::Engine& engine) {
  reconcilers::Settings settings;
  settings.cluster_id = "simulation";
  settings.run = new_uuid();  // another one after each crash
  engine.add(std::make_unique<reconcilers::BrokerReconciler>(settings));
  engine.add(std::make_unique<reconcilers::OfferKeeper>());
  engine.add(std::make_unique<reconcilers::DefaultPlanKeeper>(settings));
  engine.add(std::make_unique<reconcilers::SecretKeeper>());
  engine.add(std::make_unique<reconcilers::InstanceReconciler>(settings));
  engine.add(std::make_unique<reconcilers::BindingReconciler>(settings));
}

const json::Value& member(const json::Value& value, std::string_view key) {
  static const json::Value kNull;
  const auto* found = json::find(value, key);
  return found == nullptr ? kNull : *found;
}

std::string condition(const client::Object& object, std::string_view type) {
  const auto* conditions = json::array_at(member(object.value(), "status"), "conditions");
  for (size_t i = 0; conditions != nullptr && i < conditions->size(); ++i) {
    const auto& item = (*conditions)[i];
    if (json::string_or(item, "type") == type)
      return json::string_or(item, "status") + " " + json::string_or(item, "reason") + ": " +
             json::string_or(item, "message");
  }
  return "";
}

bool is_ready(const client::Object& object) { return condition(object, "Ready").starts_with("True"); }

// An absent object of parameters is an empty one.
bool same_parameters(const json::Value& a, const json::Value& b) {
  const json::Value empty = json::Object{};
  return json::equal(a.is_null() ? empty : a, b.is_null() ? empty : b);
}

}  // namespace

CatalogRun::CatalogRun(uint64_t seed, FaultRates rates) : world(seed, rates, add_reconcilers) {
  world.network.add("north");
  world.network.add("south");
  (void)world.create(reconcilers::kNamespaces, "", "{metadata: {name: dev}}");
  (void)world.create(reconcilers::kNamespaces, "", "{metadata: {name: default}}");
  (void)world.create(reconcilers::kClusterBrokers, "",
                     "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, metadata: {name: north}, "
                     "spec: {url: 'http://north.sim', relistDuration: 24h}}");
  (void)world.create(reconcilers::kBrokers, kNs,
                     "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBroker, metadata: {name: south}, "
                     "spec: {url: 'http://south.sim', relistDuration: 24h}}");
}

void CatalogRun::create_instance(const std::string& name) {
  const bool cluster = world.random.chance(0.5);
  const bool async = world.random.chance(0.5);
  const std::string prefix = cluster ? "clusterService" : "service";
  (void)world.create(
      kInstances, kNs,
      fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceInstance, metadata: {{name: {}}}, spec: "
                  "{{{}ClassExternalName: {}-{}, {}PlanExternalName: {}, parameters: {{size: {}}}}}}}",
                  name, prefix, cluster ? "north" : "south", async ? "async" : "sync", prefix,
                  world.random.chance(0.5) ? "free" : "paid", world.random.below(3)));
}

void CatalogRun::change_instance(const std::string& name) {
  const bool plan = world.random.chance(0.4);
  const auto size = static_cast<int64_t>(world.random.below(3));
  const bool paid = world.random.chance(0.5);
  (void)world.update(kInstances, kNs, name, [&](json::Value& object) {
    auto& spec = object.at("spec").as_object();
    if (!plan) {
      spec["parameters"] = json::Object{{"size", size}};
      return;
    }
    for (const std::string_view field : {"clusterServicePlanExternalName", "servicePlanExternalName"}) {
      if (spec.contains(field)) spec[field] = paid ? "paid" : "free";
    }
  });
}

void CatalogRun::create_binding(const std::string& name) {
  (void)world.create(
      kBindings, kNs,
      fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBinding, metadata: {{name: {}}}, spec: "
                  "{{instanceRef: {{name: i{}}}, secretName: {}-secret}}}}",
                  name, world.random.below(kNames), name));
}

void CatalogRun::act_once() {
  auto& random = world.random;
  const std::string instance = fmt::format("i{}", random.below(kNames));
  const std::string binding = fmt::format("b{}", random.below(kNames));
  const auto what = random.below(10);
  if (what < 5) {
    if (!world.get(kInstances, kNs, instance)) return create_instance(instance);
    if (what < 3) return change_instance(instance);
    (void)world.remove(kInstances, kNs, instance);
    return;
  }
  if (!world.get(kBindings, kNs, binding)) return create_binding(binding);
  if (what < 7) (void)world.remove(kBindings, kNs, binding);
}

void CatalogRun::act(int times) {
  for (int i = 0; i < times; ++i) {
    act_once();
    world.run_for(seconds(world.random.chance(0.2) ? world.random.below(600) : world.random.below(20)));
  }
}

void CatalogRun::calm_down() {
  world.faults.end();
  for (const auto& [url, broker] : world.network.brokers()) broker->set_fails(false);
  world.trace.add("no more faults");
  world.run_for(hours(48));
}

void CatalogRun::delete_everything() {
  for (const auto& kind : {kBindings, kInstances}) {
    for (const auto& object : world.list(kind)) (void)world.remove(kind, object.ns(), object.name());
    world.run_for(hours(24));
  }
  (void)world.remove(reconcilers::kClusterBrokers, "", "north");
  (void)world.remove(reconcilers::kBrokers, kNs, "south");
  world.run_for(hours(24));
}

const SimInstance* CatalogRun::find(const std::string& id) const {
  for (const auto& [url, broker] : world.network.brokers()) {
    if (const auto found = broker->ledger().find(id); found != broker->ledger().end()) return &found->second;
  }
  return nullptr;
}

void CatalogRun::check_instance(const client::Object& object, std::string& out) {
  const auto& status = member(object.value(), "status");
  const auto complain = [&](std::string_view what) {
    out += fmt::format("instance {} {} {}: {}\n", object.name(),
                       world.trace.alias(json::string_or(object.value().at("spec"), "externalID")), what,
                       json::write(status));
  };
  if (object.deleting()) {
    bool has_bindings = false;
    for (const auto& binding : world.list(kBindings)) {
      const auto& ref = member(member(binding.value(), "spec"), "instanceRef");
      has_bindings = has_bindings || json::string_or(ref, "name") == object.name();
    }
    if (has_bindings) return;  // waits for its users, as it should
    complain("is never deleted");
  }
  if (!json::string_or(status, "currentOperation").empty()) complain("is still at work");
  const auto* made = find(json::string_or(object.value().at("spec"), "externalID"));
  const bool believed = json::string_or(status, "provisionStatus") == "Provisioned";
  if (believed && made == nullptr) return complain("believes in an instance that is not there");
  if (!believed && made != nullptr) return complain("has an instance that it does not know");
  if (made == nullptr) return;
  if (made->operation || made->has_failed || !made->is_ready) complain("rests on an instance that is not finished");
  if (!is_ready(object)) return;  // after an update that failed for good nobody can know which half of it was done
  const auto& external = member(status, "externalProperties");
  auto plan = json::string_or(external, "clusterServicePlanExternalID");
  if (plan.empty()) plan = json::string_or(external, "servicePlanExternalID");
  if (plan != made->plan) complain("believes in another plan: " + plan + " instead of " + made->plan);
  if (!same_parameters(member(external, "parameters"), made->parameters)) complain("believes in other parameters");
}

void CatalogRun::check_binding(const client::Object& object, std::string& out) {
  const auto& status = member(object.value(), "status");
  const auto complain = [&](std::string_view what) {
    out += fmt::format("binding {} {} {}: {}\n", object.name(),
                       world.trace.alias(json::string_or(object.value().at("spec"), "externalID")), what,
                       json::write(status));
  };
  if (object.deleting()) complain("is never deleted");
  if (!json::string_or(status, "currentOperation").empty()) complain("is still at work");
  const auto id = json::string_or(object.value().at("spec"), "externalID");
  const SimBinding* made = nullptr;
  for (const auto& [url, broker] : world.network.brokers()) {
    for (const auto& [instance_id, instance] : broker->ledger()) {
      if (const auto found = instance.bindings.find(id); found != instance.bindings.end()) made = &found->second;
    }
  }
  const bool believed = member(status, "externalProperties").is_object();
  if (believed && made == nullptr) return complain("believes in a binding that is not there");
  if (!believed && made != nullptr) return complain("has a binding that it does not know");
  if (made == nullptr) return;
  const auto secret =
      world.get(reconcilers::kSecrets, object.ns(), json::string_or(object.value().at("spec"), "secretName"));
  if (!secret) return complain("has no secret");
  const auto password = base64_decode(json::string_or(member(secret.value(), "data"), "password"));
  if (password != json::string_or(made->credentials, "password")) complain("has old credentials in its secret");
}

std::string CatalogRun::faults_at_rest() {
  std::string out;
  std::set<std::string> known_instances;
  std::set<std::string> known_bindings;
  for (const auto& object : world.list(kInstances)) {
    known_instances.insert(json::string_or(object.value().at("spec"), "externalID"));
    check_instance(object, out);
  }
  for (const auto& object : world.list(kBindings)) {
    known_bindings.insert(json::string_or(object.value().at("spec"), "externalID"));
    check_binding(object, out);
  }
  for (const auto& [url, broker] : world.network.brokers()) {
    for (const auto& violation : broker->violations()) out += violation + "\n";
    for (const auto& [id, instance] : broker->ledger()) {
      if (!known_instances.contains(id))
        out += fmt::format("{} {} at {} belongs to nobody\n", instance.owner, world.trace.alias(id), url);
      for (const auto& [binding_id, binding] : instance.bindings) {
        if (!known_bindings.contains(binding_id))
          out += fmt::format("binding {} of {} belongs to nobody\n", world.trace.alias(binding_id), instance.owner);
      }
    }
  }
  return out;
}

std::string CatalogRun::leftovers() {
  std::string out;
  for (const auto& kind :
       {kBindings, kInstances, reconcilers::kClusterBrokers, reconcilers::kBrokers, reconcilers::kClusterClasses,
        reconcilers::kClasses, reconcilers::kClusterPlans, reconcilers::kPlans, reconcilers::kSecrets}) {
    for (const auto& object : world.list(kind))
      out += fmt::format("{} {}: {}\n", kind.plural, object.name(), condition(object, "Ready"));
  }
  for (const auto& [url, broker] : world.network.brokers()) {
    for (const auto& violation : broker->violations()) out += violation + "\n";
    for (const auto& [id, instance] : broker->ledger()) out += fmt::format("{} at {}\n", instance.owner, url);
  }
  return out;
}

size_t CatalogRun::ready_instances() {
  size_t out = 0;
  for (const auto& object : world.list(kInstances)) out += is_ready(object) ? 1 : 0;
  return out;
}

size_t CatalogRun::ready_bindings() {
  size_t out = 0;
  for (const auto& object : world.list(kBindings)) out += is_ready(object) ? 1 : 0;
  return out;
}

}  // namespace chandler::simulation
