// CustomResourceDefinitions: names, versions, schemas. A definition is accepted only if everything in it will be
// honoured; what cannot be evaluated is refused.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "admission/crd_schemas.h"
#include "admission/kind_rules.h"
#include "base/text.h"
#include "meta/names.h"
#include "registry/kind_loader.h"

namespace chandler::admission {
namespace {

constexpr size_t kMaxSelectable = 8;
// Discovery repeats the names of a kind for each of its versions.
constexpr size_t kMaxVersions = 100;
constexpr size_t kMaxNames = 20;  // short names, and categories
// Every row of a table has a cell for each, however small the object is.
constexpr size_t kMaxColumns = 100;

const meta::Path& spec_path() {
  static const meta::Path path("spec");
  return path;
}

std::vector<std::string> storage_versions(const json::Value& spec) {
  std::vector<std::string> names;
  const auto* versions = json::array_at(spec, "versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    if (json::bool_at((*versions)[i], "storage").value_or(false))
      names.push_back(json::string_or((*versions)[i], "name"));
  }
  return names;
}

void check_label(const meta::Path& path, const std::string& text, meta::FieldErrors& errors) {
  if (text.empty()) return errors.required(path);
  if (const auto fault = meta::check_dns1035_label(text); !fault.empty()) errors.invalid(path, text, fault);
}

void check_names(const json::Value& object, const json::Value& spec, bool fresh, meta::FieldErrors& errors) {
  const auto path = spec_path().member("names");
  const auto* names = json::find(spec, "names");
  if (names == nullptr || !names->is_object()) return errors.required(path);
  const auto plural = json::string_or(*names, "plural");
  check_label(path.member("plural"), plural, errors);
  check_label(path.member("singular"), json::string_or(*names, "singular"), errors);
  for (const std::string_view key : {"kind", "listKind"}) {
    const auto text = json::string_or(*names, key);
    if (text.empty()) {
      errors.required(path.member(key));
    } else if (const auto fault = meta::check_dns1035_label(to_lower(text)); !fault.empty()) {
      errors.invalid(path.member(key), text, fault);
    }
  }
  if (const auto kind = json::string_or(*names, "kind"); !kind.empty() && kind == json::string_or(*names, "listKind")) {
    errors.invalid(path.member("listKind"), kind, "kind and listKind may not be the same");
  }
  for (const std::string_view list : {"shortNames", "categories"}) {
    const auto* items = json::array_at(*names, list);
    if (items != nullptr && items->size() > kMaxNames) errors.too_many(path.member(list), items->size(), kMaxNames);
    for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
      const std::string text((*items)[i].is_string() ? json::view((*items)[i].get_string()) : "");
      const auto fault = meta::check_dns1035_label(text);
      if (!fault.empty()) errors.invalid(path.member(list).index(i), text, fault);
    }
  }
  const auto name = json::string_or(object.at("metadata"), "name");
  const auto group = json::string_or(spec, "group");
  if (fresh && !plural.empty() && !group.empty() && name != plural + "." + group) {
    errors.invalid(meta::Path("metadata").member("name"), name, "must be spec.names.plural+\".\"+spec.group");
  }
}

void check_group(const json::Value& object, const json::Value& spec, meta::FieldErrors& errors) {
  const auto group = json::string_or(spec, "group");
  const auto path = spec_path().member("group");
  if (group.empty()) return errors.required(path);
  if (const auto fault = meta::check_dns1123_subdomain(group); !fault.empty()) {
    errors.invalid(path, group, fault);
  } else if (group.find('.') == std::string::npos) {
    errors.invalid(path, group, "should be a domain with at least one dot");
  }
  if (!registry::is_protected_group(group)) return;
  const auto* annotations = json::object_at(object.at("metadata"), "annotations");
  if (annotations == nullptr || !annotations->contains(registry::kApprovedAnnotation)) {
    errors.required(meta::Path("metadata").member("annotations").key(registry::kApprovedAnnotation),
                    "protected groups must have approval annotation \"api-approved.kubernetes.io\"");
  }
}

void check_versions(const json::Value& object, const json::Value& spec, meta::FieldErrors& errors) {
  const auto path = spec_path().member("versions");
  const auto* versions = json::array_at(spec, "versions");
  if (versions != nullptr && versions->size() > kMaxVersions) errors.too_many(path, versions->size(), kMaxVersions);
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const auto& version = (*versions)[i];
    const auto name = json::string_or(version, "name");
    check_label(path.index(i).member("name"), name, errors);
    if (!seen.insert(name).second) errors.duplicate(path.index(i).member("name"), json::Value(name));
    names.push_back(name);
    if (json::find_path(version, {"schema", "openAPIV3Schema"}) == nullptr) {
      errors.required(path.index(i).member("schema").member("openAPIV3Schema"), "schemas are required");
    }
    if (const auto* fields = json::array_at(version, "selectableFields");
        fields != nullptr && fields->size() > kMaxSelectable) {
      errors.too_many(path.index(i).member("selectableFields"), fields->size(), kMaxSelectable);
    }
  }
  const auto storage = storage_versions(spec);
  if (storage.size() != 1) {
    errors.invalid(path, join(names, ","), "must have exactly one version marked as storage version");
    errors.invalid(meta::Path("status").member("storedVersions"), join(storage, ","),
                   "must have at least one stored version");
  }
  const auto* status = json::find(object, "status");
  const auto* stored = status == nullptr ? nullptr : json::array_at(*status, "storedVersions");
  for (size_t i = 0; stored != nullptr && i < stored->size(); ++i) {
    const std::string name((*stored)[i].is_string() ? json::view((*stored)[i].get_string()) : "");
    if (!seen.contains(name)) {
      errors.invalid(meta::Path("status").member("storedVersions").index(i), name, "must appear in spec.versions");
    }
  }
}

void check_scale(const json::Value& spec, meta::FieldErrors& errors) {
  const auto* versions = json::array_at(spec, "versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const auto* scale = json::find_path((*versions)[i], {"subresources", "scale"});
    if (scale == nullptr) continue;
    const auto path = registry::version_path(versions->size(), i).member("subresources").member("scale");
    const auto starts = [&](std::string_view key, std::string_view prefix, std::string_view other) {
      const auto text = json::string_or(*scale, key);
      if (text.empty()) return errors.required(path.member(key));
      if (text.starts_with(prefix) || (!other.empty() && text.starts_with(other))) return;
      errors.invalid(path.member(key), text,
                     fmt::format("should be a path under {}", prefix.substr(0, prefix.size() - 1)));
    };
    starts("specReplicasPath", ".spec.", "");
    starts("statusReplicasPath", ".status.", "");
    if (json::find(*scale, "labelSelectorPath") != nullptr) starts("labelSelectorPath", ".status.", ".spec.");
  }
}

void check_columns(const json::Value& spec, meta::FieldErrors& errors) {
  const auto* versions = json::array_at(spec, "versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const auto* columns = json::array_at((*versions)[i], "additionalPrinterColumns");
    const auto path = registry::version_path(versions->size(), i).member("additionalPrinterColumns");
    if (columns != nullptr && columns->size() > kMaxColumns) errors.too_many(path, columns->size(), kMaxColumns);
    for (size_t c = 0; columns != nullptr && c < columns->size(); ++c) {
      const auto& column = (*columns)[c];
      if (json::string_or(column, "name").empty()) errors.required(path.index(c).member("name"));
      const auto type = json::string_or(column, "type");
      static const std::vector<std::string> kTypes = {"integer", "number", "string", "boolean", "date"};
      if (type.empty()) {
        errors.required(path.index(c).member("type"));
      } else if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
        errors.invalid(path.index(c).member("type"), type, "must be one of " + join(kTypes, ","));
      }
      const auto format = json::string_or(column, "format");
      static const std::vector<std::string> kFormats = {"int32", "int64", "float",     "double",
                                                        "byte",  "date",  "date-time", "password"};
      if (!format.empty() && std::find(kFormats.begin(), kFormats.end(), format) == kFormats.end()) {
        errors.invalid(path.index(c).member("format"), format, "must be one of " + join(kFormats, ","));
      }
      const auto json_path = json::string_or(column, "jsonPath");
      if (!json_path.starts_with(".")) {
        errors.invalid(path.index(c).member("JSONPath"), json_path, "is not a valid path: it must start with a dot");
      }
    }
  }
}

}  // namespace

void default_crd(Context& context) {
  auto& object = *context.object;
  auto* spec = json::find(object, "spec");
  auto* names = spec == nullptr ? nullptr : json::find(*spec, "names");
  if (names != nullptr && names->is_object()) {
    const auto kind = json::string_or(*names, "kind");
    if (json::string_or(*names, "singular").empty()) names->get_object()["singular"] = to_lower(kind);
    if (json::string_or(*names, "listKind").empty() && !kind.empty()) names->get_object()["listKind"] = kind + "List";
  }
  if (spec != nullptr && spec->is_object() && json::find(*spec, "conversion") == nullptr) {
    json::Object conversion;
    conversion["strategy"] = "None";
    spec->get_object()["conversion"] = std::move(conversion);
  }
  if (context.operation != registry::Operation::kCreate || spec == nullptr) return;
  json::Object accepted;
  accepted["plural"] = "";
  accepted["kind"] = "";
  json::Array stored;
  for (const auto& name : storage_versions(*spec)) stored.emplace_back(name);
  json::Object status;
  status["conditions"] = nullptr;
  status["acceptedNames"] = std::move(accepted);
  status["storedVersions"] = std::move(stored);
  object.as_object()["status"] = std::move(status);
}

void check_crd(const Context& context, meta::FieldErrors& errors) {
  const auto& object = *context.object;
  const auto* spec = json::find(object, "spec");
  if (spec == nullptr || !spec->is_object()) return;  // the schema has said so
  check_group(object, *spec, errors);
  check_names(object, *spec, context.old == nullptr, errors);
  check_versions(object, *spec, errors);
  check_scale(*spec, errors);
  check_columns(*spec, errors);
  if (json::bool_at(*spec, "preserveUnknownFields").value_or(false)) {
    errors.invalid(spec_path().member("preserveUnknownFields"), json::Value(true),
                   "must be false; use x-kubernetes-preserve-unknown-fields in the schema instead");
  }
  if (const auto* conversion = json::find(*spec, "conversion"); conversion != nullptr) {
    if (json::string_or(*conversion, "strategy") == "Webhook") {
      errors.forbidden(
          spec_path().member("conversion").member("strategy"),
          "conversion webhooks are not offered by this server yet; serve versions of one schema with None");
    }
  }
  const auto* old_spec = context.old == nullptr ? nullptr : json::find(*context.old, "spec");
  check_root_metadata(*spec, old_spec, errors);
  if (context.warnings != nullptr) warn_of_formats(*spec, old_spec, *context.warnings);
  // Compiling finds every fault of schemas, selectable fields and column paths.
  registry::load_kind(object, nullptr, nullptr, errors);
}

}  // namespace chandler::admission
