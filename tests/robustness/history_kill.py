#!/usr/bin/env python3
"""Concurrent clients of a server that is killed again and again: what they were told must fit one order of all writes.

usage: history_kill.py [--rounds N] [--calls N] [--seed S] [--save FILE]

Clients create, replace, patch, delete, get and list a few objects that all of them share, with and without expected revisions, over
connections of their own; watches follow. Every call is noted with the moments at which it began and ended. After some number of
calls the server is killed and started again, and the clients go on. In the end history_check.py judges the history. Then faults are
planted into a copy of it (history_plants.py), and each must be found.
"""
import argparse
import base64
import json
import pathlib
import pickle
import random
import sys
import tempfile
import threading
import time

import history as told
from history import Event, History, Operation, Watch
from history_check import check_history
from history_plants import PLANTS, NoPlace, Planter
from server import LOST, SECRET_MARK, Client, Faults, Scratch, start, wait_until
from watcher import raise_for

CALLERS = 6
NAMES = "abc"
LABEL = "suite=history"
SELECTED = f"?labelSelector={LABEL.replace('=', '%3D')}"
LONG = 8_000  # operations
SERVER = "the server"  # a history may have several


class Kind:
    """What the clients work on; the key of an object is "configmaps/a"."""

    def __init__(self, plural, name):
        self.plural, self.name, self.path = plural, name, f"/api/v1/namespaces/default/{plural}"
        self.prefix = f"{plural}/"

    def encode(self, content):
        if self.name != "Secret":
            return content
        return {name: base64.b64encode((SECRET_MARK + value).encode()).decode() for name, value in content.items()}

    def decode(self, item):
        data = item.get("data", {})
        if self.name != "Secret":
            return data
        return {name: base64.b64decode(value).decode().removeprefix(SECRET_MARK) for name, value in data.items()}

    def body(self, name, content, expected):
        metadata = {"name": name, "labels": dict([LABEL.split("=")])} | ({"resourceVersion": str(expected)} if expected else {})
        return {"apiVersion": "v1", "kind": self.name, "metadata": metadata, "data": self.encode(content)}


KINDS = [Kind("configmaps", "ConfigMap"), Kind("secrets", "Secret")]


def revision_of(item):
    return int(item["metadata"]["resourceVersion"])


class Place:
    """Where the server is now; it moves with each restart."""

    def __init__(self):
        self.changed = threading.Condition()
        self.server, self.ended, self.calls, self.errors = None, False, 0, []

    def move_to(self, server):
        with self.changed:
            self.server = server
            self.changed.notify_all()

    def end(self):
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def count(self):
        with self.changed:
            self.calls += 1
            self.changed.notify_all()

    def other_than(self, server):
        """The next server; None when all is over."""
        with self.changed:
            self.changed.wait_for(lambda: self.ended or (self.server is not server and self.server is not None))
            return None if self.ended else self.server

    def wait_for_calls(self, goal):
        with self.changed:
            if not self.changed.wait_for(lambda: self.calls >= goal or self.errors, 120) or self.errors:
                raise RuntimeError(f"the clients do not go on: {self.errors}")


class Follower(threading.Thread):
    """Something that goes on at the next server when one is gone."""

    def __init__(self, place):
        super().__init__(daemon=True)
        self.place = place

    def run(self):
        server = None
        try:
            while (server := self.place.other_than(server)) is not None:
                while server.runs() and not self.place.ended:
                    try:
                        with Client(server) as client:
                            self.work(client)
                    except LOST:
                        pass
        except Exception as error:  # a silent end would pass for one that saw nothing wrong
            self.place.errors.append(repr(error))
            raise


class Caller(Follower):
    """Calls whatever chance says."""

    def __init__(self, place, history, number, seed):
        super().__init__(place)
        self.history, self.number = history, number
        self.random = random.Random(f"{seed}/{number}")
        self.written = 0
        self.known = {}  # key: a revision that it has had
        self.seen = {}   # kind: revisions of lists that it has had

    def work(self, client):
        while not self.place.ended:
            self.call(client)
            self.place.count()

    def call(self, client):
        kind = self.random.choice(KINDS)
        what = self.random.choices([told.CREATE, told.REPLACE, told.PATCH, told.DELETE, told.GET, told.LIST], [4, 6, 3, 2, 6, 3])[0]
        if what == told.LIST:
            self.list(client, kind)
            return
        name = self.random.choice(NAMES)
        operation = Operation(SERVER, what, kind.prefix + name, 0)
        if what in (told.REPLACE, told.PATCH, told.DELETE) and self.random.random() < 0.6:
            operation.expected = self.known.get(operation.key)
        if what in (told.CREATE, told.REPLACE, told.PATCH):
            operation.content = self.next_content(what)
        self.history.operations.append(operation)
        operation.begin = time.monotonic()
        status, answer = client.ask(*self.request(kind, name, operation))
        self.note(kind, operation, status, answer)

    def next_content(self, what):
        self.written += 1
        token = f"{self.number}-{self.written}"
        return {"by": token} | ({"base": token} if what != told.PATCH else {})

    def request(self, kind, name, operation):
        path, what, expected = f"{kind.path}/{name}", operation.what, operation.expected
        if what == told.GET:
            return "GET", path
        if what == told.DELETE:
            return ("DELETE", path) + (({"preconditions": {"resourceVersion": str(expected)}},) if expected else ())
        body = kind.body(name, operation.content, expected)
        if what == told.CREATE:
            return "POST", kind.path, body
        if what == told.REPLACE:
            return "PUT", path, body
        return "PATCH", path, body, "application/merge-patch+json"

    def note(self, kind, operation, status, answer):
        """The outcome; without an end it stays unknown."""
        end, reason = time.monotonic(), answer.get("reason")
        if status >= 500:
            return
        if status in (200, 201):
            operation.outcome = told.OK
            if operation.what == told.DELETE:
                operation.uid = answer["details"]["uid"]
            else:
                operation.revision, operation.uid = revision_of(answer), answer["metadata"]["uid"]
                self.known[operation.key] = operation.revision
            if operation.what == told.GET:
                operation.content = kind.decode(answer)
        elif status == 429:
            operation.outcome = told.REFUSED
        elif (status, reason) == (404, "NotFound"):
            operation.outcome = told.ABSENT
        elif (status, reason) == (409, "AlreadyExists"):
            operation.outcome = told.PRESENT
        elif (status, reason) == (409, "Conflict"):
            operation.outcome = told.CONFLICT
        else:
            raise RuntimeError(f"{operation}: {status} {answer}")
        operation.end = end

    def list(self, client, kind):
        """The whole, in pages (which are one snapshot, taken for the first), or an earlier one."""
        operation = Operation(SERVER, told.LIST, kind.prefix, 0, items={})
        query = self.random.choice(["", "&limit=2", "exact"])
        if query == "exact":
            known = self.seen.get(kind)
            query = f"&resourceVersionMatch=Exact&resourceVersion={self.random.choice(known)}" if known else ""
            operation.exact = bool(known)
        operation.begin = time.monotonic()
        more, end = "", None
        while True:
            status, answer = client.ask("GET", f"{kind.path}{SELECTED}{query}{more}")
            if status in (410, 429) or status >= 500:
                return
            if status != 200:
                raise RuntimeError(f"list of {kind.plural}: {status} {answer}")
            end = end or time.monotonic()
            if operation.revision not in (None, revision_of(answer)):
                raise RuntimeError(f"pages of one list at {operation.revision} and {revision_of(answer)}")
            operation.revision = revision_of(answer)
            for item in answer["items"]:
                operation.items[kind.prefix + item["metadata"]["name"]] = [revision_of(item), kind.decode(item), item["metadata"]["uid"]]
            if not answer["metadata"].get("continue"):
                break
            query, more = "&limit=2", f"&continue={answer['metadata']['continue']}"
        operation.end, operation.outcome = end, told.OK
        self.history.operations.append(operation)
        self.seen.setdefault(kind, []).append(operation.revision)


class Watcher(Follower):
    """One watch of a kind over all servers, until it has told `end`."""

    def __init__(self, place, history, kind):
        super().__init__(place)
        self.kind, self.told_end = kind, False
        self.watch = Watch(SERVER, kind.prefix, history.start)
        history.watches.append(self.watch)

    def work(self, client):
        follow(client, self.kind, self.watch, 30, self.take)

    def take(self, event):
        self.told_end = self.told_end or event.key == f"{self.kind.prefix}end"
        return self.place.ended


class LateWatcher(Follower):
    """Short watches, each from some revision that was told before."""

    def __init__(self, place, history, followed, seed):
        super().__init__(place)
        self.history, self.followed, self.random = history, followed, random.Random(seed)

    def work(self, client):
        watcher = self.random.choice(self.followed)
        events = watcher.watch.events[-200:]
        after = self.random.choice(events).revision if events else self.history.start
        watch = Watch(SERVER, watcher.kind.prefix, after)
        self.history.watches.append(watch)
        enough = self.random.randint(1, 100)
        follow(client, watcher.kind, watch, 1, lambda _: len(watch.events) >= enough or self.place.ended)


def follow(client, kind, watch, seconds, take):
    """Adds to the watch what its stream tells, until the stream ends or `take` has enough."""
    after = watch.events[-1].revision if watch.events else watch.after
    answer = client.stream(f"{kind.path}{SELECTED}&watch=true&resourceVersion={after}&timeoutSeconds={seconds}")
    if answer.status != 200:
        text = answer.read()
        raise_for(json.loads(text), text)
    while (line := answer.readline()).endswith(b"\n"):
        event = json.loads(line)
        if event["type"] == "ERROR":
            raise_for(event["object"], line)
        item = event["object"]
        watch.events.append(Event(event["type"], kind.prefix + item["metadata"]["name"], revision_of(item), kind.decode(item),
                                  item["metadata"]["uid"], time.monotonic()))
        if take(watch.events[-1]):
            return


class Storm:
    """The recording."""

    def __init__(self, scratch, seed):
        self.data, self.log, self.seed = scratch.path / "data", scratch.log, seed
        self.random = random.Random(seed)
        self.place, self.history = Place(), History()

    def start(self):
        """A kill takes nothing that the kernel has, so the durability makes no difference here."""
        durability = self.random.choice(["full", "normal"])
        server = start(self.data, self.log, "--controllers", "*,-service-catalog", "--history-seconds", "600", "--durability", durability)
        self.place.move_to(server)
        return server

    def record(self, rounds, calls):
        server = self.start()
        with Client(server) as client:
            self.history.start = revision_of(client.ask("GET", KINDS[0].path)[1])
        watchers = [Watcher(self.place, self.history, kind) for kind in KINDS for _ in range(2)]
        callers = [Caller(self.place, self.history, number, self.seed) for number in range(CALLERS)]
        for thread in [*watchers, *callers, LateWatcher(self.place, self.history, watchers, self.seed)]:
            thread.start()
        for number in range(rounds):
            self.place.wait_for_calls((number + 1) * calls)
            time.sleep(self.random.random() * 0.01)  # the moment, not a wait for anything
            server.kill()
            server = self.start()
        self.place.wait_for_calls((rounds + 1) * calls)
        return server, watchers, callers

    def finish(self, server, watchers, callers):
        """A last look at everything, with nobody else writing; then the watches must have told it all."""
        last = Caller(self.place, self.history, "last", self.seed)
        stopped = Place()
        for caller in callers:
            caller.place = stopped
        stopped.end()
        for caller in callers:
            caller.join()
        with Client(server) as client:
            for kind in KINDS:
                for _ in range(3):
                    last.list(client, kind)
                for what, name in [(told.GET, name) for name in NAMES] + [(told.CREATE, "end")]:
                    content = last.next_content(what) if what == told.CREATE else None
                    operation = Operation(SERVER, what, kind.prefix + name, time.monotonic(), content=content)
                    self.history.operations.append(operation)
                    last.note(kind, operation, *client.ask(*last.request(kind, name, operation)))
        try:
            wait_until(lambda: all(watcher.told_end for watcher in watchers), "the watches tell the last write", 30)
        except TimeoutError:
            pass  # the check finds which events are missing
        newest = max(operation.revision or 0 for operation in self.history.operations)
        for watcher in watchers:
            watcher.watch.until = newest
        self.place.end()
        server.kill()
        for watcher in watchers:
            watcher.join()
        return self.place.errors


def plant_faults(history, faults, seed):
    """Each kind of fault, planted into a copy of what was recorded, must be found by its name."""
    text, planted, plants = pickle.dumps(history), 0, dict(PLANTS)
    if len(history.operations) > LONG:  # each is another look at all of it
        plants = dict(random.Random(seed).sample(sorted(PLANTS.items(), key=lambda one: one[0].__name__), 6))
    for plant, name in plants.items():
        copied = pickle.loads(text)
        try:
            plant(Planter(copied, seed))
        except NoPlace:
            continue
        planted += 1
        found = {fault for fault, _ in check_history(copied)}
        faults.check(name in found, f"planted {plant.__name__}: \"{name}\" was not found, but {sorted(found)}")
    faults.check(planted > len(plants) // 2, f"only {planted} of {len(plants)} faults could be planted")
    print(f"  {planted} of {len(plants)} faults planted and found", flush=True)


def main():
    parser = argparse.ArgumentParser(description="one order of all writes")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--calls", type=int, default=600, help="between two kills")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--save", help="where the history goes; a faulty one is always saved")
    options = parser.parse_args()
    print(f"history_kill: seed {options.seed}, {options.rounds} kills", flush=True)
    faults = Faults()
    with Scratch() as scratch:
        storm = Storm(scratch, options.seed)
        for error in storm.finish(*storm.record(options.rounds, options.calls)):
            faults.check(False, f"a client ended early: {error}")
        history = storm.history
        began = time.monotonic()
        for name, text in check_history(history):
            faults.check(False, f"{name}: {text}")
        unknown = sum(operation.outcome == told.UNKNOWN for operation in history.operations)
        print(f"  {len(history.operations)} operations, {unknown} without an answer, {len(history.watches)} watches with "
              f"{sum(len(watch.events) for watch in history.watches)} events, judged in {time.monotonic() - began:.2f} s", flush=True)
        faults.check(len(history.operations) >= options.calls * options.rounds, "there was too little to judge")
        if faults.found or options.save:
            path = options.save or pathlib.Path(tempfile.gettempdir()) / f"chandler-history-{options.seed}"
            history.save(path)
            print(f"  the history is in {path}; again with: history_check.py {path}")
        if not faults.found:
            plant_faults(history, faults, options.seed)
        scratch.check_log(faults)
    return faults.close("history_kill")


if __name__ == "__main__":
    sys.exit(main())
