# What the usage_*.test files use beside prelude.sh and catalog.sh.
. "$HERE/catalog.sh"

start_with_binding() { # a server with a broker, the instance "redis" and the design's binding of it
  start_broker && start_server --no-bundled-brokers && register shop &&
    instance redis "$SMALL" | kubectl apply -f - >/dev/null &&
    binding redis-instance-credential 'instanceRef: {name: redis}' | kubectl apply -f - >/dev/null &&
    reaches 'Ready=True InjectedBindResult' servicebinding redis-instance-credential
}

usage() { # NAME USAGE-KIND WORKLOAD [MORE-OF-THE-SPEC]: prints the manifest of a usage of the design's binding
  cat <<END
---
apiVersion: servicecatalog.kyma-project.io/v1alpha1
kind: ServiceBindingUsage
metadata: {name: $1, namespace: default}
spec: {serviceBindingRef: {name: redis-instance-credential}, usedBy: {kind: $2, name: $3}, ${4:-}}
END
}

function_kind() { # the kind of the design's example, as its owner installs it
  kubectl apply -f - >/dev/null <<END
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: functions.kubeless.io}
spec:
  group: kubeless.io
  scope: Namespaced
  names: {kind: Function, plural: functions, singular: function, listKind: FunctionList}
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              runtime: {type: string}
              deployment: {type: object, x-kubernetes-preserve-unknown-fields: true}
END
  kubectl wait --for=condition=Established crd/functions.kubeless.io >/dev/null
}

# KIND NAME: all that is its user's, in one line.
own_content() { kubectl get "$1" "$2" -o json | /usr/bin/python3 -c '
import json, sys
o = json.load(sys.stdin)
for mark in ("generation", "resourceVersion", "uid", "creationTimestamp", "managedFields", "selfLink"): o["metadata"].pop(mark, None)
o.pop("status", None)
print(json.dumps(o, sort_keys=True))'; }

# [NAME...]: how many labels of usages each deployment has in its template.
used() { for name; do kubectl get deployment "$name" -o json | grep -c '"use-[0-9a-f-]*": "[0-9a-f]\{10\}"'; done; }

# KIND NAME: how often it was written.
revision() { kubectl get "$1" "$2" -o jsonpath='{.metadata.resourceVersion}{"\n"}'; }
