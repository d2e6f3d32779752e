// What must hold at rest, when faults have stopped and everything had its time: the ledgers of the brokers equal our
// records, and each object is where it wanted to go or says for good why not.
#pragma once

#include <string>

#include "resolve/parameter_checksum.h"
#include "simulation/catalog_watch.h"
#include "simulation/sim_world.h"

namespace chandler::simulation {

// Of the simulated server, in all of its lives.
inline resolve::ChecksumKey checksum_key() { return resolve::ChecksumKey("the key of the simulated server."); }

class CatalogRest {
 public:
  CatalogRest(SimWorld& world, const CatalogWatch& watch) : world_(world), watch_(watch) {}

  // What is not as it must be, one line each; empty: all is well.
  std::string faults();
  // What is left after everything was deleted.
  std::string leftovers();

 private:
  void complain(const client::KindName& kind, const client::Object& object, std::string_view what);
  void check_instance(const client::Object& object);
  void check_deleting(const client::Object& object);
  void check_properties(const client::Object& object, const SimInstance& made);
  void check_binding(const client::Object& object);
  void check_outcome(const client::KindName& kind, const client::Object& object);
  bool is_broker_leaving();  // waits for its instances, and takes no new ones
  void check_secret(const client::Object& secret);
  void check_ledgers();

  SimWorld& world_;
  const CatalogWatch& watch_;
  std::string out_;
};

}  // namespace chandler::simulation
