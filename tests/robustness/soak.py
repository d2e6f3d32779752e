#!/usr/bin/env python3
"""Churn for as long as one likes: soak.py [--seconds N] [--restarts N] [--writers N] [--seed N]

Writers create, change and delete objects of several kinds; watchers follow. In the end every watcher must have been told
what was stored: nothing lost, nothing twice, in order, ending in what is listed. Memory must not grow once the history is
as long as it gets. Restarts come in the first half, so that the second half measures one process.
"""
import argparse
import collections
import random
import statistics
import sys
import threading
import time

from server import LOST, Client, Faults, Scratch, start, wait_until
from watcher import Expired, follow

HISTORY_SECONDS = 5
NAMES = 40            # of each writer and kind
SAMPLE_SECONDS = 0.25
SETTLED_SECONDS = 40  # a shorter run says nothing about memory
SLACK_BYTES = 6 << 20  # what memory may wander within the measured half
SLACK_SHARE = 0.10

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "gadgets.soak.example"},
    "spec": {"group": "soak.example", "scope": "Namespaced",
             "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
             "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                           "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                               "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                               "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}}]}}


class Kind:
    """What is churned: where it is, and where its content stands."""

    def __init__(self, api, plural, kind, member, has_status=False):
        self.plural, self.member, self.has_status = plural, member, has_status
        prefix = "/api/v1" if api == "v1" else f"/apis/{api}"
        self.path = f"{prefix}/namespaces/default/{plural}"
        self.type = {"apiVersion": api, "kind": kind}

    def selected(self, query="", labels="set=soak"):
        return f"{self.path}?labelSelector={labels.replace('=', '%3D').replace(',', '%2C')}{query}"

    def body(self, name, colour, content):
        return {**self.type, "metadata": {"name": name, "labels": {"set": "soak", "colour": colour}},
                self.member: content}


KINDS = [
    Kind("v1", "configmaps", "ConfigMap", "data"),
    Kind("v1", "secrets", "Secret", "stringData"),
    Kind("coordination.k8s.io/v1", "leases", "Lease", "spec"),
    Kind("soak.example/v1", "gadgets", "Gadget", "spec", has_status=True),
]


class World:
    """The server of the moment, and what was answered by any of them."""

    def __init__(self, server):
        self.lock = threading.Condition()
        self.server = server
        self.writing = True
        self.ended = False
        self.acked = {kind: set() for kind in KINDS}              # revisions of writes with an answer
        self.deleted = {kind: collections.Counter() for kind in KINDS}
        self.unknown = {kind: 0 for kind in KINDS}                # writes without an answer
        self.verbs = collections.Counter()

    def current(self, tried=None):
        """A server that runs and is not `tried`; None at the end."""
        with self.lock:
            self.lock.wait_for(lambda: self.ended or (self.server is not None and self.server is not tried))
            return None if self.ended else self.server

    def become(self, server):
        with self.lock:
            self.server = server
            self.lock.notify_all()

    def end(self):
        with self.lock:
            self.ended = True
            self.lock.notify_all()


class Writer(threading.Thread):
    """Writes to names of its own, so that each answer can be foretold, and to a few that all writers fight over."""

    def __init__(self, world, faults, number, seed):
        super().__init__(daemon=True)
        self.world, self.faults, self.number = world, faults, number
        self.random = random.Random(f"{seed}-{number}")

    def run(self):
        while self.world.writing:
            server = self.world.server
            if server is None:
                time.sleep(0.01)
                continue
            try:
                with Client(server) as client:
                    while self.world.writing:
                        self.write(client)
            except LOST:
                time.sleep(0.01)  # the server stops; another one will come

    def write(self, client):
        kind = self.random.choice(KINDS)
        shared = self.random.random() < 0.1
        name = f"shared-{self.random.randrange(4)}" if shared else f"w{self.number}-{self.random.randrange(NAMES)}"
        verb = self.random.choices(("create", "patch", "put", "status", "delete"), (4, 5, 2, 1, 3))[0]
        colour = self.random.choice(("red", "green", "blue"))
        text = "x" * self.random.randrange(10, 2000)
        content = {"holderIdentity": text} if kind.plural == "leases" else {"text": text}
        with self.world.lock:
            self.world.unknown[kind] += 1
        if verb == "create":
            status, answer = client.ask("POST", kind.path, kind.body(name, colour, content))
            expected = (201, 409)
        elif verb == "put":
            status, answer = client.ask("GET", f"{kind.path}/{name}")
            if status == 200:
                answer["metadata"]["labels"]["colour"] = colour
                answer[kind.member] = content
                status, answer = client.ask("PUT", f"{kind.path}/{name}", answer)
            expected = (200, 404, 409)
        elif verb == "delete":
            status, answer = client.ask("DELETE", f"{kind.path}/{name}")
            expected = (200, 404)
        else:
            path, patch = f"{kind.path}/{name}", {"metadata": {"labels": {"colour": colour}}, kind.member: content}
            if verb == "status" and kind.has_status:
                path, patch = path + "/status", {"status": {"text": text}}
            status, answer = client.ask("PATCH", path, patch, "application/merge-patch+json")
            expected = (200, 404)
        self.faults.check(status in expected, f"{verb} of {kind.plural} {name}: {status} {str(answer)[:300]}")
        with self.world.lock:
            self.world.unknown[kind] -= 1
            self.world.verbs[verb if status < 300 else "refused"] += 1
            if status >= 300:
                return
            if verb == "delete":
                self.world.deleted[kind][name] += 1
            else:
                self.world.acked[kind].add(int(answer["metadata"]["resourceVersion"]))


class Follower(threading.Thread):
    """A watch that goes on over restarts."""

    def __init__(self, world, faults, kind, labels):
        super().__init__(daemon=True)
        self.world, self.faults, self.kind, self.labels = world, faults, kind, labels
        self.state, self.revision = {}, 0
        self.told = []                            # revisions of events, as they came
        self.gone = collections.Counter()         # DELETED by name

    def selected(self, query=""):
        return self.kind.selected(query, self.labels)

    def run(self):
        tried = None
        while server := self.world.current(tried):
            try:
                with Client(server) as client:
                    follow(client, self, self.revision, self.take, "&allowWatchBookmarks=true")
            except LOST:
                pass
            except Expired as problem:
                self.faults.check(False, f"watch of {self.kind.plural} from {self.revision}: {problem}")
                return
            except Exception as problem:  # one that dies silently would pass for one that sees nothing
                self.faults.check(False, f"watch of {self.kind.plural}: {problem!r}")
                return
            tried = None if server.runs() else server

    def take(self, sort, item):
        metadata = item["metadata"]
        revision = int(metadata["resourceVersion"])
        if sort == "BOOKMARK":
            self.faults.check(revision >= self.revision, f"bookmark {revision} after {self.revision}")
            self.revision = revision
            return False
        name = metadata["name"]
        what = f"watch of {self.kind.plural} ({self.labels}): {sort} {name} at {revision}"
        self.faults.check(revision > self.revision, f"{what}: out of order or twice, after {self.revision}")
        self.faults.check((name in self.state) == (sort != "ADDED"), f"{what}: it was {name in self.state} before")
        if sort == "DELETED":
            self.state.pop(name, None)
            self.gone[name] += 1
        else:
            self.state[name] = revision
            self.told.append(revision)
        self.revision = revision
        return False


class Memory(threading.Thread):
    """Samples the resident memory of the server of the moment."""

    def __init__(self, world):
        super().__init__(daemon=True)
        self.world, self.samples = world, []  # (time, bytes) of the present process

    def run(self):
        of = None
        while not self.world.ended:
            server = self.world.server
            if server is not None and server.runs():
                if server is not of:
                    of, self.samples = server, []
                try:
                    self.samples.append((time.monotonic(), server.memory()))
                except (OSError, RuntimeError):
                    pass  # it is just being stopped
            time.sleep(SAMPLE_SECONDS)

    def since(self, moment):
        return [sample for sample in self.samples if sample[0] >= moment]


def check_memory(samples, faults):
    """Flat: neither the trend nor the last third against the first may show growth beyond what memory wanders anyway."""
    if not faults.check(len(samples) >= 12, f"only {len(samples)} samples of memory"):
        return
    sizes = [size for _, size in samples]
    third = len(sizes) // 3
    first, last = statistics.median(sizes[:third]), statistics.median(sizes[-third:])
    slope = statistics.linear_regression([moment for moment, _ in samples], sizes).slope
    seconds = samples[-1][0] - samples[0][0]
    room = max(SLACK_BYTES, SLACK_SHARE * first)
    faults.check(last - first <= room, f"memory grew from {first / 2**20:.1f} to {last / 2**20:.1f} MiB")
    faults.check(slope * seconds <= room, f"memory grows by {slope / 2**20 * 60:.2f} MiB per minute")
    print(f"  memory: {first / 2**20:.1f} MiB, then {last / 2**20:.1f} MiB over {seconds:.0f} s; "
          f"trend {slope / 2**20 * 60:+.2f} MiB per minute, {len(samples)} samples")


def check_streams(world, followers, faults):
    with Client(world.server) as client:
        listed = {}
        for follower in followers:
            status, answer = client.ask("GET", follower.selected())
            faults.check(status == 200, f"list of {follower.kind.plural}: {status}")
            listed[follower] = {item["metadata"]["name"]: int(item["metadata"]["resourceVersion"])
                                for item in answer["items"]}
    for follower in followers:
        what = f"watch of {follower.kind.plural} ({follower.labels})"
        try:
            wait_until(lambda one=follower: one.state == listed[one], "the stream ends in what is listed", 20)
        except TimeoutError:
            missing = {n: r for n, r in listed[follower].items() if follower.state.get(n) != r}
            faults.check(False, f"{what}: ends in another state than the list; {len(missing)} differ: "
                                f"{list(missing.items())[:3]}")
            continue
        faults.check(len(set(follower.told)) == len(follower.told), f"{what}: told an event twice")
        if follower.labels != "set=soak":
            continue
        kind, told = follower.kind, set(follower.told)
        lost = world.acked[kind] - told
        faults.check(not lost, f"{what}: {len(lost)} acknowledged writes were never told: {sorted(lost)[:3]}")
        extra = told - world.acked[kind]
        faults.check(len(extra) <= world.unknown[kind], f"{what}: {len(extra)} events that nobody wrote, with "
                                                        f"{world.unknown[kind]} writes unanswered: {sorted(extra)[:3]}")
        missed = {n: count for n, count in world.deleted[kind].items() if follower.gone[n] < count}
        faults.check(not missed, f"{what}: deletions were not told: {list(missed.items())[:3]}")
        unasked = sum(follower.gone.values()) - sum(world.deleted[kind].values())
        faults.check(unasked <= world.unknown[kind], f"{what}: {unasked} deletions that nobody asked for")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--restarts", type=int, default=2)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    options = parser.parse_args()
    print(f"soak: {options.seconds} s, {options.writers} writers, {options.restarts} restarts, seed {options.seed}",
          flush=True)
    faults = Faults()
    flags = ("--controllers", "*,-service-catalog", "--history-seconds", str(HISTORY_SECONDS))
    with Scratch() as scratch:
        world = World(start(scratch.path / "data", scratch.log, *flags))
        with Client(world.server) as client:
            status, answer = client.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD)
            faults.check(status == 201, f"CRD: {status} {answer}")
            wait_until(lambda: client.send("GET", KINDS[-1].path)[0] == 200, "the CRD is served")
            revision = int(client.ask("GET", KINDS[0].path)[1]["metadata"]["resourceVersion"])
        followers = [Follower(world, faults, kind, labels)
                     for kind in KINDS for labels in ("set=soak", "set=soak,colour=red")]
        for follower in followers:
            follower.revision = revision
        writers = [Writer(world, faults, number, options.seed) for number in range(options.writers)]
        memory = Memory(world)
        begun = time.monotonic()
        for thread in (*followers, *writers, memory):
            thread.start()
        for number in range(options.restarts):
            time.sleep(max(0, begun + (number + 1) * options.seconds / 2 / (options.restarts + 1) - time.monotonic()))
            server = world.server
            world.become(None)
            faults.check(server.stop() == 0, "the server did not stop in good order")
            world.become(start(scratch.path / "data", scratch.log, *flags))
        time.sleep(max(0, begun + options.seconds - time.monotonic()))
        world.writing = False  # watchers go on until they have caught up
        for writer in writers:
            writer.join(60)
            faults.check(not writer.is_alive(), "a writer hangs")
        measured = memory.since(begun + options.seconds / 2)
        check_streams(world, followers, faults)
        if options.seconds >= SETTLED_SECONDS:
            check_memory(measured, faults)
        else:
            print(f"  memory: not judged in less than {SETTLED_SECONDS} s; the history has to fill first")
        world.end()
        faults.check(world.server.stop() == 0, "the server did not stop in good order")
        scratch.check_log(faults)
    written = sum(len(acked) for acked in world.acked.values()) + sum(sum(d.values()) for d in world.deleted.values())
    print(f"  {written} writes ({written / options.seconds:.0f}/s): {dict(sorted(world.verbs.items()))}")
    print(f"  {sum(len(f.told) + sum(f.gone.values()) for f in followers)} events to {len(followers)} watches, "
          f"{sum(world.unknown.values())} writes unanswered")
    return faults.close("soak")


if __name__ == "__main__":
    sys.exit(main())
