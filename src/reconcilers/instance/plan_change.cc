#include "reconcilers/instance/plan_change.h"

#include <fmt/format.h>

#include "reconcilers/catalog/reasons.h"

namespace chandler::reconcilers {
namespace {

// The plan that the broker has for the instance; empty when it has left the catalog.
PlanView plan_at_broker(const InstanceView& instance, const ClassView& service_class, controller::View& view) {
  const auto& names = names_of(service_class.scope());
  const client::Selection selection{std::string(service_class.object().ns()),
                                    {{"spec.externalID", instance.external_target().plan_id},
                                     {fmt::format("spec.{}.name", names.class_ref), service_class.name()}}};
  PlanView found;
  for (auto& object : view.list(names.plans, selection)) {
    PlanView plan(service_class.scope(), std::move(object));
    if (!found || plan.managed()) found = std::move(plan);
  }
  return found;
}

}  // namespace

std::optional<Problem> refused_move(const InstanceView& instance, const Resolution& resolution,
                                    controller::View& view) {
  const auto has = instance.external_target();
  if (!instance.provisioned() || has.empty()) return std::nullopt;
  const auto& service_class = resolution.service_class;
  if (has.service_id != service_class.external_id()) {
    return Problem{reason::kClassCannotChange,
                   fmt::format("The class cannot change: the broker has an instance of service \"{}\", and class "
                               "\"{}\" is another one. Name the former class again, or create another instance.",
                               has.service_id, service_class.external_name())};
  }
  if (has.plan_id == resolution.plan.external_id()) return std::nullopt;
  const auto leaves = plan_at_broker(instance, service_class, view);
  const auto by_plan = leaves ? leaves.plan_updatable() : std::nullopt;
  if (by_plan.value_or(service_class.plan_updatable())) return std::nullopt;
  return Problem{reason::kPlanNotUpdatable,
                 fmt::format("The plan cannot be changed: {} does not allow instances to move to another plan. Name "
                             "the former plan again, or create another instance.",
                             by_plan ? fmt::format("plan \"{}\"", leaves.external_name())
                                     : fmt::format("class \"{}\"", service_class.external_name()))};
}

}  // namespace chandler::reconcilers
