// What the rules of one kind are made of: pure functions over a document. They are listed in table.cc, which is the
// place to start reading. Plain data, immutable after start-up, used by all threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/lookup.h"
#include "auth/policy.h"
#include "auth/user.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "meta/field_error.h"
#include "registry/admission.h"

namespace chandler::admission {

// The write under way, as a rule sees it. Everything is borrowed.
struct Context {
  registry::Operation operation = registry::Operation::kCreate;
  bool namespaced = true;            // scope of the kind: twins such as Role and ClusterRole share their rules
  std::string_view plural;           // of the kind, for messages and questions of access
  json::Value* object = nullptr;     // what will be stored, on delete with its marks; null for permit_delete alone
  const json::Value* old = nullptr;  // what is stored; null on create
  std::string_view subresource;
  bool replaces = false;  // a PUT; its sender may not know the fields that it omits
  const auth::User* user = nullptr;
  const auth::Policy* policy = nullptr;
  const Lookup* lookup = nullptr;
  WallTime now;
  std::optional<int64_t> grace_seconds;          // asked for by a delete
  std::vector<std::string>* warnings = nullptr;  // for the client; null: nobody listens
};

using Change = void (*)(Context&);
using Check = void (*)(const Context&, meta::FieldErrors&);
using Permit = Result<void> (*)(const Context&);

// The steps for one kind, each list in order. All of them but the last three are for create, update and the
// subresources other than status.
struct Rules {
  std::string_view group;
  std::string_view plural;
  std::vector<Change> defaults;
  std::vector<Check> checks;
  Permit permit = nullptr;       // refuses the request as a whole
  Check check_status = nullptr;  // the only rule for the status subresource
  Permit permit_delete = nullptr;
  Change mark_deleted = nullptr;  // what a deletion that takes time changes besides the marks
};

}  // namespace chandler::admission
