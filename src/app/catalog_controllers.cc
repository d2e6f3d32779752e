#include "app/catalog_controllers.h"

#include <future>

#include "app/catalog_metrics.h"
#include "base/ids.h"
#include "controller/engine.h"
#include "controller/engine_thread.h"
#include "controller/http_call_sender.h"
#include "http/client.h"
#include "reconcilers/binding/binding_reconciler.h"
#include "reconcilers/broker/broker_reconciler.h"
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

}  // namespace

Result<client::Object> write_and_wait(client::Writer& writer, client::Write write) {
  std::promise<Result<client::Object>> answer;
  writer.write(std::move(write), [&](Result<client::Object> result) { answer.set_value(std::move(result)); });
  return answer.get_future().get();
}

// In the order in which they depend on each other; destroyed from the last to the first.
struct CatalogControllers::Parts {
  std::unique_ptr<http::Client> http;
  controller::HttpCallSender sender;
  controller::Engine engine;
  controller::EngineThread thread;
  CatalogMetrics figures;

  Parts(client::Api& api, const Clock& clock, metrics::Registry& metrics)
      : http(http::Client::create({})),
        sender(*http),
        engine(api, sender, clock, metrics, {}),
        thread(engine, clock),
        figures(api.state(), metrics, clock) {}
};

CatalogControllers::CatalogControllers(client::Api& api, reconcilers::Settings settings, const Clock& clock,
                                       metrics::Registry& metrics)
    : api_(api), settings_(std::move(settings)), clock_(clock), metrics_(metrics) {}

CatalogControllers::~CatalogControllers() { stop(); }

Result<void> CatalogControllers::start() {
  CH_TRY_LET(id, cluster_id(api_));
  settings_.cluster_id = std::move(id);
  settings_.run = new_uuid();
  parts_ = std::make_unique<Parts>(api_, clock_, metrics_);
  auto& engine = parts_->engine;
  engine.add(std::make_unique<reconcilers::BrokerReconciler>(settings_));
  engine.add(std::make_unique<reconcilers::OfferKeeper>());
  engine.add(std::make_unique<reconcilers::DefaultPlanKeeper>(settings_));
  engine.add(std::make_unique<reconcilers::InstanceReconciler>(settings_));
  engine.add(std::make_unique<reconcilers::BindingReconciler>(settings_));
  engine.add(std::make_unique<reconcilers::SecretKeeper>());
  engine.start();
  parts_->thread.start();
  return {};
}

void CatalogControllers::stop() {
  if (parts_ == nullptr) return;
  parts_->thread.stop();
  parts_->http->stop();
  parts_.reset();
}

}  // namespace chandler::app
