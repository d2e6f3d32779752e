"""Whether an object has what a manifest says: matches.py MANIFEST <object.json. Prints what differs; the exit code is 0 when nothing does.

Fields that the manifest does not name may hold anything, but `parameters` and lists are compared as a whole.
"""
import json
import sys

import yaml


def differences(wanted, seen, path):
    if isinstance(wanted, dict) and isinstance(seen, dict) and not path.endswith(".parameters"):
        for key, value in wanted.items():
            yield from differences(value, seen.get(key), f"{path}.{key}")
    elif wanted != seen:
        yield f"{path[1:]}: {json.dumps(seen)} instead of {json.dumps(wanted)}"


with open(sys.argv[1]) as manifest:
    found = list(differences(yaml.safe_load(manifest), json.load(sys.stdin), ""))
print(*found, sep="\n", end="\n" if found else "")
sys.exit(1 if found else 0)
