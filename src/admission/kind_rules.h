// The rules of every kind, by the file they are in. Pure: `default_` functions complete the object after the schema's
// defaults, `check_` functions add what is wrong with it, `permit_` functions refuse a request as a whole. The schema,
// the metadata and the immutable fields of the kind's own file have been seen to by the engine.
#pragma once

#include "admission/rules.h"

namespace chandler::admission {

// namespaces.cc
void default_namespace(Context& context);
void check_namespace(const Context& context, meta::FieldErrors& errors);
void check_namespace_status(const Context& context, meta::FieldErrors& errors);
Result<void> permit_namespace_delete(const Context& context);
void terminate_namespace(Context& context);

// config_data.cc
void default_config_map(Context& context);
void check_config_map(const Context& context, meta::FieldErrors& errors);
void default_secret(Context& context);
void check_secret(const Context& context, meta::FieldErrors& errors);

// events.cc; both are given the stored form, that of the core group
void check_core_event(const Context& context, meta::FieldErrors& errors);
void check_event(const Context& context, meta::FieldErrors& errors);  // made through events.k8s.io

// pods.cc
void default_pod(Context& context);
void check_pod(const Context& context, meta::FieldErrors& errors);
void terminate_pod(Context& context);

// services.cc
void default_service(Context& context);
void check_service(const Context& context, meta::FieldErrors& errors);

// volumes.cc
void default_claim(Context& context);
void default_storage_class_of_claim(Context& context);
void check_claim(const Context& context, meta::FieldErrors& errors);
Result<void> permit_claim(const Context& context);
void default_volume(Context& context);
void check_volume(const Context& context, meta::FieldErrors& errors);

// storage_classes.cc
void default_storage_class(Context& context);
void check_storage_class(const Context& context, meta::FieldErrors& errors);

// storage_selectors.cc
void keep_claim_order(Context& context);
void check_claim_selector(const Context& context, meta::FieldErrors& errors);

// workloads.cc
void default_deployment(Context& context);
void check_deployment(const Context& context, meta::FieldErrors& errors);
void default_replica_set(Context& context);
void check_replica_set(const Context& context, meta::FieldErrors& errors);
void default_stateful_set(Context& context);
void check_stateful_set(const Context& context, meta::FieldErrors& errors);
void default_daemon_set(Context& context);
void check_daemon_set(const Context& context, meta::FieldErrors& errors);

// jobs.cc
void default_job(Context& context);
void check_job(const Context& context, meta::FieldErrors& errors);
void default_cron_job(Context& context);
void check_cron_job(const Context& context, meta::FieldErrors& errors);

// rbac.cc
void default_role(Context& context);
void check_role(const Context& context, meta::FieldErrors& errors);
Result<void> permit_role(const Context& context);
void default_role_binding(Context& context);
void check_role_binding(const Context& context, meta::FieldErrors& errors);
Result<void> permit_role_binding(const Context& context);

// catalog_brokers.cc; the kinds of both scopes share the rules, here and below
void default_broker(Context& context);
void check_broker(const Context& context, meta::FieldErrors& errors);
Result<void> permit_broker(const Context& context);

// catalog_offers.cc
void default_service_class(Context& context);
void check_service_class(const Context& context, meta::FieldErrors& errors);
void default_service_plan(Context& context);
void check_service_plan(const Context& context, meta::FieldErrors& errors);
Result<void> permit_offer(const Context& context);

// catalog_instances.cc
void default_service_instance(Context& context);
void check_service_instance(const Context& context, meta::FieldErrors& errors);

// catalog_instance_permits.cc
Result<void> permit_service_instance(const Context& context);

// catalog_bindings.cc
void default_service_binding(Context& context);
void check_service_binding(const Context& context, meta::FieldErrors& errors);
Result<void> permit_service_binding(const Context& context);

// catalog_requester.cc
void record_deleter(Context& context);  // the broker is told who deletes

// claims.cc; all kinds of claims share the rules
void default_resource_claim(Context& context);
void check_resource_claim(const Context& context, meta::FieldErrors& errors);
void default_labelled_claim(Context& context);  // of kinds that came at run time, here and in the next line
void check_labelled_claim(const Context& context, meta::FieldErrors& errors);
void default_resource_class(Context& context);
void check_resource_class(const Context& context, meta::FieldErrors& errors);
void default_provider(Context& context);

// usage_rules.cc
void default_usage_kind(Context& context);
void check_usage_kind(const Context& context, meta::FieldErrors& errors);
Result<void> permit_usage_kind(const Context& context);
void default_binding_usage(Context& context);
void check_binding_usage(const Context& context, meta::FieldErrors& errors);
Result<void> permit_binding_usage(const Context& context);

// pod_presets.cc
void check_pod_preset(const Context& context, meta::FieldErrors& errors);
void apply_pod_presets(Context& context);  // to a pod that is created

// webhook_configurations.cc; of both sorts
void check_webhook_configuration(const Context& context, meta::FieldErrors& errors);

// crd.cc
void default_crd(Context& context);
void check_crd(const Context& context, meta::FieldErrors& errors);

}  // namespace chandler::admission
