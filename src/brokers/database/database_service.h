// Databases as a service, for every kind of database server: which server an instance lives on, what becomes of the
// plans, which names things have. What is done at the server is the Engine's business, running servers the fleet's.
// Thread-safe for different instances, which is all that BrokerServer asks for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "brokers/database/engine.h"
#include "brokers/database/server_address.h"
#include "brokers/database/tenant_places.h"
#include "brokers/supervisor/server_fleet.h"
#include "osb/server/service.h"

namespace chandler::brokers {

struct DatabaseServiceOptions {
  std::string directory;                  // absolute; of the servers that we run
  std::string top;                        // see FleetOptions
  std::optional<ServerAddress> existing;  // the shared server, when it is not ours
};

class DatabaseService final : public osb::server::Service {
 public:
  // Without the programs of the engine only the plan on the existing server is offered; without that one too there is
  // an error. Servers that were made before come up again.
  static Result<std::unique_ptr<DatabaseService>> open(DatabaseServiceOptions options, std::unique_ptr<Engine> engine);
  ~DatabaseService() override;  // stop()

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

  void stop();                                   // the servers; blocking, idempotent
  ServerFleet* fleet() { return fleet_.get(); }  // null: the programs are not installed

 private:
  // Where an instance is, or is to be.
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the analyzer mistakes a failed Result<Seat> for a Seat
  struct Seat {
    const PlanOffer* plan = nullptr;
    Tenant tenant;
    std::string server;  // of the fleet; "": an existing one
    std::string place;   // of the existing one, as it was called when the instance was made
  };

  DatabaseService(DatabaseServiceOptions options, std::unique_ptr<Engine> engine)
      : options_(std::move(options)),
        engine_(std::move(engine)),
        offer_(engine_->offer()),
        places_(options_.directory + "/existing") {}
  Result<Seat> seat(const osb::server::InstanceSpec& instance) const;
  // Whether something of the instance can be on the server.
  bool is_there(const Seat& seat) const;
  Result<ServerAddress> reach(const Seat& seat);
  Result<std::string> apply(const Seat& seat, const osb::server::Progress& progress);
  Result<void> check_server(const osb::server::InstanceSpec& instance, const Seat& seat) const;

  const DatabaseServiceOptions options_;
  const std::unique_ptr<Engine> engine_;
  ServiceOffer offer_;  // of the engine, without the plans that cannot be had here
  const TenantPlaces places_;
  std::unique_ptr<ServerFleet> fleet_;
};

}  // namespace chandler::brokers
