// Small changes to objects that several duties make: conditions in the status, finalizers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace chandler::apiserver {

struct ConditionText {
  std::string type;
  bool on = false;
  std::string reason;
  std::string message;
};

// Sets these conditions, others stay. lastTransitionTime moves only when a status changes.
void set_conditions(json::Value& object, const std::vector<ConditionText>& conditions, const std::string& now);

// Takes a finalizer off an object.
void drop_finalizer(json::Value& object, std::string_view name);

}  // namespace chandler::apiserver
