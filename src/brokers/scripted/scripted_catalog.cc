#include "brokers/scripted/scripted_catalog.h"

#include <string>

#include <fmt/format.h>

namespace chandler::brokers {
namespace {

using json::Array;
using json::Object;
using json::Value;

Value schema(Object properties) {
  return Object{{"parameters", Object{{"$schema", "http://json-schema.org/draft-04/schema#"},
                                      {"type", "object"},
                                      {"properties", std::move(properties)}}}};
}

Value schemas() {
  const Object sizes{{"size", Object{{"type", "integer"}, {"minimum", 1}, {"maximum", 100}}},
                     {"color", Object{{"type", "string"}, {"enum", Array{"red", "green", "blue"}}}}};
  return Object{
      {"service_instance", Object{{"create", schema(sizes)}, {"update", schema(sizes)}}},
      {"service_binding", Object{{"create", schema(Object{{"role", Object{{"type", "string"}, {"maxLength", 20}}}})}}}};
}

Object plan(std::string_view id, std::string_view name, std::string_view description, bool free, Object metadata) {
  return Object{{"id", id},
                {"name", name},
                {"description", description},
                {"free", free},
                {"binding_rotatable", true},
                {"metadata", std::move(metadata)},
                {"schemas", schemas()},
                {"maintenance_info", Object{{"version", "1.0.0"}}}};
}

Value scripted_service() {
  Object asynchronous =
      plan(kScriptedAsyncPlanId, "async", "Made, changed and deleted in the background", true,
           Object{{"scripted", Object{{"async", true}, {"polls", 2}}}, {"tags", Array{"Cores=2", "Memory=4"}}});
  asynchronous["maximum_polling_duration"] = 3600;
  return Object{
      {"id", kScriptedServiceId},
      {"name", "scripted"},
      {"description", "Does what the rules of a test say"},
      {"bindable", true},
      {"instances_retrievable", true},
      {"bindings_retrievable", true},
      {"plan_updateable", true},
      {"allow_context_updates", true},
      {"tags", Array{"ServiceType=scripted"}},
      {"metadata", Object{{"displayName", "Scripted"}, {"defaultProvisionParameters", Object{{"color", "blue"}}}}},
      {"plans",
       Array{plan(kScriptedSyncPlanId, "sync", "Ready at once", true,
                  Object{{"tags", Array{"SuggestedPlan=true", "Cores=1"}},
                         {"defaultProvisionParameters", Object{{"size", 1}}}}),
             std::move(asynchronous),
             plan(kScriptedPaidPlanId, "paid", "Ready at once, at a price", false,
                  Object{{"costs", Array{Object{{"amount", Object{{"usd", 9.5}}}, {"unit", "MONTHLY"}}}}}),
             plan(kScriptedAsyncBindingsPlanId, "async-bindings", "Everything in the background, bindings too", true,
                  Object{{"scripted", Object{{"async", true}, {"asyncBindings", true}, {"polls", 1}}}})}}};
}

Value unbindable_service() {
  return Object{
      {"id", kScriptedUnbindableServiceId},
      {"name", "scripted-unbindable"},
      {"description", "Cannot be bound"},
      {"bindable", false},
      {"instances_retrievable", true},
      {"plan_updateable", false},
      {"plans",
       Array{Object{
           {"id", kScriptedUnbindablePlanId}, {"name", "only"}, {"description", "The only plan"}, {"free", true}}}}};
}

// As small as the specification allows: nothing optional is offered.
Value plain_service() {
  return Object{{"id", kScriptedPlainServiceId},
                {"name", "scripted-plain"},
                {"description", "Offers nothing that is optional"},
                {"bindable", true},
                {"plans", Array{Object{{"id", kScriptedPlainPlanId},
                                       {"name", "plain"},
                                       {"description", "No schemas, nothing can be read back"}}}}};
}

}  // namespace

json::Value scripted_catalog() {
  return Object{{"services", Array{scripted_service(), unbindable_service(), plain_service()}}};
}

json::Value generated_catalog(size_t classes, size_t plans) {
  Array services;
  for (size_t i = 0; i < classes; ++i) {
    Array list;
    for (size_t j = 0; j < plans; ++j) {
      list.push_back(Object{{"id", fmt::format("{:08x}-{:04x}-4000-8000-{:012x}", i, 1, j)},
                            {"name", fmt::format("plan-{}", j)},
                            {"description", fmt::format("Generated plan {} of service {}", j, i)},
                            {"free", j % 2 == 0},
                            {"metadata", Object{{"tags", Array{fmt::format("Cores={}", j % 16 + 1)}}}}});
    }
    services.push_back(Object{{"id", fmt::format("{:08x}-{:04x}-4000-8000-{:012x}", i, 0, 0)},
                              {"name", fmt::format("generated-{}", i)},
                              {"description", fmt::format("Generated service {}", i)},
                              {"bindable", true},
                              {"instances_retrievable", true},
                              {"bindings_retrievable", true},
                              {"plan_updateable", true},
                              {"tags", Array{fmt::format("ServiceType=type-{}", i % 100)}},
                              {"plans", std::move(list)}});
  }
  return Object{{"services", std::move(services)}};
}

}  // namespace chandler::brokers
