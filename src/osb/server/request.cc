#include "osb/server/request.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"

namespace chandler::osb::server {
namespace {

constexpr size_t kMaxId = 255;
constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxFaults = 20;  // named in one answer

Refusal bad(std::string description) { return {400, "", std::move(description)}; }

bool is_usable_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxId && is_valid_utf8(id) && id.find('\0') == std::string_view::npos;
}

std::optional<Action> action_for(http::Method method, bool is_poll, bool is_binding) {
  using http::Method;
  if (is_poll) {
    if (method != Method::kGet) return std::nullopt;
    return is_binding ? Action::kPollBinding : Action::kPollInstance;
  }
  switch (method) {
    case Method::kGet:
      return is_binding ? Action::kGetBinding : Action::kGetInstance;
    case Method::kPut:
      return is_binding ? Action::kBind : Action::kProvision;
    case Method::kDelete:
      return is_binding ? Action::kUnbind : Action::kDeprovision;
    case Method::kPatch:
      if (!is_binding) return Action::kUpdate;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool read_query(BrokerRequest& request, std::string_view query) {
  if (query.empty()) return true;
  for (const auto piece : split(query, '&')) {
    const auto equals = piece.find('=');
    const auto value =
        percent_decode(equals == std::string_view::npos ? std::string_view() : piece.substr(equals + 1), true);
    if (!value) return false;
    const auto name = piece.substr(0, equals);
    if (name == "accepts_incomplete") request.accepts_incomplete = *value == "true";
    if (name == "operation") request.operation = *value;
    if (name == "service_id") request.service_id = *value;
    if (name == "plan_id") request.plan_id = *value;
  }
  return true;
}

// Copies a text of the body; a missing one stays empty.
bool take_text(const json::Value& body, std::string_view name, std::string& to) {
  const auto* value = json::find(body, name);
  if (value == nullptr || value->is_null()) return true;
  if (!value->is_string()) return false;
  to = json::view(value->get_string());
  return true;
}

// The same for objects; null is as good as absent.
bool take_object(const json::Value& body, std::string_view name, json::Value& to) {
  const auto* value = json::find(body, name);
  if (value == nullptr || value->is_null()) return true;
  if (!value->is_object()) return false;
  to = *value;
  return true;
}

std::optional<Refusal> check_schema(const json::Value* schema, const json::Value& parameters,
                                    const ParameterCheck& check) {
  if (schema == nullptr || !check) return std::nullopt;
  auto faults = check(*schema, parameters);
  if (faults.empty()) return std::nullopt;
  if (faults.size() > kMaxFaults) faults.resize(kMaxFaults);
  return bad("parameters do not fit the schema of the plan: " + join(faults, "; "));
}

}  // namespace

std::string_view work_name(Work work) {
  constexpr std::string_view kNames[] = {"create", "update", "delete", "bind", "unbind"};
  return kNames[static_cast<size_t>(work)];
}

std::string_view action_name(Action action) {
  constexpr std::string_view kNames[] = {"catalog",       "provision", "update", "deprovision", "get_instance",
                                         "poll_instance", "bind",      "unbind", "get_binding", "poll_binding"};
  return kNames[static_cast<size_t>(action)];
}

Result<BrokerRequest, Refusal> read_target(const http::Request& http) {
  const Refusal unknown{404, "", "no such path; this is a service broker, its catalog is at /v2/catalog"};
  const std::string_view target = http.target;
  const auto mark = target.find('?');
  const auto parts = split(target.substr(0, mark), '/');
  BrokerRequest request;
  if (!read_query(request, mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1))) {
    return fail(bad("the query has a broken percent-escape"));
  }
  if (parts.size() < 3 || !parts[0].empty() || parts[1] != "v2") return fail(unknown);
  if (parts.size() == 3 && parts[2] == "catalog") {
    if (http.method != http::Method::kGet) return fail(Refusal{405, "", "the catalog can only be read"});
    return request;
  }
  const bool is_poll = parts.back() == "last_operation" && parts.size() % 2 == 1;
  const size_t size = parts.size() - (is_poll ? 1 : 0);
  if (parts[2] != "service_instances" || (size != 4 && size != 6)) return fail(unknown);
  if (size == 6 && parts[4] != "service_bindings") return fail(unknown);
  const auto instance_id = percent_decode(parts[3], false);
  const auto binding_id = size == 6 ? percent_decode(parts[5], false) : std::string();
  if (!instance_id || !is_usable_id(*instance_id) || !binding_id || (size == 6 && !is_usable_id(*binding_id))) {
    return fail(bad(fmt::format("an id in the path is empty, longer than {} bytes or not UTF-8", kMaxId)));
  }
  const auto action = action_for(http.method, is_poll, size == 6);
  if (!action) return fail(Refusal{405, "", fmt::format("{} is not possible here", http.method_text)});
  request.action = *action;
  request.instance_id = *instance_id;
  request.binding_id = *binding_id;
  return request;
}

std::optional<Refusal> read_body(BrokerRequest& request, std::string_view text) {
  const Action action = request.action;
  if (action == Action::kDeprovision || action == Action::kUnbind) {
    if (request.service_id.empty()) return bad("the query must hold service_id");
    if (request.plan_id.empty()) return bad("the query must hold plan_id");
    return std::nullopt;
  }
  if (action != Action::kProvision && action != Action::kUpdate && action != Action::kBind) return std::nullopt;

  json::ReadReport report;
  json::ReadOptions options;
  options.max_depth = kMaxDepth;
  const auto body = json::parse(text, options, &report);
  if (!body.ok()) return bad("the body is not JSON: " + body.error().message);
  if (!body->is_object()) return bad("the body must be a JSON object");
  if (!report.duplicates.empty()) return bad("the body has a member twice: " + report.duplicates.front());
  request.service_id.clear();
  request.plan_id.clear();
  for (const auto& [name, to] : {std::pair{"service_id", &request.service_id},
                                 {"plan_id", &request.plan_id},
                                 {"organization_guid", &request.organization_guid},
                                 {"space_guid", &request.space_guid},
                                 {"predecessor_binding_id", &request.predecessor_id}}) {
    if (!take_text(*body, name, *to)) return bad(fmt::format("{} must be a string", name));
  }
  json::Value parameters;
  json::Value maintenance;
  json::Value context;
  for (const auto& [name, to] : {std::pair{"parameters", &parameters},
                                 {"bind_resource", &request.bind_resource},
                                 {"maintenance_info", &maintenance},
                                 {"context", &context}}) {
    if (!take_object(*body, name, *to)) return bad(fmt::format("{} must be an object", name));
  }
  if (parameters.is_object()) request.parameters = std::move(parameters);
  if (maintenance.is_object()) {
    request.maintenance_version.emplace();
    if (!take_text(maintenance, "version", *request.maintenance_version)) {
      return bad("maintenance_info.version must be a string");
    }
  }
  if (request.service_id.empty()) return bad("the body must hold service_id");
  if (request.plan_id.empty() && action != Action::kUpdate) return bad("the body must hold plan_id");
  if (action == Action::kProvision) {
    if (request.organization_guid.empty()) return bad("the body must hold organization_guid");
    if (request.space_guid.empty()) return bad("the body must hold space_guid");
  }
  return std::nullopt;
}

std::optional<Refusal> check_ids(const BrokerRequest& request, const Catalog& catalog) {
  const Action action = request.action;
  if (action != Action::kProvision && action != Action::kUpdate && action != Action::kBind) return std::nullopt;
  if (!catalog.has_service(request.service_id)) {
    return bad(fmt::format("service_id {} is not in the catalog; fetch it again", quoted(request.service_id)));
  }
  if (!request.plan_id.empty() && catalog.plan(request.service_id, request.plan_id) == nullptr) {
    return bad(fmt::format("plan_id {} is no plan of this service; fetch the catalog again", quoted(request.plan_id)));
  }
  return std::nullopt;
}

std::optional<Refusal> check_plan(const BrokerRequest& request, const Plan& plan, bool is_async,
                                  const ParameterCheck& check) {
  std::optional<Refusal> refusal;
  if (request.action == Action::kProvision) {
    refusal = check_schema(plan.create_schema, request.parameters.value_or(json::Object()), check);
  } else if (request.action == Action::kUpdate && request.parameters) {
    refusal = check_schema(plan.update_schema, *request.parameters, check);
  } else if (request.action == Action::kBind) {
    if (!plan.is_bindable) return bad("instances of this plan cannot be bound");
    if (!request.predecessor_id.empty() && !plan.is_rotatable) {
      return bad("bindings of this plan cannot be rotated; leave out predecessor_binding_id");
    }
    // A rotated binding may leave its parameters to its predecessor.
    if (request.predecessor_id.empty() || request.parameters) {
      refusal = check_schema(plan.bind_schema, request.parameters.value_or(json::Object()), check);
    }
  }
  if (refusal) return refusal;
  if (request.maintenance_version && *request.maintenance_version != plan.maintenance_version) {
    return Refusal{422, "MaintenanceInfoConflict",
                   fmt::format("maintenance_info.version is not that of the plan ({}); fetch the catalog again",
                               plan.maintenance_version.empty() ? "none" : plan.maintenance_version)};
  }
  if (is_async && !request.accepts_incomplete) {
    return Refusal{422, "AsyncRequired", "this plan works asynchronously; repeat with accepts_incomplete=true"};
  }
  return std::nullopt;
}

InstanceSpec instance_of(const BrokerRequest& request, const Plan& plan) {
  InstanceSpec spec;
  spec.id = request.instance_id;
  spec.service_id = request.service_id;
  spec.plan_id = request.plan_id;
  spec.organization_guid = request.organization_guid;
  spec.space_guid = request.space_guid;
  if (request.parameters) spec.parameters = *request.parameters;
  spec.maintenance_version = plan.maintenance_version;
  return spec;
}

BindingSpec binding_of(const BrokerRequest& request) {
  BindingSpec spec;
  spec.instance_id = request.instance_id;
  spec.id = request.binding_id;
  spec.service_id = request.service_id;
  spec.plan_id = request.plan_id;
  if (request.parameters) spec.parameters = *request.parameters;
  spec.bind_resource = request.bind_resource;
  spec.predecessor_id = request.predecessor_id;
  return spec;
}

bool is_same(const InstanceSpec& a, const InstanceSpec& b) {
  return a.service_id == b.service_id && a.plan_id == b.plan_id && a.organization_guid == b.organization_guid &&
         a.space_guid == b.space_guid && json::equal(a.parameters, b.parameters);
}

bool is_same(const BindingSpec& a, const BindingSpec& b) {
  return a.service_id == b.service_id && a.plan_id == b.plan_id && a.predecessor_id == b.predecessor_id &&
         json::equal(a.parameters, b.parameters) && json::equal(a.bind_resource, b.bind_resource);
}

}  // namespace chandler::osb::server
