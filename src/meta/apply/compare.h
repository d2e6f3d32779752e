// Which fields of a document came, changed or went; and which fields a document has. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"
#include "meta/apply/field_set.h"
#include "meta/apply/place.h"

namespace chandler::meta {

struct Comparison {
  FieldSet added, modified, removed;
  bool empty() const { return added.empty() && modified.empty() && removed.empty(); }
};

// Items of sets and of map lists are matched by what they are, so their order does not count.
Comparison compare_fields(const SchemaNode* schema, const json::Value& old, const json::Value& now,
                          const FieldScope& scope);

// All fields of an object that was not there before: what its creator owns.
FieldSet fields_of_new(const SchemaNode* schema, const json::Value& object, const FieldScope& scope);
// The same as FieldsV1 text in one pass, appended; false (and nothing appended) when there are none.
bool write_fields_of_new(std::string& out, const SchemaNode* schema, const json::Value& object,
                         const FieldScope& scope);

// What somebody wants who applies this document: its leaves, keys of maps and items of lists. BadRequest when an item
// occurs twice in a set or map list, or lacks its keys.
Result<FieldSet> fields_of_config(const SchemaNode* schema, const json::Value& config);

// A set that was written when the schema was another: who owned parts of what is one piece now owns the piece.
void fit_to_schema(const SchemaNode* schema, FieldSet& fields);

}  // namespace chandler::meta
