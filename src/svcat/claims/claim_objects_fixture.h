// For the tests of claims: the classes and claims that the samples of the proposal show.
#pragma once

#include <string_view>

namespace chandler::svcat::testing {

inline constexpr std::string_view kResourceClasses = R"(
apiVersion: core.crossplane.io/v1alpha1
kind: ResourceClass
metadata:
  name: cloud-postgresql
  namespace: crossplane-system
  labels:
    postgresqlinstance.storage.crossplane.io/default: "true"
parameters:
  class: db.t2.small
  masterUsername: masteruser
  securityGroups: "sg-ab1cdefg,sg-05adsfkaj1ksdjak"
  size: "20"
provisioner: rdsinstance.database.aws.crossplane.io/v1alpha1
providerRef:
  name: aws-provider
reclaimPolicy: Delete
---
apiVersion: core.crossplane.io/v1alpha1
kind: ResourceClass
metadata:
  name: cloud-nosql
  namespace: crossplane-system
parameters: {}
defaultForClaimKinds:
- nosqlinstance.database.crossplane.io
- dynamodbinstance.storage.crossplane.io
provisioner: dynamodbinstance.database.aws.crossplane.io/v1alpha1
providerRef:
  name: aws-provider
reclaimPolicy: Retain
---
apiVersion: core.crossplane.io/v1alpha1
kind: ResourceClass
metadata: {name: own, namespace: demo, labels: {tier: gold}}
provisioner: serviceinstance.servicecatalog.k8s.io/v1beta1
parameters: {serviceType: postgresql, engineVersion: "9.6.24"}
)";

// One that has what it asked for, one that waits for a default, one of a kind that an operator defined.
inline constexpr std::string_view kClaims = R"(
apiVersion: storage.crossplane.io/v1alpha1
kind: PostgreSQLInstance
metadata: {name: cloud-postgresql-claim, namespace: demo}
spec:
  classReference: {name: cloud-postgresql, namespace: crossplane-system}
  resourceRef: {apiVersion: database.aws.crossplane.io/v1alpha1, kind: RDSInstance, name: postgresqlinstance-1}
  engineVersion: "9.6"
status:
  bindingPhase: Bound
  provisioner: rdsinstance.database.aws.crossplane.io/v1alpha1
  credentialsSecret: {name: cloud-postgresql-claim}
  resolution:
    source: OperatorDefault
    class: {namespace: crossplane-system, name: cloud-postgresql, uid: u, generation: 1}
    provisioner: rdsinstance.database.aws.crossplane.io/v1alpha1
    reclaimPolicy: Delete
    message: "Class crossplane-system/cloud-postgresql was chosen: it is the default for postgresqlinstance.storage.crossplane.io in the operator's class namespace crossplane-system."
    time: "2023-11-14T20:13:20Z"
    candidates:
    - {namespace: crossplane-system, name: cloud-postgresql, set: OperatorDefault, verdict: Chosen, message: It is the only default.}
  conditions:
  - {type: Ready, status: "True", reason: Bound, message: The claim has its resource., lastTransitionTime: "2023-11-14T20:13:20Z"}
  - {type: ClassResolved, status: "True", reason: OperatorDefault, lastTransitionTime: "2023-11-14T20:13:20Z"}
---
apiVersion: storage.crossplane.io/v1alpha1
kind: NoSQLInstance
metadata: {name: dynamo-claim, namespace: demo}
spec: {}
status:
  bindingPhase: Unbound
  conditions:
  - {type: Ready, status: "False", reason: NoDefaultClass, message: No class is the default., lastTransitionTime: "2023-11-14T20:13:20Z"}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: queues.example.com, labels: {core.crossplane.io/claim: "true"}}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Queue, plural: queues, shortNames: [q]}
  versions: [{name: v1alpha1, served: true}, {name: v1, served: true}]
---
apiVersion: example.com/v1
kind: Queue
metadata: {name: jobs, namespace: demo}
spec: {}
)";

}  // namespace chandler::svcat::testing
