// One story of the service catalog: users create, change and delete instances and bindings of two brokers (one of the
// cluster, one of a namespace) while everything goes wrong; then the faults stop, and the world must come to rest with
// the brokers' ledgers equal to our records.
#pragma once

#include <cstdint>
#include <string>

#include "simulation/sim_world.h"

namespace chandler::simulation {

class CatalogRun {
 public:
  CatalogRun(uint64_t seed, FaultRates rates);

  void act(int times);  // of the users, at random
  void calm_down();     // no more faults, and time for everything to settle
  void delete_everything();

  // What is not as it must be at rest, one line each; empty: all is well.
  std::string faults_at_rest();
  // What is left after everything was deleted.
  std::string leftovers();
  size_t ready_instances();
  size_t ready_bindings();

  SimWorld world;

 private:
  void act_once();
  void create_instance(const std::string& name);
  void change_instance(const std::string& name);
  void create_binding(const std::string& name);
  void check_instance(const client::Object& object, std::string& out);
  void check_binding(const client::Object& object, std::string& out);
  const SimInstance* find(const std::string& id) const;
};

}  // namespace chandler::simulation
