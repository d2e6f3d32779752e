// A broker's catalog as values. A broker's mistake costs what it is in and no more: a faulty entry is named in
// `problems` and left out, a faulty part that can be done without is left out alone, and the rest is served. Besides
// the fields of the API it reads what a broker suggests: types, suggested plans, attributes (tags), and default
// parameters (metadata). Pure.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "osb/broker_text.h"

namespace chandler::osb {

// From the tags `ServiceType=mysql`, `SuggestedPlan=true`, `Cores=4` and the members of `metadata` of the same names.
struct Suggestions {
  std::string service_type;                       // of this service or plan alone; may be empty
  bool suggested = false;                         // of a service: its only plan is, too
  std::map<std::string, std::string> attributes;  // of a plan: its service's as well, its own win
  // Of this service or plan alone; null when there are none.
  json::Value default_provision_parameters;  // object
  json::Value default_binding_parameters;    // object
  json::Value default_secret_transform;      // list of objects, without addKeysFrom
};

struct MaintenanceInfo {
  std::string version;
  std::string description;
};

struct Plan : Suggestions {
  std::string id;
  std::string name;
  std::string description;  // the name when the broker has nothing to say
  json::Value metadata;     // object or null
  bool free = true;
  std::optional<bool> bindable;  // else as the service says
  bool binding_rotatable = false;
  std::optional<bool> plan_updateable;  // else as the service says
  // JSON Schemas of parameters, objects or null.
  json::Value create_schema;
  json::Value update_schema;
  json::Value bind_schema;
  std::optional<std::chrono::seconds> maximum_polling_duration;
  std::optional<MaintenanceInfo> maintenance_info;
  std::vector<std::string> tags;  // of `tags` and `metadata.tags`
};

struct Service : Suggestions {
  std::string id;
  std::string name;
  std::string description;
  bool bindable = false;
  bool bindings_retrievable = false;
  bool instances_retrievable = false;
  bool allow_context_updates = false;
  bool plan_updateable = false;
  std::vector<std::string> tags;
  std::vector<std::string> requirements;  // `requires` is a word of C++
  json::Value metadata;                   // object or null
  std::vector<Plan> plans;                // at least one
};

struct Catalog {
  std::vector<Service> services;
  std::vector<std::string> problems;  // for people, a bounded number; each names its service or plan
};

// Fails only when the body as a whole is not a catalog; an empty catalog is valid. Names, descriptions, tags and
// metadata are fit to be shown, as `text` has it; `problems` may quote the catalog and are not yet. Schemas, suggested
// parameters and IDs are as they came.
Result<Catalog> parse_catalog(const json::Value& body, const BrokerText& text);

}  // namespace chandler::osb
