// SQLite databases as a service: an instance is a directory with one database file in it, a binding tells its path. It
// needs nothing but a disk, so it is what newcomers and tests use first.
//
// There are no users inside SQLite: whoever may read the file may use it. The size limit of a plan is told to clients
// (maxPageCount in the credentials) and checked whenever the plan changes; SQLite itself keeps it per connection only.
// Thread-safe for different instances, which is all that BrokerServer asks for.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "osb/server/service.h"

namespace chandler::brokers {

class SqliteService final : public osb::server::Service {
 public:
  // Databases live below `directory`, which is created for the owner only. What earlier deletions left is removed.
  static Result<std::unique_ptr<SqliteService>> open(const std::string& directory);

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

  // Where the database of an instance is. The name is derived, never taken from what a client sent.
  std::string database_path(const std::string& instance_id) const;

 private:
  explicit SqliteService(std::string directory) : directory_(std::move(directory)) {}
  std::string instance_directory(const std::string& instance_id) const;
  Result<std::string> apply(const osb::server::InstanceSpec& instance, const osb::server::Progress& progress);

  const std::string directory_;
};

}  // namespace chandler::brokers
