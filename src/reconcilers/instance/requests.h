// What the broker is sent about an instance. Pure.
#pragma once

#include "osb/call.h"
#include "reconcilers/catalog/settings.h"
#include "reconcilers/instance/instance_view.h"

namespace chandler::reconcilers {

// `space` is the uid of the namespace; `parameters` is an object, or null when there are none.
osb::Call provision_call(const InstanceView& instance, const Target& target, const json::Value& parameters,
                         std::string_view space, const Settings& settings);

// What an update changes; the rest stays as it is.
struct UpdateRequest {
  Target before;  // where the instance is now
  Target after;
  bool with_parameters = false;
  json::Value parameters;  // empty object: all were removed
  bool with_plan = false;
};
osb::Call update_call(const InstanceView& instance, const UpdateRequest& update, const Settings& settings);

osb::Call deprovision_call(const InstanceView& instance, const Target& target);
// `target` is the plan before an update.
osb::Call poll_call(const InstanceView& instance, const Target& target);
osb::Call get_call(const InstanceView& instance, const Target& target);

}  // namespace chandler::reconcilers
