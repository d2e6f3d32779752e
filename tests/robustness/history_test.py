"""The judge of histories: a simulated store gives histories that are right, which it must accept; each planted fault must be found by
its name."""
import copy
import heapq
import os
import random
import tempfile
import unittest

from history import (ABSENT, CONFLICT, CREATE, DELETE, GET, LIST, OK, PATCH, PRESENT, REPLACE, UNKNOWN, Event, History, Operation,
                     Watch)
from history_check import NAMES, check_history
from history_plants import PLANTS, NoPlace, Planter

KEYS = [f"{kind}/{name}" for kind in ("configmaps", "secrets") for name in "abc"]
SEEDS = range(12)


class Simulation:
    """Some clients of one store. Each call begins, takes effect at one moment, and ends; some never learn how theirs ended."""

    def __init__(self, seed, calls=400, clients=5):
        self.random = random.Random(seed)
        self.history = History(start=10)
        self.revision, self.state, self.states = 10, {}, {10: {}}
        self.tokens, self.calls, self.queue, self.number = 0, calls, [], 0
        self.known = {}  # key: a revision that some client has seen
        self.history.watches = [Watch("a", "configmaps/", 10), Watch("a", "secrets/", 10), Watch("b", "", 10)]
        for _ in range(clients):
            self.later(0, self.begin)
        while self.queue:
            self.now, _, step, words = heapq.heappop(self.queue)
            step(*words)
        for watch in self.history.watches:
            watch.until = self.revision

    def later(self, moment, step, *words):
        self.number += 1
        heapq.heappush(self.queue, (moment + self.random.random(), self.number, step, words))

    def begin(self):
        if self.calls == 0:
            return
        self.calls -= 1
        what = self.random.choice([CREATE, REPLACE, REPLACE, PATCH, DELETE, GET, GET, LIST])
        key = self.random.choice(KEYS)
        operation = Operation(self.random.choice("ab"), what, key, self.now)
        if what == LIST:
            operation.key = key.split("/")[0] + "/"
            if self.random.random() < 0.3:
                operation.exact, operation.revision = True, self.random.choice(list(self.states))
        if what in (CREATE, REPLACE, PATCH):
            self.tokens += 1
            operation.content = {"by": f"t{self.tokens}"} | ({"base": f"t{self.tokens}"} if what != PATCH else {})
        if what in (REPLACE, DELETE) and key in self.known and self.random.random() < 0.7:
            operation.expected = self.known[key]
        self.history.operations.append(operation)
        if self.random.random() < 0.1:  # no answer; perhaps it happens, perhaps much later
            if self.random.random() < 0.5:
                self.later(self.now + 5 * self.random.random(), self.effect, operation, True)
            self.later(self.now, self.begin)
        else:
            self.later(self.now, self.effect, operation, False)

    def effect(self, operation, unknown):
        before = copy.deepcopy((operation.outcome, operation.content, operation.revision, operation.uid, operation.items))
        self.apply(operation)
        if unknown:
            operation.outcome, operation.content, operation.revision, operation.uid, operation.items = before
        else:
            self.later(self.now, self.end, operation)

    def end(self, operation):
        operation.end = self.now
        if operation.revision and operation.what != LIST:
            self.known[operation.key] = operation.revision
        self.later(self.now, self.begin)

    def apply(self, operation):
        there, operation.outcome = self.state.get(operation.key), OK
        if operation.what == LIST:
            operation.revision = operation.revision or self.revision
            state = self.states[operation.revision]
            operation.items = {key: list(item) for key, item in state.items() if key.startswith(operation.key)}
        elif operation.what == CREATE and there:
            operation.outcome = PRESENT
        elif operation.what != CREATE and not there:
            operation.outcome = ABSENT
        elif operation.what == GET:
            operation.revision, operation.content, operation.uid = there
        elif operation.expected is not None and there[0] != operation.expected:
            operation.outcome = CONFLICT
        else:
            self.write(operation, there)

    def write(self, operation, there):
        self.revision += self.random.randint(1, 3)
        operation.uid = there[2] if there else f"u{self.revision}"
        if operation.what == DELETE:
            content = there[1]
            del self.state[operation.key]
        else:
            content = (there[1] if operation.what == PATCH else {}) | operation.content
            self.state[operation.key] = [self.revision, content, operation.uid]
            operation.revision = self.revision
        self.states[self.revision] = dict(self.state)
        type_ = "DELETED" if operation.what == DELETE else "MODIFIED" if there else "ADDED"
        for watch in self.history.watches:
            if operation.key.startswith(watch.key):
                seen = self.now + self.random.random()
                watch.events.append(Event(type_, operation.key, self.revision, dict(content), operation.uid, seen))


def rows():
    """Hand-made: (operations and events as the smallest history that shows a rule, names of faults, why)."""
    def made(key, revision, token, begin, end, **more):
        outcome = OK if end else UNKNOWN
        return Operation("a", CREATE, key, begin, end, outcome, {"by": token}, None, revision if end else None, f"u-{token}", **more)

    def told(key, revision, token, seen):
        return Event("ADDED", key, revision, {"by": token}, f"u-{token}", seen)

    def absent(key, begin, end):
        return Operation("a", GET, key, begin, end, ABSENT)

    def found(key, revision, token, begin, end):
        return Operation("a", GET, key, begin, end, OK, {"by": token}, None, revision, f"u-{token}")

    x = told("x", 5, "t", 9)
    return [
        ([made("x", 5, "t", 1, 2), absent("x", 3, 4)], [x], {"stale read"}, "a read after the answer must see it"),
        ([made("x", 5, "t", 1, 4), absent("x", 2, 3)], [x], set(), "a read during the write may miss it"),
        ([made("x", 5, "t", 1, 6), found("x", 5, "t", 2, 3), absent("x", 4, 5)], [x], {"stale read"},
         "once one read has seen it, a later one must"),
        ([made("x", 5, "t", 1, 6), absent("x", 2, 3), found("x", 5, "t", 4, 5)], [x], set(), "the other way round is fine"),
        ([made("x", 5, "t", 1, None), absent("x", 2, 3), found("x", 5, "t", 8, 8.5)], [x], set(), "no answer: it may come late"),
        ([made("x", 5, "t", 4, None), found("x", 5, "t", 2, 3)], [x], {"read from nowhere"}, "but not before it was asked for"),
        ([made("x", 5, "t", 1, None)], [], set(), "no answer: it may never come"),
        ([made("x", 5, "t", 1, 2)], [], {"lost write"}, "with an answer it must"),
        ([made("x", 5, "t", 1, 2), made("y", 4, "s", 3, 4)], [told("y", 4, "s", 9), x], {"reordered write"}, "later, but smaller"),
        ([made("x", 5, "t", 1, 3), made("y", 4, "s", 2, 4)], [told("y", 4, "s", 9), x], set(), "at the same time, in any order"),
        ([made("x", 5, "t", 1, 2), made("y", 4, "s", 3, None)], [told("y", 4, "s", 9), x], {"reordered write"},
         "nor may one without an answer"),
        ([made("x", 5, "t", 1, 4), absent("x", 2.5, 3)], [told("x", 5, "t", 2)], {"stale read"}, "who was told by a watch must find it"),
        ([made("x", 5, "t", 1, 2), Operation("a", LIST, "", 3, 4, OK, revision=4, items={})], [x], {"stale read"}, "an old list"),
        ([made("x", 5, "t", 1, 2), Operation("a", LIST, "", 3, 4, OK, revision=4, items={}, exact=True)], [x], set(),
         "that was asked for"),
    ]


class HistoryTest(unittest.TestCase):
    def test_right_histories_are_accepted(self):
        for seed in range(60):
            with self.subTest(seed=seed):
                self.assertEqual(check_history(Simulation(seed).history), [])

    def test_planted_faults_are_found_by_name(self):
        for plant, name in PLANTS.items():
            planted = 0
            for seed in SEEDS:
                with self.subTest(plant=plant.__name__, seed=seed):
                    history = Simulation(seed).history
                    try:
                        plant(Planter(history, seed))
                    except NoPlace:
                        continue
                    planted += 1
                    self.assertIn(name, {found for found, _ in check_history(history)})
            self.assertGreater(planted, len(SEEDS) // 2, plant.__name__)

    def test_every_fault_is_planted_once(self):
        self.assertEqual(set(PLANTS.values()), set(NAMES))

    def test_rules_one_by_one(self):
        for operations, events, names, reason in rows():
            with self.subTest(reason):
                history = History(0, copy.deepcopy(operations), [Watch("a", "", 0, copy.deepcopy(events), until=9)])
                self.assertEqual({name for name, _ in check_history(history)}, names)

    def test_a_saved_history_is_the_same(self):
        history = Simulation(1).history
        with tempfile.TemporaryDirectory() as folder:
            history.save(os.path.join(folder, "history"))
            self.assertEqual(History.load(os.path.join(folder, "history")), history)

    def test_a_long_history_takes_seconds(self):
        history = Simulation(1, calls=20_000, clients=20).history
        self.assertEqual(check_history(history), [])


if __name__ == "__main__":
    unittest.main()
