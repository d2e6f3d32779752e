"""Reads what the scripted broker remembers from standard input and prints it for people, a line per request or entry.

usage: notes.py requests [--whole] | ledger

A request is method, path below /v2, query (without accepts_incomplete=true, which is always there), the user on whose
behalf it came and the parameters; with --whole everything but what differs from run to run.
"""
import base64
import json
import sys

KNOWN_HEADERS = {"accept", "content-length", "host", "user-agent"}


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def identity(request):
    platform, _, text = request["headers"].get("x-broker-api-originating-identity", "").partition(" ")
    return (platform, json.loads(base64.b64decode(text))) if text else None


def path_of(request):
    path = request["path"].removeprefix("/v2/").replace("service_instances/", "").replace("service_bindings/", "")
    query = "&".join(f"{key}={value}" for key, value in sorted(request["query"].items()) if key != "accepts_incomplete")
    return path + ("?" + query if query else "")


def short(request):
    words = [request["method"], path_of(request)]
    if who := identity(request):
        words.append("by " + who[1]["username"])
    if isinstance(request["body"], dict) and "parameters" in request["body"]:
        words.append(compact(request["body"]["parameters"]))
    return " ".join(words)


def whole(request):
    lines = [f"{request['method']} {request['path']}"]
    lines += [f"  {key}={value}" for key, value in sorted(request["query"].items())]
    for key, value in sorted(request["headers"].items()):
        if key == "x-broker-api-originating-identity":
            lines.append(f"  {key}: {identity(request)[0]} {compact(identity(request)[1])}")
        elif key not in KNOWN_HEADERS:
            lines.append(f"  {key}: {value}")
    if request["body"] is not None:
        lines.append("  " + compact(request["body"]))
    return "\n".join(lines)


def main():
    notes = json.load(sys.stdin)
    if sys.argv[1] == "requests":
        for request in notes["requests"]:
            print(whole(request) if "--whole" in sys.argv else short(request))
        return
    for entry in sorted(notes["instances"], key=lambda entry: entry["id"]):
        print("instance", entry["id"], entry["plan_id"], entry["state"], compact(entry.get("parameters", {})))
    for entry in sorted(notes["bindings"], key=lambda entry: entry["id"]):
        print("binding", entry["id"], "of", entry["instance_id"], entry["state"], compact(entry.get("parameters", {})))


if __name__ == "__main__":
    main()
