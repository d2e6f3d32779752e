#include "brokers/composite_service.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::brokers {

using osb::server::BindingSpec;
using osb::server::InstanceSpec;
using osb::server::Progress;
using osb::server::Service;
using osb::server::Work;

CompositeService::CompositeService(std::vector<std::unique_ptr<Service>> services) : services_(std::move(services)) {
  for (const auto& service : services_) {
    const auto document = service->catalog();
    for (const auto& offered : *json::array_at(document, "services")) {
      by_service_[json::string_or(offered, "id")] = service.get();
      for (const auto& plan : *json::array_at(offered, "plans")) by_plan_[json::string_or(plan, "id")] = service.get();
    }
  }
}

json::Value CompositeService::catalog() const {
  json::Array offered;
  for (const auto& service : services_) {
    const auto document = service->catalog();
    for (const auto& entry : *json::array_at(document, "services")) offered.push_back(entry);
  }
  return json::Object{{"services", std::move(offered)}};
}

bool CompositeService::is_async(Work work, const std::string& plan_id) const {
  const auto found = by_plan_.find(plan_id);
  return found != by_plan_.end() && found->second->is_async(work, plan_id);
}

// An instance may outlive the offer of its service, for example when a package was removed.
Result<Service*> CompositeService::service_of(const InstanceSpec& instance) const {
  const auto found = by_service_.find(instance.service_id);
  if (found != by_service_.end()) return found->second;
  return unavailable(
      fmt::format("the service {} cannot be had here at present; the broker's log says at its start which package or "
                  "setting is missing",
                  quoted(instance.service_id)));
}

json::Value CompositeService::describe(const InstanceSpec& instance) const {
  const auto service = service_of(instance);
  return service.ok() ? (*service)->describe(instance) : json::Object();
}

Result<void> CompositeService::check_create(const InstanceSpec& instance) {
  CH_TRY_LET(service, service_of(instance));
  return service->check_create(instance);
}

Result<void> CompositeService::check_update(const InstanceSpec& before, const InstanceSpec& after) {
  CH_TRY_LET(service, service_of(before));
  return service->check_update(before, after);
}

Result<void> CompositeService::check_binding(const InstanceSpec& instance, const BindingSpec& binding) {
  CH_TRY_LET(service, service_of(instance));
  return service->check_binding(instance, binding);
}

Result<std::string> CompositeService::create_instance(const InstanceSpec& instance, const Progress& progress) {
  CH_TRY_LET(service, service_of(instance));
  return service->create_instance(instance, progress);
}

Result<std::string> CompositeService::update_instance(const InstanceSpec& before, const InstanceSpec& after,
                                                      const Progress& progress) {
  CH_TRY_LET(service, service_of(before));
  return service->update_instance(before, after, progress);
}

Result<void> CompositeService::delete_instance(const InstanceSpec& instance, const Progress& progress) {
  CH_TRY_LET(service, service_of(instance));
  return service->delete_instance(instance, progress);
}

Result<json::Value> CompositeService::create_binding(const InstanceSpec& instance, const BindingSpec& binding,
                                                     const Progress& progress) {
  CH_TRY_LET(service, service_of(instance));
  return service->create_binding(instance, binding, progress);
}

Result<void> CompositeService::delete_binding(const InstanceSpec& instance, const BindingSpec& binding) {
  CH_TRY_LET(service, service_of(instance));
  return service->delete_binding(instance, binding);
}

}  // namespace chandler::brokers
