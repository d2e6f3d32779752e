// What a database broker offers, as rows of data: one service, its plans and their parameters. From the same rows come
// the catalog with its JSON schemas and suggestions, and the reading of what users send. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace chandler::brokers {

// Who gets what.
enum class PlanShape {
  kShared,             // a database on the shared server
  kServer,             // a server of its own
  kDatabaseOnServer,   // a database on the server of another instance
  kDatabaseAndServer,  // a server of its own with a database
};

struct ParameterRow {
  enum class Type { kInteger, kChoice, kText };

  std::string name;
  std::string description;
  Type type = Type::kInteger;
  int64_t low = 0;  // of a number
  int64_t high = 0;
  int64_t fallback = 0;
  std::vector<std::string> choices{};  // the first is the default
  bool is_fixed = false;               // cannot change later
  // Choices of earlier versions, which instances may still have: they count as the default, new requests are refused.
  std::vector<std::string> former_choices{};
};
// kText: required, at most 255 characters.

struct PlanOffer {
  std::string id;
  std::string name;
  std::string display_name;
  std::string description;
  std::string service_type;
  PlanShape shape = PlanShape::kShared;
  std::vector<std::string> bullets{};
  std::vector<std::string> attributes{};  // tags such as "MaxConnections=200"
  std::vector<ParameterRow> parameters{};
  bool is_suggested = true;  // for its service type

  bool has_own_server() const { return shape == PlanShape::kServer || shape == PlanShape::kDatabaseAndServer; }
};

struct ServiceOffer {
  std::string id;
  std::string name;
  std::string display_name;
  std::string description;
  std::string long_description;
  std::string server_version;       // "MariaDB 10.11", for maintenance_info
  std::vector<std::string> tags{};  // besides the service type, which is the name
  json::Value secret_transform{};   // suggested for bindings; null for none
  std::vector<ParameterRow> binding{};
  std::vector<PlanOffer> plans{};

  const PlanOffer* plan(std::string_view plan_id) const;  // null: none
};

// Of bindings: what a login may do, "admin" (as `admin_may` says), "writer" or "reader".
ParameterRow user_parameter(std::string_view admin_may);

inline constexpr std::string_view kOfferVersion = "1.0.0";  // of maintenance_info

// The entry of the service in a catalog.
json::Value catalog_entry(const ServiceOffer& offer);

// All parameters of the rows, as sent or by default; an object. The error (400) names the parameter and what it may be.
Result<json::Value> read_parameters(const std::vector<ParameterRow>& rows, const json::Value& parameters);

// Refuses choices of earlier versions: for what is asked for now, not for what an instance has.
Result<void> refuse_former_choices(const std::vector<ParameterRow>& rows, const json::Value& parameters);

// The members of a complete set of parameters; they are there.
int64_t number(const json::Value& settings, std::string_view name);
std::string choice(const json::Value& settings, std::string_view name);

}  // namespace chandler::brokers
