// Puts the content of a PodPreset into a pod, or says why the two do not go together. All or nothing for each preset.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "json/value.h"

namespace chandler::admission {

// Both are specs. Volumes are merged by name; into every container and init container go env by name, envFrom by prefix
// and source, volumeMounts by name and by path. Equal entries are taken as one. An answer is a conflict, in words that
// name container and entry and no value; then the pod is as it was.
std::optional<std::string> merge_pod_preset(json::Object& pod_spec, const json::Value& preset_spec);

}  // namespace chandler::admission
