"""Reads a list of objects (kubectl get -o json) and prints those of the fixture, a line of JSON each, without what opening may change.

usage: listing.py [--without FIELD]...      FIELD: a name that is left out wherever it stands
"""
import argparse
import json
import sys

NAMESPACES = {"fixture", "crossplane-system"}
BROKER = "fixture-broker"
# Made for every namespace, by whichever version.
PROVIDED = {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")}
# parameterChecksum is the controllers' own note, and brokers are asked for their catalog again from time to time.
CHANGING = {"resourceVersion", "managedFields", "parameterChecksum", "lastCatalogRetrievalTime"}


def belongs(o):
    metadata, spec = o["metadata"], o.get("spec", {})
    name, namespace = metadata["name"], metadata.get("namespace")
    if namespace == "kube-system":
        return name.startswith("abandoned-")
    if namespace is not None:
        return namespace in NAMESPACES and (o["kind"], name) not in PROVIDED
    if o["kind"] == "Namespace":
        return name in NAMESPACES
    if o["kind"] == "PersistentVolume":
        return spec["claimRef"]["namespace"] in NAMESPACES
    if o["kind"] == "CustomResourceDefinition":
        return True
    return "fixture" in name or spec.get("clusterServiceBrokerName") == BROKER or (o["kind"], name) == ("UsageKind", "function")


def stripped(value, left_out):
    if isinstance(value, dict):
        return {key: stripped(item, left_out) for key, item in value.items() if key not in left_out}
    return [stripped(item, left_out) for item in value] if isinstance(value, list) else value


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--without", action="append", default=[])
    left_out = CHANGING | set(arguments.parse_args().without)
    lines = [json.dumps(stripped(o, left_out), sort_keys=True) for o in json.load(sys.stdin)["items"] if belongs(o)]
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()
