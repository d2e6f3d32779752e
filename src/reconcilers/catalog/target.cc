#include "reconcilers/catalog/target.h"

namespace chandler::reconcilers {

Target read_target(const json::Value& properties, std::string_view ns) {
  Target target;
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto& names = names_of(scope);
    if (auto broker = text_at(properties, names.broker_name); !broker.empty()) {
      target.broker = {scope, scope == Scope::kCluster ? "" : std::string(ns), std::move(broker)};
    }
    if (auto id = text_at(properties, names.class_external_id); !id.empty()) target.service_id = std::move(id);
    if (auto id = text_at(properties, names.plan_external_id); !id.empty()) target.plan_id = std::move(id);
  }
  return target;
}

void write_target(json::Object& properties, const ClassView& service_class, const PlanView& plan) {
  const auto broker = plan.broker();
  properties[names_of(broker.scope).broker_name] = text(broker.name);
  const auto& of_class = names_of(service_class.scope());
  properties[of_class.class_external_name] = text(service_class.external_name());
  properties[of_class.class_external_id] = text(service_class.external_id());
  const auto& of_plan = names_of(plan.scope());
  properties[of_plan.plan_external_name] = text(plan.external_name());
  properties[of_plan.plan_external_id] = text(plan.external_id());
}

void complete_target(json::Object& properties, const ClassView& service_class, const PlanView& plan) {
  json::Object whole;
  write_target(whole, service_class, plan);
  for (auto& [key, value] : whole) {
    const auto* there = properties.if_contains(key);
    if (there == nullptr || !there->is_string() || there->get_string().empty()) properties[key] = std::move(value);
  }
}

}  // namespace chandler::reconcilers
