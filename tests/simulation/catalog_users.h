// What people do to a service catalog, at random: developers with instances, bindings and secrets, operators with
// brokers, plans and defaults. Few names, so that they come again.
#pragma once

#include <set>
#include <string>

#include "simulation/sim_world.h"

namespace chandler::simulation {

class CatalogUsers {
 public:
  explicit CatalogUsers(SimWorld& world) : world_(world) {}

  void set_up();  // namespaces, brokers, secrets with parameters
  void act();     // one deed
  // Puts right what only people can: secrets that are in the way or missing, rights, brokers that are gone.
  void repair();
  void register_missing_brokers();
  void delete_everything();  // but brokers, in any order

  // Whether somebody has deleted or changed this secret since a controller wrote it.
  bool has_disturbed(std::string_view secret) const { return disturbed_.contains(secret); }
  void note_written(std::string_view secret);

 private:
  void act_on_instance();
  void act_on_binding();
  void act_on_secret();
  void act_on_catalog();
  void act_on_broker();
  void create_instance(const std::string& name);
  void change_instance(const std::string& name);
  void create_binding(const std::string& name);
  void give_up(const client::KindName& kind, const std::string& name);
  void put_parameter_secret(const std::string& name);
  void disturb_secret(const client::Object& secret);
  void mark_default_plan();
  void change_offers();
  json::Array parameters_from();

  SimWorld& world_;
  std::set<std::string, std::less<>> disturbed_;  // names of secrets
  int last_value_ = 0;
};

}  // namespace chandler::simulation
