// What must hold at every moment, whatever goes wrong: looked at after each write of the controllers, after each crash
// and between deeds of the users.
//   - A binding that says it is ready has the broker's credentials in its Secret.
//   - An instance that says it is ready is at its broker, finished.
//   - Nobody has two instances, at all brokers together.
//   - Nothing secret stands in anything that controllers write, save in Secrets.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "reconcilers/catalog/target.h"
#include "simulation/catalog_users.h"
#include "simulation/sim_world.h"

namespace chandler::simulation {

class CatalogWatch {
 public:
  CatalogWatch(SimWorld& world, CatalogUsers& users) : world_(world), users_(users) {}

  void on_write(const client::KindName& kind, const client::Object& object);
  void look_around();
  bool is_anything_abandoned() const { return is_anything_abandoned_; }
  const std::string& found() const { return found_; }  // one line each; empty: all is well

  const std::set<std::string>& events() const { return events_; }  // their reasons

  // What is at the broker under its ID is told not to be its own.
  bool is_left(const client::Object& object) const;
  // At its own broker; null: nothing is there.
  const SimInstance* find_instance(const client::Object& object) const;
  const SimBinding* find_binding(const client::Object& object) const;

 private:
  std::vector<SimBroker*> brokers_of(const reconcilers::Target& target) const;
  void complain(const client::KindName& kind, const client::Object& object, std::string_view what);
  void check_instance(const client::Object& object);
  void check_binding(const client::Object& object);
  void check_owners();
  void note_abandoned(const client::Object& record);
  void note_left(const client::Object& object);

  SimWorld& world_;
  CatalogUsers& users_;
  std::string found_;
  std::set<std::string> events_;
  bool is_anything_abandoned_ = false;
};

}  // namespace chandler::simulation
