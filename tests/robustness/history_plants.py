"""Faults to plant into a history that is right, to show that history_check.py finds each."""
import copy
import random

from history import ABSENT, CREATE, DELETE, GET, LIST, OK, PATCH, REFUSED, REPLACE


class NoPlace(Exception):
    """This history has nothing that the fault could be planted into."""


class Planter:
    def __init__(self, history, seed):
        self.history, self.random = history, random.Random(seed)
        self.events = {event.revision: event for watch in history.watches for event in watch.events}
        self.last = max(self.events)
        self.lines = {}
        for revision in sorted(self.events):
            self.lines.setdefault(self.events[revision].key, []).append(self.events[revision])
        self.causes = {one.revision: one for one in self.operations(CREATE, REPLACE, PATCH)}
        self.complete = [watch for watch in history.watches if watch.until and watch.events]

    def choose(self, candidates):
        found = list(candidates)
        if not found:
            raise NoPlace
        return self.random.choice(found)

    def operations(self, *whats, outcome=OK):
        return [one for one in self.history.operations if one.what in whats and one.outcome == outcome]

    def line(self, key):
        return self.lines.get(key, [])

    def cause(self, event):
        return self.causes.get(event.revision)

    def tell_all(self, event):
        for watch in self.history.watches:
            if event.key.startswith(watch.key):
                watch.events.append(copy.copy(event))

    def each_event(self, revision):
        return [event for watch in self.history.watches for event in watch.events if event.revision == revision]

    def forget(self, revision):
        for watch in self.history.watches:
            watch.events = [event for event in watch.events if event.revision != revision]

    # The plants; the name of the fault that must be found is in PLANTS.

    def stale_get(self):
        def older(get):
            for one, next_one in zip(self.line(get.key), self.line(get.key)[1:]):
                cause = self.cause(next_one)
                if one.type != "DELETED" and cause and cause.end < get.begin:
                    yield one
        get = self.choose(one for one in self.operations(GET) if any(older(one)))
        old = self.choose(older(get))
        get.revision, get.content, get.uid = old.revision, old.content, old.uid

    def absent_though_there(self):
        def always_there(get):
            line = self.line(get.key)
            made = [event for event in line if event.seen < get.begin]
            return made and made[-1].type != "DELETED" and not [e for e in line if e.type == "DELETED" and e.revision > made[-1].revision]
        get = self.choose(one for one in self.operations(GET) if always_there(one))
        get.outcome, get.revision, get.content, get.uid = ABSENT, None, None, None

    def stale_list(self):
        lists = self.operations(LIST)
        late = max((one for one in lists if not one.exact), key=lambda one: one.begin)
        early = min((one for one in lists if one.key == late.key), key=lambda one: one.revision)
        self.choose(event for event in self.events.values() if event.revision > early.revision
                    and self.cause(event) and self.cause(event).end < late.begin)
        late.revision, late.items = early.revision, early.items

    def mixed_list(self):
        def versions(one, key):
            return [e for e in self.line(key) if e.type != "DELETED" and e.revision < one.items[key][0]]
        one, key = self.choose((one, key) for one in self.operations(LIST) for key in one.items if versions(one, key))
        old = self.choose(versions(one, key))
        one.items[key] = [old.revision, old.content, old.uid]

    def list_without_one(self):
        one = self.choose(one for one in self.operations(LIST) if one.items)
        del one.items[self.choose(one.items)]

    def get_from_the_future(self):
        def future(get):
            return [e for e in self.line(get.key) if e.type != "DELETED" and self.cause(e) and self.cause(e).begin > get.end]
        get = self.choose(one for one in self.operations(GET) if future(one))
        event = self.choose(future(get))
        get.revision, get.content, get.uid = event.revision, event.content, event.uid

    def compare_and_swap_that_did_not_compare(self):
        def before(one):
            return [event.revision for event in self.line(one.key) if event.revision < one.expected]
        one = self.choose(one for one in self.operations(REPLACE) if one.expected and before(one))
        one.expected = self.choose(before(one))

    def patch_of_an_older_state(self):
        def other(one):
            return [event for event in self.line(one.key) if event.content["base"] != self.events[one.revision].content["base"]]
        one = self.choose(one for one in self.operations(PATCH) if other(one))
        base = self.choose(other(one)).content["base"]
        for event in self.each_event(one.revision):
            event.content["base"] = base

    def write_twice(self):
        event = copy.copy(self.choose(e for e in self.events.values() if e.type == "MODIFIED" and self.line(e.key)[-1] is e))
        event.revision = self.last + 1
        self.tell_all(event)

    def event_of_nobody(self):
        last = self.choose(e for e in self.events.values() if e.type != "DELETED" and self.line(e.key)[-1] is e)
        event = copy.copy(last)
        event.type, event.revision, event.content = "MODIFIED", self.last + 1, {"by": "nobody", "base": "nobody"}
        self.tell_all(event)

    def refused_and_done(self):
        self.choose(self.operations(CREATE, REPLACE, PATCH)).outcome = REFUSED

    def acknowledged_and_gone(self):
        """As after a kill: the last write of an object is not there any more, for nobody."""
        one = self.choose(one for one in self.operations(CREATE, REPLACE, PATCH) if self.line(one.key)[-1].revision == one.revision)
        self.forget(one.revision)
        self.history.operations = [other for other in self.history.operations
                                   if other is one or other.what not in (GET, LIST) or other.begin < one.begin]

    def acknowledged_delete_and_gone(self):
        one = self.choose(one for one in self.operations(DELETE) if self.line(one.key)[-1].uid == one.uid)
        self.forget(self.line(one.key)[-1].revision)

    def revisions_swapped(self):
        writes = self.operations(CREATE, REPLACE, PATCH)
        one = self.choose(writes)
        other = self.choose(other for other in writes if one.end < other.begin and one.key != other.key)
        swap = {one.revision: other.revision, other.revision: one.revision}
        for watch in self.history.watches:
            for event in watch.events:
                event.revision = swap.get(event.revision, event.revision)
            watch.events.sort(key=lambda event: event.revision)
        one.revision, other.revision = other.revision, one.revision

    def answer_of_another_revision(self):
        self.choose(self.operations(CREATE, REPLACE, PATCH)).revision += 1000

    def uid_that_comes_back(self):
        def lives(key):
            return [event for event in self.line(key) if event.type == "ADDED"]
        first, second = self.choose(pair for key in self.lines for pair in zip(lives(key), lives(key)[1:]))
        old, new = first.uid, second.uid
        for watch in self.history.watches:
            for event in watch.events:
                event.uid = old if event.uid == new else event.uid

    def added_twice(self):
        for event in self.each_event(self.choose(e.revision for e in self.events.values() if e.type == "MODIFIED")):
            event.type = "ADDED"

    def events_swapped(self):
        events = self.choose(self.complete).events
        i = self.random.randrange(len(events) - 1)
        events[i], events[i + 1] = events[i + 1], events[i]

    def event_told_twice(self):
        events = self.choose(self.complete).events
        i = self.random.randrange(len(events))
        events.insert(i, events[i])

    def event_left_out(self):
        events = self.choose(self.complete).events
        del events[self.random.randrange(len(events))]

    def watch_that_stops_early(self):
        del self.choose(self.complete).events[-1:]

    def revision_given_twice(self):
        event = self.choose(self.choose(self.complete).events)
        event.content = {"by": "other", "base": "other"}

    def event_of_another_type(self):
        event = self.choose(self.choose(self.complete).events)
        event.type = "MODIFIED" if event.type == "DELETED" else "DELETED"

    def event_before_its_write(self):
        event = self.choose(e for e in self.events.values() if self.cause(e))
        for same in self.each_event(event.revision):
            same.seen = self.cause(event).begin - 0.001


PLANTS = {
    Planter.stale_get: "stale read",
    Planter.absent_though_there: "stale read",
    Planter.stale_list: "stale read",
    Planter.mixed_list: "torn list",
    Planter.list_without_one: "torn list",
    Planter.get_from_the_future: "read from nowhere",
    Planter.compare_and_swap_that_did_not_compare: "lost update",
    Planter.patch_of_an_older_state: "lost update",
    Planter.write_twice: "doubled write",
    Planter.event_of_nobody: "phantom write",
    Planter.refused_and_done: "phantom write",
    Planter.acknowledged_and_gone: "lost write",
    Planter.acknowledged_delete_and_gone: "lost write",
    Planter.revisions_swapped: "reordered write",
    Planter.answer_of_another_revision: "false answer",
    Planter.uid_that_comes_back: "wrong life",
    Planter.added_twice: "wrong life",
    Planter.events_swapped: "reordered event",
    Planter.event_told_twice: "reordered event",
    Planter.event_left_out: "missing event",
    Planter.watch_that_stops_early: "missing event",
    Planter.revision_given_twice: "shared revision",
    Planter.event_of_another_type: "wrong event",
    Planter.event_before_its_write: "wrong event",
}
