// What somebody owns after a write, from text to text: most of it stays, so no set is built. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "meta/apply/changes.h"

namespace chandler::meta {

// FieldsV1 in canonical form, fitted to the schema (see fit_to_schema), less what was changed. The writer's own have
// what it took, and lose only what went. Nothing when the text is no FieldsV1.
std::optional<std::string> edit_fields(std::string_view fields_v1, const SchemaNode* schema, const Changes& changes,
                                       bool is_writers);

}  // namespace chandler::meta
