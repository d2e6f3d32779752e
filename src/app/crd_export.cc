#include "app/crd_export.h"

#include <utility>

#include <fmt/format.h>

#include "app/crd_immutability.h"
#include "json/yaml.h"
#include "meta/format.h"
#include "registry/kind_loader.h"

namespace chandler::app {
namespace {

constexpr std::string_view kFragment = "fragment/";
constexpr int kMaxDepth = 64;

// What a quantity looks like, as the controller tools of Kubernetes write it into definitions.
constexpr std::string_view kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

// A cluster checks no format that belongs to Kubernetes' own kinds, and warns of it. A quantity keeps its check as a
// pattern.
void replace_format(json::Object& schema) {
  const auto* format = schema.if_contains("format");
  if (format == nullptr || !format->is_string()) return;
  const auto name = std::string(json::view(format->get_string()));
  const auto* type = schema.if_contains("type");
  const bool has_type = type != nullptr && type->is_string();
  if (meta::is_recognized_format(has_type ? json::view(type->get_string()) : "", name)) return;
  schema.erase("format");
  if (name != meta::format_name(meta::Format::kQuantity)) return;
  schema["anyOf"] = json::Array{json::Object{{"type", "integer"}}, json::Object{{"type", "string"}}};
  schema["pattern"] = kQuantityPattern;
}

// Puts each fragment in the place of its reference: a cluster knows no references in CRDs. Nor does it know the words
// for strategic merge patches, which fragments of Kubernetes' own kinds bring along.
Result<void> expand(json::Value& node, int depth) {
  if (depth > kMaxDepth) return internal_error("a schema refers to itself and cannot be written out");
  if (node.is_array()) {
    for (auto& item : node.get_array()) CH_TRY(expand(item, depth));
    return {};
  }
  if (!node.is_object()) return {};
  if (const auto ref = json::string_at(node, "$ref"); ref && ref->starts_with(kFragment)) {
    CH_TRY_LET(fragment, registry::EmbeddedKinds::fragment(ref->substr(kFragment.size())));
    node = std::move(fragment);
    return expand(node, depth + 1);
  }
  for (const std::string_view word : {"x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key"}) {
    node.get_object().erase(word);
  }
  replace_format(node.get_object());
  for (auto& [key, value] : node.get_object()) CH_TRY(expand(value, depth + 1));
  return {};
}

Result<void> expand_schemas(json::Value& definition) {
  auto* versions = json::find_path(definition, {"spec", "versions"});
  for (auto& version : versions->get_array()) {
    auto* schema = json::find_path(version, {"schema", "openAPIV3Schema"});
    CH_TRY(expand(*schema, 0));
    // Here `kubectl explain` shows what metadata is; a cluster knows it and refuses definitions that say so.
    if (auto* metadata = json::find_path(*schema, {"properties", "metadata"}))
      *metadata = json::Object{{"type", "object"}};
  }
  return {};
}

}  // namespace

Result<std::string> export_crds(const std::string& group) {
  CH_TRY_LET(embedded, registry::EmbeddedKinds::load());
  std::string out;
  for (const auto& kind : embedded->kinds()) {
    if (kind->builtin || (!group.empty() && kind->group != group)) continue;
    CH_TRY_LET(document, registry::EmbeddedKinds::document(kind->group, kind->plural));
    CH_TRY(expand_schemas(document));
    add_immutability(document, *kind);
    out += "---\n" + json::write_yaml(document);
  }
  if (out.empty()) {
    return bad_request(fmt::format("--group: there is no group \"{}\" that a cluster would need CRDs for", group));
  }
  return out;
}

}  // namespace chandler::app
