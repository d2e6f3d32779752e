#include "app/crd_export.h"

#include <utility>

#include <fmt/format.h>

#include "app/crd_immutability.h"
#include "json/yaml.h"
#include "registry/kind_loader.h"

namespace chandler::app {
namespace {

constexpr std::string_view kFragment = "fragment/";
constexpr int kMaxDepth = 64;

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
  for (auto& [key, value] : node.get_object()) CH_TRY(expand(value, depth + 1));
  return {};
}

}  // namespace

Result<std::string> export_crds(const std::string& group) {
  CH_TRY_LET(embedded, registry::EmbeddedKinds::load());
  std::string out;
  for (const auto& kind : embedded->kinds()) {
    if (kind->builtin || (!group.empty() && kind->group != group)) continue;
    CH_TRY_LET(document, registry::EmbeddedKinds::document(kind->group, kind->plural));
    CH_TRY(expand(document, 0));
    add_immutability(document, *kind);
    out += "---\n" + json::write_yaml(document);
  }
  if (out.empty()) {
    return bad_request(fmt::format("--group: there is no group \"{}\" that a cluster would need CRDs for", group));
  }
  return out;
}

}  // namespace chandler::app
