#include "simulation/catalog_run.h"

#include <utility>

#include "base/ids.h"
#include "reconcilers/binding/binding_reconciler.h"
#include "reconcilers/broker/broker_reconciler.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/instance/instance_reconciler.h"
#include "reconcilers/offers/default_plan_keeper.h"
#include "reconcilers/offers/offer_keeper.h"
#include "reconcilers/secrets/secret_keeper.h"

namespace chandler::simulation {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr int kDeeds = 60;

SimWorld::AddReconcilers adding(const CatalogRun::Wrap& wrap) {
  return [wrap](controller::Engine& engine) {
    reconcilers::Settings settings;
    settings.cluster_id = "simulation";
    settings.run = new_uuid();  // another one after each crash
    settings.checksum_key = checksum_key();
    const auto add = [&](std::unique_ptr<controller::Reconciler> reconciler) {
      engine.add(wrap ? wrap(std::move(reconciler)) : std::move(reconciler));
    };
    add(std::make_unique<reconcilers::BrokerReconciler>(settings));
    add(std::make_unique<reconcilers::OfferKeeper>(settings));
    add(std::make_unique<reconcilers::DefaultPlanKeeper>(settings));
    add(std::make_unique<reconcilers::SecretKeeper>());
    add(std::make_unique<reconcilers::InstanceReconciler>(settings));
    add(std::make_unique<reconcilers::BindingReconciler>(settings));
  };
}

}  // namespace

CatalogRun::CatalogRun(uint64_t seed, FaultRates rates, const Wrap& wrap)
    : world(seed, rates, adding(wrap)), users_(world), watch_(world, users_), rest_(world, watch_) {
  world.network.add("north");
  world.network.add("south");
  world.observe([this](const client::KindName& kind, const client::Object& object) { watch_.on_write(kind, object); });
  world.on_crash([this] { watch_.look_around(); });
  users_.set_up();
}

void CatalogRun::act(int times) {
  for (int i = 0; i < times && watch_.found().empty(); ++i) {
    users_.act();
    // Now and then the next deed comes in the middle of the controllers' work.
    if (world.random.chance(0.3)) {
      for (auto steps = world.random.below(8); steps > 0; --steps) (void)world.step();
    } else {
      world.run_for(seconds(world.random.chance(0.2) ? world.random.below(600) : world.random.below(20)));
    }
    watch_.look_around();
  }
}

void CatalogRun::calm_down() {
  world.faults.end();
  for (const auto& [url, broker] : world.network.brokers()) broker->set_fails(false);
  world.trace.add("no more faults");
  users_.repair();
  world.run_for(hours(6));
}

void CatalogRun::delete_everything() {
  users_.delete_everything();
  world.run_for(hours(6));
  // A broker does not wait for the bindings of instances that were given up; it has to be there once more.
  if (watch_.is_anything_abandoned()) {
    users_.register_missing_brokers();
    world.run_for(hours(6));
  }
  for (const auto& kind : {reconcilers::kClusterBrokers, reconcilers::kBrokers}) {
    for (const auto& object : world.list(kind)) (void)world.remove(kind, object.ns(), object.name());
  }
  world.run_for(hours(1));
}

std::string CatalogRun::play() {
  act(kDeeds);
  if (auto found = faults_on_the_way(); !found.empty()) return found;
  calm_down();
  if (auto found = faults_at_rest(); !found.empty()) return found;
  delete_everything();
  return leftovers();
}

size_t CatalogRun::ready(const client::KindName& kind) {
  size_t out = 0;
  for (const auto& object : world.list(kind)) {
    if (reconcilers::condition_true(reconcilers::status_of(object), reconcilers::kReady)) ++out;
  }
  return out;
}

}  // namespace chandler::simulation
