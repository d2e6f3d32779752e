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

}  // namespace

Result<void> make_default(Call& call, const json::Value& plan) {
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(service_class, class_of(call, plan));
  const auto type = effective_type(plan, service_class);
  if (type.empty()) {
    return bad_request(fmt::format("plan {} has no service type, so it cannot be the default of one; give it one with "
                                   "--type TYPE",
                                   external_name_of(plan)));
  }
  const auto& names = names_of(scope_of(plan));
  // Types of classes count for their plans too, so the selector of the server would find too little.
  CH_TRY_LET(plans, catalog->list(names.plans, namespace_of(plan)));
  CH_TRY(catalog->patch(names.plans, namespace_of(plan), name_of(plan), mark("true")));
  for (const auto& other : plans) {
    if (!is_default(other) || name_of(other) == name_of(plan)) continue;
    json::Value owner;
    if (type_of(other).empty()) {
      CH_TRY_LET(found, class_of(call, other));
      owner = std::move(found);
    }
    if (effective_type(other, owner) != type) continue;
    const auto unmarked = catalog->patch(names.plans, namespace_of(other), name_of(other), mark(json::Value()));
    if (!unmarked.ok() && !is_not_found(unmarked.error())) return unmarked.error();
    fmt::print(call.out(), "{} is no longer the default plan for {}\n", external_name_of(other), type);
  }
  fmt::print(call.out(), "{} is the default plan for {}\n", external_name_of(plan), type);
  return {};
}

}  // namespace chandler::svcat
