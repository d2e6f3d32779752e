// Several services behind one broker: one catalog, and each request goes to the service whose id it names. Thread-safe
// as far as its services are.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "osb/server/service.h"

namespace chandler::brokers {

class CompositeService final : public osb::server::Service {
 public:
  // Ids of services and plans are different from each other.
  explicit CompositeService(std::vector<std::unique_ptr<osb::server::Service>> services);

  json::Value catalog() const override;
  bool is_async(osb::server::Work work, const std::string& plan_id) const override;
  json::Value describe(const osb::server::InstanceSpec& instance) const override;
  Result<void> check_create(const osb::server::InstanceSpec& instance) override;
  Result<void> check_update(const osb::server::InstanceSpec& before, const osb::server::InstanceSpec& after) override;
  Result<void> check_binding(const osb::server::InstanceSpec& instance,
                             const osb::server::BindingSpec& binding) override;
  Result<std::string> create_instance(const osb::server::InstanceSpec& instance,
                                      const osb::server::Progress& progress) override;
  Result<std::string> update_instance(const osb::server::InstanceSpec& before, const osb::server::InstanceSpec& after,
                                      const osb::server::Progress& progress) override;
  Result<void> delete_instance(const osb::server::InstanceSpec& instance,
                               const osb::server::Progress& progress) override;
  Result<json::Value> create_binding(const osb::server::InstanceSpec& instance, const osb::server::BindingSpec& binding,
                                     const osb::server::Progress& progress) override;
  Result<void> delete_binding(const osb::server::InstanceSpec& instance,
                              const osb::server::BindingSpec& binding) override;

 private:
  Result<osb::server::Service*> service_of(const osb::server::InstanceSpec& instance) const;

  std::vector<std::unique_ptr<osb::server::Service>> services_;
  std::map<std::string, osb::server::Service*, std::less<>> by_service_;
  std::map<std::string, osb::server::Service*, std::less<>> by_plan_;
};

}  // namespace chandler::brokers
