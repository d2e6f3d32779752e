# For the tests of claims: the part of an outside controller, and questions about claims.

provide() { # PLURAL.GROUP: writes connection details for the managed resources of the kind and says that they are ready
  local kind=$1 name namespace uid document
  kubectl get "$kind" --all-namespaces -o jsonpath='{range .items[*]}{.metadata.namespace} {.metadata.name} {.metadata.uid}{"\n"}{end}' |
    while read -r namespace name uid; do
      document=$(kubectl get "$kind" -n "$namespace" "$name" -o jsonpath='{.apiVersion} {.kind}')
      kubectl apply -f - <<END >/dev/null || return
apiVersion: v1
kind: Secret
metadata:
  name: $name
  namespace: $namespace
  ownerReferences: [{apiVersion: ${document% *}, kind: ${document#* }, name: $name, uid: $uid, controller: true}]
stringData: {endpoint: db.example.org, password: secret-of-$name}
END
      admin_curl -o /dev/null -X PATCH -H 'Content-Type: application/merge-patch+json' \
        -d '{"status":{"conditions":[{"type":"Ready","status":"True","reason":"Running"}]}}' \
        "$URL/apis/${document% *}/namespaces/$namespace/${kind%%.*}/$name/status" || return
    done
}

claim_is() { # KIND NAME PHASE REASON: the claim in namespace demo is in that phase and its Ready condition has that reason
  [[ $(kubectl get "$1" -n demo "$2" -o jsonpath='{.status.bindingPhase} {.status.conditions[?(@.type=="Ready")].reason}') == "$3 $4" ]]
}

gone() { # ARGUMENTS: kubectl get finds nothing
  ! kubectl get "$@" >/dev/null 2>&1
}
