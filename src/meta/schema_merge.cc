// What strategic merge and selectors read off a schema, and the schema of metadata.
#include "base/check.h"
#include "json/reader.h"
#include "meta/schema.h"
#include "meta/schema_node.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kObjectMeta = R"({
  "type": "object",
  "properties": {
    "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
    "creationTimestamp": {"type": "string", "format": "date-time"},
    "deletionGracePeriodSeconds": {"type": "integer", "format": "int64"},
    "deletionTimestamp": {"type": "string", "format": "date-time"},
    "finalizers": {"type": "array", "items": {"type": "string"},
      "x-kubernetes-list-type": "set", "x-kubernetes-patch-strategy": "merge"},
    "generateName": {"type": "string"},
    "generation": {"type": "integer", "format": "int64"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "managedFields": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {
      "type": "object",
      "properties": {
        "apiVersion": {"type": "string"}, "fieldsType": {"type": "string"},
        "fieldsV1": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "manager": {"type": "string"}, "operation": {"type": "string"}, "subresource": {"type": "string"},
        "time": {"type": "string", "format": "date-time"}}}},
    "name": {"type": "string"},
    "namespace": {"type": "string"},
    "ownerReferences": {"type": "array",
      "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"],
      "items": {
        "type": "object", "x-kubernetes-map-type": "atomic", "required": ["uid"],
        "properties": {
          "apiVersion": {"type": "string"}, "blockOwnerDeletion": {"type": "boolean"},
          "controller": {"type": "boolean"}, "kind": {"type": "string"}, "name": {"type": "string"},
          "uid": {"type": "string"}}}},
    "resourceVersion": {"type": "string"},
    "selfLink": {"type": "string"},
    "uid": {"type": "string"}}
})";

const SchemaNode* node_of(json::MergeRules::Node node) { return static_cast<const SchemaNode*>(node); }

class SchemaMergeRules : public json::MergeRules {
 public:
  explicit SchemaMergeRules(SchemaPtr root) : root_(std::move(root)) {}

  Node root() const override { return root_.get(); }

  Node member(Node parent, std::string_view key) const override {
    if (parent == nullptr) return nullptr;
    const SchemaNode* known = node_of(parent)->member(key);
    return known == nullptr && parent == root_.get() && key == "metadata" ? &object_meta_schema() : known;
  }

  Node item(Node list) const override { return list == nullptr ? nullptr : node_of(list)->items; }

  ListRule rule(Node node) const override {
    const MergeStrategy* strategy = node == nullptr ? nullptr : node_of(node)->strategy;
    if (strategy == nullptr) return {};
    return {strategy->merge, strategy->retain_keys, strategy->merge_key};
  }

 private:
  SchemaPtr root_;
};

SchemaPtr compile_object_meta() {
  const auto document = json::parse(kObjectMeta);
  CH_CHECK(document.ok());
  CompileOptions options;
  options.allow_metadata = true;
  FieldErrors errors;
  SchemaPtr schema = compile_schema(*document, Path("metadata"), options, errors);
  CH_CHECK(schema != nullptr);
  return schema;
}

}  // namespace

const SchemaNode& object_meta_schema() {
  static const SchemaPtr schema = compile_object_meta();
  return *schema;
}

std::unique_ptr<json::MergeRules> merge_rules(SchemaPtr root) {
  return std::make_unique<SchemaMergeRules>(std::move(root));
}

const SchemaNode* schema_at(const SchemaNode& root, const std::vector<std::string>& names) {
  const SchemaNode* node = &root;
  for (size_t i = 0; i < names.size() && node != nullptr; ++i) {
    const SchemaNode* next = node->member(names[i]);
    if (next == nullptr && i == 0 && names[i] == "metadata") next = &object_meta_schema();
    node = next;
  }
  return node;
}

}  // namespace chandler::meta
