// Brokers, classes, plans, instances and bindings of the service catalog.
#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"

namespace chandler::apiserver {
namespace {

using namespace cells;

json::Value last_condition(const json::Value& object, WallTime) {
  const auto& conditions = array_at(object, {"status", "conditions"});
  if (conditions.empty()) return "";
  const auto& last = conditions.back();
  return json::Value(text_at(last, {text_at(last, {"status"}) == "True" ? "type" : "reason"}));
}

json::Value broker(const json::Value& object, WallTime) {
  return json::Value(
      first_of(text_at(object, {"spec", "serviceBrokerName"}), text_at(object, {"spec", "clusterServiceBrokerName"})));
}

json::Value plan_class(const json::Value& plan, WallTime) {
  return json::Value(first_of(text_at(plan, {"spec", "serviceClassRef", "name"}),
                              text_at(plan, {"spec", "clusterServiceClassRef", "name"})));
}

json::Value instance_class(const json::Value& instance, WallTime) {
  const auto cluster = first_of(text_at(instance, {"spec", "clusterServiceClassExternalName"}),
                                text_at(instance, {"spec", "clusterServiceClassExternalID"}),
                                text_at(instance, {"spec", "clusterServiceClassName"}));
  if (!cluster.empty()) return json::Value("ClusterServiceClass/" + std::string(cluster));
  const auto local =
      first_of(text_at(instance, {"spec", "serviceClassExternalName"}),
               text_at(instance, {"spec", "serviceClassExternalID"}), text_at(instance, {"spec", "serviceClassName"}));
  if (!local.empty()) return json::Value("ServiceClass/" + std::string(local));
  const auto resolved = text_at(instance, {"status", "resolution", "classExternalName"});
  if (resolved.empty()) return "";
  const bool in_cluster = text_at(instance, {"status", "resolution", "scope"}) == "Cluster";
  return json::Value((in_cluster ? "ClusterServiceClass/" : "ServiceClass/") + std::string(resolved));
}

json::Value instance_plan(const json::Value& instance, WallTime) {
  return json::Value(first_of(
      text_at(instance, {"spec", "clusterServicePlanExternalName"}),
      text_at(instance, {"spec", "clusterServicePlanExternalID"}),
      text_at(instance, {"spec", "clusterServicePlanName"}), text_at(instance, {"spec", "servicePlanExternalName"}),
      text_at(instance, {"spec", "servicePlanExternalID"}), text_at(instance, {"spec", "servicePlanName"}),
      text_at(instance, {"status", "resolution", "planExternalName"})));
}

constexpr NamedCell kCells[] = {
    {"last-condition", last_condition}, {"catalog-broker", broker},       {"plan-class", plan_class},
    {"instance-class", instance_class}, {"instance-plan", instance_plan},
};

}  // namespace

std::span<const NamedCell> catalog_cells() { return kCells; }

}  // namespace chandler::apiserver
