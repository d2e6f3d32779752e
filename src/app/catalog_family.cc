#include "app/catalog_family.h"

#include <memory>
#include <utility>

#include "app/catalog_metrics.h"
#include "app/checksum_key.h"
#include "app/write_and_wait.h"
#include "base/ids.h"
#include "reconcilers/binding/binding_reconciler.h"
#include "reconcilers/broker/broker_reconciler.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/instance/instance_reconciler.h"
#include "reconcilers/offers/default_plan_keeper.h"
#include "reconcilers/offers/offer_keeper.h"
#include "reconcilers/secrets/secret_keeper.h"

namespace chandler::app {
namespace {

constexpr client::KindName kConfigMaps{"", "configmaps"};
constexpr std::string_view kClusterInfoNamespace = "kube-system";
constexpr std::string_view kFormerNamespace = "default";  // where service catalogs used to keep it
constexpr std::string_view kClusterInfo = "cluster-info";

std::string id_in(const client::Object& config_map) {
  const auto* id = config_map ? json::find_path(config_map.value(), {"data", "id"}) : nullptr;
  return id != nullptr && id->is_string() ? std::string(json::view(id->get_string())) : std::string();
}

client::Write new_cluster_info() {
  client::Write write;
  write.verb = client::Write::Verb::kCreate;
  write.kind = kConfigMaps;
  write.ns = kClusterInfoNamespace;
  write.name = kClusterInfo;
  write.object = {{"apiVersion", "v1"},
                  {"kind", "ConfigMap"},
                  {"metadata", {{"name", "cluster-info"}, {"namespace", "kube-system"}}},
                  {"data", {{"id", new_uuid()}}}};
  return write;
}

// What brokers know this cluster by. It must never change, so it is stored before anything is asked of a broker.
Result<std::string> cluster_id(client::Api& api) {
  auto info = api.state().get(kConfigMaps, kFormerNamespace, kClusterInfo);
  if (id_in(info).empty()) info = api.state().get(kConfigMaps, kClusterInfoNamespace, kClusterInfo);
  if (!info) {
    auto made = write_and_wait(api.writer(), new_cluster_info());
    if (!made.ok() && made.error().reason != Reason::kAlreadyExists) return fail(std::move(made).error());
    info = made.ok() ? *made : api.state().get(kConfigMaps, kClusterInfoNamespace, kClusterInfo);
  }
  auto id = id_in(info);
  if (id.empty()) {
    return bad_request(
        "ConfigMap kube-system/cluster-info has no entry \"id\": put the cluster's ID there, or delete it");
  }
  return id;
}

Result<void> furnish(reconcilers::Settings settings, client::Api& api, controller::Engine& engine) {
  CH_TRY_LET(id, cluster_id(api));
  settings.cluster_id = std::move(id);
  settings.run = new_uuid();
  CH_TRY_LET(key, checksum_key(api));
  settings.checksum_key = std::move(key);
  engine.add(std::make_unique<reconcilers::BrokerReconciler>(settings));
  engine.add(std::make_unique<reconcilers::OfferKeeper>(settings));
  engine.add(std::make_unique<reconcilers::DefaultPlanKeeper>(settings));
  engine.add(std::make_unique<reconcilers::InstanceReconciler>(settings));
  engine.add(std::make_unique<reconcilers::BindingReconciler>(settings));
  engine.add(std::make_unique<reconcilers::SecretKeeper>());
  return {};
}

}  // namespace

Family catalog_family(reconcilers::Settings settings) {
  using namespace reconcilers;
  Family family;
  family.duty = kCatalogDuty;
  family.account = "service-catalog-controller";
  family.component = "service-catalog-controller-manager";  // the name that scripts know from elsewhere
  family.groups = {"servicecatalog.k8s.io"};
  family.kinds = {kClusterBrokers, kClusterClasses, kClusterPlans, kBrokers,    kClasses,   kPlans,
                  kInstances,      kBindings,       kSecrets,      kNamespaces, kConfigMaps};
  family.furnish = [settings = std::move(settings)](client::Api& api, controller::Engine& engine) {
    return furnish(settings, api, engine);
  };
  family.accompany = [](client::Api& api, metrics::Registry& metrics, const Clock& clock) {
    return std::make_shared<CatalogMetrics>(api.state(), metrics, clock);
  };
  return family;
}

}  // namespace chandler::app
