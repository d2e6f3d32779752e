// The rules that make the OpenAPI schema of a CRD structural, checked on the document itself, before it is compiled.
// Wrong JSON types of keywords are left to the compiler.
#pragma once

#include "json/value.h"
#include "meta/field_error.h"
#include "meta/schema.h"

namespace chandler::meta {

void check_structural(const json::Value& schema, const Path& path, const CompileOptions& options, FieldErrors& errors);

// Fragments are read on the honour of our own files: they are no roots, and may refer to other fragments.
void check_structural_fragment(const json::Value& schema, const Path& path, const CompileOptions& options,
                               FieldErrors& errors);

}  // namespace chandler::meta
