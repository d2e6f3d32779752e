#include "svcat/catalog/kinds.h"

namespace chandler::svcat {
namespace {

Kind catalog_kind(std::string_view name, std::string plural, std::string_view noun, bool namespaced, bool optional) {
  return {name, kCatalogVersion, {"servicecatalog.k8s.io", "v1beta1", std::move(plural)}, noun, namespaced, optional};
}

Kind core_kind(std::string_view name, std::string plural, std::string_view noun, bool namespaced) {
  return {name, "v1", {"", "v1", std::move(plural)}, noun, namespaced, false};
}

}  // namespace

const ScopeNames& names_of(Scope scope) {
  static const Kind cluster_brokers =
      catalog_kind("ClusterServiceBroker", "clusterservicebrokers", "broker", false, false);
  static const Kind cluster_classes =
      catalog_kind("ClusterServiceClass", "clusterserviceclasses", "class", false, false);
  static const Kind cluster_plans = catalog_kind("ClusterServicePlan", "clusterserviceplans", "plan", false, false);
  static const Kind brokers = catalog_kind("ServiceBroker", "servicebrokers", "broker", true, true);
  static const Kind classes = catalog_kind("ServiceClass", "serviceclasses", "class", true, true);
  static const Kind plans = catalog_kind("ServicePlan", "serviceplans", "plan", true, true);
  static const ScopeNames cluster{Scope::kCluster,
                                  cluster_brokers,
                                  cluster_classes,
                                  cluster_plans,
                                  "clusterServiceBrokerName",
                                  "clusterServiceClassRef",
                                  "clusterServicePlanRef",
                                  "clusterServiceClassExternalName",
                                  "clusterServiceClassName",
                                  "clusterServicePlanExternalName",
                                  "clusterServicePlanName"};
  static const ScopeNames in_namespace{Scope::kNamespace,
                                       brokers,
                                       classes,
                                       plans,
                                       "serviceBrokerName",
                                       "serviceClassRef",
                                       "servicePlanRef",
                                       "serviceClassExternalName",
                                       "serviceClassName",
                                       "servicePlanExternalName",
                                       "servicePlanName"};
  return scope == Scope::kCluster ? cluster : in_namespace;
}

const Kind& instances_kind() {
  static const Kind kind = catalog_kind("ServiceInstance", "serviceinstances", "instance", true, false);
  return kind;
}
const Kind& bindings_kind() {
  static const Kind kind = catalog_kind("ServiceBinding", "servicebindings", "binding", true, false);
  return kind;
}
const Kind& secrets_kind() {
  static const Kind kind = core_kind("Secret", "secrets", "secret", true);
  return kind;
}
const Kind& events_kind() {
  static const Kind kind = core_kind("Event", "events", "event", true);
  return kind;
}
const Kind& config_maps_kind() {
  static const Kind kind = core_kind("ConfigMap", "configmaps", "config map", true);
  return kind;
}
const Kind& namespaces_kind() {
  static const Kind kind = core_kind("Namespace", "namespaces", "namespace", false);
  return kind;
}
const Kind& definitions_kind() {
  static const Kind kind{.name = "CustomResourceDefinition",
                         .version = "apiextensions.k8s.io/v1",
                         .resource = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                         .noun = "definition",
                         .namespaced = false};
  return kind;
}
const Kind& usages_kind() {
  static const Kind kind{.name = "ServiceBindingUsage",
                         .version = kUsageVersion,
                         .resource = {"servicecatalog.kyma-project.io", "v1alpha1", "servicebindingusages"},
                         .noun = "usage",
                         .story = "describe"};
  return kind;
}
const Kind& usage_kinds_kind() {
  static const Kind kind{.name = "UsageKind",
                         .version = kUsageVersion,
                         .resource = {"servicecatalog.kyma-project.io", "v1alpha1", "usagekinds"},
                         .noun = "usagekind",
                         .namespaced = false,
                         .story = "describe"};
  return kind;
}
const Kind& resource_classes_kind() {
  static const Kind kind{.name = "ResourceClass",
                         .version = kResourceClassVersion,
                         .resource = {"core.crossplane.io", "v1alpha1", "resourceclasses"},
                         .noun = "resourceclass",
                         .nouns = "resourceclasses",
                         .story = "describe"};
  return kind;
}
const Kind& storage_classes_kind() {
  static const Kind kind{.name = "StorageClass",
                         .version = "storage.k8s.io/v1",
                         .resource = {"storage.k8s.io", "v1", "storageclasses"},
                         .noun = "storageclass",
                         .namespaced = false,
                         .nouns = "storageclasses",
                         .story = "describe"};
  return kind;
}
const Kind& volume_claims_kind() {
  static const Kind kind{.name = "PersistentVolumeClaim",
                         .version = "v1",
                         .resource = {"", "v1", "persistentvolumeclaims"},
                         .noun = "pvc",
                         .story = "explain"};
  return kind;
}
const Kind& volumes_kind() {
  static const Kind kind = core_kind("PersistentVolume", "persistentvolumes", "volume", false);
  return kind;
}

}  // namespace chandler::svcat
