// The scale subresource: an object seen as autoscaling/v1 Scale, by the paths that its kind declares. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "registry/kind.h"

namespace chandler::apiserver {

// The Scale of an object that is complete, with resourceVersion. A selector in body form is told as text. Where the
// object says no number, `absent` stands for it: an object that is being scaled need not have had one.
json::Value scale_of(const registry::ScalePaths& paths, const json::Value& object, int64_t absent = 0);

// Whether the object says how many replicas are wanted; a Scale without that number would be a guess.
bool has_replicas(const registry::ScalePaths& paths, const json::Value& object);

// Faults of a Scale that somebody sent: BadRequest when it is no Scale, Invalid (about the Scale) when the number is
// bad.
Result<void> check_scale(const json::Value& scale, std::string_view name);

// Puts the number that a checked Scale wants into the object, and the resourceVersion it was made from, if any.
Result<void> put_scale(const registry::ScalePaths& paths, const json::Value& scale, json::Value& object);

// What a table of Scales shows.
const registry::Version& scale_columns();

}  // namespace chandler::apiserver
