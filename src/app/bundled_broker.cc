#include "app/bundled_broker.h"

#include "app/write_and_wait.h"
#include "base/text.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::app {
namespace {

constexpr std::string_view kNamespace = "kube-system";
constexpr std::string_view kSecretName = "chandler-broker";
constexpr std::string_view kBrokerName = "chandler";

json::Value text(std::string_view s) { return reconcilers::text(s); }

// Creates the object, or brings its member `key` to `value`.
Result<void> ensure(client::Api& api, const client::KindName& kind, std::string_view ns, std::string_view name,
                    std::string_view key, json::Value value, json::Value fresh) {
  const auto current = api.state().get(kind, ns, name);
  client::Write write;
  if (!current) {
    fresh.as_object()[key] = std::move(value);
    write.verb = client::Write::Verb::kCreate;
    write.kind = kind;
    write.ns = ns;
    write.name = name;
    write.object = std::move(fresh);
  } else {
    reconcilers::Draft draft(kind, current);
    // What an operator has added stays.
    for (auto& [field, wanted] : value.as_object())
      reconcilers::object_in(draft.root(), key)[field] = std::move(wanted);
    if (!draft.changed()) return {};
    write = std::move(draft).update();
  }
  auto written = write_and_wait(api.writer(), std::move(write));
  return written.ok() ? Result<void>() : Result<void>(std::move(written).error());
}

}  // namespace

Result<void> register_bundled_broker(client::Api& api, const brokers::BundledBrokers& brokers) {
  json::Object data;
  data["username"] = text(base64_encode(brokers.username()));
  data["password"] = text(base64_encode(brokers.password()));
  CH_TRY(ensure(api, reconcilers::kSecrets, kNamespace, kSecretName, "data", std::move(data),
                {{"apiVersion", "v1"},
                 {"kind", "Secret"},
                 {"metadata", {{"name", text(kSecretName)}, {"namespace", text(kNamespace)}}}}));
  json::Object spec;
  spec["url"] = text(brokers.url());
  spec["authInfo"] = {{"basic", {{"secretRef", {{"namespace", text(kNamespace)}, {"name", text(kSecretName)}}}}}};
  return ensure(api, reconcilers::kClusterBrokers, "", kBrokerName, "spec", std::move(spec),
                {{"apiVersion", text(reconcilers::kCatalogVersion)},
                 {"kind", "ClusterServiceBroker"},
                 {"metadata", {{"name", text(kBrokerName)}}}});
}

}  // namespace chandler::app
