#include "brokers/composite_service.h"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::brokers {
namespace {

using osb::server::BindingSpec;
using osb::server::InstanceSpec;
using osb::server::Progress;
using osb::server::Service;
using osb::server::Work;

class CompositeService final : public Service {
 public:
  explicit CompositeService(std::vector<std::unique_ptr<Service>> services) : services_(std::move(services)) {
    for (const auto& service : services_) {
      const auto document = service->catalog();
      for (const auto& offered : *json::array_at(document, "services")) {
        by_service_[json::string_or(offered, "id")] = service.get();
        for (const auto& plan : *json::array_at(offered, "plans")) {
          by_plan_[json::string_or(plan, "id")] = service.get();
        }
      }
    }
  }

  json::Value catalog() const override {
    json::Array offered;
    for (const auto& service : services_) {
      const auto document = service->catalog();
      for (const auto& entry : *json::array_at(document, "services")) offered.push_back(entry);
    }
    return json::Object{{"services", std::move(offered)}};
  }
  bool is_async(Work work, const std::string& plan_id) const override {
    const auto found = by_plan_.find(plan_id);
    return found != by_plan_.end() && found->second->is_async(work, plan_id);
  }
  json::Value describe(const InstanceSpec& instance) const override {
    const auto service = service_of(instance);
    return service.ok() ? (*service)->describe(instance) : json::Object();
  }
  Result<void> check_create(const InstanceSpec& instance) override {
    CH_TRY_LET(service, service_of(instance));
    return service->check_create(instance);
  }
  Result<void> check_update(const InstanceSpec& before, const InstanceSpec& after) override {
    CH_TRY_LET(service, service_of(before));
    return service->check_update(before, after);
  }
  Result<void> check_binding(const InstanceSpec& instance, const BindingSpec& binding) override {
    CH_TRY_LET(service, service_of(instance));
    return service->check_binding(instance, binding);
  }
  Result<std::string> create_instance(const InstanceSpec& instance, const Progress& progress) override {
    CH_TRY_LET(service, service_of(instance));
    return service->create_instance(instance, progress);
  }
  Result<std::string> update_instance(const InstanceSpec& before, const InstanceSpec& after,
                                      const Progress& progress) override {
    CH_TRY_LET(service, service_of(before));
    return service->update_instance(before, after, progress);
  }
  Result<void> delete_instance(const InstanceSpec& instance, const Progress& progress) override {
    CH_TRY_LET(service, service_of(instance));
    return service->delete_instance(instance, progress);
  }
  Result<json::Value> create_binding(const InstanceSpec& instance, const BindingSpec& binding,
                                     const Progress& progress) override {
    CH_TRY_LET(service, service_of(instance));
    return service->create_binding(instance, binding, progress);
  }
  Result<void> delete_binding(const InstanceSpec& instance, const BindingSpec& binding) override {
    CH_TRY_LET(service, service_of(instance));
    return service->delete_binding(instance, binding);
  }

 private:
  // An instance may outlive the offer of its service, for example when a package was removed.
  Result<Service*> service_of(const InstanceSpec& instance) const {
    const auto found = by_service_.find(instance.service_id);
    if (found != by_service_.end()) return found->second;
    return unavailable(
        fmt::format("the service {} cannot be had here at present; the broker's log says at its start which package "
                    "or setting is missing",
                    quoted(instance.service_id)));
  }

  const std::vector<std::unique_ptr<Service>> services_;
  std::map<std::string, Service*, std::less<>> by_service_;
  std::map<std::string, Service*, std::less<>> by_plan_;
};

}  // namespace

std::unique_ptr<Service> make_composite_service(std::vector<std::unique_ptr<Service>> services) {
  return std::make_unique<CompositeService>(std::move(services));
}

}  // namespace chandler::brokers
