"""What happened at a server, told from the outside: all events of some kinds in order, and when each was first known.

A run is recorded while it lasts: writers that note each answer, and one watch per kind. The moment of an answer or of an event is
`clock()`, whatever that counts: the length of a disk trace, for instance. What was known at a moment must be there for ever, and what
is there must be what was there at one revision.
"""
import random
import threading
import time
from dataclasses import dataclass

from model import KINDS, revision_of
from server import LOST, Client, wait_until
from watcher import follow


@dataclass
class Event:
    """A change that a watch told."""

    kind: object
    revision: int
    type: str
    name: str
    digest: str
    known: int  # the moment since which somebody knew of it


class Recorder(threading.Thread):
    """One watch of a kind, from the beginning on, over restarts."""

    def __init__(self, story, kind, server, after):
        super().__init__(daemon=True)
        self.story, self.kind, self.server, self.revision = story, kind, server, after
        self.ended = False

    def run(self):
        while not self.ended and self.server.runs():
            try:
                with Client(self.server) as client:
                    follow(client, self.kind, self.revision, self.take, "&timeoutSeconds=2")
            except LOST:
                pass

    def take(self, type_, item):
        moment = self.story.clock()
        self.revision = revision_of(item)
        name = item["metadata"]["name"]
        self.story.add(Event(self.kind, self.revision, type_, name, self.kind.digest_of(item), moment))
        return self.ended


class Writer(threading.Thread):
    """Writes objects of its own, small and large: a number of times, and as many more as `seconds` take."""

    SIZES = (200, 2_000, 20_000, 200_000)

    def __init__(self, story, server, number, seed, writes, seconds):
        super().__init__(daemon=True)
        self.until = time.monotonic() + seconds
        self.story, self.server, self.number, self.writes = story, server, number, writes
        self.random = random.Random(f"{seed}/{number}")
        self.live = {}

    def run(self):
        try:
            with Client(self.server) as client:
                written = 0
                while written < self.writes or time.monotonic() < self.until:
                    self.write(client)
                    written += 1
                    if written > self.writes:
                        time.sleep(0.01)  # only time is missing, not load
        except Exception as error:  # a silent end would pass for a run that wrote all
            self.story.faults.check(False, f"a writer of the recorded run: {error!r}")

    def write(self, client):
        kind = self.random.choice(KINDS)
        name = f"w{self.number}-{self.random.randrange(6)}"
        text = f"{self.random.getrandbits(64):016x}."
        text *= self.random.choices(self.SIZES, [60, 25, 10, 5])[0] // len(text)
        path, before = f"{kind.path}/{name}", self.live.get((kind, name))
        if before is None:
            status, answer = client.ask("POST", kind.path, kind.build(name, text))
        elif self.random.random() < 0.2:
            status, answer = client.ask("DELETE", path)
            if self.story.faults.check(status == 200, f"DELETE of {path}: {status} {answer}"):
                del self.live[kind, name]
                self.story.acknowledge(kind, name, before + 1)
            return
        elif self.random.random() < 0.5:
            status, answer = client.ask("PUT", path, kind.build(name, text, {"resourceVersion": str(before)}))
        else:
            status, answer = client.ask("PATCH", path, {kind.field: kind.content(text)}, "application/merge-patch+json")
        if self.story.faults.check(status in (200, 201), f"write of {path}: {status} {answer}"):
            self.live[kind, name] = revision_of(answer)
            self.story.acknowledge(kind, name, revision_of(answer))


class Story:
    """Events and acknowledgements. Thread-safe while it is recorded; sorted and complete after finish()."""

    def __init__(self, faults, clock):
        self.faults, self.clock = faults, clock
        self.lock = threading.Lock()
        self.events = []
        self.acknowledged = []  # (kind, name, revision or the first that it can be, moment)
        self.recorders = []

    def add(self, event):
        with self.lock:
            self.events.append(event)

    def acknowledge(self, kind, name, revision):
        moment = self.clock()
        with self.lock:
            self.acknowledged.append((kind, name, revision, moment))

    def record(self, server, seed, writers, writes, seconds=0):
        """Load on a server until all is written and all watches know it."""
        after = max((event.revision for event in self.events), default=0)
        starts = {kind: max((e.revision for e in self.events if e.kind is kind), default=0) for kind in KINDS}
        with Client(server) as client:
            for kind in KINDS:
                if not starts[kind]:
                    starts[kind] = int(client.ask("GET", kind.selected())[1]["metadata"]["resourceVersion"])
        recorders = [Recorder(self, kind, server, starts[kind]) for kind in KINDS]
        threads = [Writer(self, server, f"{after}-{n}", seed, writes, seconds) for n in range(writers)]
        for thread in [*recorders, *threads]:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until(lambda: self.missing() == [], "the watches tell all that was acknowledged")
        for recorder in recorders:
            recorder.ended = True
        self.recorders += recorders

    def missing(self):
        """Acknowledgements that no watch has told yet."""
        with self.lock:
            last = {}
            for event in self.events:
                key = (event.kind, event.name)
                last[key] = max(last.get(key, 0), event.revision)
            return [one for one in self.acknowledged if last.get(one[:2], 0) < one[2]]

    def finish(self):
        """After the last server has ended. An event is known when its writer or a watch was told, whoever was first."""
        for recorder in self.recorders:
            recorder.join()
        self.events.sort(key=lambda event: event.revision)
        lines = {}
        for event in self.events:
            lines.setdefault((event.kind, event.name), []).append(event)
        for kind, name, revision, moment in self.acknowledged:
            event = next(event for event in lines[kind, name] if event.revision >= revision)
            event.known = min(event.known, moment)

    def floor(self, moment):
        """The newest revision that somebody knew of at this moment."""
        return max((event.revision for event in self.events if event.known <= moment), default=0)

    def states_from(self, floor):
        """(revision, {(kind, name): (digest, revision)}) at the floor and after each later event."""
        state = {}
        told = False
        for event in self.events:
            if event.revision > floor and not told:
                yield floor, dict(state)
                told = True
            if event.type == "DELETED":
                state.pop((event.kind, event.name), None)
            else:
                state[event.kind, event.name] = (event.digest, event.revision)
            if event.revision > floor:
                yield event.revision, dict(state)
        if not told:
            yield floor, state

    def between(self, kind, after, last):
        return [(event.type, event.name, event.digest, event.revision) for event in self.events
                if event.kind is kind and after < event.revision <= last]
