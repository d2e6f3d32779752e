# What the catalog_*.test files use beside prelude.sh: a scripted broker, and short words for what they say often.

# [FLAG...]: a scripted broker on any free port of BROKER_HOST (127.0.0.1), later again on the same one; sets BROKER, BROKER_PORT and
# BROKER_PROCESS. It offers catalog/shop.json; with OFFER=own its own catalog, which it has from the first moment on.
start_broker() {
  local said=$WORK/broker.$RANDOM
  "$CHANDLER" broker scripted --listen "${BROKER_HOST:-127.0.0.1}:${BROKER_PORT:-0}" "$@" >"$said" 2>>"$WORK/broker.log" &
  BROKER_PROCESS=$!
  eventually grep -q 'broker is ready at' "$said" || return
  BROKER=$(sed -n 's/^the scripted broker is ready at //p' "$said")
  BROKER_PORT=${BROKER##*:}
  if [[ ${OFFER:-shop} == shop ]]; then control PUT catalog "$(cat "$HERE/catalog/shop.json")"; fi
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
saw() { sees "$@" && control DELETE requests; }          # [--whole]: what the broker was asked, oldest first; then forgets it
sees() { broker_notes requests "$@"; }                   # the same without forgetting: what comes meanwhile is not lost
ledger() { broker_notes ledger "$@"; }                   # what the broker has
broker_notes() { curl -sS "${CREDENTIALS[@]}" "$BROKER/control/$1" | /usr/bin/python3 "$HERE/catalog/notes.py" "$@"; }

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

# shellcheck disable=SC2034  # the tests use it
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
  # shellcheck disable=SC2053  # it is a pattern
  [[ $(<"$WORK/shown") == $1 ]] || { cat "$WORK/shown"; false; }
}
until_shows() { eventually shows "$@"; } # PATTERN COMMAND: waits until it prints that
