#include "resolve/merge_parameters.h"

#include <fmt/format.h>

namespace chandler::resolve {
namespace {

using Suppressed = std::set<std::string, std::less<>>;

// The result under construction. Leaves point into the layers, so nothing is copied before all is decided.
struct Node {
  const json::Value* leaf = nullptr;  // null: an object
  const std::string* source = nullptr;
  std::map<std::string, Node, std::less<>> members;
};

void merge_value(Node& node, const json::Value& value, const std::string& source, const Suppressed* suppressed) {
  const auto* object = value.if_object();
  if (object == nullptr) {
    node = Node{&value, &source, {}};
    return;
  }
  node.leaf = nullptr;
  node.source = &source;
  for (const auto& member : *object) {
    const std::string_view key = member.key();
    if (suppressed != nullptr && suppressed->contains(key)) continue;
    if (!member.value().is_null()) {
      merge_value(node.members[std::string(key)], member.value(), source, nullptr);
    } else if (const auto below = node.members.find(key); below != node.members.end()) {
      node.members.erase(below);
    }
  }
}

json::Value to_value(const Node& node) {
  if (node.leaf != nullptr) return json::Value(*node.leaf, json::Storage());
  json::Object object;
  object.reserve(node.members.size());
  for (const auto& [key, member] : node.members) object.emplace(key, to_value(member));
  return object;
}

void collect_sources(const Node& node, std::string& pointer, std::map<std::string, std::string>& sources) {
  if (node.leaf != nullptr || node.members.empty()) {
    if (!pointer.empty()) sources.emplace(pointer, *node.source);
    return;
  }
  const size_t size = pointer.size();
  for (const auto& [key, member] : node.members) {
    append_pointer(pointer, key);
    collect_sources(member, pointer, sources);
    pointer.resize(size);
  }
}

}  // namespace

Result<MergedParameters> merge_parameters(std::span<const ParameterLayer> layers, const Suppressed& suppressed,
                                          const ParameterBounds& bounds) {
  MergedParameters merged;
  merged.defaults = json::Object();
  Node root;
  for (const ParameterLayer& layer : layers) {
    const bool is_last = &layer == &layers.back();
    if (is_last) merged.defaults = to_value(root);
    if (layer.value == nullptr || layer.value->is_null()) continue;
    const std::string what = fmt::format("the parameters of the {}", layer.name);
    if (!layer.value->is_object()) {
      return bad_request(fmt::format("{} must be an object, not {}", what, json::type_name(*layer.value)));
    }
    CH_TRY(check_bounds(*layer.value, what, bounds));
    merge_value(root, *layer.value, layer.name, is_last ? nullptr : &suppressed);
  }
  merged.value = to_value(root);
  CH_TRY(check_bounds(merged.value, "the merged parameters", bounds));
  std::string pointer;
  collect_sources(root, pointer, merged.sources);
  return merged;
}

}  // namespace chandler::resolve
