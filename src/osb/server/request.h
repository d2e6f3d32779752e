// From an HTTP request to what is asked of the broker, and the checks that need no state, in the order that every
// broker must keep: JSON and required fields, ids in the catalog, parameters against the plan's schema,
// maintenance_info, asynchrony. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "json/value.h"
#include "osb/server/catalog.h"
#include "osb/server/reply.h"
#include "osb/server/service.h"

namespace chandler::osb::server {

enum class Action {
  kCatalog,
  kProvision,
  kUpdate,
  kDeprovision,
  kGetInstance,
  kPollInstance,
  kBind,
  kUnbind,
  kGetBinding,
  kPollBinding,
};
std::string_view action_name(Action action);  // "catalog", "provision", ..., "poll_binding"

// An empty text is a missing one.
struct BrokerRequest {
  Action action = Action::kCatalog;
  std::string instance_id;
  std::string binding_id;
  bool accepts_incomplete = false;
  std::string operation;
  std::string service_id;  // from the body of PUT and PATCH, from the query of others
  std::string plan_id;
  std::string organization_guid;
  std::string space_guid;
  std::optional<json::Value> parameters;  // an object
  json::Value bind_resource;              // object or null
  std::string predecessor_id;
  std::optional<std::string> maintenance_version;
};

// Faults of `parameters` under `schema`, one text each with a path, never a value; empty: it fits.
using ParameterCheck =
    std::function<std::vector<std::string>(const json::Value& schema, const json::Value& parameters)>;

// Method, path and query: 404 and 405.
Result<BrokerRequest, Refusal> read_target(const http::Request& request);
// Body, required fields: 400.
std::optional<Refusal> read_body(BrokerRequest& request, std::string_view body);
// What is named must be offered: 400. Not for deletions: what is there can be deleted after the catalog dropped it.
std::optional<Refusal> check_ids(const BrokerRequest& request, const Catalog& catalog);
// The rules of the plan that the request leads to: bindable 400, schema 400, maintenance_info 422, asynchronous 422.
std::optional<Refusal> check_plan(const BrokerRequest& request, const Plan& plan, bool is_async,
                                  const ParameterCheck& check);

InstanceSpec instance_of(const BrokerRequest& request, const Plan& plan);  // as a PUT asks for it
BindingSpec binding_of(const BrokerRequest& request);

// Whether a repeated PUT asks for the same: everything but id, context and maintenance_info counts.
bool is_same(const InstanceSpec& a, const InstanceSpec& b);
bool is_same(const BindingSpec& a, const BindingSpec& b);

}  // namespace chandler::osb::server
