#!/usr/bin/env python3
"""Hostile clients: each gets the right refusal, none disturbs the others, and the server lives on.

usage: limits.py [--connections N] [--writes N]
"""
import argparse
import base64
import json
import re
import socket
import sys
import threading
import time

from server import (CONFIG_MAPS, LOST, PATIENCE, SECRET_MARK, SECRETS, Client, Faults, Scratch, config_map, start,
                    wait_until)

KIB, MIB = 1024, 1024 * 1024
LABEL = "labelSelector=suite%3Dlimits"


class Raw:
    """A TLS connection on which anything may be sent."""

    def __init__(self, server, buffer=None):
        plain = socket.socket()
        if buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        plain.settimeout(PATIENCE)
        plain.connect(("127.0.0.1", server.port))
        self.socket = server.tls().wrap_socket(plain, server_hostname="127.0.0.1")

    def send(self, data):
        """False: the other side has closed already."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def read_to_end(self):
        """All until the connection is closed, and whether it was."""
        data = b""
        try:
            while piece := self.socket.recv(64 * KIB):
                data += piece
        except TimeoutError:
            return data, False
        except OSError:  # closed in a less polite way
            pass
        return data, True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def head(method, path, *lines):
    text = "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", ""])
    return text.encode()


def status_of(answer):
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    return int(found.group(1)) if found else None


def statuses_in(answer):
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


class Cases:
    def __init__(self, server, faults, options):
        self.server, self.faults, self.options = server, faults, options

    # --- steps that several cases take -----------------------------------------------------------------------------

    def refused(self, what, data, *codes):
        """Bytes that get one of these codes as the only answer, and then the end of the connection."""
        with Raw(self.server) as raw:
            raw.send(data)
            answer, closed = raw.read_to_end()
        self.faults.check(status_of(answer) in codes, f"{what}: wanted {codes}, got {answer[:200]}")
        self.faults.check(len(statuses_in(answer)) == 1, f"{what}: {len(statuses_in(answer))} answers")
        self.faults.check(closed, f"{what}: the connection stays open")

    def body_gets(self, what, body, *codes, path=CONFIG_MAPS, method="POST", content_type="application/json"):
        """A well-formed request; a refusal must be a Status with a message, and the connection must live on."""
        with Client(self.server) as client:
            status, text = client.send(method, path, body, content_type)
            self.faults.check(status in codes, f"{what}: wanted {codes}, got {status} {text[:200]}")
            if status >= 400:
                try:
                    answer = json.loads(text)
                except ValueError:
                    answer = {}
                self.faults.check(answer.get("kind") == "Status" and answer.get("code") == status
                                  and answer.get("message"), f"{what}: no Status: {text[:200]}")
                self.faults.check(len(text) < MIB, f"{what}: the answer is {len(text)} bytes long")
            status, text = client.send("GET", "/readyz")
            self.faults.check(status == 200, f"{what}: afterwards /readyz gives {status} {text}")
            return status

    # --- the cases -------------------------------------------------------------------------------------------------

    def slow_head(self):
        """One byte now and then: cut off after the time for a head. Runs beside the other cases."""
        with Raw(self.server) as raw:
            raw.send(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            raw.socket.settimeout(0.5)
            began, answer, closed = time.monotonic(), b"", False
            while not closed and time.monotonic() - began < PATIENCE:
                try:
                    piece = raw.socket.recv(4 * KIB)
                    answer, closed = answer + piece, not piece
                except TimeoutError:
                    raw.send(b"x")
                except OSError:
                    closed = True
        self.faults.check(closed, "a slow head is never cut off")
        self.faults.check(status_of(answer) in (None, 408), f"a slow head gets {answer[:100]}")

    def large_head(self):
        self.refused("a header of 100 KiB", head("GET", "/readyz", "X-Long: " + "a" * 100 * KIB), 431)
        many = [f"X-{number}: {number}" for number in range(10_000)]
        self.refused("10,000 headers", head("GET", "/readyz", *many), 431)
        self.refused("a path of 100 KiB", head("GET", "/" + "a" * 100 * KIB), 414, 431)

    def large_body(self):
        long = 3 * MIB + 1
        self.refused("3 MiB and a byte announced", head("POST", CONFIG_MAPS, "Content-Type: application/json",
                                                        f"Content-Length: {long}"), 413)
        chunk = b"%x\r\n" % (64 * KIB) + b"a" * (64 * KIB) + b"\r\n"
        self.refused("3 MiB and more in chunks", head("POST", CONFIG_MAPS, "Content-Type: application/json",
                                                      "Transfer-Encoding: chunked") + chunk * 50, 413)
        self.refused("a length beyond all numbers", head("POST", CONFIG_MAPS, "Content-Length: " + "9" * 40), 400, 413)

    def garbage(self):
        post = ("POST", CONFIG_MAPS, "Content-Type: application/json")
        self.refused("chunks that are none", head(*post, "Transfer-Encoding: chunked") + b"zzzz\r\nfoo\r\n", 400)
        self.refused("a chunk longer than it says", head(*post, "Transfer-Encoding: chunked") + b"2\r\nabcdef\r\n", 400)
        self.refused("a chunk of a negative length", head(*post, "Transfer-Encoding: chunked") + b"-1\r\n\r\n", 400)
        self.refused("an endless chunk size", head(*post, "Transfer-Encoding: chunked") + b"f" * 100 * KIB, 400, 431)
        self.refused("two lengths", head(*post, "Content-Length: 2", "Content-Length: 3") + b"{}", 400)
        self.refused("a length and chunks", head(*post, "Content-Length: 2", "Transfer-Encoding: chunked") + b"{}", 400)
        self.refused("no HTTP at all", b"\x00\x01\x02\x03 what is this?\r\n\r\n", 400)
        self.refused("a NUL in a header", head("GET", "/readyz", "X-Nul: a\0b"), 400)
        self.refused("no Host", b"GET /readyz HTTP/1.1\r\n\r\n", 400)
        with Client(self.server) as client:
            status, _ = client.send("GET", CONFIG_MAPS + "/a%00b")
            self.faults.check(status in (400, 404), f"a NUL in a path: {status}")
            status, _ = client.send("GET", CONFIG_MAPS + "/%ff%fe")
            self.faults.check(status in (400, 404), f"invalid UTF-8 in a path: {status}")
            status, _ = client.send("GET", CONFIG_MAPS + "?labelSelector=%ff%fe%00")
            self.faults.check(status == 400, f"invalid UTF-8 in a selector: {status}")
        with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as plain:
            plain.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try:
                answer = plain.recv(KIB)
            except OSError:
                answer = b""
            self.faults.check(b" 200 " not in answer, "an answer without TLS")

    def bad_bodies(self):
        def text(name, data=b'"a":"b"'):
            return b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%b"},"data":{%b}}' % (name, data)

        nested = text(b"deep", b'"a":' + b"[" * 10_000 + b"]" * 10_000)
        self.body_gets("JSON nested 10,000 deep", nested, 400)
        self.body_gets("objects nested 10,000 deep", '{"a":' * 10_000 + "1" + "}" * 10_000, 400)
        self.body_gets("YAML nested 10,000 deep", "[" * 10_000 + "]" * 10_000, 400, content_type="application/yaml")
        bombs = ["a0: &a0 x"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
        self.body_gets("YAML that multiplies itself", "\n".join(bombs), 400, content_type="application/yaml")
        self.body_gets("a nested patch", '{"data":' + '{"a":' * 10_000 + "1" + "}" * 10_001, 400, 404, method="PATCH",
                       path=CONFIG_MAPS + "/none", content_type="application/merge-patch+json")
        self.body_gets("invalid UTF-8", text(b"u", b'"a":"\xff\xfe"'), 400)
        self.body_gets("a NUL byte in JSON", text(b"n\0"), 400)
        self.body_gets("an escaped NUL in a name", text(b"n\\u0000"), 422)
        self.body_gets("half a surrogate", text(b"s", b'"a":"\\ud800"'), 201, 400)
        self.body_gets("nothing", b"", 400)
        self.body_gets("broken protobuf", b"k8s\0" + b"\xff" * 1000, 400,
                       content_type="application/vnd.kubernetes.protobuf")
        self.body_gets("a type that nobody knows", b"{}", 415, content_type="application/x-unknown")
        service = ('{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":1'
                   + "0" * 100_000 + "}]}}")
        self.body_gets("a number beyond all numbers", service, 400, 422, path="/api/v1/namespaces/default/services")

    def secrets_in_errors(self):
        """Secrets that are refused in all sorts of ways: the value must not be in the answer, nor in the log."""
        value = base64.b64encode((SECRET_MARK + "0").encode()).decode()

        def refused(what, body, content_type="application/json", method="POST", path=SECRETS):
            with Client(self.server) as client:
                status, text = client.send(method, path, body, content_type)
                self.faults.check(400 <= status < 500, f"{what}: {status}")
                for form in (SECRET_MARK, value[:-4]):
                    self.faults.check(form.encode() not in text, f"{what}: the answer has the secret: {text[:400]}")

        def body(**changes):
            return json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "refused"}} | changes)

        refused("no base64", body(data={"a": SECRET_MARK}))
        refused("a bad name", body(metadata={"name": "NOT GOOD"}, data={"a": value}))
        refused("a bad key", body(data={"not good/": value}))
        refused("a wrong type", body(data=[value]))
        refused("text for an object", body(stringData=SECRET_MARK))
        refused("broken JSON", body(stringData={"a": SECRET_MARK})[:-1])
        refused("broken YAML", f"apiVersion: v1\nkind: Secret\nstringData: {{a: '{SECRET_MARK}\n", "application/yaml")
        refused("a patch of nothing", json.dumps({"stringData": {"a": SECRET_MARK}}), "application/merge-patch+json",
                "PATCH", SECRETS + "/none")
        with Client(self.server) as client:
            status, _ = client.ask("POST", SECRETS, body(metadata={"name": "kept"}, immutable=True, data={"a": value}))
            self.faults.check(status == 201, f"a good secret gets {status}")
        other = base64.b64encode(SECRET_MARK.encode()).decode()
        refused("a change of what cannot change", json.dumps({"data": {"a": other}}), "application/merge-patch+json",
                "PATCH", SECRETS + "/kept")

    def idle_connections(self):
        """Many that say nothing, and as many that do not even begin with TLS; requests go on beside them."""
        context, held = self.server.tls(with_certificate=False), []
        try:
            for _ in range(self.options.connections):
                plain = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
                held.append(context.wrap_socket(plain, server_hostname="127.0.0.1"))
                held.append(socket.create_connection(("127.0.0.1", self.server.port), PATIENCE))
            with Client(self.server) as client:
                for number in range(20):
                    name = f"idle-{number}"
                    status, _ = client.ask("POST", CONFIG_MAPS, config_map(name, {"a": "b"}))
                    self.faults.check(status == 201, f"beside idle connections a write gets {status}")
                    status, _ = client.ask("DELETE", f"{CONFIG_MAPS}/{name}")
                    self.faults.check(status == 200, f"beside idle connections a delete gets {status}")
                _, text = client.send("GET", "/metrics")
                counted = re.search(rb"^chandler_http_connections (\d+)", text, re.M)
                self.faults.check(counted and int(counted.group(1)) >= self.options.connections,
                                  f"the server counts {counted and counted.group(1)} connections")
        finally:
            for one in held:
                one.close()

    def stuck_watch(self):
        """A client that asks for events and never reads. The server does not keep them for it; others do not wait."""
        watch = f"{CONFIG_MAPS}?watch=true&{LABEL}&resourceVersion=0"
        seen, read = set(), threading.Event()
        writes = self.options.writes

        def follow():
            with Client(self.server) as client:
                answer = client.stream(watch)
                while len(seen) < writes:
                    line = answer.readline()
                    if not line:
                        return  # ended too early; the writer's side will tell
                    seen.add(json.loads(line)["object"]["data"]["number"])
            read.set()

        with Raw(self.server, buffer=4 * KIB) as stuck:
            stuck.send(head("GET", watch))
            follower = threading.Thread(target=follow, daemon=True)
            follower.start()
            with Client(self.server) as client:
                wait_until(lambda: b"apiserver_watchers 2\n" in client.send("GET", "/metrics")[1], "both watches are open")
                before = self.server.memory()
                body = config_map("changing", {"number": "0", "fill": "x" * 2 * KIB}, {"suite": "limits"})
                for number in range(writes):
                    body["data"]["number"] = str(number)
                    method, path = ("POST", CONFIG_MAPS) if number == 0 else ("PUT", f"{CONFIG_MAPS}/changing")
                    status, _ = client.send(method, path, json.dumps(body))
                    self.faults.check(status in (200, 201), f"beside a stuck watch a write gets {status}")
            self.faults.check(read.wait(PATIENCE), f"the other watch saw {len(seen)} of {writes} writes")
            follower.join(PATIENCE)
            grown = self.server.memory() - before
        self.faults.check(grown < 64 * MIB, f"memory grew by {grown / MIB:.0f} MiB")
        print(f"    {writes} writes, memory grew by {grown / MIB:.1f} MiB")

    def stuck_answers(self):
        """Clients that ask for much, again and again on one connection, and read nothing."""
        with Client(self.server) as client:
            for number in range(10):
                client.ask("POST", CONFIG_MAPS, config_map(f"big-{number}", {"text": "x" * 500 * KIB}, {"suite": "big"}))
            before = self.server.memory()
            stuck = []
            try:
                for _ in range(20):
                    raw = Raw(self.server, buffer=4 * KIB)
                    raw.socket.settimeout(1)
                    raw.send(head("GET", CONFIG_MAPS) * 50)
                    stuck.append(raw)
                wait_until(lambda: client.send("GET", "/readyz")[0] == 200, "ready beside stuck answers")
                status, answer = client.ask("GET", CONFIG_MAPS + "?labelSelector=suite%3Dbig")
                self.faults.check(status == 200 and len(answer["items"]) == 10, "a list beside stuck answers")
                grown = self.server.memory() - before
            finally:
                for raw in stuck:
                    raw.socket.close()
        # 20 answers of 5 MiB each could be held at most; documents are shared, so it should be far less.
        self.faults.check(grown < 64 * MIB, f"20 unread answers cost {grown / MIB:.0f} MiB")
        print(f"    20 unread answers, memory grew by {grown / MIB:.1f} MiB")

    def many_labels(self):
        """As many as fit into a body. They may be accepted or refused, but nobody else may have to wait for it."""
        labels = {f"label-{number}": "x" for number in range(100_000)}
        self.body_gets("100,000 labels", json.dumps(config_map("labels", {"a": "b"}, labels)), 201, 400, 413, 422)
        faulty = {f"bad label {number}": "x y" for number in range(50_000)}
        self.body_gets("50,000 faulty labels", json.dumps(config_map("faulty", {"a": "b"}, faulty)), 400, 413, 422)
        with Client(self.server) as client:
            status, _ = client.ask("POST", CONFIG_MAPS, config_map("after", {"a": "b"}))
            self.faults.check(status == 201, f"after many labels a write gets {status}")


CASES = [Cases.large_head, Cases.large_body, Cases.garbage, Cases.bad_bodies, Cases.secrets_in_errors,
         Cases.idle_connections, Cases.stuck_watch, Cases.stuck_answers, Cases.many_labels]


def main():
    parser = argparse.ArgumentParser(description="hostile clients")
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--writes", type=int, default=2_000)
    options = parser.parse_args()
    print("limits:", flush=True)
    faults = Faults()
    with Scratch() as scratch:
        server = start(scratch.path / "data", scratch.log, "--log-level", "debug")
        cases = Cases(server, faults, options)
        slow = threading.Thread(target=cases.slow_head, daemon=True)
        slow.start()
        try:
            for case in CASES:
                print(f"  {case.__name__.replace('_', ' ')}", flush=True)
                try:
                    case(cases)
                except LOST as error:
                    faults.check(False, f"{case.__name__}: {error!r}")
                if not faults.check(server.runs(), f"the server ended during {case.__name__}"):
                    break
            slow.join(2 * PATIENCE)
            faults.check(not slow.is_alive(), "the slow client never came to an end")
            if server.runs():
                with Client(server) as client:
                    status, text = client.send("GET", "/readyz")
                    faults.check((status, text) == (200, b"ok"), f"/readyz at the end: {status} {text}")
                faults.check(server.stop() == 0, "no orderly stop at the end")
        finally:
            server.kill()
        scratch.check_log(faults)
        if faults.found:
            print("  last lines of the server's log:\n" + "\n".join(scratch.log.read_text().splitlines()[-5:]))
    return faults.close("limits")


if __name__ == "__main__":
    sys.exit(main())
