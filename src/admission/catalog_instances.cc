#include <fmt/format.h>

#include "admission/catalog_external_id.h"
#include "admission/catalog_finalizer.h"
#include "admission/catalog_metadata.h"
#include "admission/catalog_parameters.h"
#include "admission/catalog_requester.h"
#include "admission/fields.h"
#include "admission/instance_address.h"
#include "admission/kind_rules.h"
#include "base/text.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kUpdateRequests = "updateRequests";

// References are the controller's. A client that leaves them out did not mean to remove them, and a new plan has to
// be looked up, in both scopes.
void keep_references(Context& context) {
  if (context.old == nullptr || by_catalog_controller(context)) return;
  const auto& before = member(*context.old, "spec");
  const bool new_plan = plan_changed(context);
  auto& spec = object_in(*context.object, "spec");
  for (const auto& fields : address_fields()) {
    if (!filled(spec.if_contains(fields.class_ref))) copy_member(spec, before, fields.class_ref);
    const auto* ref = spec.if_contains(fields.plan_ref);
    const bool untouched = !filled(ref) || json::equal(*ref, member(before, fields.plan_ref));
    if (!untouched) continue;  // asks for another one: permitted or not, but not forgotten
    if (new_plan) {
      spec.erase(fields.plan_ref);
    } else {
      copy_member(spec, before, fields.plan_ref);
    }
  }
}

// What serves an instance was chosen for this type. Naming the type later is fine when it is the one it has.
void check_type(const Context& context, meta::FieldErrors& errors) {
  if (context.old == nullptr || by_catalog_controller(context) || !is_resolved(*context.old)) return;
  const auto& before = member(*context.old, "spec");
  const auto& now = member(*context.object, "spec");
  if (same(now, before, "serviceType")) return;
  const auto has = json::string_or(member(member(*context.old, "status"), "resolution"), "serviceType");
  const auto wanted = json::string_or(now, "serviceType");
  if (!filled(before, "serviceType") && !has.empty() && wanted == has) return;
  errors.invalid(meta::Path("spec").member("serviceType"), wanted,
                 "cannot change once class and plan are found; create another instance");
}

}  // namespace

void default_service_instance(Context& context) {
  add_catalog_finalizer(context);
  keep_catalog_finalizer(context);
  record_abandoner(context);
  default_external_id(context);
  keep_counter(context, kUpdateRequests);
  keep_references(context);
  static const HashedFields fields{"clusterServiceClassRef.name", "clusterServicePlanRef.name", "serviceClassRef.name",
                                   "servicePlanRef.name"};
  fields.label(context);
  record_requester(context);
}

void check_service_instance(const Context& context, meta::FieldErrors& errors) {
  check_address(context, errors);
  check_type(context, errors);
  check_external_id(context, errors);
  check_parameters(context, "parameters", errors);
  check_counter(context, kUpdateRequests, errors);
}

}  // namespace chandler::admission
