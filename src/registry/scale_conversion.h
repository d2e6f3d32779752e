// The scale subresource: an object seen as autoscaling/v1 Scale, by the paths that its kind declares, and what a Scale
// that somebody sent makes of the object. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "registry/kind.h"

namespace chandler::registry {

inline constexpr std::string_view kScaleGroup = "autoscaling";
inline constexpr std::string_view kScaleVersion = "v1";
inline constexpr std::string_view kScaleKind = "Scale";

// The Scale of an object that is complete, with resourceVersion. A selector in body form is told as text. Where the
// object says no number, `absent` stands for it: an object that is being scaled need not have had one.
json::Value scale_of(const ScalePaths& paths, const json::Value& object, int64_t absent = 0);

// Whether the object says how many replicas are wanted; a Scale without that number would be a guess.
bool has_replicas(const ScalePaths& paths, const json::Value& object);

// Faults of a Scale that somebody sent: BadRequest when it is no Scale, Invalid (about the Scale) when the number is
// bad.
Result<void> check_scale(const json::Value& scale, std::string_view name);

// Puts the number that a checked Scale wants into the object, and the resourceVersion it was made from, if any.
Result<void> put_scale(const ScalePaths& paths, const json::Value& scale, json::Value& object);

// The configuration of the object that a checked Scale means when it is applied: its replicas and nothing else.
json::Value scale_config(const Kind& kind, const Version& version, const json::Value& scale);

}  // namespace chandler::registry
