// How the spec of a ServiceInstance says which class and plan it wants: for the cluster and for its namespace by
// external name, external ID or object name, and what the controller found. Plain data and pure functions.
#pragma once

#include <array>
#include <string_view>

#include "admission/rules.h"

namespace chandler::admission {

// The fields of one scope; class and plan in the same order of ways to name them.
struct AddressFields {
  std::array<std::string_view, 3> classes;
  std::array<std::string_view, 3> plans;
  std::string_view class_ref;
  std::string_view plan_ref;
  std::string_view class_plural;
  std::string_view plan_plural;
  bool of_cluster;
};
const std::array<AddressFields, 2>& address_fields();  // cluster first

// The user asks for another plan than before.
bool plan_changed(const Context& context);
// Class or plan has been found.
bool is_resolved(const json::Value& object);

// Faults in which class, plan and references are given together.
void check_address(const Context& context, meta::FieldErrors& errors);

}  // namespace chandler::admission
