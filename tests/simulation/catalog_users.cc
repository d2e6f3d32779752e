#include "simulation/catalog_users.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/writer.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::simulation {
namespace {

using reconcilers::kBindings;
using reconcilers::kInstances;
using reconcilers::kSecrets;
using reconcilers::object_in;

constexpr std::string_view kNs = "dev";
constexpr size_t kNames = 5;

json::Object named(std::string_view name) { return json::Object{{"name", std::string(name)}}; }

json::Object catalog_object(std::string_view kind, std::string_view name, json::Object spec) {
  return json::Object{{"apiVersion", "servicecatalog.k8s.io/v1beta1"},
                      {"kind", std::string(kind)},
                      {"metadata", named(name)},
                      {"spec", std::move(spec)}};
}

json::Object broker_spec(std::string_view name) {
  return json::Object{{"url", SimNetwork::url_of(std::string(name))}, {"relistDuration", "240h"}};
}

bool is_owned(const client::Object& object) {
  return json::array_at(reconcilers::member(object.value(), "metadata"), "ownerReferences") != nullptr;
}

}  // namespace

void CatalogUsers::set_up() {
  for (const std::string_view name : {"dev", "default", "kube-system"})
    (void)world_.create(reconcilers::kNamespaces, "", json::Object{{"metadata", named(name)}});
  register_missing_brokers();
  put_parameter_secret("p0");
  put_parameter_secret("p1");
}

void CatalogUsers::register_missing_brokers() {
  if (!world_.get(reconcilers::kClusterBrokers, "", "north"))
    (void)world_.create(reconcilers::kClusterBrokers, "",
                        catalog_object("ClusterServiceBroker", "north", broker_spec("north")));
  if (!world_.get(reconcilers::kBrokers, kNs, "south"))
    (void)world_.create(reconcilers::kBrokers, kNs, catalog_object("ServiceBroker", "south", broker_spec("south")));
}

void CatalogUsers::act() {
  world_.user = world_.random.chance(0.3) ? "bob" : "alice";
  const auto what = world_.random.below(100);
  if (what < 48) return act_on_instance();
  if (what < 78) return act_on_binding();
  if (what < 90) return act_on_secret();
  if (what < 97) return act_on_catalog();
  act_on_broker();
}

void CatalogUsers::act_on_instance() {
  auto& random = world_.random;
  const std::string name = fmt::format("i{}", random.below(kNames));
  if (!world_.get(kInstances, kNs, name)) return create_instance(name);
  if (random.chance(0.6)) return change_instance(name);
  (void)world_.remove(kInstances, kNs, name);
  if (random.chance(0.04)) give_up(kInstances, name);
}

json::Array CatalogUsers::parameters_from() {
  return {json::Object{
      {"secretKeyRef", json::Object{{"name", fmt::format("p{}", world_.random.below(2))}, {"key", "parameters"}}}}};
}

void CatalogUsers::create_instance(const std::string& name) {
  auto& random = world_.random;
  const bool cluster = random.chance(0.5);
  const bool async = random.chance(0.5);
  const std::string prefix = cluster ? "clusterService" : "service";
  const std::string service = fmt::format("{}-{}", cluster ? "north" : "south", async ? "async" : "sync");
  const std::string plan = random.chance(0.5) ? "free" : "paid";
  json::Object spec;
  const auto how = random.below(10);
  if (how < 6) {
    spec[prefix + "ClassExternalName"] = service;
    spec[prefix + "PlanExternalName"] = plan;
  } else if (how < 7) {
    spec[prefix + "ClassExternalID"] = service;
    spec[prefix + "PlanExternalID"] = fmt::format("{}-{}", service, plan);
  } else if (how < 8) {
    spec[prefix + "ClassExternalName"] = service;  // its default plan, or the suggested one
  } else {
    spec["serviceType"] = async ? "db" : "cache";
  }
  if (random.chance(0.8)) spec["parameters"] = json::Object{{"size", static_cast<int64_t>(random.below(3))}};
  if (random.chance(0.25)) spec["parametersFrom"] = parameters_from();
  if (random.chance(0.25)) spec["deletionPolicy"] = "Cascade";
  if (random.chance(0.1)) spec["externalID"] = "chosen";  // by several
  (void)world_.create(kInstances, kNs, catalog_object("ServiceInstance", name, std::move(spec)));
}

void CatalogUsers::change_instance(const std::string& name) {
  auto& random = world_.random;
  const auto what = random.below(10);
  const auto size = static_cast<int64_t>(random.below(3));
  const std::string plan = random.chance(0.5) ? "paid" : "free";
  auto from = parameters_from();
  (void)world_.update(kInstances, kNs, name, [&](json::Value& object) {
    auto& spec = object.at("spec").as_object();
    if (what < 4) {
      object_in(spec, "parameters")["size"] = size;
    } else if (what < 7) {
      for (const std::string_view field : {"clusterServicePlanExternalName", "servicePlanExternalName"}) {
        if (spec.contains(field)) spec[field] = plan;
      }
    } else if (what < 8) {
      spec["updateRequests"] = reconcilers::number_at(object.at("spec"), "updateRequests") + 1;
    } else if (what < 9) {
      spec["deletionPolicy"] = size == 0 ? "Cascade" : "Block";
    } else if (!spec.erase("parametersFrom")) {
      spec["parametersFrom"] = std::move(from);
    }
  });
}

void CatalogUsers::give_up(const client::KindName& kind, const std::string& name) {
  const auto known = world_.get(kind, kNs, name);
  // Somebody else may take over an ID that was chosen, and what is behind it.
  if (!known || reconcilers::text_at(reconcilers::spec_of(known), "externalID").starts_with("chosen")) return;
  (void)world_.update(kind, kNs, name, [](json::Value& object) {
    object_in(object_in(object.as_object(), "metadata"), "annotations")[reconcilers::kAbandonAnnotation] = "true";
  });
}

void CatalogUsers::act_on_binding() {
  auto& random = world_.random;
  const std::string name = fmt::format("b{}", random.below(kNames));
  if (!world_.get(kBindings, kNs, name)) return create_binding(name);
  if (random.chance(0.3)) {
    const auto secret = fmt::format("{}-secret{}", name, random.below(2));
    (void)world_.update(kBindings, kNs, name,
                        [&](json::Value& object) { object.at("spec").as_object()["secretName"] = secret; });
    return;
  }
  (void)world_.remove(kBindings, kNs, name);
  if (random.chance(0.04)) give_up(kBindings, name);
}

void CatalogUsers::create_binding(const std::string& name) {
  auto& random = world_.random;
  json::Object spec{{"instanceRef", named(fmt::format("i{}", random.below(kNames)))},
                    {"secretName", fmt::format("{}-secret{}", name, random.below(2))}};
  if (random.chance(0.2)) spec["parametersFrom"] = parameters_from();
  if (random.chance(0.1)) spec["externalID"] = "chosen-binding";
  if (random.chance(0.2))
    spec["secretTransform"] =
        json::Array{json::Object{{"renameKey", json::Object{{"from", "user"}, {"to", "username"}}}}};
  (void)world_.create(kBindings, kNs, catalog_object("ServiceBinding", name, std::move(spec)));
}

void CatalogUsers::put_parameter_secret(const std::string& name) {
  const auto value = fmt::format("{}{}", kSecretMark, ++last_value_);
  const auto encoded = base64_encode(json::write(json::Object{{"token", value}}));
  if (!world_.get(kSecrets, kNs, name)) {
    (void)world_.create(kSecrets, kNs,
                        json::Object{{"metadata", named(name)}, {"data", json::Object{{"parameters", encoded}}}});
    return;
  }
  (void)world_.update(kSecrets, kNs, name,
                      [&](json::Value& object) { object.at("data").as_object()["parameters"] = encoded; });
}

void CatalogUsers::act_on_secret() {
  auto& random = world_.random;
  if (random.chance(0.5)) {
    const std::string name = fmt::format("p{}", random.below(2));
    if (random.chance(0.3)) {
      (void)world_.remove(kSecrets, kNs, name);
    } else {
      put_parameter_secret(name);
    }
    return;
  }
  const auto name = fmt::format("b{}-secret{}", random.below(kNames), random.below(2));
  if (const auto secret = world_.get(kSecrets, kNs, name)) return disturb_secret(secret);
  if (random.chance(0.2))  // in the way of a binding
    (void)world_.create(kSecrets, kNs, json::Object{{"metadata", named(name)}});
}

void CatalogUsers::disturb_secret(const client::Object& secret) {
  disturbed_.emplace(secret.name());
  if (world_.random.chance(0.5) || !is_owned(secret)) {
    (void)world_.remove(kSecrets, kNs, secret.name());
    return;
  }
  (void)world_.update(kSecrets, kNs, secret.name(), [](json::Value& object) {
    object_in(object.as_object(), "data")["password"] = base64_encode("guessed");
  });
}

void CatalogUsers::note_written(std::string_view secret) {
  if (const auto found = disturbed_.find(secret); found != disturbed_.end()) disturbed_.erase(found);
}

void CatalogUsers::act_on_catalog() {
  auto& random = world_.random;
  if (random.chance(0.2)) return random.chance(0.5) ? world_.deny("bob") : world_.permit("bob");
  if (random.chance(0.5)) return mark_default_plan();
  change_offers();
}

void CatalogUsers::mark_default_plan() {
  const auto kind = world_.random.chance(0.5) ? reconcilers::kClusterPlans : reconcilers::kPlans;
  const auto plans = world_.list(kind);
  if (plans.empty()) return;
  const auto& plan = world_.random.pick(plans);
  (void)world_.update(kind, plan.ns(), plan.name(), [](json::Value& object) {
    auto& annotations = object_in(object_in(object.as_object(), "metadata"), "annotations");
    if (!annotations.erase(reconcilers::kDefaultPlanAnnotation))
      annotations[reconcilers::kDefaultPlanAnnotation] = "true";
  });
}

// Plans come and go at a broker, which is then asked for its catalog.
void CatalogUsers::change_offers() {
  const bool cluster = world_.random.chance(0.5);
  const std::string name = cluster ? "north" : "south";
  auto& broker = *world_.network.brokers().at(SimNetwork::url_of(name));
  const auto id = name + world_.random.pick(std::vector<std::string>{"-sync", "-sync-paid", "-async-paid"});
  broker.is_withdrawn(id) ? broker.bring_back(id) : broker.withdraw(id);
  world_.trace.add("broker {} changes its offer: {}", name, id);
  const auto kind = cluster ? reconcilers::kClusterBrokers : reconcilers::kBrokers;
  if (!world_.get(kind, cluster ? "" : kNs, name)) return;
  (void)world_.update(kind, cluster ? "" : kNs, name, [](json::Value& object) {
    auto& spec = object.at("spec").as_object();
    spec["relistRequests"] = reconcilers::number_at(object.at("spec"), "relistRequests") + 1;
  });
}

void CatalogUsers::act_on_broker() {
  if (world_.random.chance(0.5)) return register_missing_brokers();
  if (world_.random.chance(0.5)) {
    (void)world_.remove(reconcilers::kClusterBrokers, "", "north");
  } else {
    (void)world_.remove(reconcilers::kBrokers, kNs, "south");
  }
}

void CatalogUsers::repair() {
  world_.user = "alice";
  world_.permit("bob");
  put_parameter_secret("p0");
  put_parameter_secret("p1");
  for (const auto& secret : world_.list(kSecrets)) {
    if (secret.name().find("-secret") != std::string_view::npos && !is_owned(secret))
      (void)world_.remove(kSecrets, kNs, secret.name());
  }
  register_missing_brokers();
}

void CatalogUsers::delete_everything() {
  struct Kind {
    client::KindName name;
    uint64_t order;
  };
  std::vector<Kind> kinds;
  for (const auto& kind : {kBindings, kInstances, kSecrets}) kinds.push_back({kind, world_.random.next()});
  std::sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.order < b.order; });
  for (const auto& kind : kinds) {
    for (const auto& object : world_.list(kind.name)) (void)world_.remove(kind.name, object.ns(), object.name());
  }
}

}  // namespace chandler::simulation
