// For the tests of storage: the class and the claim that the samples of the proposal show.
#pragma once

#include <string_view>

namespace chandler::svcat::testing {

inline constexpr std::string_view kStorageClass = R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: default
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}
provisioner: kubernetes.io/aws-ebs
parameters:
  type: pd-standard
  zones: us-east-1a, us-east-1b, us-east-1c, us-east-2a, us-east-2b, us-east-2c
reclaimPolicy: Delete
volumeBindingMode: Immediate
selectorOptions:
  - key: failure-domain.beta.kubernetes.io/zone
    allowedValues:
        - us-east-1a
        - us-east-1b
        - us-east-1c
        - us-east-2a
        - us-east-2b
        - us-east-2c
    description: "Requested AWS availability zone"

  - key: encryption.beta.kubernetes.io/enabled
    defaultValue: "false"
    allowedValues:
      - "true"
      - "false"
    description: "Request volume encryption"

  - key: encryption.beta.kubernetes.io/key-id
    description: "ID of AWS encryption key"
)";

// "Typos in StorageClass".
inline constexpr std::string_view kTypos = R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: typos}
provisioner: kubernetes.io/aws-ebs
parameters:
  type: gp2
  zones: us-east-1a, us-east-1b
volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: rack, values: [r1, r2]}]}]
selectorOptions:
  - key: failure-domain.beta.kubernetes.io/zone
    allowedValues:
        - us-east-2a
        - us-east-2b
    description: "Requested AWS availability zone"
)";

inline constexpr std::string_view kVolumeClaim = R"(
kind: PersistentVolumeClaim
apiVersion: v1
metadata:
  name: myclaim
  namespace: default
spec:
  storageClassName: default
  accessModes:
    - ReadWriteOnce
  resources:
    requests:
      storage: 1500Mi
  volumeName: pv-1
  selector:
    matchLabels:
      encryption.beta.kubernetes.io/enabled: "false"
    matchExpressions:
      - key: failure-domain.beta.kubernetes.io/zone
        operator: In
        values:
          - us-east-1a
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolume
metadata:
  name: pv-1
  labels: {failure-domain.beta.kubernetes.io/zone: us-east-1a}
  annotations: {pv.kubernetes.io/provisioned-by: kubernetes.io/aws-ebs}
spec: {capacity: {storage: 1500Mi}, persistentVolumeReclaimPolicy: Delete}
)";

}  // namespace chandler::svcat::testing
