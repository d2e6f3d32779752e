// The kinds that svcat works with, named here so that nothing has to be discovered, and what differs between the two
// scopes of the catalog. Constant data.
#pragma once

#include <string>
#include <string_view>

#include "client/resource_path.h"
#include "resolve/abandonment.h"
#include "resolve/offer_document.h"

namespace chandler::svcat {

inline constexpr std::string_view kCatalogVersion = "servicecatalog.k8s.io/v1beta1";
inline constexpr std::string_view kUsageVersion = "servicecatalog.kyma-project.io/v1alpha1";
inline constexpr std::string_view kResourceClassVersion = "core.crossplane.io/v1alpha1";
inline constexpr std::string_view kFinalizer = resolve::kCatalogFinalizer;
using resolve::kAbandonAnnotation;
inline constexpr std::string_view kAbandonedLabel = "servicecatalog.kubernetes.io/abandoned";

using resolve::is_broker_managed;
using resolve::kDefaultPlanAnnotation;
using resolve::kSuggestedPlanAnnotation;

struct Kind {
  std::string_view name;     // "ClusterServicePlan"
  std::string_view version;  // apiVersion
  client::Resource resource;
  std::string_view noun;  // for people: "plan"
  bool namespaced = true;
  bool optional = false;     // servers that know only cluster brokers do not serve it
  std::string_view nouns{};  // several of them, where that is not "plans"
  std::string_view story{};  // the verb that tells most about one, where that is not "explain"

  std::string plural_noun() const { return nouns.empty() ? std::string(noun) + "s" : std::string(nouns); }
  std::string_view story_verb() const { return story.empty() ? "explain" : story; }
};

enum class Scope { kCluster, kNamespace };

// One scope of the catalog: its kinds and its field names.
struct ScopeNames {
  Scope scope;
  const Kind& brokers;
  const Kind& classes;
  const Kind& plans;
  std::string_view broker_name;          // in the spec of classes and plans
  std::string_view class_ref, plan_ref;  // in the spec of instances; class_ref also in that of plans
  std::string_view class_external_name, class_name, plan_external_name, plan_name;  // in the spec of instances
};

const ScopeNames& names_of(Scope scope);

const Kind& instances_kind();
const Kind& bindings_kind();
const Kind& secrets_kind();
const Kind& events_kind();
const Kind& config_maps_kind();
const Kind& namespaces_kind();
const Kind& definitions_kind();  // CustomResourceDefinitions

// Binding usage.
const Kind& usages_kind();
const Kind& usage_kinds_kind();
// Claims; their own kinds are in claims/claim_kinds.h.
const Kind& resource_classes_kind();
// Storage.
const Kind& storage_classes_kind();
const Kind& volume_claims_kind();
const Kind& volumes_kind();

}  // namespace chandler::svcat
