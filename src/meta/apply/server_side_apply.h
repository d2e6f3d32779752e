// Ownership of fields when a configuration is applied: what it makes of an object, and with whom it is in conflict.
// Pure; the same for all kinds. Ordinary writes: managed_list.h.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "meta/apply/managed_fields.h"
#include "meta/apply/place.h"

namespace chandler::meta {

struct ApplyRequest {
  const SchemaNode* schema = nullptr;
  FieldScope scope;
  FieldManager manager;
  bool force = false;
};

struct Applied {
  json::Value object;
  ManagedFields managed;
};

// Lays `config` over `live` (both without managedFields): what the manager has applied before and leaves out now goes,
// unless somebody else owns it. A value that somebody else owns and the config wants otherwise is a Conflict with one
// cause per field; with force, the other one loses the field. `managed` empty: nobody has kept record, so all that is
// there counts as set before. The time of the applier's own entry is the one it had, if any: whether the object changed
// in the end, with defaults and all, is for the caller to see.
Result<Applied> apply_config(const ApplyRequest& request, const json::Value& live, const json::Value& config,
                             ManagedFields managed);

// The entry of somebody who has just created the object by applying `config`.
Result<ManagedFields> managed_by_applying(const ApplyRequest& request, const json::Value& config);

// What `kubectl apply` without --server-side keeps in an annotation, and who may take it over.
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
inline constexpr std::string_view kKubectl = "kubectl";
inline constexpr std::string_view kBeforeFirstApply = "before-first-apply";

}  // namespace chandler::meta
