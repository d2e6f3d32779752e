#include "admission/table.h"

#include <algorithm>

#include "admission/catalog_requester.h"
#include "admission/kind_rules.h"

namespace chandler::admission {

// Every kind with rules of its own. What is not in this list is said by the kind's file under api/.
const std::vector<Rules>& all_rules() {
  static const std::vector<Rules> rules = {
      {.group = "",
       .plural = "namespaces",
       .defaults = {default_namespace},
       .checks = {check_namespace},
       .check_status = check_namespace_status,
       .permit_delete = permit_namespace_delete,
       .mark_deleted = terminate_namespace},
      {.group = "", .plural = "configmaps", .defaults = {default_config_map}, .checks = {check_config_map}},
      {.group = "", .plural = "secrets", .defaults = {default_secret}, .checks = {check_secret}},
      {.group = "", .plural = "events", .defaults = {}, .checks = {check_core_event}},
      {.group = "events.k8s.io", .plural = "events", .defaults = {}, .checks = {check_event}},
      {.group = "",
       .plural = "pods",
       .defaults = {apply_pod_presets, default_pod},
       .checks = {check_pod},
       .mark_deleted = terminate_pod},
      {.group = "", .plural = "services", .defaults = {default_service}, .checks = {check_service}},
      {.group = "",
       .plural = "persistentvolumeclaims",
       .defaults = {default_claim, default_storage_class_of_claim, keep_claim_order},
       .checks = {check_claim, check_claim_selector},
       .permit = permit_claim},
      {.group = "", .plural = "persistentvolumes", .defaults = {default_volume}, .checks = {check_volume}},

      {.group = "apps", .plural = "deployments", .defaults = {default_deployment}, .checks = {check_deployment}},
      {.group = "apps", .plural = "replicasets", .defaults = {default_replica_set}, .checks = {check_replica_set}},
      {.group = "apps", .plural = "statefulsets", .defaults = {default_stateful_set}, .checks = {check_stateful_set}},
      {.group = "apps", .plural = "daemonsets", .defaults = {default_daemon_set}, .checks = {check_daemon_set}},

      {.group = "batch", .plural = "jobs", .defaults = {default_job}, .checks = {check_job}},
      {.group = "batch", .plural = "cronjobs", .defaults = {default_cron_job}, .checks = {check_cron_job}},

      {.group = "storage.k8s.io",
       .plural = "storageclasses",
       .defaults = {default_storage_class},
       .checks = {check_storage_class}},

      {.group = "apiextensions.k8s.io",
       .plural = "customresourcedefinitions",
       .defaults = {default_crd},
       .checks = {check_crd}},

      {.group = "admissionregistration.k8s.io",
       .plural = "mutatingwebhookconfigurations",
       .defaults = {},
       .checks = {check_webhook_configuration}},
      {.group = "admissionregistration.k8s.io",
       .plural = "validatingwebhookconfigurations",
       .defaults = {},
       .checks = {check_webhook_configuration}},

      {.group = auth::kRbacGroup,
       .plural = "roles",
       .defaults = {default_role},
       .checks = {check_role},
       .permit = permit_role},
      {.group = auth::kRbacGroup,
       .plural = "clusterroles",
       .defaults = {default_role},
       .checks = {check_role},
       .permit = permit_role},
      {.group = auth::kRbacGroup,
       .plural = "rolebindings",
       .defaults = {default_role_binding},
       .checks = {check_role_binding},
       .permit = permit_role_binding},
      {.group = auth::kRbacGroup,
       .plural = "clusterrolebindings",
       .defaults = {default_role_binding},
       .checks = {check_role_binding},
       .permit = permit_role_binding},

      {.group = kCatalogGroup,
       .plural = "clusterservicebrokers",
       .defaults = {default_broker},
       .checks = {check_broker},
       .permit = permit_broker},
      {.group = kCatalogGroup,
       .plural = "servicebrokers",
       .defaults = {default_broker},
       .checks = {check_broker},
       .permit = permit_broker},
      {.group = kCatalogGroup,
       .plural = "clusterserviceclasses",
       .defaults = {default_service_class},
       .checks = {check_service_class},
       .permit = permit_offer},
      {.group = kCatalogGroup,
       .plural = "serviceclasses",
       .defaults = {default_service_class},
       .checks = {check_service_class},
       .permit = permit_offer},
      {.group = kCatalogGroup,
       .plural = "clusterserviceplans",
       .defaults = {default_service_plan},
       .checks = {check_service_plan},
       .permit = permit_offer},
      {.group = kCatalogGroup,
       .plural = "serviceplans",
       .defaults = {default_service_plan},
       .checks = {check_service_plan},
       .permit = permit_offer},
      {.group = kCatalogGroup,
       .plural = "serviceinstances",
       .defaults = {default_service_instance},
       .checks = {check_service_instance},
       .permit = permit_service_instance,
       .mark_deleted = record_deleter},
      {.group = kCatalogGroup,
       .plural = "servicebindings",
       .defaults = {default_service_binding},
       .checks = {check_service_binding},
       .permit = permit_service_binding,
       .mark_deleted = record_deleter},

      {.group = "servicecatalog.kyma-project.io",
       .plural = "usagekinds",
       .defaults = {default_usage_kind},
       .checks = {check_usage_kind},
       .permit = permit_usage_kind},
      {.group = "servicecatalog.kyma-project.io",
       .plural = "servicebindingusages",
       .defaults = {default_binding_usage},
       .checks = {check_binding_usage},
       .permit = permit_binding_usage},
      {.group = "settings.svcat.k8s.io", .plural = "podpresets", .defaults = {}, .checks = {check_pod_preset}},

      {.group = "core.crossplane.io",
       .plural = "resourceclasses",
       .defaults = {default_resource_class},
       .checks = {check_resource_class}},
      {.group = "core.crossplane.io", .plural = "providers", .defaults = {default_provider}, .checks = {}},
      {.group = "storage.crossplane.io",
       .plural = "postgresqlinstances",
       .defaults = {default_resource_claim},
       .checks = {check_resource_claim}},
      {.group = "storage.crossplane.io",
       .plural = "mysqlinstances",
       .defaults = {default_resource_claim},
       .checks = {check_resource_claim}},
      {.group = "storage.crossplane.io",
       .plural = "nosqlinstances",
       .defaults = {default_resource_claim},
       .checks = {check_resource_claim}},
      {.group = "storage.crossplane.io",
       .plural = "dynamodbinstances",
       .defaults = {default_resource_claim},
       .checks = {check_resource_claim}},
      {.group = "storage.crossplane.io",
       .plural = "buckets",
       .defaults = {default_resource_claim},
       .checks = {check_resource_claim}},
      {.group = "cache.crossplane.io",
       .plural = "redisclusters",
       .defaults = {default_resource_claim},
       .checks = {check_resource_claim}},
  };
  return rules;
}

const Rules& labelled_claim_rules() {
  static const Rules rules = {
      .group = "", .plural = "", .defaults = {default_labelled_claim}, .checks = {check_labelled_claim}};
  return rules;
}

const Rules* find_rules(std::string_view group, std::string_view plural) {
  const auto& rules = all_rules();
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const Rules& r) { return r.plural == plural && r.group == group; });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace chandler::admission
