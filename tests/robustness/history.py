"""What clients of one or more servers did and saw, with times: recorded by history_kill.py, judged by history_check.py.

Times are seconds of one monotonic clock. Revisions need not follow each other; only their order counts. A write carries a token that
no other write has, as member "by" of the object's content, so that what is seen can be traced to the call that wrote it.
"""
import dataclasses
import json
import pathlib
from dataclasses import dataclass, field

OK, ABSENT, PRESENT, CONFLICT, REFUSED, UNKNOWN = "ok", "absent", "present", "conflict", "refused", "unknown"
CREATE, REPLACE, PATCH, DELETE, GET, LIST = "create", "replace", "patch", "delete", "get", "list"
WRITES = {CREATE, REPLACE, PATCH, DELETE}


@dataclass
class Operation:
    """A call and its answer.

    outcome: ok; absent (404), present (already exists), conflict (not at the expected revision): it did nothing, and saw that; refused:
    it did nothing; unknown: no answer came, it may have happened or may happen at any time after `begin`.
    """

    server: str
    what: str
    key: str                 # of the object, "configmaps/a"; of a list what its keys begin with, "configmaps/"
    begin: float
    end: float = None
    outcome: str = UNKNOWN
    content: dict = None     # what is written (of a patch: what changes), or what was read
    expected: int = None     # the revision that the object must have for the write to happen
    revision: int = None     # of the object after a write (a delete tells none) or as read; of the list
    uid: str = None
    items: dict = None       # of a list: key: [revision, content, uid]
    exact: bool = False      # the list asked for `revision`, which may be old

    def __str__(self):
        expected = f" expecting {self.expected}" if self.expected is not None else ""
        revision = f" at {self.revision}" if self.revision is not None else ""
        return f"{self.what} {self.key}{expected} of {self.server} at {self.begin:.6f}: {self.outcome}{revision}"


@dataclass
class Event:
    """A change of an object, as a watch told it."""

    type: str
    key: str
    revision: int
    content: dict
    uid: str
    seen: float


@dataclass
class Watch:
    """One stream: everything after `after` whose key begins with `key`."""

    server: str
    key: str
    after: int
    events: list = field(default_factory=list)
    until: int = None  # the stream is known to be complete up to here, even without an event there

    def __str__(self):
        return f"watch of {self.key} after {self.after} of {self.server}"


@dataclass
class History:
    """It begins with no object at all; `start` is a revision before all of it."""

    start: int = 0
    operations: list = field(default_factory=list)
    watches: list = field(default_factory=list)

    def save(self, path):
        lines = [json.dumps({"start": self.start})]
        lines += [json.dumps({"operation": dataclasses.asdict(one)}) for one in self.operations]
        lines += [json.dumps({"watch": dataclasses.asdict(one)}) for one in self.watches]
        pathlib.Path(path).write_text("\n".join(lines) + "\n")

    @classmethod
    def load(cls, path):
        history = cls()
        for line in pathlib.Path(path).read_text().splitlines():
            (kind, value), = json.loads(line).items()
            if kind == "start":
                history.start = value
            elif kind == "operation":
                history.operations.append(Operation(**value))
            else:
                value["events"] = [Event(**event) for event in value["events"]]
                history.watches.append(Watch(**value))
        return history
