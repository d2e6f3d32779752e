// What no text of a broker about an instance may repeat: parameters that it was sent from secrets or that the plan
// calls sensitive, and the credentials of the instance's bindings.
#pragma once

#include "controller/view.h"
#include "osb/sensitive.h"
#include "reconcilers/catalog/settings.h"
#include "reconcilers/instance/instance_view.h"

namespace chandler::reconcilers {

// `status`: with the properties of the request; `plan` may be none.
osb::Sensitive secrets_of(const InstanceView& instance, const json::Value& status, const PlanView& plan,
                          const Settings& settings, controller::View& view);
// As it is stored, with the plan that it refers to.
osb::Sensitive secrets_of(const InstanceView& instance, const Settings& settings, controller::View& view);
// Of its requests alone, without bindings.
void add_instance_parameters(osb::Sensitive& out, const InstanceView& instance, const json::Value& status,
                             const PlanView& plan, const Settings& settings, controller::View& view);

}  // namespace chandler::reconcilers
