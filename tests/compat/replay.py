#!/usr/bin/env python3
"""Replays recorded exchanges of a real kube-apiserver against a server and compares the answers.

usage: replay.py --kubeconfig FILE [--area crud ...] [--only ID ...] [--skip-file deviations.txt] [--jobs N] [-v]

The format of the vectors is described in README.md beside this file. Vectors named in the skip file are deviations that
docs/compatibility.md explains; they are run too, and one that passes is reported, so that the list stays true.
"""
import argparse
import base64
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import re
import ssl
import string
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
AGE = re.compile(r"^(<invalid>|\d+[smhdy](\d+[smhd])?)$")
MISSING = object()


class Server:
    """Connection data from a kubeconfig with embedded certificates."""

    def __init__(self, kubeconfig):
        import yaml  # only here: the rest needs the standard library alone

        config = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
        url = urllib.parse.urlsplit(config["clusters"][0]["cluster"]["server"])
        self.host, self.port = url.hostname, url.port
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        decode = lambda text: base64.b64decode(text).decode()
        self.admin = ssl.create_default_context(cadata=decode(cluster["certificate-authority-data"]))
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as pem:
            pem.write(decode(user["client-certificate-data"]) + decode(user["client-key-data"]))
            pem.flush()
            self.admin.load_cert_chain(pem.name)
        self.plain = ssl.create_default_context(cadata=decode(cluster["certificate-authority-data"]))

    def connect(self, as_admin=True, timeout=70):
        context = self.admin if as_admin else self.plain
        return http.client.HTTPSConnection(self.host, self.port, context=context, timeout=timeout)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.text = status, headers, body
        self.type = (headers.get("Content-Type") or "").split(";")[0].strip()
        self.value = None
        try:
            if self.type == "application/json":
                self.value = json.loads(body)
            elif self.type == "application/yaml":
                import yaml

                self.value = json.loads(json.dumps(yaml.load(body, Loader=yaml.BaseLoader)))
        except ValueError:
            pass

    def warnings(self):
        return len(self.headers.get_all("Warning") or [])


class Replay:
    """One vector's run: its namespace, its word, the answers so far."""

    def __init__(self, server, vector):
        self.server, self.vector = server, vector
        self.word = "v" + "".join(random.choices(string.ascii_lowercase + string.digits, k=8))
        self.ns = "ns-" + self.word
        self.answers, self.created = [], []
        self.numbers = {"uid": {}, "rv": {}}

    # -- requests ------------------------------------------------------------------------------------------------

    def fill(self, value):
        """Placeholders in strings, recursively."""
        if isinstance(value, dict):
            return {self.fill(k): self.fill(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.fill(v) for v in value]
        if not isinstance(value, str):
            return value

        def one(match):
            name = match.group(1)
            if name == "ns":
                return self.ns
            if name == "u":
                return self.word
            if name.startswith("repeat:"):
                _, text, count = name.split(":")
                return text * int(count)
            number, _, path = name.partition(".")
            found = get_path(self.answers[int(number) - 1].value, path)
            return "" if found is MISSING else str(found)

        return re.sub(r"\$\{([^}]*)\}", one, value)

    def send(self, step, timeout=70):
        headers = {"User-Agent": "vector/1", "Accept": "application/json"}
        given = self.fill(step.get("headers", {}))
        body = None
        if "raw" in step:
            body = self.fill(step["raw"]).encode()
        elif "body" in step:
            body = json.dumps(self.fill(step["body"])).encode()
        if body is not None:
            headers["Content-Type"] = "application/json"
        for name, value in given.items():
            headers = {k: v for k, v in headers.items() if k.lower() != name.lower()}
            if value is not None:
                headers[name] = value
        # A vector's own Authorization (or its explicit absence) replaces the administrator's credential.
        as_admin = not any(name.lower() == "authorization" for name in step.get("headers", {}))
        target = urllib.parse.quote(self.fill(step["path"]), safe="/:%?&=")
        query = self.fill(step.get("query", {}))
        if query:
            pairs = [(k, item) for k, v in query.items() for item in (v if isinstance(v, list) else [v])]
            target += "?" + urllib.parse.urlencode(pairs)
        connection = self.server.connect(as_admin, timeout)
        connection.putrequest(step["method"], target, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        return connection, connection.getresponse()

    def exchange(self, step):
        connection, response = self.send(step)
        try:
            raw = response.read()
        finally:
            connection.close()
        if response.headers.get("Content-Encoding") == "gzip":
            import gzip

            raw = gzip.decompress(raw)
        answer = Answer(response.status, response.headers, raw.decode("utf-8", "replace"))
        self.note_created(step, answer)
        return answer

    def note_created(self, step, answer):
        if answer.status != 201 or not isinstance(answer.value, dict):
            return
        metadata = answer.value.get("metadata") or {}
        if step["method"] == "POST" and metadata.get("name") and metadata.get("uid"):
            path = self.fill(step["path"])
            if "/namespaces/" + self.ns not in path:
                self.created.append(path + "/" + metadata["name"])

    def watch(self, step):
        connection, response = self.send(step)
        if response.status != 200:
            raw = response.read().decode("utf-8", "replace")
            return Answer(response.status, response.headers, raw), []
        side = threading.Thread(target=lambda: [self.exchange(s) for s in step.get("during", [])])
        side.start()
        events = []
        for line in response:
            if line.strip():
                events.append(json.loads(line))
        side.join()
        connection.close()
        return Answer(response.status, response.headers, ""), events

    # -- normalisation -------------------------------------------------------------------------------------------

    def number(self, kind, text):
        table = self.numbers[kind]
        return table.setdefault(text, f"<{kind}{len(table) + 1}>")

    def text(self, value):
        value = UUID.sub(lambda m: self.number("uid", m.group(0)), value)
        value = TIME.sub("<time>", value)
        value = value.replace(self.ns, "${ns}").replace(self.word, "${u}")
        return re.sub(r"hash=[0-9A-Fa-f]+", "hash=<hash>", value)

    def normal(self, value, path=(), keep_managed=False, listed=False):
        if isinstance(value, dict):
            kind = value.get("kind") if isinstance(value.get("kind"), str) else ""
            is_list = "items" in value or kind == "Table" or "rows" in value
            out = {}
            # An object's own uid is numbered before those inside it, whatever the order of keys.
            for key, item in sorted(value.items(), key=lambda pair: pair[0] != "uid"):
                here = path + (key,)
                if key == "managedFields" and path and path[-1] == "metadata" and not keep_managed:
                    continue
                if key in ("storageVersionHash", "selfLink") or (key == "creationTimestamp" and item is None):
                    continue
                if path and path[-1] == "metadata" and key == "continue":
                    if item:
                        out[key] = "<continue>"
                    continue
                if path and path[-1] == "metadata" and key == "resourceVersion":
                    out[key] = "<rv>" if listed else self.number("rv", str(item))
                    continue
                if key == "message" and isinstance(item, str):
                    out[key] = "<message>"
                elif key == "token" and isinstance(item, str):
                    out[key] = "<token>"
                elif path and path[-1] == "columnDefinitions" and key == "description":
                    out[key] = "<description>"
                else:
                    out[key] = self.normal(item, here, keep_managed, is_list if key == "metadata" else False)
            if kind == "Status":
                return self.status(out)
            if "managedFields" in out:
                out["managedFields"] = sorted(
                    out["managedFields"], key=lambda m: (m.get("manager", ""), m.get("operation", ""), m.get("subresource", "")))
            if isinstance(out.get("generateName"), str) and isinstance(out.get("name"), str):
                if out["name"].startswith(out["generateName"]):
                    out["name"] = out["generateName"] + "<gen>"
                elif len(out["name"]) == len(out["generateName"][:58]) + 5:
                    out["name"] = out["generateName"][:58] + "<gen>"
            if kind.endswith("Review") and isinstance(out.get("status"), dict):
                for key in ("reason", "error", "evaluationError"):
                    if key in out["status"]:
                        out["status"][key] = f"<{key}>"
            return out
        if isinstance(value, list):
            if path and path[-1] == "cells":
                return ["<age>" if isinstance(v, str) and AGE.match(v) else self.normal(v, path) for v in value]
            return [self.normal(v, path, keep_managed) for v in value]
        return self.text(value) if isinstance(value, str) else value

    @staticmethod
    def status(out):
        kept = {k: out[k] for k in ("kind", "status", "reason", "code") if k in out}
        kept["message"] = "<message>" if out.get("message") else ""
        if isinstance(out.get("details"), dict):
            details = {k: v for k, v in out["details"].items() if k in ("name", "group", "kind", "uid")}
            causes = out["details"].get("causes")
            if causes:
                unique = {json.dumps({k: c.get(k, "") for k in ("field", "reason")}, sort_keys=True) for c in causes}
                details["causes"] = [dict(json.loads(c), message="<message>") for c in sorted(unique)]
            if details:
                kept["details"] = details
        return kept

    # -- comparing -----------------------------------------------------------------------------------------------

    def run(self):
        try:
            if self.vector.get("namespace") is not False:
                self.exchange({"method": "POST", "path": "/api/v1/namespaces",
                               "body": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.ns}}})
                self.created.clear()
            for index, step in enumerate(self.vector["steps"], 1):
                fault = self.step(step)
                if fault:
                    return f"step {index} ({step['method']} {step['path']}): {fault}"
            return None
        except Exception as e:  # a broken connection is a finding, not the end of the run
            return f"{type(e).__name__}: {e}"
        finally:
            try:
                self.clean()
            except Exception:
                pass

    def clean(self):
        for path in reversed(self.created):
            merge = {"Content-Type": "application/merge-patch+json"}
            self.exchange({"method": "PATCH", "path": path, "headers": merge, "body": {"metadata": {"finalizers": None}}})
            self.exchange({"method": "DELETE", "path": path})
        if self.vector.get("namespace") is not False:
            self.exchange({"method": "DELETE", "path": "/api/v1/namespaces/" + self.ns})

    def step(self, step):
        if "wait" in step:
            time.sleep(step["wait"])
        if step.get("watch"):
            answer, events = self.watch(step)
            self.answers.append(answer)
            return self.compare_watch(step, answer, events)
        deadline = time.monotonic() + step.get("within", 15)
        while True:
            answer = self.exchange(step)
            if "until" not in step or self.holds(step["until"], answer):
                break
            if time.monotonic() > deadline:
                return f"waited in vain for {step['until']}, last status {answer.status} {answer.text[:300]}"
            time.sleep(0.05)
        self.answers.append(answer)
        return self.compare(step, answer)

    def holds(self, until, answer):
        if "status" in until:
            return answer.status == until["status"]
        path = until["path"]
        if path.startswith("conditions:"):
            conditions = ((answer.value or {}).get("status") or {}).get("conditions") or []
            return any(c.get("type") == path[11:] and c.get("status") == until["value"] for c in conditions)
        return get_path(answer.value, path) == self.fill(until["value"])

    def compare(self, step, answer):
        expect = step["expect"]
        if "anyOf" in step:
            return None if answer.status in step["anyOf"] else f"status {answer.status}, want one of {step['anyOf']}"
        if answer.status != expect["status"]:
            return f"status {answer.status}, want {expect['status']}: {answer.text[:400]}"
        if step.get("check") == "status":
            return None
        if "type" in expect and answer.type != expect["type"]:
            return f"type {answer.type}, want {expect['type']}"
        if "ctype" in expect and answer.headers.get("Content-Type") != expect["ctype"]:
            return f"Content-Type {answer.headers.get('Content-Type')}, want {expect['ctype']}"
        if "warnings" in expect and answer.warnings() != expect["warnings"]:
            return f"{answer.warnings()} warnings, want {expect['warnings']}: {answer.headers.get_all('Warning')}"
        if "encoding" in expect and (answer.headers.get("Content-Encoding") or "") != (expect["encoding"] or ""):
            return f"encoding {answer.headers.get('Content-Encoding')}, want {expect['encoding']}"
        if "multiline" in expect and ("\n" in answer.text.strip()) != expect["multiline"]:
            return "line breaks differ"
        for piece, wanted in expect.get("contains", {}).items():
            if (self.fill(piece) in answer.text) != wanted:
                return f"text {piece!r} {'missing' if wanted else 'found'}"
        if "body" not in expect:
            return None
        return self.compare_body(step, answer.value, expect["body"])

    def compare_body(self, step, value, want):
        have = self.normal(value, keep_managed=bool(step.get("managedFields")))
        if "keep" in step:
            have = keep(have, step["keep"])
        for path in step.get("ignore", []):
            remove_path(have, path.split("."))
            want = json.loads(json.dumps(want))
            remove_path(want, path.split("."))
        if "fields" in step and want.get("kind") != "Status":
            found = {path: get_path(have, path) for path in step["fields"]}
            have = {path: v for path, v in found.items() if v is not MISSING}
        if step.get("shape"):
            have, want = shape(have), shape(want)
        if step.get("subset"):
            return contained(want, have, "")
        return difference(want, have, "")

    def compare_watch(self, step, answer, events):
        expect = step["expect"]
        if answer.status != expect["status"]:
            return f"status {answer.status}, want {expect['status']}: {answer.text[:300]}"
        if "events" not in expect:
            return self.compare(step, answer) if answer.text else None
        fields = step.get("fields") or sorted({key for event in expect["events"] for key in event} - {"type"})
        have = []
        for event in events:
            if event["type"] == "BOOKMARK":
                annotations = (event["object"].get("metadata") or {}).get("annotations") or {}
                if "k8s.io/initial-events-end" not in annotations:
                    continue
                event["object"]["metadata"].pop("resourceVersion", None)
            normal = self.normal(event["object"], keep_managed=bool(step.get("managedFields")))
            for path in step.get("ignore", []):
                remove_path(normal, path.split("."))
            found = {path: get_path(normal, path) for path in fields}
            have.append(dict({"type": event["type"]}, **{p: v for p, v in found.items() if v is not MISSING}))
        if step.get("collapse"):
            have = [e for i, e in enumerate(have) if i == 0 or e != have[i - 1]]
        return difference(expect["events"], have, "events")


# -- paths and trees ---------------------------------------------------------------------------------------------------


def get_path(value, path):
    if value is None:
        return MISSING
    if path == "":
        return value
    parts = split_path(path)
    for part in parts:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, list) and part == "*":
            continue
        elif isinstance(value, list):
            found = [v[part] for v in value if isinstance(v, dict) and part in v]
            if not found:
                return MISSING
            value = found
        else:
            return MISSING
    return value


def split_path(path):
    """Dots separate; [..] or backslash-dot protects a name with dots."""
    parts, current, i = [], "", 0
    while i < len(path):
        c = path[i]
        if c == "\\" and i + 1 < len(path):
            current += path[i + 1]
            i += 2
            continue
        if c == ".":
            parts.append(current)
            current = ""
        elif c == "[":
            end = path.index("]", i)
            if current:
                parts.append(current)
            parts.append(path[i + 1:end])
            current, i = "", end
            if i + 1 < len(path) and path[i + 1] == ".":
                i += 1
        else:
            current += c
        i += 1
    if current:
        parts.append(current)
    return parts


def remove_path(value, parts):
    head, rest = parts[0], parts[1:]
    if isinstance(value, list):
        for item in value if head == "*" or not head.isdigit() else value[int(head):int(head) + 1]:
            remove_path(item, rest if head == "*" or head.isdigit() else parts)
        return
    if not isinstance(value, dict):
        return
    for key in list(value) if head == "*" else [head]:
        if key not in value:
            continue
        if rest:
            remove_path(value[key], rest)
        else:
            del value[key]


def keep(value, specs):
    """Filters lists inside the answer to the elements whose key has one of the values."""
    copy = json.loads(json.dumps(value))
    for spec in specs:
        for target in lists_at(copy, split_path(spec["list"])):
            target[:] = [v for v in target if (v if not spec["key"] else get_path(v, spec["key"])) in spec["values"]]
    return copy


def lists_at(value, parts):
    """All lists that a path with * leads to."""
    if not parts:
        return [value] if isinstance(value, list) else []
    head, rest = parts[0], parts[1:]
    if head == "*":
        return [found for item in value or [] for found in lists_at(item, rest)]
    if isinstance(value, dict) and head in value:
        return lists_at(value[head], rest)
    return []


def shape(value):
    if isinstance(value, dict):
        return {k: shape(v) for k, v in value.items()}
    if isinstance(value, list):
        return [shape(v) for v in value[:1]]
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return "null" if value is None else "string"


def difference(want, have, path):
    if isinstance(want, dict) and isinstance(have, dict):
        for key in sorted(set(want) | set(have)):
            here = f"{path}.{key}" if path else key
            if key not in have:
                return f"{here}: missing, want {brief(want[key])}"
            if key not in want:
                return f"{here}: not expected, is {brief(have[key])}"
            fault = difference(want[key], have[key], here)
            if fault:
                return fault
        return None
    if isinstance(want, list) and isinstance(have, list):
        if len(want) != len(have):
            return f"{path}: {len(have)} elements, want {len(want)}: {brief(have)} / want {brief(want)}"
        for index, (w, h) in enumerate(zip(want, have)):
            fault = difference(w, h, f"{path}[{index}]")
            if fault:
                return fault
        return None
    return None if want == have and type(want) is type(have) else f"{path}: {brief(have)}, want {brief(want)}"


def contained(want, have, path):
    if isinstance(want, dict):
        if not isinstance(have, dict):
            return f"{path}: {brief(have)}, want an object"
        for key, item in want.items():
            here = f"{path}.{key}" if path else key
            if key not in have:
                return f"{here}: missing, want {brief(item)}"
            fault = contained(item, have[key], here)
            if fault:
                return fault
        return None
    if isinstance(want, list):
        if not isinstance(have, list):
            return f"{path}: {brief(have)}, want a list"
        for item in want:
            if all(contained(item, other, path) for other in have):
                return f"{path}: no element like {brief(item)}"
        return None
    return None if want == have else f"{path}: {brief(have)}, want {brief(want)}"


def brief(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 300 else text[:300] + "…"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--area", nargs="*")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--skip-file", default=str(HERE / "deviations.txt"))
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()

    deviations = set()
    if os.path.exists(options.skip_file):
        for line in pathlib.Path(options.skip_file).read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                deviations.add(line.split()[0])
    server = Server(options.kubeconfig)
    vectors = []
    for file in sorted(HERE.glob("*.json")):
        area = json.loads(file.read_text())
        for vector in area["vectors"]:
            wanted = (not options.area or area["area"] in options.area) and (not options.only or vector["id"] in options.only)
            if wanted:
                vectors.append(vector)
    # Those that wait for background work first.
    vectors.sort(key=lambda v: not any("within" in s or "until" in s or s.get("watch") for s in v["steps"]))

    passed, failed, expected, surprising = 0, [], 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for vector, fault in zip(vectors, pool.map(lambda v: Replay(server, v).run(), vectors)):
            known = vector["id"] in deviations
            if fault is None:
                passed += 1
                if known:
                    surprising.append(vector["id"])
            elif known:
                expected += 1
                if options.verbose:
                    print(f"deviates  {vector['id']}: {fault}")
            else:
                failed.append(vector["id"])
                print(f"FAILED    {vector['id']} ({vector['why']}): {fault}")
    for name in surprising:
        print(f"PASSES    {name}: remove it from the deviations")
    print(f"{passed} passed, {len(failed) + len(surprising)} failed, {expected} skipped")
    sys.exit(1 if failed or surprising else 0)


if __name__ == "__main__":
    main()
