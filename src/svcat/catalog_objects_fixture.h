// For the tests of this folder: the catalog that the samples of the proposal show.
#pragma once

#include <string_view>

namespace chandler::svcat::testing {

inline constexpr std::string_view kBrokers = R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceBroker
metadata: {name: azure}
spec: {url: "https://broker.example"}
status:
  conditions: [{type: Ready, status: "True", reason: FetchedCatalog, message: Successfully fetched catalog entries from broker., lastTransitionTime: "2017-11-30T19:11:49Z"}]
)";

inline constexpr std::string_view kClasses = R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceClass
metadata:
  name: 1-redis
  ownerReferences: [{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, name: azure, uid: u, controller: true}]
spec: {clusterServiceBrokerName: azure, externalName: azure-redis, externalID: 1-redis, description: Azure Redis, serviceType: redis}
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceClass
metadata:
  name: 2-postgresql
  ownerReferences: [{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, name: azure, uid: u, controller: true}]
spec: {clusterServiceBrokerName: azure, externalName: azure-postgresql, externalID: 2-postgresql, description: Azure PostgreSQL, serviceType: postgres}
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceClass
metadata: {name: postgres-dev}
spec: {clusterServiceBrokerName: azure, externalName: postgres-dev, externalID: 2-postgresql, description: Dev DB, serviceType: postgres}
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceClass
metadata: {name: postgres-dev, namespace: dev}
spec: {clusterServiceBrokerName: azure, externalName: postgres-dev, externalID: 2-postgresql, description: Dev DB, serviceType: postgres}
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceClass
metadata: {name: postgres-qa, namespace: qa}
spec: {clusterServiceBrokerName: azure, externalName: postgres-qa, externalID: 2-postgresql, description: QA DB, serviceType: postgres}
)";

inline constexpr std::string_view kPlans = R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata:
  name: 1-basic
  annotations: {servicecatalog.kubernetes.io/is-default-plan: "true"}
  ownerReferences: [{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, name: azure, uid: u, controller: true}]
spec: {clusterServiceBrokerName: azure, clusterServiceClassRef: {name: 1-redis}, externalName: basic, externalID: 1-basic, description: Azure Redis, serviceType: redis, free: true}
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata:
  name: 1-premium
  annotations:
    servicecatalog.kubernetes.io/is-suggested-plan: "true"
    servicecatalog.kubernetes.io/broker-provided-fields: spec.description,spec.defaultProvisionParameters
  ownerReferences: [{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, name: azure, uid: u, controller: true}]
spec: {clusterServiceBrokerName: azure, clusterServiceClassRef: {name: 1-redis}, externalName: premium, externalID: 1-premium, description: Large Redis, serviceType: redis}
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata:
  name: tiny
  annotations: {servicecatalog.kubernetes.io/is-default-plan: "true"}
spec: {clusterServiceBrokerName: azure, clusterServiceClassRef: {name: postgres-dev}, externalName: tiny, externalID: 2-basic, description: Tiny Dev DB, serviceType: postgres}
)";

// The mysql of the proposal, with defaults on class and plan.
inline constexpr std::string_view kMysql = R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceClass
metadata: {name: 997b8372-8dac-40ac-ae65-758b4a5075a5}
spec:
  clusterServiceBrokerName: azure
  externalName: azure-mysql
  externalID: 997b8372-8dac-40ac-ae65-758b4a5075a5
  description: Azure MySQL
  tags: [mysql, database]
  serviceType: mysql
  defaultProvisionParameters:
    location: eastus
    resourceGroup: default
    sslEnforcement: disabled
    firewallRules: [{name: AllowAll, startIPAddress: 0.0.0.0, endIPAddress: 255.255.255.255}]
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata:
  name: 427559f1-bf2a-45d3-8844-32374a3e58aa
spec:
  clusterServiceBrokerName: azure
  clusterServiceClassRef: {name: 997b8372-8dac-40ac-ae65-758b4a5075a5}
  externalName: basic50
  externalID: 427559f1-bf2a-45d3-8844-32374a3e58aa
  description: Basic Tier, 50 DTUs.
  free: false
  serviceType: mysql
  defaultBindingParameters: {user: reader}
  defaultSecretTransform: [{renameKey: {from: db-name, to: database}}]
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata:
  name: f9a3cc8e-a6e2-474d-b032-9837ea3dfcaa
  annotations: {servicecatalog.kubernetes.io/is-default-plan: "true"}
spec:
  clusterServiceBrokerName: azure
  clusterServiceClassRef: {name: 997b8372-8dac-40ac-ae65-758b4a5075a5}
  externalName: premium-p1
  externalID: f9a3cc8e-a6e2-474d-b032-9837ea3dfcaa
  description: PremiumP1 Tier, 125 DTUs, 500GB, 35 days point-in-time restore
  free: false
  serviceType: mysql
  defaultProvisionParameters: {backup-schedule: 1d}
)";

inline constexpr std::string_view kInstance = R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceInstance
metadata: {name: mydb, namespace: default, uid: i-1, finalizers: [kubernetes-incubator/service-catalog]}
spec:
  serviceType: mysql
  clusterServiceClassExternalName: azure-mysql
  clusterServicePlanExternalName: basic50
  clusterServiceClassRef: {name: 997b8372-8dac-40ac-ae65-758b4a5075a5}
  clusterServicePlanRef: {name: 427559f1-bf2a-45d3-8844-32374a3e58aa}
  parameters:
    location: westus
    resourceGroup: default
    sslEnforcement: disabled
    firewallRules: [{name: AllowAll, startIPAddress: 0.0.0.0, endIPAddress: 255.255.255.255}]
status:
  conditions: [{type: Ready, status: "True", reason: ProvisionedSuccessfully, message: The instance was provisioned successfully, lastTransitionTime: "2017-11-30T19:11:49Z"}]
  resolution: {scope: Cluster, className: 997b8372-8dac-40ac-ae65-758b4a5075a5, classExternalName: azure-mysql, planName: 427559f1-bf2a-45d3-8844-32374a3e58aa, planExternalName: basic50, rule: Named, message: 'Plan "basic50" of class "azure-mysql" was taken: it was named in the request.'}
  parameterSources: {/location: Instance, /resourceGroup: Class, /sslEnforcement: Class, /firewallRules: Class}
  externalProperties: {clusterServiceBrokerName: azure, clusterServicePlanExternalName: basic50, clusterServicePlanExternalID: 427559f1-bf2a-45d3-8844-32374a3e58aa, parameters: {location: westus}, userInfo: {username: jane}}
)";

inline constexpr std::string_view kBinding = R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceBinding
metadata: {name: mydb-admin, namespace: default, uid: b-1, finalizers: [kubernetes-incubator/service-catalog]}
spec:
  serviceType: mysql
  instanceRef: {name: mydb}
  secretName: mydb-admin
  parameters: {user: admin}
  secretTransform: [{renameKey: {from: db-name, to: database}}]
status:
  conditions: [{type: Ready, status: "True", reason: InjectedBindResult, message: The binding was injected successfully, lastTransitionTime: "2017-11-30T19:11:49Z"}]
---
apiVersion: v1
kind: Secret
metadata: {name: mydb-admin, namespace: default}
data: {username: YWRtaW4=, password: czNjcjN0}
)";

}  // namespace chandler::svcat::testing
