// metadata.managedFields: who set which fields, and how. An entry is told apart from others by manager, operation and
// subresource, and of an Update also by the version that was written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "meta/apply/field_set.h"

namespace chandler::meta {

struct ManagedEntry {
  enum class Operation { kApply, kUpdate };

  std::string manager;
  Operation operation = Operation::kUpdate;
  std::string api_version;
  std::string subresource;
  std::string time;  // RFC 3339, as written
  FieldSet fields;

  bool is_of(const ManagedEntry& other) const;  // the same identity
};

using ManagedFields = std::vector<ManagedEntry>;

// Who writes, for entries and messages.
struct FieldManager {
  std::string_view name;
  std::string_view api_version;
  std::string_view subresource;
  std::string_view now;  // RFC 3339
};

ManagedEntry entry_of(const FieldManager& manager, ManagedEntry::Operation operation, FieldSet fields);

// An entry of the wrong form is BadRequest.
Result<ManagedFields> read_managed_fields(const json::Value& list);
// In the order of the API: Apply before Update, then by time and manager. Entries without fields are left out.
json::Value write_managed_fields(const ManagedFields& entries);
// One of them as text, appended.
void write_managed_entry(std::string& out, const FieldManager& by, ManagedEntry::Operation operation,
                         std::string_view fields_v1);

// A list that asks for all to be forgotten: empty, or of one empty entry.
bool is_managed_fields_reset(const json::Value& list);

// The list of an object that was just created by `creator`, as JSON text; "" when it owns nothing.
std::string managed_fields_text(const FieldManager& creator, std::string_view fields_v1);

// More managers than this that write without applying are more than anybody wants to read about: the oldest become one.
inline constexpr size_t kMaxUpdateManagers = 10;
inline constexpr std::string_view kAncientChanges = "ancient-changes";
void cap_update_managers(ManagedFields& entries);

}  // namespace chandler::meta
