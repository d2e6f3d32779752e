#include "svcat/plans/default_mark.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"

namespace chandler::svcat {
namespace {

json::Value mark(const json::Value& value) {
  json::Object annotations{{kDefaultPlanAnnotation, value}};
  json::Object metadata{{"annotations", std::move(annotations)}};
  return json::Object{{"metadata", std::move(metadata)}};
}

// The plans of the type in the scope of `plan`: those that say so themselves, and those of classes of that type.
Result<std::vector<json::Value>> plans_of_type(Catalog& catalog, const json::Value& plan, const std::string& type) {
  const auto& names = names_of(scope_of(plan));
  const auto ns = namespace_of(plan);
  const FieldValues of_type{{"spec.serviceType", type}};
  CH_TRY_LET(plans, catalog.list(names.plans, ns, of_type));
  CH_TRY_LET(classes, catalog.list(names.classes, ns, of_type));
  for (const auto& one : classes) {
    CH_TRY_LET(more, catalog.list(names.plans, ns, {{fmt::format("spec.{}.name", names.class_ref), name_of(one)}}));
    for (auto& other : more) {
      if (type_of(other).empty()) plans.push_back(std::move(other));
    }
  }
  return plans;
}

}  // namespace

Result<void> make_default(Call& call, const json::Value& plan) {
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(service_class, class_of(call, plan));
  const auto type = effective_type(plan, service_class);
  if (type.empty()) {
    return bad_request(
        fmt::format("plan {} has no service type, so it cannot be the default of one; give it one with "
                    "--type TYPE",
                    external_name_of(plan)));
  }
  const auto& names = names_of(scope_of(plan));
  CH_TRY_LET(plans, plans_of_type(*catalog, plan, type));
  auto patch = mark("true");
  // What is looked for by type must say its type itself.
  if (type_of(plan).empty()) patch.as_object()["spec"] = json::Object{{"serviceType", type}};
  CH_TRY(catalog->patch(names.plans, namespace_of(plan), name_of(plan), patch));
  for (const auto& other : plans) {
    if (!is_default(other) || name_of(other) == name_of(plan)) continue;
    const auto unmarked = catalog->patch(names.plans, namespace_of(other), name_of(other), mark(json::Value()));
    if (!unmarked.ok() && !is_not_found(unmarked.error())) return unmarked.error();
    fmt::print(call.out(), "{} is no longer the default plan for {}\n", external_name_of(other), type);
  }
  fmt::print(call.out(), "{} is the default plan for {}\n", external_name_of(plan), type);
  return {};
}

}  // namespace chandler::svcat
