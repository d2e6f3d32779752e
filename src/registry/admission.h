// The hook through which rules of single kinds take part in writes. The engine calls it between defaulting and storing;
// src/admission implements it, one visible list per kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "auth/user.h"
#include "base/result.h"
#include "json/value.h"
#include "meta/field_error.h"
#include "registry/kind.h"

namespace chandler::registry {

enum class Operation { kCreate, kUpdate, kDelete };

struct AdmissionRequest {
  Operation operation = Operation::kCreate;
  const Kind* kind = nullptr;
  const Version* version = nullptr;
  std::string ns;
  std::string name;
  std::string subresource;     // "", "status", ...
  bool through_scale = false;  // an update of the whole object that came as a Scale, and is one to those outside
  bool with_status = false;    // a create or an update of the object and its status in one
  bool replaces = false;       // a PUT; its sender may not know the fields that it omits
  const auth::User* user = nullptr;
  bool dry_run = false;
  json::Value* object = nullptr;     // what will be stored; null on delete
  const json::Value* old = nullptr;  // what is stored; null on create
  std::vector<std::string>* warnings = nullptr;
  std::optional<int64_t> grace_seconds;  // of a delete
};

class Admission {
 public:
  virtual ~Admission() = default;
  // May change the object: defaults that need code, finalizers, who asked. Runs after schema defaults.
  virtual Result<void> mutate(AdmissionRequest& request) = 0;
  // Faults of the object go to `errors` (422, all of them); an Error refuses the request as a whole (403 and so on).
  virtual Result<void> validate(const AdmissionRequest& request, meta::FieldErrors& errors) = 0;
  // Of a write that has waited for others: whether there still is a place for it. Its namespace or the definition of
  // its kind may have gone meanwhile.
  virtual Result<void> permit_still(const AdmissionRequest& /*request*/) { return {}; }
};

}  // namespace chandler::registry
