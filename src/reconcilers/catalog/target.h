// Where an operation goes: broker, service and plan. It is recorded in the properties in status, so that what was
// begun can be ended without looking at class or plan again.
#pragma once

#include <string>

#include "json/value.h"
#include "reconcilers/catalog/views.h"

namespace chandler::reconcilers {

struct Target {
  BrokerRef broker;
  std::string service_id;
  std::string plan_id;

  bool empty() const { return broker.empty() || service_id.empty(); }
};

// From the properties of an object in the namespace `ns`.
Target read_target(const json::Value& properties, std::string_view ns);
// Writes broker, class and plan into properties.
void write_target(json::Object& properties, const ClassView& service_class, const PlanView& plan);
// Adds only what properties lack of them.
void complete_target(json::Object& properties, const ClassView& service_class, const PlanView& plan);

}  // namespace chandler::reconcilers
