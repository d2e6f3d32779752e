#include "osb/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/text_hash.h"
#include "osb/catalog_entry.h"
#include "osb/catalog_suggestions.h"

namespace chandler::osb {
namespace {

constexpr size_t kMaxServices = 10'000;
constexpr size_t kMaxPlans = 100'000;  // of all services
constexpr size_t kMaxMetadata = 256 * 1024;
constexpr size_t kMaxSchema = 64 * 1024;
constexpr int64_t kMaxPolling = 10LL * 365 * 24 * 3600;
constexpr size_t kMaxVersion = 255;

// Whether a schema refers to anything outside itself; nothing is ever fetched for one.
bool has_remote_reference(const json::Value& schema) {
  if (const auto* list = schema.if_array()) {
    for (const json::Value& item : *list) {
      if (has_remote_reference(item)) return true;
    }
  } else if (const auto* object = schema.if_object()) {
    for (const auto& [key, value] : *object) {
      if (key == "$ref" && value.is_string() && !value.get_string().starts_with('#')) return true;
      if (has_remote_reference(value)) return true;
    }
  }
  return false;
}

json::Value read_schema(CatalogEntry& entry, std::string_view subject, std::string_view verb) {
  const json::Value* found = json::find_path(entry.value(), {"schemas", subject, verb, "parameters"});
  if (found == nullptr) return nullptr;
  const std::string path = fmt::format("schemas.{}.{}.parameters", subject, verb);
  json::Value schema = entry.object(found, path, kMaxSchema);
  if (schema.is_null() || !has_remote_reference(schema)) return schema;
  entry.note(path + " refers to another document by $ref, which is not allowed; it is left out");
  return nullptr;
}

std::optional<std::chrono::seconds> read_polling(CatalogEntry& entry) {
  const json::Value* found = json::find(entry.value(), "maximum_polling_duration");
  if (found == nullptr || found->is_null()) return std::nullopt;
  if (const auto* seconds = found->if_int64(); seconds != nullptr && *seconds > 0 && *seconds <= kMaxPolling) {
    return std::chrono::seconds(*seconds);
  }
  entry.note("maximum_polling_duration must be a positive whole number of seconds; it is ignored");
  return std::nullopt;
}

std::optional<MaintenanceInfo> read_maintenance(CatalogEntry& entry) {
  const json::Value* found = json::find(entry.value(), "maintenance_info");
  if (found == nullptr || found->is_null()) return std::nullopt;
  const auto version = json::string_at(*found, "version");
  if (!version || version->empty() || version->size() > kMaxVersion) {
    entry.note("maintenance_info.version must be a string of 1 to 255 bytes; maintenance_info is ignored");
    return std::nullopt;
  }
  if (!entry.text().is_clean(*version)) {
    entry.note("maintenance_info.version must not have control characters or a secret; maintenance_info is ignored");
    return std::nullopt;
  }
  return MaintenanceInfo{std::string(*version), entry.text().prose(json::string_or(*found, "description"))};
}

class CatalogReader {
 public:
  explicit CatalogReader(const BrokerText& text) : text_(text) {}

  Catalog read(const json::Array& services) && {
    Catalog catalog;
    catalog.services.reserve(std::min(services.size(), kMaxServices));
    for (size_t i = 0; i < services.size(); ++i) {
      if (i == kMaxServices) {
        problems_.add(fmt::format("the catalog has more than {} services; the rest is left out", kMaxServices));
        break;
      }
      if (auto service = read_service(services[i], i)) {
        catalog.services.push_back(std::move(*service));
      }
    }
    catalog.problems = std::move(problems_).take();
    return catalog;
  }

 private:
  std::optional<Service> read_service(const json::Value& value, size_t number) {
    CatalogEntry entry(value, {number}, problems_, text_);
    Service service;
    service.id = entry.name("id");
    service.name = entry.name("name");
    service.description = entry.description(service.name);
    service.bindable = entry.required_flag("bindable");
    service.bindings_retrievable = entry.flag("bindings_retrievable", false);
    service.instances_retrievable = entry.flag("instances_retrievable", false);
    service.allow_context_updates = entry.flag("allow_context_updates", false);
    service.plan_updateable = entry.flag("plan_updateable", false);
    service.tags = entry.texts("tags");
    service.requirements = entry.texts("requires");
    service.metadata = entry.metadata(kMaxMetadata);
    const json::Array* plans = json::array_at(value, "plans");
    if (plans == nullptr) entry.reject("plans must be a list");
    if (!entry.is_good()) return std::nullopt;
    if (service_ids_.contains(service.id)) entry.reject("another service before it has the same id");
    if (service_names_.contains(service.name)) entry.reject("another service before it has the same name");
    if (!entry.is_good()) return std::nullopt;

    static_cast<Suggestions&>(service) = read_suggestions(entry, service.tags);
    read_plans(entry, *plans, number, service);
    if (service.plans.empty()) entry.reject("it has no usable plan");
    if (!entry.is_good()) return std::nullopt;
    inherit_suggestions(entry, service, plans->size(), inheritance_left_);
    service_ids_.insert(service.id);
    service_names_.insert(service.name);
    return service;
  }

  void read_plans(CatalogEntry& entry, const json::Array& plans, size_t number, Service& service) {
    StableTextSet names;
    for (size_t i = 0; i < plans.size(); ++i) {
      if (plan_ids_.size() >= kMaxPlans) {
        entry.note(fmt::format("the catalog has more than {} plans; the rest is left out", kMaxPlans));
        return;
      }
      auto plan = read_plan(plans[i], {number, i, service.name}, names);
      if (plan) service.plans.push_back(std::move(*plan));
    }
  }

  std::optional<Plan> read_plan(const json::Value& value, const CatalogPlace& place, StableTextSet& names) {
    CatalogEntry entry(value, place, problems_, text_);
    Plan plan;
    plan.id = entry.name("id");
    plan.name = entry.name("name");
    plan.description = entry.description(plan.name);
    plan.free = entry.flag("free", true);
    plan.bindable = entry.optional_flag("bindable");
    plan.binding_rotatable = entry.flag("binding_rotatable", false);
    plan.plan_updateable = entry.optional_flag("plan_updateable");
    plan.tags = read_plan_tags(entry);
    if (!entry.is_good()) return std::nullopt;
    if (plan_ids_.contains(plan.id)) entry.reject("another plan before it has the same id");
    if (names.contains(plan.name)) entry.reject("another plan of the service before it has the same name");
    if (!entry.is_good()) return std::nullopt;

    plan.metadata = entry.metadata(kMaxMetadata);
    plan.create_schema = read_schema(entry, "service_instance", "create");
    plan.update_schema = read_schema(entry, "service_instance", "update");
    plan.bind_schema = read_schema(entry, "service_binding", "create");
    plan.maximum_polling_duration = read_polling(entry);
    plan.maintenance_info = read_maintenance(entry);
    static_cast<Suggestions&>(plan) = read_suggestions(entry, plan.tags);
    plan_ids_.insert(plan.id);
    names.insert(plan.name);
    return plan;
  }

  const BrokerText& text_;
  Problems problems_;
  size_t inheritance_left_ = kMaxInherited;
  StableTextSet service_ids_;
  StableTextSet service_names_;
  StableTextSet plan_ids_;
};

}  // namespace

Result<Catalog> parse_catalog(const json::Value& body, const BrokerText& text) {
  const json::Array* services = json::array_at(body, "services");
  if (services == nullptr) return bad_request("the catalog has no list of services");
  return CatalogReader(text).read(*services);
}

}  // namespace chandler::osb
