"""A watch that goes on over restarts of the server, as a client library does, and checks its stream on the way."""
import json
import threading

from model import revision_of
from server import LOST, Client


class Expired(Exception):
    """A clean 410: history does not reach back that far."""


def follow(client, kind, after, on_event, query="", on_open=lambda: None):
    """Hands on events until the stream ends or on_event returns True. Expired for a clean 410; ValueError for an answer
    that is no watch."""
    answer = client.stream(kind.selected(f"&watch=true&resourceVersion={after}{query}"))
    if answer.status != 200:
        text = answer.read()
        raise_for(json.loads(text), text)
    on_open()
    while True:
        line = answer.readline()
        if not line.endswith(b"\n"):
            return  # the end, or the beginning of a line that was cut off
        event = json.loads(line)
        if event["type"] == "ERROR":
            raise_for(event["object"], line)
        if on_event(event["type"], event["object"]):
            return


def raise_for(status, text):
    if status.get("kind") == "Status" and status.get("code") == 410 and status.get("reason") == "Expired":
        raise Expired(status["message"])
    raise ValueError(f"a watch was answered with {text[:300]}")


class Watcher(threading.Thread):
    """Lists once, then watches from there on for ever."""

    def __init__(self, kind, model, faults):
        super().__init__(daemon=True)
        self.kind, self.model, self.faults = kind, model, faults
        self.lock = threading.Condition()
        self.server = None
        self.ended = False
        self.revision = 0
        self.state = {}          # name: (digest, revision)
        self.events = {}         # name: [(type, digest, revision), ...]
        self.ledger = []         # the same for the object that all writers share
        self.streams = 0         # that were begun
        self.relisted = 0        # times that a 410 asked for a list
        self.relist = True
        self.may_expire = False  # whether a 410 is in order

    def connect_to(self, server, may_expire):
        with self.lock:
            self.server, self.may_expire = server, may_expire
            self.lock.notify_all()

    def end(self):
        with self.lock:
            self.ended = True
            self.lock.notify_all()

    def run(self):
        tried = None
        while True:
            with self.lock:
                self.lock.wait_for(lambda: self.ended or (self.server and self.server.runs()
                                                          and self.server is not tried))
                if self.ended:
                    return
                server = self.server
            try:
                self.follow_one(server)
            except LOST:
                pass
            except Exception as error:  # a watcher that dies silently would pass for one that sees nothing
                self.faults.check(False, f"watch of {self.kind.plural}: {error!r}")
                return
            # A stream may also end in order and is then resumed at once; a server that is gone is not asked again.
            tried = None if server.runs() else server

    def follow_one(self, server):
        with Client(server) as client:
            if self.relist:
                self.list_all(client)
            try:
                follow(client, self.kind, self.revision, self.take, "&allowWatchBookmarks=true", self.opened)
            except Expired as expired:
                self.faults.check(self.may_expire, f"watch of {self.kind.plural} from {self.revision}: {expired}")
                self.relist = True

    def opened(self):
        self.streams += 1

    def list_all(self, client):
        status, answer = client.ask("GET", self.kind.selected())
        self.faults.check(status == 200, f"list of {self.kind.plural}: {status}")
        with self.lock:
            if self.revision:
                self.relisted += 1
                self.events.clear()
                self.ledger.clear()
            self.state = {i["metadata"]["name"]: (self.kind.digest_of(i), revision_of(i)) for i in answer["items"]}
            self.revision = int(answer["metadata"]["resourceVersion"])
            self.relist = False
            self.lock.notify_all()

    def take(self, kind_of_event, item):
        revision, kind = revision_of(item), self.kind
        if kind_of_event == "BOOKMARK":
            self.faults.check(revision >= self.revision, f"bookmark {revision} after {self.revision}")
            self.revision = revision
            return
        name, digest = item["metadata"]["name"], kind.digest_of(item)
        what = f"watch of {kind.plural}: {kind_of_event} {name} at {revision}"
        self.faults.check(revision > self.revision, f"{what}: out of order or twice, after {self.revision}")
        known = self.state.get(name)
        self.faults.check((known is None) == (kind_of_event == "ADDED"), f"{what}: but before it was {known}")
        self.model.saw(revision)
        with self.lock:
            if kind_of_event == "DELETED":
                self.faults.check(known is None or known[0] == digest, f"{what}: not the content that it had")
                self.state.pop(name, None)
            else:
                self.state[name] = (digest, revision)
            if name == "ledger":
                self.ledger.append((int(item["data"]["count"]), revision))
            else:
                self.events.setdefault(name, []).append((kind_of_event, digest, revision))
            self.revision = revision
            self.lock.notify_all()

    def wait_for_state(self, state, seconds):
        """Until the stream has led to this state. False if it never does."""
        with self.lock:
            return self.lock.wait_for(lambda: self.state == state, seconds)

    def compare_with_history(self):
        """Event by event, nobody else writing: the stream tells all that happened, once, in order."""
        with self.lock:
            names = set(self.events) | set(self.model.lines[self.kind])
            for name in names:
                told = self.events.get(name, [])
                written = self.model.line(self.kind, name).events
                if self.relisted:
                    written = written[len(written) - len(told):] if told else []
                same = len(told) == len(written) and all(
                    t[:2] == w[:2] and w[2] in (None, t[2]) for t, w in zip(told, written))
                self.faults.check(same, f"watch of {self.kind.plural}: the events of {name} are {told[-3:]} at last, "
                                        f"{len(told)} in all; written was {written[-3:]}, {len(written)} in all")
            counts = [count for count, _ in self.ledger]
            first = counts[0] if counts else 0
            self.faults.check(counts == list(range(first, first + len(counts))), f"the ledger's events skip: {counts}")
            return {name: list(events) for name, events in self.events.items()}
