// Which class and plan an instance gets, and why. Reads the catalog through the View; the decision itself is that of
// src/resolve.
#pragma once

#include <string>

#include "controller/view.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/catalog/settings.h"
#include "reconcilers/catalog/views.h"
#include "reconcilers/instance/instance_view.h"

namespace chandler::reconcilers {

struct Resolution {
  ClassView service_class;
  PlanView plan;
  std::string rule;     // Named, OnlyPlan, DefaultPlan, SuggestedPlan
  std::string message;  // the decision in a sentence
  std::string service_type;
};

// What the spec asks for now. References that were resolved before and still fit are kept.
Found<Resolution> resolve_instance(const InstanceView& instance, const Settings& settings, controller::View& view);

// status.resolution, without the time.
json::Object describe(const Resolution& resolution, json::Storage memory);

}  // namespace chandler::reconcilers
