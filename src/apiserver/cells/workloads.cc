// Deployments and the like: everything with a pod template.
#include <fmt/format.h>

#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"
#include "base/text.h"
#include "meta/selector.h"

namespace chandler::apiserver {
namespace {

using namespace cells;

// The spec that holds selector and template: that of the Job which a CronJob makes, else the object's own.
const json::Value& owner_spec(const json::Value& object) {
  static const json::Value kNone;
  if (const auto* job = json::find_path(object, {"spec", "jobTemplate", "spec"}); job != nullptr) return *job;
  const auto* spec = json::find(object, "spec");
  return spec == nullptr ? kNone : *spec;
}

json::Value ready_replicas(const json::Value& object, WallTime) {
  return json::Value(
      fmt::format("{}/{}", int_at(object, {"status", "readyReplicas"}), int_at(object, {"spec", "replicas"})));
}

std::string of_containers(const json::Value& object, std::string_view member) {
  std::vector<std::string> values;
  for (const auto& container : array_at(owner_spec(object), {"template", "spec", "containers"})) {
    values.push_back(json::string_or(container, member));
  }
  return join(values, ",");
}

json::Value container_names(const json::Value& object, WallTime) { return json::Value(of_containers(object, "name")); }
json::Value container_images(const json::Value& object, WallTime) {
  return json::Value(of_containers(object, "image"));
}

json::Value label_selector(const json::Value& object, WallTime) {
  const auto* selector = json::find(owner_spec(object), "selector");
  if (selector == nullptr) return "<none>";
  const auto parsed = meta::LabelSelector::from_json(*selector);
  if (!parsed.ok() || parsed->empty()) return "<none>";
  return json::Value(parsed->str());
}

json::Value node_selector(const json::Value& object, WallTime) {
  return json::Value(pairs(object_at(owner_spec(object), {"template", "spec", "nodeSelector"})));
}

constexpr NamedCell kCells[] = {
    {"ready-replicas", ready_replicas}, {"container-names", container_names}, {"container-images", container_images},
    {"label-selector", label_selector}, {"node-selector", node_selector},
};

}  // namespace

std::span<const NamedCell> workload_cells() { return kCells; }

}  // namespace chandler::apiserver
