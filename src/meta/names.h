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
std::string check_config_key(std::string_view key);  // ConfigMap and Secret keys

enum class NameRule { kDns1123Subdomain, kDns1123Label, kDns1035Label, kPathSegment };
std::string check_name(NameRule rule, std::string_view name);

// Where the metadata stands, and how strict finalizer names are: built-in kinds demand a domain (x.io/f) or one of the
// names of the system, custom resources take any qualified name.
struct MetadataOptions {
  std::string_view path = "metadata";
  bool finalizers_need_domain = true;
};

// Rules for everything in metadata but the name: types of the fields, labels, annotations (total 256 KiB), finalizers,
// ownerReferences. `old` is the stored metadata on update (immutable fields, no new finalizers while deleting); a field
// that an update leaves out counts as unchanged, but for finalizers.
void validate_metadata(const json::Value& metadata, const json::Value* old, FieldErrors& errors,
                       const MetadataOptions& options = {});

// The label rules alone, for labels outside of metadata (selectors, templates). Faults are reported at `path` itself.
void validate_labels(const json::Value& labels, const Path& path, FieldErrors& errors);

}  // namespace chandler::meta
