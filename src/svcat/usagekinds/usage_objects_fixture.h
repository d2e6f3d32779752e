// For the tests of binding usage: usage kinds, a usage and its workload, and what a server with them says of itself.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace chandler::svcat::testing {

inline constexpr std::string_view kUsageKinds = R"(
apiVersion: servicecatalog.kyma-project.io/v1alpha1
kind: UsageKind
metadata: {name: deployment}
spec:
  displayName: Deployment
  resource: {group: apps, kind: deployment, version: v1beta1}
  labelsPath: spec.template.metadata.labels
status:
  resource: {group: apps, version: v1, kind: Deployment, plural: deployments}
  conditions:
  - {type: Ready, status: "True", reason: Usable, lastTransitionTime: "2023-11-14T20:13:20Z"}
  - {type: Established, status: "True", reason: VersionNotServed, message: apps/v1beta1 is not served; v1 is used., lastTransitionTime: "2023-11-14T20:13:20Z"}
  - {type: Accessible, status: "True", reason: AccessGranted, lastTransitionTime: "2023-11-14T20:13:20Z"}
---
apiVersion: servicecatalog.kyma-project.io/v1alpha1
kind: UsageKind
metadata: {name: function}
spec:
  displayName: Function
  resource: {group: kubeless.io, kind: function, version: v1beta1}
  labelsPath: spec.deployment.spec.template.metadata.labels
)";

inline constexpr std::string_view kUsage = R"(
apiVersion: servicecatalog.kyma-project.io/v1alpha1
kind: ServiceBindingUsage
metadata: {name: deployment-web-mydb-admin, namespace: default}
spec:
  serviceBindingRef: {name: mydb-admin}
  usedBy: {kind: deployment, name: web}
  parameters: {envPrefix: {name: DB_}}
status:
  observedGeneration: 1
  secretName: mydb-secret
  podPresetName: preset-1
  snapshot:
    usageKind: {name: deployment, uid: u, generation: 1}
    resource: {group: apps, version: v1, kind: Deployment, plural: deployments}
    labelsPath: spec.template.metadata.labels
    workload: web
    labels: {use-1: abc}
  conditions:
  - {type: Ready, status: "True", reason: Delivered, message: The credentials are delivered., lastTransitionTime: "2023-11-14T20:13:20Z"}
  - {type: BindingReady, status: "True", reason: BindingReady, lastTransitionTime: "2023-11-14T20:13:20Z"}
)";

inline constexpr std::string_view kWeb = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
)";

// Discovery and OpenAPI of a server with Deployments and Functions.
inline std::map<std::string, std::string, std::less<>> discovery_documents() {
  return {
      {"/apis/apps",
       R"({"kind":"APIGroup","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}})"},
      {"/apis/apps/v1",
       R"({"kind":"APIResourceList","groupVersion":"apps/v1","resources":[
         {"name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment","verbs":["get","list","update","watch"],"shortNames":["deploy"]},
         {"name":"deployments/status","singularName":"","namespaced":true,"kind":"Deployment","verbs":["get"]}]})"},
      {"/apis/kubeless.io",
       R"({"kind":"APIGroup","name":"kubeless.io","versions":[{"groupVersion":"kubeless.io/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"kubeless.io/v1beta1","version":"v1beta1"}})"},
      {"/apis/kubeless.io/v1beta1",
       R"({"kind":"APIResourceList","groupVersion":"kubeless.io/v1beta1","resources":[
         {"name":"functions","singularName":"function","namespaced":true,"kind":"Function","verbs":["get","list","update","watch"]},
         {"name":"triggers","singularName":"trigger","namespaced":false,"kind":"Trigger","verbs":["get"]}]})"},
      {"/openapi/v3/apis/apps/v1", R"({"openapi":"3.0.0","components":{"schemas":{
         "Deployment":{"type":"object","x-kubernetes-group-version-kind":[{"group":"apps","version":"v1","kind":"Deployment"}],
           "properties":{"metadata":{"$ref":"#/components/schemas/Meta"},"spec":{"allOf":[{"$ref":"#/components/schemas/Spec"}],"default":{}}}},
         "Spec":{"type":"object","properties":{"replicas":{"type":"integer"},"template":{"$ref":"#/components/schemas/Template"}}},
         "Template":{"type":"object","properties":{"metadata":{"allOf":[{"$ref":"#/components/schemas/Meta"}]}}},
         "Meta":{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string"}}}}}}})"},
      {"/openapi/v3/apis/kubeless.io/v1beta1", R"({"openapi":"3.0.0","components":{"schemas":{
         "Function":{"type":"object","required":["spec"],"x-kubernetes-group-version-kind":[{"group":"kubeless.io","version":"v1beta1","kind":"Function"}],
           "properties":{"spec":{"type":"object","required":["runtime","timeout","deps","mode","handlers"],"properties":{
             "runtime":{"type":"string","minLength":8},"timeout":{"type":"integer","minimum":30},"mode":{"type":"string","enum":["event","http"]},
             "deps":{"type":"string","default":""},"handlers":{"type":"array","minItems":1,"items":{"type":"string","maxLength":3}},"flag":{"type":"boolean"},
             "deployment":{"type":"object","properties":{"spec":{"type":"object","properties":{"template":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}}}}}}})"},
  };
}

}  // namespace chandler::svcat::testing
