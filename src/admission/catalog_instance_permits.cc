#include <fmt/format.h>

#include "admission/catalog_requester.h"
#include "admission/fields.h"
#include "admission/instance_address.h"
#include "admission/kind_rules.h"
#include "base/text.h"

namespace chandler::admission {
namespace {

// A broker works on one request at a time, and it was told on whose behalf: nobody changes the spec under it.
// A request that failed and waits to be repeated is different. Nothing runs at the broker then, and the change may be
// the very repair that the next attempt needs; the controller settles what it sent before it sends anything else.
Result<void> permit_change(const Context& context) {
  const auto& status = member(*context.old, "status");
  const auto operation = json::string_or(status, "currentOperation");
  if (operation.empty() || !spec_changed(context)) return {};
  const bool polling = json::bool_at(status, "asyncOpInProgress").value_or(false);
  const bool waits = !polling && filled(member(status, "retry"), "lastError");
  if (waits) return {};
  return fail(refusal(
      context, fmt::format("another operation is in progress: {}; change the spec when it has ended", operation)));
}

Result<void> permit_references(const Context& context) {
  const auto& now = member(*context.object, "spec");
  const auto& before = member(*context.old, "spec");
  for (const auto& fields : address_fields()) {
    for (const auto ref : {fields.class_ref, fields.plan_ref}) {
      // Taking it away is a matter of the defaults: only a new plan does.
      if (!filled(now, ref) || same(now, before, ref)) continue;
      if (requester_may(context, "update", context.plural, "reference", name_of(*context.object))) continue;
      return fail(
          refusal(context, fmt::format("spec.{} is filled in by the controller; others need the right to update "
                                       "serviceinstances/reference",
                                       ref)));
    }
  }
  return {};
}

// The spec of the class or plan that the instance has; null when there is none any more.
json::Value stored_spec(const Context& context, std::string_view plural, bool of_cluster, std::string_view ref) {
  const auto name = json::string_or(member(member(*context.old, "spec"), ref), "name");
  if (name.empty() || context.lookup == nullptr) return {};
  const auto ns = of_cluster ? std::string() : namespace_of(*context.old);
  const auto found = context.lookup->get(kCatalogGroup, plural, ns, name);
  return found == nullptr ? json::Value() : member(found->parse(), "spec");
}

// Whether an instance may leave its plan is said by the plan, else by the class. As long as the broker has nothing, a
// wrong choice may be corrected freely.
Result<void> permit_new_plan(const Context& context) {
  if (!plan_changed(context)) return {};
  const auto& status = member(*context.old, "status");
  const bool at_broker = json::string_or(status, "provisionStatus") == "Provisioned" ||
                         filled(status, "externalProperties") ||
                         json::string_or(status, "deprovisionStatus") == "Required";
  if (!at_broker) return {};
  json::Value of_class;
  json::Value of_plan;
  for (const auto& fields : address_fields()) {
    if (of_class.is_null()) of_class = stored_spec(context, fields.class_plural, fields.of_cluster, fields.class_ref);
    if (of_plan.is_null()) of_plan = stored_spec(context, fields.plan_plural, fields.of_cluster, fields.plan_ref);
  }
  if (of_class.is_null()) return {};  // the controller finds that out and says so
  const auto by_class = json::bool_at(of_class, "planUpdatable").value_or(false);
  if (json::bool_at(of_plan, "planUpdatable").value_or(by_class)) return {};
  return fail(refusal(context, fmt::format("the plan cannot be changed: {} does not allow instances to move to another "
                                           "plan; create another instance",
                                           json::bool_at(of_plan, "planUpdatable").has_value()
                                               ? "plan " + quoted(json::string_or(of_plan, "externalName"))
                                               : "class " + quoted(json::string_or(of_class, "externalName")))));
}

}  // namespace

Result<void> permit_service_instance(const Context& context) {
  if (by_catalog_controller(context)) return {};
  if (context.old != nullptr) {
    CH_TRY(permit_change(context));
    CH_TRY(permit_references(context));
    CH_TRY(permit_new_plan(context));
  }
  CH_TRY(permit_secrets(context, parameter_secrets(*context.object),
                        context.old == nullptr ? std::vector<SecretUse>() : parameter_secrets(*context.old)));
  return permit_abandon(context);
}

}  // namespace chandler::admission
