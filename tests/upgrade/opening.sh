# What is told of an old data directory: used by `make`, which makes one, and by tests/e2e/upgrade.test, which opens them all.

FIXTURES=$ROOT/tests/upgrade

# Kinds whose objects are listed; the catalog of the bundled brokers and what each start brings along are left out by listing.py.
LISTED=namespaces,serviceaccounts,secrets,configmaps,persistentvolumeclaims,persistentvolumes,storageclasses.storage.k8s.io
LISTED+=,deployments.apps,customresourcedefinitions,roles,rolebindings,clusterroles,clusterrolebindings
LISTED+=,clusterservicebrokers,clusterserviceclasses,clusterserviceplans,servicebrokers,serviceclasses,serviceplans
LISTED+=,serviceinstances,servicebindings,usagekinds,servicebindingusages,podpresets
LISTED+=,resourceclasses,postgresqlinstances,rdsinstances,functions.kubeless.io,ships.fixture.example.com

listing() { # [--without FIELD]...: a line for each object of the fixture
  kubectl get "$LISTED" --all-namespaces -o json | /usr/bin/python3 "$FIXTURES/listing.py" "$@"
}

history_since() { # REVISION: the changes of config maps from then on, a line each
  kubectl get --raw "/api/v1/namespaces/fixture/configmaps?watch=true&resourceVersion=$1&timeoutSeconds=1" |
    /usr/bin/python3 -c '
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    print(event["type"], event["object"]["metadata"]["name"], json.dumps(event["object"].get("data")))'
}

secret_value() { kubectl get secret -n fixture "$1" -o "jsonpath={.data.$2}" | base64 -d; }                  # NAME KEY
volume_path() { kubectl get pv "$(kubectl get pvc -n fixture data -o jsonpath='{.spec.volumeName}')" -o jsonpath='{.spec.local.path}'; }
has_condition_true() { [[ $(kubectl get "${@:2}" -o jsonpath="{.status.conditions[?(@.type=='$1')].status}") == True ]]; }
claims_a_resource() { [[ -n $(kubectl get rdsinstances -A -o name) ]]; }

write_row() { /usr/bin/python3 -c '
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute("create table if not exists kept (text)")
    database.execute("insert into kept values (?)", [sys.argv[2]])' "$@"; }                                     # FILE TEXT
read_row() { /usr/bin/python3 -c '
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("select text from kept").fetchone()[0])' "$1"; }                     # FILE

unpack() { # NAME: the fixture into the folder of the test, as the data directory
  tar -xJf "$FIXTURES/$1.tar.xz" -C "$WORK"
  EXPECTED=$FIXTURES/$1.expected
}
