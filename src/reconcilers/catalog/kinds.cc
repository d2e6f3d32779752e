#include "reconcilers/catalog/kinds.h"

namespace chandler::reconcilers {

const ScopeNames& names_of(Scope scope) {
  static constexpr ScopeNames kCluster{Scope::kCluster,
                                       kClusterBrokers,
                                       kClusterClasses,
                                       kClusterPlans,
                                       "ClusterServiceBroker",
                                       "ClusterServiceClass",
                                       "ClusterServicePlan",
                                       "clusterServiceBrokerName",
                                       "clusterServiceClassRef",
                                       "clusterServicePlanRef",
                                       "clusterServiceClassExternalName",
                                       "clusterServiceClassExternalID",
                                       "clusterServiceClassName",
                                       "clusterServicePlanExternalName",
                                       "clusterServicePlanExternalID",
                                       "clusterServicePlanName"};
  static constexpr ScopeNames kNamespace{Scope::kNamespace,
                                         kBrokers,
                                         kClasses,
                                         kPlans,
                                         "ServiceBroker",
                                         "ServiceClass",
                                         "ServicePlan",
                                         "serviceBrokerName",
                                         "serviceClassRef",
                                         "servicePlanRef",
                                         "serviceClassExternalName",
                                         "serviceClassExternalID",
                                         "serviceClassName",
                                         "servicePlanExternalName",
                                         "servicePlanExternalID",
                                         "servicePlanName"};
  return scope == Scope::kCluster ? kCluster : kNamespace;
}

}  // namespace chandler::reconcilers
