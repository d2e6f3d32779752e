// Class and plan of an instance, as its references name them, and what follows from them. Pure.
#pragma once

#include <chrono>

#include "controller/view.h"
#include "reconcilers/catalog/settings.h"
#include "reconcilers/catalog/views.h"
#include "reconcilers/instance/instance_view.h"

namespace chandler::reconcilers {

struct InstanceOffer {
  ClassView service_class;  // false when there is none
  PlanView plan;            // likewise
};
InstanceOffer offer_of(const InstanceView& instance, controller::View& view);

// How long the broker may work on it: as the plan says, but not longer than the settings allow.
std::chrono::seconds polling_limit(const InstanceView& instance, const Settings& settings, controller::View& view);

}  // namespace chandler::reconcilers
