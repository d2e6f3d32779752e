// Name, label, annotation and finalizer rules. Each check returns "" when fine, else what is wrong, in the API's words.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::meta {

std::string check_dns1123_subdomain(std::string_view name);
std::string check_dns1123_label(std::string_view name);
std::string check_dns1035_label(std::string_view name);
std::string check_path_segment(std::string_view name);
std::string check_qualified_name(std::string_view name);  // label keys
std::string check_label_value(std::string_view value);
std::string check_config_key(std::string_view key);       // ConfigMap and Secret keys

enum class NameRule { kDns1123Subdomain, kDns1123Label, kDns1035Label, kPathSegment };
std::string check_name(NameRule rule, std::string_view name);

// Rules for everything in metadata but the name: types of the fields, labels, annotations (total 256 KiB), finalizers,
// ownerReferences. `old` is the stored metadata on update (immutable fields, no new finalizers while deleting).
void validate_metadata(const json::Value& metadata, const json::Value* old, FieldErrors& errors);

}  // namespace chandler::meta
