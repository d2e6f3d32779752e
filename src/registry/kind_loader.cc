#include "registry/kind_loader.h"

#include <set>
#include <utility>

#include "base/embedded.h"
#include "base/text.h"
#include "cel/rules.h"
#include "json/yaml.h"
#include "meta/schema_node.h"
#include "registry/kind_rules.h"

namespace chandler::registry {
namespace {

std::vector<std::string> strings(const json::Array* array) {
  std::vector<std::string> out;
  if (array == nullptr) return out;
  for (const auto& item : *array) {
    if (item.is_string()) out.emplace_back(json::view(item.get_string()));
  }
  return out;
}

void load_subresources(const json::Value& version, Version& out) {
  const auto* sub = json::find(version, "subresources");
  if (sub == nullptr) return;
  const auto* status = json::find(*sub, "status");
  out.has_status = status != nullptr && status->is_object();
  if (const auto* scale = json::find(*sub, "scale"); scale != nullptr && scale->is_object()) {
    ScalePaths paths;
    paths.spec_replicas = path_names(json::string_or(*scale, "specReplicasPath"));
    paths.status_replicas = path_names(json::string_or(*scale, "statusReplicasPath"));
    if (const auto text = json::string_at(*scale, "labelSelectorPath"); text && !text->empty()) {
      paths.label_selector = path_names(*text);
    }
    out.scale = std::move(paths);
  }
}

bool is_scalar(const meta::SchemaNode* node) {
  constexpr unsigned kScalars = meta::kTypeString | meta::kTypeBoolean | meta::kTypeInteger;
  return node != nullptr && node->types != 0 && (node->types & ~kScalars) == 0;
}

void load_selectable(const json::Value& version, const meta::Path& path, Version& out, meta::FieldErrors& errors) {
  const auto* fields = json::array_at(version, "selectableFields");
  if (fields == nullptr) return;
  std::set<std::string> labels;
  for (size_t i = 0; i < fields->size(); ++i) {
    const auto at = path.member("selectableFields").index(i).member("jsonPath");
    const std::string text = json::string_or((*fields)[i], "jsonPath");
    auto parsed = json::JsonPath::parse(text);
    if (!parsed.ok() || !parsed->is_simple()) {
      errors.invalid(at, text, "must be a simple path such as .spec.field");
      continue;
    }
    if (out.schema != nullptr && !is_scalar(meta::schema_at(*out.schema, parsed->names()))) {
      errors.invalid(at, text, "must point to a field of type string, boolean or integer in the schema");
      continue;
    }
    SelectableField field;
    field.path = parsed->names();
    field.label = join(field.path, ".");
    if (!labels.insert(field.label).second) {
      errors.duplicate(at, json::Value(text));
      continue;
    }
    out.selectable.push_back(std::move(field));
  }
}

void drop_defaults(json::Value& schema) {
  if (!schema.is_object()) return;
  auto& keywords = schema.get_object();
  keywords.erase("default");
  for (const auto* below : {"items", "additionalProperties"}) {
    if (auto* child = keywords.if_contains(below); child != nullptr) drop_defaults(*child);
  }
  if (auto* properties = keywords.if_contains("properties"); properties != nullptr && properties->is_object()) {
    for (auto& property : properties->get_object()) drop_defaults(property.value());
  }
}

// When nothing but defaults is wrong, what else refers to the schema can still be checked, and all is told at once.
meta::SchemaPtr schema_without_defaults(const json::Value& schema, const meta::CompileOptions& options) {
  json::Value rest(schema, json::Storage());
  drop_defaults(rest);
  meta::FieldErrors told_already;
  return meta::compile_schema(rest, meta::Path("schema"), options, told_already);
}

Version load_version(const json::Value& version, size_t count, size_t i, const meta::CompileOptions& options,
                     meta::FieldErrors& errors) {
  const auto path = version_path(count, i);
  Version out;
  out.name = json::string_or(version, "name");
  out.served = json::bool_at(version, "served").value_or(false);
  out.storage = json::bool_at(version, "storage").value_or(false);
  out.deprecated = json::bool_at(version, "deprecated").value_or(false);
  out.deprecation_warning = json::string_or(version, "deprecationWarning");
  if (const auto* schema = json::find_path(version, {"schema", "openAPIV3Schema"}); schema != nullptr) {
    out.schema = meta::compile_schema(*schema, schema_path(count, i), options, errors);
    if (out.schema == nullptr) out.schema = schema_without_defaults(*schema, options);
    if (out.schema != nullptr) out.rules = cel::compile_rules(*schema, out.schema, schema_path(count, i), errors);
  }
  load_subresources(version, out);
  load_selectable(version, path, out, errors);
  if (const auto* columns = json::array_at(version, "additionalPrinterColumns"); columns != nullptr) {
    for (size_t c = 0; c < columns->size(); ++c) {
      out.columns.push_back(load_column((*columns)[c], path.member("additionalPrinterColumns").index(c), errors));
    }
  }
  return out;
}

Result<std::vector<json::Value>> documents_of(const EmbeddedFile& file) {
  auto documents = json::parse_yaml_stream(file.content);
  if (!documents.ok()) {
    auto error = std::move(documents).error();
    error.message = "api/" + std::string(file.path) + ": " + error.message;
    return error;
  }
  return documents;
}

bool is_kind_file(std::string_view path) {
  return !path.starts_with("fragments/") && !path.starts_with("bootstrap/") && path.ends_with(".yaml");
}

}  // namespace

bool is_protected_group(std::string_view group) {
  return group == "k8s.io" || group == "kubernetes.io" || group.ends_with(".k8s.io") ||
         group.ends_with(".kubernetes.io");
}

std::vector<std::string> path_names(std::string_view dotted) {
  std::vector<std::string> names;
  if (!dotted.empty() && dotted.front() == '.') dotted.remove_prefix(1);
  for (const auto piece : split(dotted, '.')) names.emplace_back(piece);
  return names;
}

meta::Path version_path(size_t count, size_t i) {
  const meta::Path spec("spec");
  return count == 1 ? spec : spec.member("versions").index(i);
}

meta::Path schema_path(size_t count, size_t i) {
  return version_path(count, i).member(count == 1 ? "validation" : "schema").member("openAPIV3Schema");
}

Column load_column(const json::Value& column, const meta::Path& path, meta::FieldErrors& errors) {
  Column out;
  out.name = json::string_or(column, "name");
  out.type = json::string_or(column, "type", "string");
  out.format = json::string_or(column, "format");
  out.description = json::string_or(column, "description");
  out.priority = static_cast<int>(json::int_at(column, "priority").value_or(0));
  out.computed = json::string_or(column, "computed");
  if (const auto* fallback = json::find(column, "default")) out.fallback = *fallback;
  if (const auto text = json::string_at(column, "jsonPath")) {
    auto parsed = json::JsonPath::parse(*text);
    if (parsed.ok()) {
      out.path = std::move(parsed).value();
    } else {
      errors.invalid(path.member("JSONPath"), *text, parsed.error().message);
    }
  }
  return out;
}

std::shared_ptr<Kind> load_kind(const json::Value& crd, const json::Value* rules, meta::Fragments* fragments,
                                meta::FieldErrors& errors) {
  auto kind = std::make_shared<Kind>();
  const size_t before = errors.size();
  const auto* spec = json::find(crd, "spec");
  const auto* names = spec == nullptr ? nullptr : json::find(*spec, "names");
  if (names == nullptr) {
    errors.required(meta::Path("spec").member("names"));
    return nullptr;
  }
  kind->group = json::string_or(*spec, "group");
  kind->plural = json::string_or(*names, "plural");
  kind->kind = json::string_or(*names, "kind");
  kind->singular = json::string_or(*names, "singular", to_lower(kind->kind));
  kind->list_kind = json::string_or(*names, "listKind", kind->kind + "List");
  kind->short_names = strings(json::array_at(*names, "shortNames"));
  kind->categories = strings(json::array_at(*names, "categories"));
  kind->namespaced = json::string_or(*spec, "scope") != "Cluster";
  if (const auto* metadata = json::find(crd, "metadata")) {
    kind->crd_uid = json::string_or(*metadata, "uid");
    kind->crd_generation = json::int_at(*metadata, "generation").value_or(0);
  }

  meta::CompileOptions options;
  options.fragments = fragments;
  options.allow_metadata = rules != nullptr;
  if (const auto* versions = json::array_at(*spec, "versions")) {
    for (size_t i = 0; i < versions->size(); ++i) {
      kind->versions.push_back(load_version((*versions)[i], versions->size(), i, options, errors));
    }
  }
  if (kind->versions.empty()) return nullptr;  // the definition's own rules say that one is needed
  if (rules != nullptr) read_kind_rules(*rules, *kind, errors);
  if (errors.size() != before) return nullptr;
  kind->finish();
  return kind;
}

Result<std::unique_ptr<EmbeddedKinds>> EmbeddedKinds::load() {
  auto out = std::make_unique<EmbeddedKinds>();
  for (const auto& file : api_files()) {
    if (!file.path.starts_with("fragments/")) continue;
    CH_TRY_LET(documents, documents_of(file));
    std::string name(file.path.substr(10));
    name.resize(name.size() - 5);  // .yaml
    if (!documents.empty()) out->fragment_documents_.emplace(std::move(name), std::move(documents.front()));
  }
  auto* table = &out->fragment_documents_;
  out->fragments_ = std::make_unique<meta::Fragments>([table](std::string_view name) -> const json::Value* {
    const auto it = table->find(name);
    return it == table->end() ? nullptr : &it->second;
  });

  for (const auto& file : api_files()) {
    if (!is_kind_file(file.path)) continue;
    CH_TRY_LET(documents, documents_of(file));
    if (documents.size() != 2) return internal_error("api/" + std::string(file.path) + " must hold two documents");
    meta::FieldErrors errors;
    auto kind = load_kind(documents[0], &documents[1], out->fragments_.get(), errors);
    if (kind == nullptr) {
      return invalid({"", "CustomResourceDefinition", "api/" + std::string(file.path), ""}, errors.take());
    }
    out->kinds_.push_back(std::move(kind));
  }
  // Compiled schemas stay; their source documents are read again when OpenAPI asks.
  out->fragment_documents_.clear();
  return out;
}

Result<json::Value> EmbeddedKinds::document(std::string_view group, std::string_view plural) {
  const std::string path = std::string(group.empty() ? "core" : group) + "/" + std::string(plural) + ".yaml";
  for (const auto& file : api_files()) {
    if (file.path != path) continue;
    CH_TRY_LET(documents, documents_of(file));
    return std::move(documents.front());
  }
  return not_found({"apiextensions.k8s.io", "customresourcedefinitions", path, ""});
}

Result<json::Value> EmbeddedKinds::fragment(std::string_view name) {
  const std::string path = "fragments/" + std::string(name) + ".yaml";
  for (const auto& file : api_files()) {
    if (file.path == path) return json::parse_yaml(file.content);
  }
  return not_found({"", "fragments", std::string(name), ""});
}

}  // namespace chandler::registry
