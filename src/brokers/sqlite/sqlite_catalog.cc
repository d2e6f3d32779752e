#include "brokers/sqlite/sqlite_catalog.h"

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::brokers {
namespace {

using json::Array;
using json::Object;
using json::Value;

struct PlanRow {
  std::string_view id;
  std::string_view name;
  std::string_view display_name;
  std::string_view description;
  int64_t max_mib;
  int64_t default_mib;
  int64_t reserve_mib;  // by default
  bool is_suggested;
};

constexpr PlanRow kPlans[] = {
    {kSqliteDefaultPlanId, "default", "Default", "A database file, meant for up to 64 MiB, ready at once", 64, 16, 0,
     true},
    {kSqliteLargePlanId, "large", "Large",
     "A database file, meant for up to 1024 MiB; space for it is reserved in the background", 1024, 64, 8, false},
};
constexpr std::string_view kVersion = "1.0.0";

const PlanRow* find_plan(std::string_view id) {
  for (const auto& plan : kPlans) {
    if (plan.id == id) return &plan;
  }
  return nullptr;
}

Value schema(Object properties) {
  return Object{{"$schema", "http://json-schema.org/draft-04/schema#"},
                {"type", "object"},
                {"additionalProperties", false},
                {"properties", std::move(properties)}};
}

Value instance_schema(const PlanRow& plan, bool is_update) {
  Object properties{
      {"journalMode",
       Object{{"type", "string"},
              {"enum", Array{"wal", "delete"}},
              {"description", "How SQLite keeps its journal; wal lets readers and a writer work at once"}}},
      {"maxSizeMiB", Object{{"type", "integer"},
                            {"minimum", 1},
                            {"maximum", plan.max_mib},
                            {"description",
                             "How large the database is meant to become: told to clients as maxPageCount, which "
                             "they set for themselves, and checked when plan or size change"}}}};
  if (plan.reserve_mib > 0 || is_update) {
    // An update repeats what was asked for at first, whatever the plan was then.
    properties["reserveMiB"] = Object{{"type", "integer"},
                                      {"minimum", 0},
                                      {"maximum", plan.max_mib},
                                      {"description", "Space on disk that is taken at once"}};
  }
  return Object{{"parameters", schema(std::move(properties))}};
}

Value plan_entry(const PlanRow& plan) {
  Array tags{fmt::format("MaxSizeMiB={}", plan.max_mib)};
  if (plan.is_suggested) tags.emplace_back("SuggestedPlan=true");
  Object binding{{"readOnly", Object{{"type", "boolean"}, {"description", "Open the database for reading only"}}}};
  return Object{
      {"id", plan.id},
      {"name", plan.name},
      {"description", plan.description},
      {"free", true},
      {"bindable", true},
      {"plan_updateable", true},
      {"binding_rotatable", true},
      {"maximum_polling_duration", 600},
      {"maintenance_info", Object{{"version", kVersion}, {"description", "SQLite 3 database files"}}},
      {"metadata", Object{{"displayName", plan.display_name},
                          {"bullets", Array{fmt::format("Meant for up to {} MiB", plan.max_mib),
                                            "A file on the broker's own disk"}},
                          {"tags", std::move(tags)},
                          {"defaultProvisionParameters", Object{{"maxSizeMiB", plan.default_mib}}}}},
      {"schemas", Object{{"service_instance",
                          Object{{"create", instance_schema(plan, false)}, {"update", instance_schema(plan, true)}}},
                         {"service_binding", Object{{"create", Object{{"parameters", schema(std::move(binding))}}}}}}}};
}

Result<int64_t> number_in(const Value& parameters, std::string_view name, int64_t low, int64_t high, int64_t fallback) {
  const auto* value = json::find(parameters, name);
  if (value == nullptr || value->is_null()) return fallback;
  const auto number = json::int_at(parameters, name);
  if (!number || *number < low || *number > high) {
    return bad_request(fmt::format("parameters.{} must be a whole number from {} to {} in this plan", name, low, high));
  }
  return *number;
}

}  // namespace

json::Value sqlite_catalog() {
  Array plans;
  for (const auto& plan : kPlans) plans.push_back(plan_entry(plan));
  Object service{{"id", kSqliteServiceId},
                 {"name", "sqlite"},
                 {"description", "SQLite database files, ready at once and without any server"},
                 {"bindable", true},
                 {"instances_retrievable", true},
                 {"bindings_retrievable", true},
                 {"plan_updateable", true},
                 {"allow_context_updates", true},
                 {"tags", Array{"ServiceType=sqlite", "sqlite", "sql", "database"}},
                 {"metadata", Object{{"displayName", "SQLite"},
                                     {"longDescription",
                                      "A database in a single file on the broker's disk. For trying things out, "
                                      "for tests, and for applications on the same machine."},
                                     {"providerDisplayName", "Chandler"},
                                     {"defaultProvisionParameters", Object{{"journalMode", "wal"}}},
                                     {"defaultBindingParameters", Object{{"readOnly", false}}}}},
                 {"plans", std::move(plans)}};
  return Object{{"services", Array{std::move(service)}}};
}

Result<SqliteLimits> sqlite_limits(const osb::server::InstanceSpec& instance) {
  const PlanRow* plan = find_plan(instance.plan_id);
  if (plan == nullptr) return bad_request(fmt::format("the plan {} is not known here", quoted(instance.plan_id)));
  SqliteLimits limits;
  for (const auto& member : instance.parameters.as_object()) {
    const std::string_view name(member.key().data(), member.key().size());
    if (name != "journalMode" && name != "maxSizeMiB" && name != "reserveMiB") {
      return bad_request(fmt::format("parameters.{} is not known; there are journalMode, maxSizeMiB and reserveMiB",
                                     name.substr(0, 64)));
    }
  }
  if (const auto* mode = json::find(instance.parameters, "journalMode"); mode != nullptr && !mode->is_null()) {
    limits.journal_mode = json::string_or(instance.parameters, "journalMode");
    if (limits.journal_mode != "wal" && limits.journal_mode != "delete") {
      return bad_request("parameters.journalMode must be \"wal\" or \"delete\"");
    }
  }
  CH_TRY_LET(max, number_in(instance.parameters, "maxSizeMiB", 1, plan->max_mib, plan->default_mib));
  limits.max_mib = max;
  CH_TRY_LET(reserve, number_in(instance.parameters, "reserveMiB", 0, max, std::min(plan->reserve_mib, max)));
  limits.reserve_mib = reserve;
  return limits;
}

}  // namespace chandler::brokers
