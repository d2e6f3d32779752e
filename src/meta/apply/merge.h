// Documents put together and taken apart as server-side apply does. Pure.
#pragma once

#include "json/value.h"
#include "meta/apply/field_set.h"
#include "meta/apply/place.h"

namespace chandler::meta {

// Lays `config` over `live`: maps member by member, sets and map lists item by item, everything else whole. Items that
// only `live` has stay, the others take the order of `config`. Both are objects; no item of `config` is there twice
// (fields_of_config has seen to it).
void merge_config(const SchemaNode* schema, json::Value& live, const json::Value& config);

// Takes out what `abandoned` has and `owned` has not. A member goes with all that is below it; a list's item or a
// map's key stays only when it is owned itself, a named member also when something below it is. What `config` names
// stays too: an empty list is no field that one could own, but it is a wish.
void remove_fields(const SchemaNode* schema, json::Value& object, const FieldSet& abandoned, const FieldSet& owned,
                   const json::Value& config);

}  // namespace chandler::meta
