// Merging layers of parameters (class, plan, then instance or binding) with a record of who set what. Pure,
// thread-safe.
//
// Objects merge member by member; lists and scalars replace what is below them whole. A null removes what the layers
// below have set and is never part of the result, also when there was nothing to remove: a broker is never sent a null
// member. (A null inside a list is a value like any other.) All layers pass the bounds of parameter_bounds.h first.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>

#include "base/result.h"
#include "json/value.h"
#include "resolve/parameter_bounds.h"

namespace chandler::resolve {

struct ParameterLayer {
  std::string name;                    // "Class", "Plan", "Instance", "Binding": what the sources say
  const json::Value* value = nullptr;  // an object; null pointer or JSON null: the layer sets nothing
};

struct MergedParameters {
  json::Value value;     // always an object
  json::Value defaults;  // an object: what the layers below the last one give by themselves
  // For each leaf of `value` the name of the layer that set it last. The keys are JSON pointers; objects are entered, a
  // list is one leaf, and so is an empty object (but the whole when it is empty). An object that lost its last member
  // to a null belongs to the layer with the null.
  std::map<std::string, std::string> sources;
};

// `layers` from the lowest to the highest; the last one is the user's. Top-level keys in `suppressed` (given by
// parametersFrom) are left out of all layers but the last.
Result<MergedParameters> merge_parameters(std::span<const ParameterLayer> layers,
                                          const std::set<std::string, std::less<>>& suppressed = {},
                                          const ParameterBounds& bounds = {});

}  // namespace chandler::resolve
