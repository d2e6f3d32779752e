// Who owns which field, as a part of every write: metadata.managedFields of what is created, changed or applied. Pure
// functions over documents; src/meta/apply has the rules, here is what they mean for a request.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "meta/apply/managed_fields.h"
#include "registry/objects.h"

namespace chandler::registry {

// managedFields on their way through one write; what is kept here is no part of the documents meanwhile.
struct FieldRecord {
  std::string_view before;            // as stored, in the document that is stored; "": there are none
  std::optional<json::Value> wanted;  // as the request has them
  meta::ManagedFields applied;        // what applying made of them
};

// Takes the list out of a document's metadata.
std::optional<json::Value> take_managed_fields(json::Value& object);

// Of a new object: the list as JSON text, "" when there is none.
Result<std::string> record_of_new(const WriteRequest& request, const json::Value& object, WallTime now);

// What applying the request's configuration makes of `live` (without resourceVersion and managedFields). Conflict when
// that would change what others own.
Result<json::Value> apply_onto(const WriteRequest& request, const json::Value& live, WallTime now, FieldRecord& record);

// The list of an object that takes the place of `old`, as JSON text; "": nobody keeps record.
std::string record_of_change(const WriteRequest& request, const json::Value& old, WallTime now, FieldRecord& record,
                             const json::Value& object);

// Two lists, or none, that say the same but for the times.
bool differ_in_times_only(const std::optional<json::Value>& a, const std::optional<json::Value>& b);

void put_managed_fields(std::optional<json::Value> list, json::Value& object);

// The list of a text.
std::optional<json::Value> read_record(std::string_view text);

}  // namespace chandler::registry
