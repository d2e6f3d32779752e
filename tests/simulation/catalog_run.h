// One story of the service catalog: people use and change it (two brokers, one of the cluster, one of a namespace)
// while everything goes wrong; then the faults stop, and the world must come to rest with the brokers' ledgers equal
// to our records; then everything is deleted, and nothing may be left.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "simulation/catalog_rest.h"
#include "simulation/catalog_users.h"
#include "simulation/catalog_watch.h"
#include "simulation/sim_world.h"

namespace chandler::simulation {

class CatalogRun {
 public:
  // May put something around a reconciler, or hand it back as it is.
  using Wrap = std::function<std::unique_ptr<controller::Reconciler>(std::unique_ptr<controller::Reconciler>)>;

  CatalogRun(uint64_t seed, FaultRates rates, const Wrap& wrap = nullptr);
  CatalogRun(const CatalogRun&) = delete;
  CatalogRun& operator=(const CatalogRun&) = delete;

  void act(int times);  // of the users, at random
  void calm_down();     // no more faults, and time for everything to settle
  void delete_everything();

  // What was not as it must be, one line each; empty: all is well.
  std::string faults_on_the_way() const { return watch_.found(); }
  std::string faults_at_rest() { return watch_.found() + rest_.faults(); }
  std::string leftovers() { return watch_.found() + rest_.leftovers(); }
  // The whole story. Stops at the first thing that is wrong.
  std::string play();
  const std::set<std::string>& events() const { return watch_.events(); }
  size_t ready(const client::KindName& kind);

  SimWorld world;

 private:
  CatalogUsers users_;
  CatalogWatch watch_;
  CatalogRest rest_;
};

}  // namespace chandler::simulation
