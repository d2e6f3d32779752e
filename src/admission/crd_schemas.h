// What kube-apiserver says about the schemas of a CustomResourceDefinition only while it is being written. A definition
// that is stored is served although it would be refused today, and may be changed in other respects.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::admission {

// The metadata of every object is the API's: a schema may restrict name and generateName, and say nothing else about
// it, not even a description. `old` is the spec before, or null.
void check_root_metadata(const json::Value& spec, const json::Value* old, meta::FieldErrors& errors);

// A warning for each format that nothing checks and that the spec before did not name yet.
void warn_of_formats(const json::Value& spec, const json::Value* old, std::vector<std::string>& warnings);

}  // namespace chandler::admission
