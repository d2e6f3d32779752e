#!/usr/bin/env python3
"""kill -9 in a loop under load: nothing acknowledged is lost, revisions never go back, watches resume.

usage: kill.py [--rounds N] [--starts N] [--seed S]

One data directory lives through all rounds. A round: writers create, update and delete ConfigMaps, Secrets and custom
resources over keep-alive connections and note every answer; watchers note every event; after some number of answers the
server is killed. It is started again, and all that it serves is compared with the notes (model.py). Then the next round.
Before that: servers killed in the middle of their very first start, which must start when tried again.

The seed decides what is written, how large, and after how many answers the kill comes; threads still race as they like.
"""
import argparse
import json
import random
import sys
import threading
import time

from model import KINDS, NOTES, Model, Pending, revision_of
from server import LOST, NotStarted, Client, Faults, Scratch, Server, start, wait_until
from watcher import Expired, Watcher, follow

WRITERS = 4
NAMES_PER_WRITER = 8
LEDGER = KINDS[0].path + "/ledger"
FULL_HISTORY, SHORT_HISTORY = "300", "1"


class Progress:
    """Counts answers, so that the kill comes after a chosen number of them."""

    def __init__(self, goal):
        self.goal, self.count = goal, 0
        self.changed = threading.Condition()
        self.killed = threading.Event()

    def step(self):
        with self.changed:
            self.count += 1
            if self.count >= self.goal:
                self.changed.notify_all()

    def wait_for_goal(self, writers):
        while True:
            with self.changed:
                if self.changed.wait_for(lambda: self.count >= self.goal, 1):
                    return
            if not any(writer.is_alive() for writer in writers):
                return  # they have ended early, and said why


class Writer(threading.Thread):
    """Writes to names of its own, and to the ledger, until the server is gone."""

    def __init__(self, number, server, model, progress, seed):
        super().__init__(daemon=True)
        self.number, self.server, self.model, self.progress = number, server, model, progress
        self.random = random.Random(seed)
        self.faults = model.faults
        self.ledger_pending = 0

    def run(self):
        with Client(self.server) as client:
            try:
                while True:
                    self.random.choices([self.write_own, self.write_ledger], [9, 1])[0](client)
                    self.progress.step()
            except LOST as error:
                self.faults.check(self.progress.killed.is_set(), f"a connection broke before the kill: {error!r}")
            except Exception as error:
                self.faults.check(False, f"writer {self.number}: {error!r}")

    def text(self):
        token = f"{self.random.getrandbits(64):016x}."
        size = self.random.choices([100, 1_000, 20_000, 400_000], [60, 30, 9, 1])[0]
        return (token * (size // len(token) + 1))[:size]

    def write_own(self, client):
        kind = self.random.choice(KINDS)
        name = f"w{self.number}-{self.random.randrange(NAMES_PER_WRITER)}"
        line = self.model.line(kind, name)
        dice, text = self.random.random(), self.text()
        if not line.live():
            self.put(client, line, kind, name, "POST", kind.path, kind.build(name, text), text)
        elif dice < 0.3:
            self.delete(client, line, kind, name)
        elif dice < 0.7:
            body = kind.build(name, text, {"resourceVersion": str(line.last()[1]), "uid": line.uid})
            self.put(client, line, kind, name, "PUT", f"{kind.path}/{name}", body, text)
        else:
            self.put(client, line, kind, name, "PATCH", f"{kind.path}/{name}", {kind.field: kind.content(text)}, text)

    def put(self, client, line, kind, name, method, path, body, text):
        what = f"{method} of {kind.plural}/{name}"
        line.pending = Pending(kind.digest(text), self.model.newest)
        content_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
        status, answer = client.ask(method, path, body, content_type)
        if not self.faults.check(status in (200, 201), f"{what}: {status} {answer.get('message')}"):
            line.pending = None
            return
        digest, floor = line.pending.digest, line.pending.floor
        self.faults.check(kind.digest_of(answer) == digest, f"{what}: the answer is not what was sent")
        line.settle(digest, revision_of(answer), answer["metadata"]["uid"])
        self.model.acknowledge(f"{kind.plural}/{name} {digest}", revision_of(answer), floor)

    def delete(self, client, line, kind, name):
        line.pending = Pending(None, self.model.newest)
        status, answer = client.ask("DELETE", f"{kind.path}/{name}")
        if self.faults.check(status == 200, f"DELETE of {kind.plural}/{name}: {status} {answer.get('message')}"):
            line.settle(None, None, None)
            self.model.acknowledge(None, None, 0)

    def write_ledger(self, client):
        """Reads, adds one, writes with the revision read: of several at once only one may win."""
        status, ledger = client.ask("GET", LEDGER)
        self.faults.check(status == 200, f"GET of the ledger: {status}")
        count, floor = int(ledger["data"]["count"]) + 1, self.model.newest
        ledger["data"]["count"] = str(count)
        self.ledger_pending = count
        status, answer = client.ask("PUT", LEDGER, ledger)
        self.ledger_pending = 0
        if self.faults.check(status in (200, 409), f"PUT of the ledger: {status}") and status == 200:
            self.model.acknowledge(f"ledger {count}", revision_of(answer), floor)
            with self.model.lock:
                winners = self.model.ledger.setdefault(count, [])
                winners.append(revision_of(answer))
            self.faults.check(len(winners) == 1, f"two writers both made the ledger {count}, at {winners}")


class Storm:
    """The rounds."""

    def __init__(self, scratch, faults, seed):
        self.data, self.log, self.faults, self.seed = scratch.path / "data", scratch.log, faults, seed
        self.random = random.Random(seed)
        self.model = Model(faults)
        self.model.ledger = {}
        self.watchers = [Watcher(kind, self.model, faults) for kind in KINDS]
        self.first_revision = None  # of the lists that the watches began with
        self.history = FULL_HISTORY
        self.history_was_short = False
        self.asleep = {}  # watchers that are away: restarts until they resume

    def prepare(self):
        self.server = start(self.data, self.log, "--history-seconds", self.history)
        with Client(self.server) as client:
            status, answer = client.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NOTES)
            self.faults.check(status == 201, f"the definition was refused: {answer}")
            wait_until(lambda: client.send("GET", KINDS[2].path)[0] == 200, "the custom kind is served")
            ledger = KINDS[0].build("ledger", "")
            ledger["data"] = {"count": "0"}
            status, answer = client.ask("POST", KINDS[0].path, ledger)
            self.faults.check(status == 201, f"the ledger was refused: {answer}")
        for watcher in self.watchers:
            watcher.start()
            watcher.connect_to(self.server, False)
        for watcher in self.watchers:
            wait_until(lambda: watcher.revision > 0, "a watcher has listed")
        self.first_revision = {watcher.kind: watcher.revision for watcher in self.watchers}

    def round(self, number, rounds):
        progress = Progress(self.random.choice([1, 10, 100, 300, 600]) + self.random.randrange(50))
        writers = [Writer(n, self.server, self.model, progress, f"{self.seed}/{number}/{n}") for n in range(WRITERS)]
        for writer in writers:
            writer.start()
        progress.wait_for_goal(writers)
        time.sleep(self.random.random() * 0.01)  # the moment, not a wait for anything
        self.faults.check(self.server.runs(), "the server ended by itself")
        progress.killed.set()
        self.server.kill()
        for writer in writers:
            writer.join()
        self.ledger_pending = sum(1 for writer in writers if writer.ledger_pending)

        if number * 2 >= rounds:  # in the second half, history is also trimmed while servers are killed
            self.history = self.random.choice([FULL_HISTORY, SHORT_HISTORY])
            self.history_was_short |= self.history == SHORT_HISTORY
        if self.random.random() < 0.3:  # a kill while it starts changes nothing
            starting = Server(self.data, self.log, "--history-seconds", self.history)
            time.sleep(self.random.random() * 0.05)
            starting.kill()
        self.restart()
        woken = [watcher for watcher, left in self.asleep.items() if left == 1]
        self.asleep = {watcher: left - 1 for watcher, left in self.asleep.items() if left > 1}
        for watcher in self.watchers:
            if watcher not in self.asleep and watcher not in woken and self.random.random() < 0.3:
                self.asleep[watcher] = self.random.choice([1, 2])
        self.verify()

    def restart(self):
        began = time.monotonic()
        self.server = start(self.data, self.log, "--history-seconds", self.history)
        self.start_seconds = time.monotonic() - began

    def verify(self):
        awake = [watcher for watcher in self.watchers if watcher not in self.asleep]
        for watcher in self.watchers:
            watcher.connect_to(self.server if watcher in awake else None, self.history_was_short)
        with Client(self.server) as client:
            status, text = client.send("GET", "/readyz")
            self.faults.check((status, text) == (200, b"ok"), f"/readyz: {status} {text}")
            states = {kind: self.verify_kind(client, kind) for kind in KINDS}
        for watcher in awake:
            if self.faults.check(watcher.wait_for_state(states[watcher.kind], 20),
                                 f"the watch of {watcher.kind.plural} does not lead to what is listed"):
                self.verify_late_watch(watcher, watcher.compare_with_history())
        if self.history == SHORT_HISTORY:
            wait_until(self.history_is_trimmed, "history is trimmed")

    def verify_kind(self, client, kind):
        """Compares lists, single objects and the model with each other; the state, as a watcher keeps it."""
        status, answer = client.ask("GET", kind.selected())
        self.faults.check(status == 200, f"list of {kind.plural}: {status}")
        revision = int(answer["metadata"]["resourceVersion"])
        self.faults.check(revision >= self.model.newest,
                          f"revisions went back: {revision}, but {self.model.newest} was told before")
        items = {item["metadata"]["name"]: item for item in answer["items"]}
        self.faults.check(self.in_pages(client, kind) == items, f"{kind.plural}: a list in pages is not the whole list")
        for name in set(items) | set(self.model.lines[kind]):
            status, single = client.ask("GET", f"{kind.path}/{name}")
            listed = items.get(name)
            if listed is None:
                self.faults.check(status == 404, f"{kind.plural}/{name} is not in the list, but GET gives {status}")
            else:
                bare = {key: value for key, value in single.items() if key not in ("kind", "apiVersion")}
                listed = {key: value for key, value in listed.items() if key not in ("kind", "apiVersion")}
                self.faults.check(bare == listed, f"{kind.plural}/{name}: GET and list differ")
            if name == "ledger":
                self.verify_ledger(listed)
            else:
                self.model.compare(kind, name, items.get(name))
        return {name: (kind.digest_of(item), revision_of(item)) for name, item in items.items()}

    def in_pages(self, client, kind):
        items, token = {}, ""
        while True:
            status, page = client.ask("GET", kind.selected(f"&limit=7&continue={token}"))
            self.faults.check(status == 200, f"page of {kind.plural}: {status}")
            items.update({item["metadata"]["name"]: item for item in page["items"]})
            token = page["metadata"].get("continue", "")
            if not token:
                return items

    def verify_ledger(self, item):
        count, acknowledged = int(item["data"]["count"]), max(self.model.ledger, default=0)
        self.faults.check(acknowledged <= count <= acknowledged + self.ledger_pending,
                          f"the ledger is {count}; acknowledged was {acknowledged}, {self.ledger_pending} were under way")
        revisions = [self.model.ledger[count][0] for count in sorted(self.model.ledger)]
        self.faults.check(revisions == sorted(revisions), "the ledger's revisions are not in the order of its counts")
        self.model.ledger.setdefault(count, [revision_of(item)])

    def verify_late_watch(self, watcher, told):
        """Who begins where the first watch began gets the same events again, or is told that they are gone."""
        events = {}
        last = max((event[2] for line in told.values() for event in line), default=0)

        def take(type_, item):
            if item["metadata"]["name"] != "ledger":
                event = (type_, watcher.kind.digest_of(item), revision_of(item))
                events.setdefault(item["metadata"]["name"], []).append(event)
            return revision_of(item) >= last

        try:
            with Client(self.server) as client:
                follow(client, watcher.kind, self.first_revision[watcher.kind], take, f"&timeoutSeconds={20 if last else 1}")
        except Expired as expired:
            self.faults.check(self.history_was_short, f"a late watch of {watcher.kind.plural}: {expired}")
            return
        if not watcher.relisted:
            self.faults.check(events == told, f"{watcher.kind.plural}: a late watch is told another history")

    def history_is_trimmed(self):
        kind = KINDS[0]
        try:
            with Client(self.server) as client:
                follow(client, kind, self.first_revision[kind], lambda *_: True, "&timeoutSeconds=1")
        except Expired:
            return True
        return False

    def finish(self):
        self.asleep = {}
        code = self.server.stop()
        self.faults.check(code == 0, f"the last server ended with {code}")
        left = [path.name for path in self.data.glob("chandler.db-*") if path.stat().st_size > 0]
        self.faults.check(not left, f"after an orderly stop there is still {left}")
        self.ledger_pending = 0
        self.restart()
        self.verify()
        self.server.stop()
        for watcher in self.watchers:
            watcher.end()
            watcher.join()

    def run(self, rounds):
        self.prepare()
        for number in range(rounds):
            before = self.model.acknowledged
            self.round(number, rounds)
            print(f"  round {number + 1}: {self.model.acknowledged - before} writes acknowledged, "
                  f"revision {self.model.newest}, started again in {self.start_seconds:.2f} s", flush=True)
        self.finish()
        for watcher in self.watchers:
            self.faults.check(watcher.streams > rounds // 3, "a watch was not resumed after the kills")
        print(f"  watches: {sum(w.streams - 1 for w in self.watchers)} resumed, "
              f"{sum(w.relisted for w in self.watchers)} had to list again")


def kill_first_starts(scratch, faults, chance, starts):
    """A first start that is cut off at any moment leaves a directory in which the next start succeeds."""
    began = time.monotonic()
    start(scratch.path / "whole", scratch.log).kill()
    whole = time.monotonic() - began
    for number in range(starts):
        data = scratch.path / f"first-{number}"
        server = Server(data, scratch.log)
        moment = chance.random() * whole * 1.1
        time.sleep(moment)
        server.kill()
        there = sorted(str(path.relative_to(data)) for path in data.rglob("*") if path.is_file())
        try:
            again = start(data, scratch.log)
            with again.client() as client:
                faults.check(client.send("GET", "/api/v1/namespaces/default")[0] == 200, "no default namespace")
            again.kill()
        except NotStarted as error:
            faults.check(False, f"killed {moment:.3f} s into the first start, which left {there}: {error}")
    print(f"  {starts} first starts cut off; a whole one takes {whole:.2f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description="kill -9 under load")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    print(f"kill: seed {options.seed}, {options.rounds} rounds", flush=True)
    faults = Faults()
    with Scratch() as scratch:
        kill_first_starts(scratch, faults, random.Random(options.seed), options.starts)
        storm = Storm(scratch, faults, options.seed)
        try:
            storm.run(options.rounds)
        finally:
            if hasattr(storm, "server"):
                storm.server.kill()
        scratch.check_log(faults)
        if faults.found:
            print("  last lines of the server's log:\n" + "\n".join(scratch.log.read_text().splitlines()[-10:]))
            print(f"  again with: kill.py --rounds {options.rounds} --seed {options.seed}")
    return faults.close("kill")


if __name__ == "__main__":
    sys.exit(main())
