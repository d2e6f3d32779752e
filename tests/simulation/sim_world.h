// One simulated installation: store, rules, API, brokers and a clock, and an engine that may die and is started anew
// over the same store. Everything happens on the caller's thread (the store's own thread works only while the caller
// waits for it), in an order that the seed decides.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "admission/admission.h"
#include "admission/cache_lookup.h"
#include "auth/policy_store.h"
#include "client/local/local_api.h"
#include "controller/engine.h"
#include "registry/cache.h"
#include "registry/kinds.h"
#include "registry/objects.h"
#include "simulation/faults.h"
#include "simulation/sim_api.h"
#include "simulation/sim_network.h"
#include "simulation/trace.h"
#include "storage/memory/memory_store.h"
#include "support/fake_clock.h"

namespace chandler::simulation {

class SimWorld {
 public:
  using AddReconcilers = std::function<void(controller::Engine&)>;

  SimWorld(uint64_t seed, FaultRates rates, AddReconcilers add_reconcilers);
  ~SimWorld();

  // What a user does; errors are told, not fatal.
  Result<registry::WriteResult> create(const client::KindName& kind, std::string_view ns, std::string_view yaml);
  Result<registry::WriteResult> create(const client::KindName& kind, std::string_view ns, json::Object object);
  Result<registry::WriteResult> update(const client::KindName& kind, std::string_view ns, std::string_view name,
                                       const std::function<void(json::Value&)>& change);
  Result<registry::WriteResult> remove(const client::KindName& kind, std::string_view ns, std::string_view name);
  std::vector<client::Object> list(const client::KindName& kind) { return local_->state().list(kind, {}); }
  client::Object get(const client::KindName& kind, std::string_view ns, std::string_view name) {
    return local_->state().get(kind, ns, name);
  }

  // Every write of the engine is told, and every crash.
  void observe(SimApi::Observer observer) { api_->observe(std::move(observer)); }
  void on_crash(std::function<void()> crashed) { crashed_ = std::move(crashed); }
  // Rights of a user that come and go; the rules of admission do not notice.
  void deny(const std::string& name) { api_->deny(name); }
  void permit(const std::string& name) { api_->permit(name); }

  // One piece of work of the engine, or one answer that is due; dies and restarts on the way. False: nothing is due.
  bool step();
  // Lets time pass until `until`, working on all that falls due.
  void run_until(WallTime until);
  void run_for(std::chrono::seconds time) { run_until(clock.now() + time); }

  Random random;
  ::chandler::testing::FakeClock clock;
  Trace trace;
  Faults faults;
  SimNetwork network;
  std::string user = "alice";  // who acts
  size_t restarts = 0;

 private:
  void start_engine();
  std::shared_ptr<registry::WriteRequest> request(const client::KindName& kind, std::string_view ns,
                                                  std::string_view name) const;

  const AddReconcilers add_reconcilers_;
  registry::KindTable kinds_;
  metrics::Registry metrics_;
  registry::Cache cache_{nullptr, metrics_};
  storage::MemoryStore store_;
  admission::CacheLookup lookup_{kinds_, cache_};
  auth::PolicyStore policy_;
  admission::KindAdmission admission_{lookup_, policy_, clock};
  registry::Objects objects_{store_, cache_, nullptr, admission_, clock};
  std::unique_ptr<client::LocalApi> local_;
  std::unique_ptr<SimApi> api_;
  std::function<void()> crashed_;
  std::unique_ptr<metrics::Registry> engine_metrics_;  // of one life of the engine
  std::unique_ptr<controller::Engine> engine_;
};

}  // namespace chandler::simulation
