"""One tenant does its worst while another one works: neighbours.py ATTACK URL CA

mallory has the role edit in the namespace attic, anna in the namespace work; their tokens are token-of-NAME. Prints one
line: ok when nothing of anna's was refused, and what she waits for a read and for a write (the medians of many) is at
most BOUND times what it is without the attack, before and after it in the same run. Where the attack keeps the
processors busy that says more about the machine than about the server, so a QUARTER of what mallory waits will do: who
takes turns with 32 of mallory's requests waits less than each of them. Otherwise it prints the figures and ends with 1.
The attackers run at the lowest priority: what counts is what the server does for whom, not whose client gets the
processor.
"""

import http.client
import itertools
import json
import multiprocessing
import os
import socket
import ssl
import statistics
import sys
import threading
import time
import urllib.parse

from tenant_client import TenantClient

BOUND = 20
QUARTER = 0.25
ROUNDS = 15  # of anna's, each several requests
MAPS = "/api/v1/namespaces/{}/configmaps"
ATTIC, WORK = MAPS.format("attic"), MAPS.format("work")
TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
STORED = 1500  # what `fill` stores for the attacks on lists
SECONDS = 60  # no attack goes on for longer, whatever happens to this process

where = urllib.parse.urlparse(sys.argv[2])
trust = ssl.create_default_context(cafile=sys.argv[3])


def connect():
    return trust.wrap_socket(socket.create_connection((where.hostname, where.port), timeout=30),
                             server_hostname=where.hostname)


def head_of(method, path):
    return (f"{method} {path} HTTP/1.1\r\nHost: {where.hostname}\r\n"
            "Authorization: Bearer token-of-mallory\r\n").encode()


def document(name, **data):
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})


# --- attacks: each is done again and again by many threads, each with a client of its own -------------------------------


def large_bodies(client, _):
    return client("POST", ATTIC + "?dryRun=All", LARGE)


def json_patches(client, _):
    return client("PATCH", f"{ATTIC}/wide?dryRun=All", JSON_PATCH, "application/json-patch+json")


def applied(client, number):
    path = f"{ATTIC}/applied?dryRun=All&force=true&fieldManager=manager-{number % 50}"
    return client("PATCH", path, WIDE_APPLIED, "application/apply-patch+yaml")


def small_writes(client, number):
    name = f"churn-{os.getpid()}-{threading.get_ident()}"
    return client("DELETE", f"{ATTIC}/{name}") if number % 2 else client("POST", ATTIC, document(name))


def collections(client, number):
    if number % 20 == 0:
        return client("DELETE", ATTIC + "?labelSelector=kind=rubbish")
    body = json.dumps({"metadata": {"generateName": "rubbish-", "labels": {"kind": "rubbish"}}})
    return client("POST", ATTIC, body)


def leases(client, number):
    name = f"lease-{os.getpid()}-{threading.get_ident()}"
    path = "/apis/coordination.k8s.io/v1/namespaces/attic/leases"
    return client("DELETE", f"{path}/{name}") if number % 2 else client("POST", path, json.dumps({"metadata": {"name": name}}))


def many_accounts(client, _):
    account = f"system:serviceaccount:attic:robot-{next(ROBOTS)}-{os.getpid()}"  # none of them has to exist
    return client("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", PADDED_REVIEW,
                  headers={"Impersonate-User": account})


def tables(client, _):
    return client("GET", ATTIC, headers=TABLE)


def long_lists(client, _):
    return client("GET", ATTIC)


def huge_selectors(client, number):
    values = ",".join(f"v{number}-{i}" for i in range(4000))  # a head may have 64 KiB
    return client("GET", f"{ATTIC}?labelSelector=" + urllib.parse.quote(f"kind notin ({values})", safe=","))


def reviews(client, _):
    body = json.dumps({"spec": {"namespace": "attic"}})
    return client("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", body)


def openapi(client, number):
    return client("GET", "/openapi/v2" if number % 2 else "/openapi/v3/apis/servicecatalog.k8s.io/v1beta1")


def strangers(client, _):
    client.headers = {}
    return client("GET", ATTIC)


def forged_tokens(client, number):
    head = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9"
    client.headers = {"Authorization": f"Bearer {head}.{number:08d}{'A' * 2000}.{'B' * 86}"}
    return client("GET", ATTIC)


def handshakes(_, __):
    connect().close()
    return 200


# --- attacks that hold connections: each call opens one more, and what it returns is kept -------------------------------


def slow_heads():
    one = connect()
    one.sendall(head_of("GET", ATTIC))
    return one


def slow_bodies():
    one = connect()
    one.sendall(head_of("POST", ATTIC) + b"Content-Type: application/json\r\nContent-Length: 3000000\r\n\r\n{")
    return one


def slow_readers():
    one = connect()
    one.sendall(head_of("GET", ATTIC) + b"\r\n")
    return one


def watches():
    one = connect()
    one.sendall(head_of("GET", ATTIC + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                        "&allowWatchBookmarks=true") + b"\r\n")
    return one


def change_what_is_watched(client, number):
    return client("PATCH", f"{ATTIC}/stored-{number % STORED}", json.dumps({"data": {"n": str(number)}}),
                  "application/merge-patch+json")


ROBOTS = itertools.count()
PADDED_REVIEW = json.dumps({"metadata": {"annotations": {"a": "b" * 2_500_000}},
                            "spec": {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "attic"}}})
LARGE = document("large", text="b" * 1_000_000)
WIDE = {f"key-{i}": "x" for i in range(5000)}
WIDE_APPLIED = document("applied", **WIDE)
JSON_PATCH = json.dumps([{"op": "replace", "path": f"/data/key-{i % 5000}", "value": "y"} for i in range(9000)])

# Name: what is repeated, by how many threads; or what is held, how many of it, and what is repeated meanwhile.
ATTACKS = {
    "large-bodies": (large_bodies, 32),
    "json-patches": (json_patches, 32),
    "applied": (applied, 32),
    "small-writes": (small_writes, 64),
    "collections": (collections, 32),
    "leases": (leases, 64),
    "many-accounts": (many_accounts, 64),
    "tables": (tables, 32),
    "long-lists": (long_lists, 32),
    "huge-selectors": (huge_selectors, 32),
    "reviews": (reviews, 32),
    "openapi": (openapi, 32),
    "strangers": (strangers, 64),
    "forged-tokens": (forged_tokens, 64),
    "handshakes": (handshakes, 16),
    "slow-heads": (slow_heads, 300, None),
    "slow-bodies": (slow_bodies, 300, None),
    "slow-readers": (slow_readers, 100, None),
    "watches": (watches, 300, change_what_is_watched),
}


def repeat(attack, done, spent):
    client = TenantClient(sys.argv[2], sys.argv[3], "mallory")
    for number in itertools.count():
        begin = time.monotonic()
        try:
            attack(client, number)
        except (OSError, http.client.HTTPException):
            pass  # a server may close the connection of such a client
        with done.get_lock():
            done.value += 1
            spent.value += time.monotonic() - begin


def hold(opener, count, done):
    kept = []
    for _ in range(count):
        try:
            kept.append(opener())
        except OSError:
            continue
        with done.get_lock():
            done.value += 1
    while True:  # a slow client sends a little now and then; a line of a head, or white space of a body
        for one in kept:
            try:
                one.send(b"X-Slow: 1\r\n" if opener is slow_heads else b" " if opener is slow_bodies else b"")
            except OSError:
                pass
        time.sleep(1)


def attacker(name, done, spent, share):
    """A process of its own, which does its `share` of the attack until it is ended."""
    os.nice(19)
    threading.Timer(SECONDS, os._exit, [1]).start()
    what, count, *more = ATTACKS[name]
    jobs = [(repeat, (what, done, spent))] * (count // share) if not more else [(hold, (what, count // share, done))]
    if more and more[0]:
        jobs.append((repeat, (more[0], multiprocessing.Value("q", 0), spent)))
    for function, arguments in jobs:
        threading.Thread(target=function, args=arguments, daemon=True).start()
    threading.Event().wait()


class Figures:
    def __init__(self):
        self.reads, self.writes, self.refused = [], [], []

    def note(self, into, client, *request):
        begin = time.monotonic()
        status = client(*request)
        into.append(time.monotonic() - begin)
        if status not in (200, 201):
            self.refused.append(f"{request[0]} {status}")

    def medians(self):
        return statistics.median(self.reads), statistics.median(self.writes)


def work(rounds):
    """What anna does in her namespace, over an open connection: of each sort that waits for seats (a body and an object
    that a worker parses, a table, a write), and reads that need none."""
    anna, figures = TenantClient(sys.argv[2], sys.argv[3], "anna"), Figures()
    anna("GET", WORK)
    for number in range(rounds):
        name = f"w-{number}"
        figures.note(figures.writes, anna, "POST", WORK, document(name, a="b" * 20_000))
        figures.note(figures.reads, anna, "GET", f"{WORK}/{name}")
        figures.note(figures.writes, anna, "PATCH", f"{WORK}/{name}", '{"data":{"a":"c"}}', "application/merge-patch+json")
        figures.note(figures.reads, anna, "GET", WORK)
        figures.note(figures.reads, anna, "GET", WORK, None, "application/json", TABLE)
        figures.note(figures.writes, anna, "DELETE", f"{WORK}/{name}")
    return figures


def fill():
    """What the attacks read and patch."""
    mallory = TenantClient(sys.argv[2], sys.argv[3], "mallory")
    for number in range(STORED):
        assert mallory("POST", ATTIC, document(f"stored-{number}", text="t" * 1000)) == 201
    assert mallory("POST", ATTIC, document("wide", **WIDE)) == 201


def beside(name):
    done, spent = multiprocessing.Value("q", 0), multiprocessing.Value("d", 0)
    before = work(ROUNDS)
    attackers = [multiprocessing.Process(target=attacker, args=(name, done, spent, 2), daemon=True) for _ in range(2)]
    for one in attackers:
        one.start()
    wanted = ATTACKS[name][1] // 2
    deadline = time.monotonic() + 30
    while done.value < wanted and time.monotonic() < deadline:  # it is under way
        time.sleep(0.05)
    begun, begin, spent_before = done.value, time.monotonic(), spent.value
    during = work(ROUNDS)
    attacked = done.value - begun
    mallory_waits = (spent.value - spent_before) / max(attacked, 1)
    seconds = time.monotonic() - begin
    for one in attackers:
        one.kill()
        one.join()
    after = work(ROUNDS)

    faults = []
    if begun < wanted:
        faults.append(f"the attack did not get under way: {begun} of {wanted}")
    if len(ATTACKS[name]) == 2 and attacked == 0:
        faults.append("nothing of the attack was answered meanwhile")
    if during.refused:
        faults.append(f"refused: {', '.join(sorted(set(during.refused)))}")
    ratios = []
    for what, one, two, three in zip(("read", "write"), before.medians(), during.medians(), after.medians()):
        alone = (one + three) / 2
        ratios.append(two / alone)
        if two > BOUND * alone and two > QUARTER * mallory_waits:
            faults.append(f"a {what} took {two * 1000:.1f} ms, {two / alone:.0f} times the {alone * 1000:.1f} ms without, "
                          f"and mallory's requests {mallory_waits * 1000:.1f} ms")
    print(f"{name}: reads x{ratios[0]:.1f}, writes x{ratios[1]:.1f}; mallory's {attacked} requests in {seconds:.1f} s "
          f"took {mallory_waits * 1000:.1f} ms each", file=sys.stderr)
    print(f"{name}: {'; '.join(faults)}" if faults else f"{name}: ok")
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1] == "fill":
        fill()
    else:
        sys.exit(beside(sys.argv[1]))
