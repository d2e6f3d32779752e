// The kinds of the service catalog as the reconcilers name them, and what differs between the two scopes: brokers,
// classes and plans exist for the cluster and for a namespace, with one implementation for both.
#pragma once

#include <string>
#include <string_view>

#include "client/object.h"
#include "resolve/abandonment.h"
#include "resolve/offer_document.h"

namespace chandler::reconcilers {

inline constexpr std::string_view kCatalogGroup = "servicecatalog.k8s.io";
inline constexpr std::string_view kCatalogVersion = "servicecatalog.k8s.io/v1beta1";
inline constexpr std::string_view kFinalizer = resolve::kCatalogFinalizer;

inline constexpr client::KindName kClusterBrokers{kCatalogGroup, "clusterservicebrokers"};
inline constexpr client::KindName kClusterClasses{kCatalogGroup, "clusterserviceclasses"};
inline constexpr client::KindName kClusterPlans{kCatalogGroup, "clusterserviceplans"};
inline constexpr client::KindName kBrokers{kCatalogGroup, "servicebrokers"};
inline constexpr client::KindName kClasses{kCatalogGroup, "serviceclasses"};
inline constexpr client::KindName kPlans{kCatalogGroup, "serviceplans"};
inline constexpr client::KindName kInstances{kCatalogGroup, "serviceinstances"};
inline constexpr client::KindName kBindings{kCatalogGroup, "servicebindings"};
inline constexpr client::KindName kSecrets{"", "secrets"};
inline constexpr client::KindName kNamespaces{"", "namespaces"};

using resolve::kAbandonAnnotation;
using resolve::kAdoptAnnotation;
using resolve::kDefaultPlanAnnotation;
using resolve::kSuggestedPlanAnnotation;

enum class Scope { kCluster, kNamespace };

// Kinds and field names of one scope.
struct ScopeNames {
  Scope scope;
  client::KindName brokers, classes, plans;
  std::string_view broker_kind, class_kind, plan_kind;  // "ClusterServiceBroker"
  std::string_view broker_name;                         // in the spec of classes and plans
  std::string_view class_ref, plan_ref;                 // in the spec of instances; class_ref also in that of plans
  // How an instance's spec names class and plan: by external name, external ID or object name.
  std::string_view class_external_name, class_external_id, class_name;
  std::string_view plan_external_name, plan_external_id, plan_name;
};
const ScopeNames& names_of(Scope scope);

// A broker, wherever it lives.
struct BrokerRef {
  Scope scope = Scope::kCluster;
  std::string ns;  // empty at the cluster scope
  std::string name;

  bool empty() const { return name.empty(); }
  std::string lane() const { return ns.empty() ? name : ns + "/" + name; }
  bool operator==(const BrokerRef&) const = default;
};

}  // namespace chandler::reconcilers
