// What SQL servers offer has one form: a database on the shared server, a server, a database on it, or both together.
// A kind of server fills in its names and bounds. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brokers/database/offer.h"

namespace chandler::brokers {

struct ConnectionBounds {
  int64_t fallback = 0;
  int64_t high = 0;
};

struct SqlOffer {
  std::string name;  // "mysql"; the plans and their types begin with it
  std::string_view shared_plan_id;
  std::string_view server_plan_id;
  std::string_view database_plan_id;
  std::string_view database_and_server_plan_id;
  ConnectionBounds on_shared;               // of a binding
  ConnectionBounds on_own;                  // of a server that is one's own, and of bindings there
  std::string memory;                       // what the memory of a server is for
  std::vector<ParameterRow> of_database{};  // further parameters of every database
};

std::vector<PlanOffer> sql_plans(const SqlOffer& offer);

}  // namespace chandler::brokers
