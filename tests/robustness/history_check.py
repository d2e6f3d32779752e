#!/usr/bin/env python3
"""Whether a history (history.py) could have been: one order of all writes, and every answer true at a moment while it was asked.

usage: history_check.py FILE        judges a history that history_kill.py has saved

Every write has a revision, so their order is given and need not be searched for. What remains is a sweep over the moments at which
calls began and ended, n log n in all:

* floor: when a call begins, the newest revision that any call before it can only have seen. A later write has a larger revision, a
  later read sees that state or a newer one.
* ceiling: when a call ends, the writes that have not begun yet cannot have happened.
* a read fits when its answer was true at one revision from floor to ceiling. The earliest such revision is what it has seen for
  certain, and the floor of those after it. Taking the earliest is never wrong, for it asks the least of the others.

Faults are (name, text); the names are below, each with what it means.
"""
import bisect
import sys
from dataclasses import dataclass

from history import (ABSENT, CONFLICT, CREATE, DELETE, GET, LIST, OK, PATCH, PRESENT, UNKNOWN, WRITES, History)

NAMES = {
    "shared revision": "two different changes have the same revision",
    "lost write": "a write was acknowledged, and no watch has ever told it",
    "false answer": "the answer to a write is not what happened",
    "doubled write": "a call has changed the object twice",
    "phantom write": "a change that nobody asked for, or whose call was answered with a refusal",
    "reordered write": "a write has a smaller revision than one that was known before it began",
    "lost update": "a write went over another one that it should have noticed",
    "wrong life": "an object was made that was there, or changed that was not, or has the uid of another one",
    "stale read": "a read does not see what was known before it began",
    "read from nowhere": "a read saw what never was, or was only written after it ended",
    "torn list": "a list is not the state at its revision",
    "reordered event": "a watch told events out of order, or one twice",
    "missing event": "a watch left an event out",
    "wrong event": "a watch told another event than the others, or one of a write that had not begun",
}


@dataclass
class Change:
    """One entry of the log of writes."""

    revision: int
    type: str
    key: str
    content: dict
    uid: str
    cause: object = None   # the Operation
    seen: float = None     # when a watch first told it
    before: object = None  # the Change of the same key before it

    def there(self):
        return self.type != "DELETED"

    def same_as(self, event):
        return (self.type, self.key, self.content, self.uid) == (event.type, event.key, event.content, event.uid)

    def __str__(self):
        return f"{self.type} {self.key} at {self.revision}"


class Checker:
    def __init__(self, history):
        self.history = history
        self.faults = []
        self.log = []         # Changes in order
        self.by_key = {}      # key: its Changes in order
        self.revisions = {}   # key: their revisions, for bisect
        self.made = {}        # id of an Operation: the Change that it made

    def fault(self, name, text):
        assert name in NAMES, name
        self.faults.append((name, text))

    def check(self):
        self.collect_log()
        self.find_causes()
        self.check_writes()
        self.check_lives()
        self.check_order()
        self.check_watches()
        return self.faults

    # --- the log of writes ------------------------------------------------------------------------------------------------

    def collect_log(self):
        """All that any watch told. What a watch left out is found by the others."""
        changes = {}
        for watch in self.history.watches:
            for event in watch.events:
                known = changes.get(event.revision)
                if known is None:
                    changes[event.revision] = Change(event.revision, event.type, event.key, event.content, event.uid, seen=event.seen)
                elif known.same_as(event):
                    known.seen = min(known.seen, event.seen)
                elif known.key != event.key or known.content != event.content:
                    self.fault("shared revision", f"{known}, and for {watch} it is {event.type} {event.key}")
                else:
                    self.fault("wrong event", f"{watch}: {event.type} of uid {event.uid}, but others were told {known}")
        self.log = [changes[revision] for revision in sorted(changes)]
        for change in self.log:
            line = self.by_key.setdefault(change.key, [])
            change.before = line[-1] if line else None
            line.append(change)
        self.revisions = {key: [change.revision for change in line] for key, line in self.by_key.items()}

    def find_causes(self):
        """Which call made which change: by token, deletes by uid."""
        deletes, writes = {}, {}
        for operation in self.history.operations:
            if operation.what == DELETE:
                deletes.setdefault(operation.key, []).append(operation)
            elif operation.what in WRITES:
                writes[operation.content["by"]] = operation
        for change in self.log:
            if change.there():
                self.find_cause(change, writes.get(change.content["by"]))
        for key, line in self.by_key.items():
            self.match_deletes([change for change in line if not change.there()], deletes.get(key, []))
        for operation in self.history.operations:
            if operation.what in WRITES and operation.outcome == OK and not self.change_of(operation):
                self.fault("lost write", str(operation))

    def find_cause(self, change, operation):
        if operation is None or operation.key != change.key:
            self.fault("phantom write", f"{change}: nobody wrote {change.content}")
        elif operation.outcome not in (OK, UNKNOWN):
            self.fault("phantom write", f"{change}: but {operation}")
        elif self.change_of(operation):
            self.fault("doubled write", f"{change}: happened before at {self.change_of(operation).revision}: {operation}")
        else:
            self.link(change, operation)

    def link(self, change, operation):
        change.cause, self.made[id(operation)] = operation, change

    def change_of(self, operation):
        return self.made.get(id(operation))

    def match_deletes(self, changes, deletes):
        """An answered delete names the uid; what is left over is due to those without an answer."""
        by_uid = {operation.uid: operation for operation in deletes if operation.outcome == OK}
        unknown = [operation for operation in deletes if operation.outcome == UNKNOWN]
        for change in changes:
            cause = by_uid.pop(change.uid, None) or self.take_likeliest(change, unknown)
            if cause is None:
                self.fault("phantom write", f"{change}: nobody deleted it")
            else:
                self.link(change, cause)

    def take_likeliest(self, change, unknown):
        """Takes, of the deletes without an answer, the one that expected just this, else the earliest that expected nothing: it
        asks the least of the order."""
        def rank(operation):
            if operation.expected is None:
                return 1
            return 0 if change.before and operation.expected == change.before.revision else 2
        begun = [operation for operation in unknown if operation.begin <= change.seen]
        found = min(begun, key=lambda operation: (rank(operation), operation.begin), default=None)
        unknown[:] = [operation for operation in unknown if operation is not found]
        return found

    # --- single writes ----------------------------------------------------------------------------------------------------

    def check_writes(self):
        for change in self.log:
            operation, before = change.cause, change.before if change.before and change.before.there() else None
            if operation is None:
                continue
            if operation.outcome == OK and operation.what != DELETE:
                if (operation.revision, operation.uid) != (change.revision, change.uid):
                    self.fault("false answer", f"{operation}: but it is {change}")
            if operation.what == CREATE and before:
                self.fault("lost update", f"{operation}: went over {before}")
            if operation.expected is not None and (before is None or before.revision != operation.expected):
                self.fault("lost update", f"{operation}: went over {before}")
            if operation.what == PATCH and before and change.content != before.content | operation.content:
                self.fault("lost update", f"{operation}: made {change.content} of {before.content}")
            if operation.what not in (PATCH, DELETE) and change.content != operation.content:
                self.fault("false answer", f"{operation}: what is there is {change.content}")

    def check_lives(self):
        used = {}
        for change in self.log:
            before = change.before if change.before and change.before.there() else None
            if (change.type == "ADDED") == (before is not None):
                self.fault("wrong life", f"{change}: but before there was {change.before}")
            elif before and before.uid != change.uid:
                self.fault("wrong life", f"{change}: the uid was {before.uid} and is {change.uid}")
            elif before is None and change.uid in used:
                self.fault("wrong life", f"{change}: its uid is that of {used[change.uid]}")
            used[change.uid] = change

    # --- the order of all calls -------------------------------------------------------------------------------------------

    def check_order(self):
        """The sweep. Floors grow as calls end; who begins later has to respect them."""
        ceiling = self.ceilings()
        moments = []
        for operation in self.history.operations:
            if operation.what in WRITES and operation.outcome in (OK, UNKNOWN) and self.change_of(operation) is None:
                continue  # did not happen, or is lost, which was told already
            moments.append((operation.begin, 0, len(moments), operation))
            if operation.end is not None:
                moments.append((operation.end, 1, len(moments), operation))
        # An event is an observation too: who calls after it was told must see it.
        moments += [(change.seen, 2, number, change) for number, change in enumerate(self.log)]
        floor, floors = self.history.start, {}
        for moment, order, _, what in sorted(moments, key=lambda one: one[:3]):
            if order == 0:
                floors[id(what)] = floor
            elif order == 2:
                if what.cause and moment < what.cause.begin:
                    self.fault("wrong event", f"{what} was told before the call began: {what.cause}")
                floor = max(floor, what.revision)
            else:
                seen = self.earliest_view(what, floors[id(what)], ceiling(what.end))
                floor = max(floor, seen or 0)
        for operation in self.history.operations:  # those without an end were not judged above
            change = self.change_of(operation)
            if operation.end is None and change and change.revision <= floors[id(operation)]:
                self.fault("reordered write", f"{operation}: {change}, but {floors[id(operation)]} was known before")

    def ceilings(self):
        """moment: the newest revision before all writes that began after it."""
        caused = sorted((change.cause.begin, change.revision) for change in self.log if change.cause)
        begins = [begin for begin, _ in caused]
        least = [0] * len(caused)
        smallest = float("inf")
        for i in range(len(caused) - 1, -1, -1):
            smallest = min(smallest, caused[i][1])
            least[i] = smallest

        def ceiling(moment):
            i = bisect.bisect_right(begins, moment)
            return least[i] - 1 if i < len(least) else float("inf")
        return ceiling

    def earliest_view(self, operation, floor, ceiling):
        """The earliest revision at which the answer was true; None, and a fault, if there is none."""
        if operation.what in WRITES and operation.outcome == OK:
            change = self.change_of(operation)
            if change.revision <= floor:
                self.fault("reordered write", f"{operation}: {change}, but {floor} was known before")
            return change.revision
        if operation.what == LIST:
            return self.view_of_list(operation, floor, ceiling)
        if operation.what == GET and operation.outcome == OK:
            return self.view_of_get(operation, floor, ceiling)
        if operation.outcome == ABSENT:
            return self.view_that(operation, floor, ceiling, lambda change: change is None or not change.there())
        if operation.outcome == PRESENT:
            return self.view_that(operation, floor, ceiling, lambda change: change is not None and change.there())
        if operation.outcome == CONFLICT and operation.expected is not None:
            return self.view_that(operation, floor, ceiling, lambda change: change is None or not change.there()
                                  or change.revision != operation.expected)
        return None

    def state_at(self, key, revision):
        """The last Change of a key up to a revision, and the next after it."""
        line, i = self.by_key.get(key, []), bisect.bisect_right(self.revisions.get(key, []), revision)
        return line[i - 1] if i else None, line[i] if i < len(line) else None

    def view_of_get(self, operation, floor, ceiling):
        change, after = self.state_at(operation.key, operation.revision)
        if change is None or change.revision != operation.revision or not change.there() \
                or (change.content, change.uid) != (operation.content, operation.uid) or change.revision > ceiling:
            self.fault("read from nowhere", f"{operation}: {operation.content}")
            return None
        if after is not None and after.revision <= floor:
            self.fault("stale read", f"{operation}: but {floor} was known before, and {after} is not in it")
            return None
        return max(floor, change.revision)

    def view_that(self, operation, floor, ceiling, holds):
        """The first state from floor to ceiling of which the answer is true."""
        change, after = self.state_at(operation.key, floor)
        revision = floor
        while not holds(change):
            if after is None or after.revision > ceiling:
                self.fault("stale read", f"{operation}: but from {floor} to {ceiling} there was {change}")
                return None
            revision = after.revision
            change, after = self.state_at(operation.key, revision)
        return revision

    def view_of_list(self, operation, floor, ceiling):
        if operation.outcome != OK:
            return None
        if operation.revision > ceiling:
            self.fault("read from nowhere", f"{operation}: the writes from {ceiling + 1} on had not begun")
        elif operation.revision < floor and not operation.exact:
            self.fault("stale read", f"{operation}: but {floor} was known before")
        state = {}
        for key in self.by_key:
            change = self.state_at(key, operation.revision)[0] if key.startswith(operation.key) else None
            if change and change.there():
                state[key] = [change.revision, change.content, change.uid]
        if state != {key: list(item) for key, item in operation.items.items()}:
            wrong = [key for key in {*state, *operation.items} if list(operation.items.get(key, [])) != state.get(key, [])]
            self.fault("torn list", f"{operation}: differs in {sorted(wrong)[:3]}: {operation.items.get(wrong[0])}, was {state.get(wrong[0])}")
        return None if operation.exact else operation.revision

    # --- watches ----------------------------------------------------------------------------------------------------------

    def check_watches(self):
        for watch in self.history.watches:
            told = [event.revision for event in watch.events]
            for last, revision in zip([watch.after, *told], told):
                if revision <= last:
                    self.fault("reordered event", f"{watch}: {revision} after {last}")
            end = max([watch.until or 0, *told])
            due = {c.revision for c in self.log if watch.after < c.revision <= end and c.key.startswith(watch.key)}
            for revision in sorted(due - set(told))[:3]:
                self.fault("missing event", f"{watch}: {self.log[self.index(revision)]}")

    def index(self, revision):
        return bisect.bisect_left(self.log, revision, key=lambda change: change.revision)


def check_history(history):
    """Faults as (name, text)."""
    return Checker(history).check()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: history_check.py FILE")
    history = History.load(sys.argv[1])
    faults = check_history(history)
    for name, text in faults[:20]:
        print(f"{name}: {text}\n    ({NAMES[name]})")
    print(f"history: {len(history.operations)} operations, {len(history.watches)} watches, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
