# What the catalog_*.test files use beside prelude.sh: a scripted broker, and short words for what they say often.

start_broker() { # [FLAG...]: a scripted broker on any free port that offers catalog/shop.json; sets BROKER and BROKER_PROCESS
  local said=$WORK/broker.$RANDOM
  "$CHANDLER" broker scripted --listen 127.0.0.1:"${BROKER_PORT:-0}" "$@" >"$said" 2>>"$WORK/broker.log" &
  BROKER_PROCESS=$!
  eventually grep -q 'broker is ready at' "$said" || return
  BROKER=$(sed -n 's/^the scripted broker is ready at //p' "$said")
  BROKER_PORT=${BROKER##*:}
  control PUT catalog "$(cat "$HERE/catalog/shop.json")"
}

kill_broker() {
  kill -9 "$BROKER_PROCESS"
  wait "$BROKER_PROCESS" 2>/dev/null
  true
}

control() { # METHOD NAME [BODY]: asks the broker's control API; says nothing unless it fails
  curl -sS --fail-with-body -o "$WORK/control" -X "$1" "${CREDENTIALS[@]}" -d "${3:-}" "$BROKER/control/$2" || cat "$WORK/control"
}
CREDENTIALS=()

rules() { control PUT rules "{\"rules\": [$1]}"; }       # RULES: how the broker answers from now on; "" as it should
saw() { broker_notes requests "$@"; }                      # [--whole]: what the broker was asked, oldest first; then forgets it
ledger() { broker_notes ledger "$@"; }                     # what the broker has
broker_notes() { curl -sS "${CREDENTIALS[@]}" "$BROKER/control/$1" | /usr/bin/python3 "$HERE/catalog/notes.py" "$@" &&
  if [[ $1 == requests ]]; then control DELETE requests; fi; }

register() { # NAME [SPEC]: the running broker as a ClusterServiceBroker, and waits until its catalog is there
  kubectl apply -f - >/dev/null <<END
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceBroker
metadata: {name: $1}
spec: {url: "$BROKER", ${2:-}}
END
  reaches 'Ready=True FetchedCatalog' clusterservicebroker "$1"
}

instance() { # NAME SPEC [NAMESPACE [METADATA]]: prints the manifest of an instance
  cat <<END
---
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceInstance
metadata: {name: $1, namespace: ${3:-default}, ${4:-}}
spec: {$2}
END
}

binding() { # NAME SPEC [NAMESPACE [METADATA]]: prints the manifest of a binding
  instance "$@" | sed 's/^kind: .*/kind: ServiceBinding/'
}

SMALL='clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small'

conditions() { # KIND NAME [FLAG...]: its conditions, a line each
  kubectl get "$@" -o jsonpath='{range .status.conditions[*]}{.type}={.status} {.reason}{"\n"}{end}'
}

message() { # CONDITION KIND NAME [FLAG...]: what the condition says
  kubectl get "${@:2}" -o jsonpath="{.status.conditions[?(@.type=='$1')].message}{'\n'}"
}

has_condition() { conditions "${@:2}" >"$WORK/conditions" && { grep -qx -- "$1" "$WORK/conditions" || { cat "$WORK/conditions"; false; }; }; }
reaches() { eventually has_condition "$@"; } # CONDITION KIND NAME [FLAG...]: waits until conditions has such a line

is_gone() { [[ -z $(kubectl get "$@" --ignore-not-found -o name) ]]; }
vanishes() { eventually is_gone "$@"; } # KIND NAME [FLAG...]

shows() { # PATTERN COMMAND
  eval "$2" >"$WORK/shown" 2>&1
  [[ $(<"$WORK/shown") == $1 ]] || { cat "$WORK/shown"; false; }
}
until_shows() { eventually shows "$@"; } # PATTERN COMMAND: waits until it prints that
