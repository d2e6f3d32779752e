#include "osb/server/catalog.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <openssl/sha.h>

#include "base/text.h"
#include "json/writer.h"

namespace chandler::osb::server {
namespace {

Error bad_catalog(std::string_view what) { return bad_request(fmt::format("the catalog cannot be used: {}", what)); }

const json::Value* schema_of(const json::Value& plan, std::string_view thing, std::string_view verb) {
  return json::find_path(plan, {"schemas", thing, verb, "parameters"});
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return hex_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

Result<Catalog> Catalog::read(json::Value document) {
  Catalog catalog;
  catalog.document_ = std::make_shared<const json::Value>(std::move(document));
  const auto* services = json::array_at(*catalog.document_, "services");
  if (services == nullptr) return bad_catalog("it has no list \"services\"");
  for (const auto& service : *services) CH_TRY(catalog.read_service(service));
  catalog.body_ = json::write(*catalog.document_);
  catalog.etag_ = fmt::format("\"{}\"", sha256_hex(catalog.body_).substr(0, 32));
  return catalog;
}

Result<void> Catalog::read_service(const json::Value& service) {
  const auto id = json::string_or(service, "id");
  const auto* plans = json::array_at(service, "plans");
  if (id.empty() || json::string_or(service, "name").empty() || plans == nullptr || plans->empty()) {
    return bad_catalog(fmt::format("service {} needs id, name and at least one plan", quoted(id)));
  }
  const auto [place, is_new] = services_.try_emplace(id);
  if (!is_new) return bad_catalog(fmt::format("two services have the id {}", quoted(id)));
  const bool bindable = json::bool_at(service, "bindable").value_or(true);
  const bool updateable = json::bool_at(service, "plan_updateable").value_or(false);
  for (const auto& item : *plans) {
    Plan plan;
    plan.service_id = id;
    plan.id = json::string_or(item, "id");
    if (plan.id.empty() || json::string_or(item, "name").empty()) {
      return bad_catalog(fmt::format("a plan of service {} has no id or no name", quoted(id)));
    }
    plan.is_bindable = json::bool_at(item, "bindable").value_or(bindable);
    plan.is_updateable = json::bool_at(item, "plan_updateable").value_or(updateable);
    plan.is_rotatable = json::bool_at(item, "binding_rotatable").value_or(false);
    plan.instances_retrievable = json::bool_at(service, "instances_retrievable").value_or(false);
    plan.bindings_retrievable = json::bool_at(service, "bindings_retrievable").value_or(false);
    if (const auto* maintenance = json::find(item, "maintenance_info")) {
      plan.maintenance_version = json::string_or(*maintenance, "version");
    }
    plan.create_schema = schema_of(item, "service_instance", "create");
    plan.update_schema = schema_of(item, "service_instance", "update");
    plan.bind_schema = schema_of(item, "service_binding", "create");
    plan.metadata = json::find(item, "metadata");
    std::string plan_id = plan.id;
    if (!place->second.emplace(std::move(plan_id), std::move(plan)).second) {
      return bad_catalog(fmt::format("two plans of service {} have the same id", quoted(id)));
    }
  }
  return {};
}

const Plan* Catalog::plan(std::string_view service_id, std::string_view plan_id) const {
  const auto service = services_.find(service_id);
  if (service == services_.end()) return nullptr;
  const auto plan = service->second.find(plan_id);
  return plan == service->second.end() ? nullptr : &plan->second;
}

}  // namespace chandler::osb::server
