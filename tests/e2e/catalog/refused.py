"""Tries to create or change objects that must be refused: refused.py <TABLE

A row of the table, on standard input, is three lines and an empty one: what is wrong, the object as YAML on one line, and the fields that
the refusal must name, each as "PATH: WORDS". A row that begins with "change " has a second object, applied over the first, which is valid.
Prints rows that were accepted, or refused for another reason; the exit code is 0 when there are none.
"""
import json
import subprocess
import sys

import yaml

API = "servicecatalog.k8s.io/v1beta1"


def kubectl(verb, text, name):
    document = {"apiVersion": API} | yaml.safe_load(text)
    document.setdefault("metadata", {}).setdefault("name", name)
    return subprocess.run(["kubectl", verb, "--validate=false", "-f", "-"], input=json.dumps(document), text=True, capture_output=True), document


def remove(document):
    command = ["kubectl", "delete", document["kind"], document["metadata"]["name"], "--wait=false", "--ignore-not-found"]
    subprocess.run(command, capture_output=True)


def perform(row, name):
    title, *objects, wanted = row
    if title.startswith("change "):
        made, first = kubectl("create", objects[0], name)
        if made.returncode != 0:
            return "the first object was refused: " + made.stderr
        tried, _ = kubectl("replace", objects[1], name)
        remove(first)
    else:
        tried, first = kubectl("create", objects[0], name)
        if tried.returncode == 0:
            remove(first)
    if tried.returncode == 0:
        return "was accepted"
    missing = [words for words in wanted.split(" && ") if words not in tried.stderr]
    return f"the answer lacks {missing}: {tried.stderr}" if missing else ""


def main():
    failed = 0
    rows = [row.split("\n") for row in sys.stdin.read().strip().split("\n\n")]
    for number, row in enumerate(rows):
        if fault := perform(row, f"tried-{number}"):
            failed += 1
            print(f"{row[0]}: {fault}")
    print(f"{len(rows) - failed} refused as they must be")
    sys.exit(1 if failed else 0)


main()
