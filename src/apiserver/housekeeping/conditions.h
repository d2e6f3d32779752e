// Conditions in an object's status.
#pragma once

#include <string>
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

}  // namespace chandler::apiserver
