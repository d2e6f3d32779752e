#include "apiserver/housekeeping/namespace_contents.h"

#include <utility>

#include "base/log.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kAccount = "default";
constexpr std::string_view kRootCa = "kube-root-ca.crt";
constexpr auto kRetry = std::chrono::seconds(2);

json::Value named(std::string_view kind, std::string_view name) {
  json::Object metadata;
  metadata["name"] = name;
  json::Object out;
  out["apiVersion"] = "v1";
  out["kind"] = kind;
  out["metadata"] = std::move(metadata);
  return out;
}

}  // namespace

NamespaceContents::NamespaceContents(const registry::KindTable& kinds, registry::Cache& cache,
                                     registry::Objects& objects, std::string ca_pem)
    : kinds_(kinds),
      cache_(cache),
      ca_pem_(std::move(ca_pem)),
      writer_(objects, "service-account-controller"),
      duty_("accounts", [this](const std::string& ns) { return work(ns); }) {
  cache_.listen([this](std::string_view prefix, const registry::Event& event) {
    const auto& now = *event.now;
    if (prefix == "core/namespaces/" && event.before == nullptr) duty_.add(std::string(now.name()));
    const bool ours = (prefix == "core/serviceaccounts/" && now.name() == kAccount) ||
                      (prefix == "core/configmaps/" && now.name() == kRootCa);
    if (ours && event.before != nullptr) duty_.add(std::string(now.ns()));
  });
}

void NamespaceContents::start() {
  if (const auto kind = kinds_.current()->find("", "namespaces")) {
    const auto page = cache_.list(*kind, registry::Query());
    for (const auto& document : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      duty_.add(std::string(document->name()));
    }
  }
  duty_.start();
}

std::optional<std::chrono::milliseconds> NamespaceContents::work(const std::string& ns) {
  const auto kinds = kinds_.current();
  const auto namespaces = kinds->find("", "namespaces");
  const auto accounts = kinds->find("", "serviceaccounts");
  const auto config_maps = kinds->find("", "configmaps");
  if (namespaces == nullptr || accounts == nullptr || config_maps == nullptr) return std::nullopt;
  const auto document = cache_.get(*namespaces, "", ns);
  if (document == nullptr || document->deleting()) return std::nullopt;

  if (cache_.get(*accounts, ns, kAccount) == nullptr) {
    auto made = writer_.create(accounts, ns, named("ServiceAccount", kAccount));
    if (!made.ok() && made.error().reason != Reason::kAlreadyExists) return kRetry;
  }
  json::Value wanted = named("ConfigMap", kRootCa);
  json::Object data;
  data["ca.crt"] = ca_pem_;
  wanted.as_object()["data"] = data;
  const auto have = cache_.get(*config_maps, ns, kRootCa);
  Result<registry::WriteResult> written =
      have == nullptr
          ? writer_.create(config_maps, ns, wanted)
          : writer_.update(config_maps, ns, kRootCa, [&](const registry::Document& current) -> Result<json::Value> {
              json::Value changed = current.parse();
              changed.as_object()["data"] = data;
              return changed;
            });
  if (written.ok() || written.error().reason == Reason::kAlreadyExists) return std::nullopt;
  if (written.error().reason == Reason::kForbidden) return std::nullopt;  // the namespace has begun to go
  log::warn("the contents of a namespace will be tried again", {{"namespace", ns}, {"error", written.error().message}});
  return kRetry;
}

}  // namespace chandler::apiserver
