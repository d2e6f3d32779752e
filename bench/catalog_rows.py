"""The rows of scripts/bench about the service catalog, against the scripted broker, which answers at once.

What each row means is in bench/README.md. Beside the rates, which a busy machine distorts, notes say what the server
spent: processor time, commits, and how busy its busiest thread was.
"""

import contextlib
import json
import pathlib
import os
import re
import statistics
import subprocess
import time
import urllib.request

CATALOG = "/apis/servicecatalog.k8s.io/v1beta1"
BROKERS = f"{CATALOG}/clusterservicebrokers"
CLASSES, PLANS_PER_CLASS = 100, 10
INSTANCES = "servicecatalog.k8s.io/serviceinstances"
BINDINGS = "servicecatalog.k8s.io/servicebindings"
PARALLEL = 16
HUNG = 64  # instances that wait for the broker that hangs: twice as many as calls it may have under way
TICK = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def scripted_broker(program, log, *flags):
    """A running `chandler broker scripted`; gives its URL."""
    with open(log, "ab") as sink:
        process = subprocess.Popen(
            [program, "broker", "scripted", "--listen", "127.0.0.1:0", "--log-level", "warn", *flags],
            stdout=subprocess.PIPE, stderr=sink, text=True)
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            if not found:
                raise RuntimeError("the broker did not start: " + pathlib.Path(log).read_text())
            yield found[0]
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def control(url, method, what, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}/control/{what}", data=data, method=method,
                                     headers={"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=30).close()


class Spent:
    """What the server spends on `count` things: processor time by thread, commits and their batches."""

    def __init__(self, server):
        self.server = server
        self.begin = self.read()

    def read(self):
        threads = {}
        for task in pathlib.Path(f"/proc/{self.server.process.pid}/task").iterdir():
            text = (task / "stat").read_text()
            name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
            threads[task.name] = (name, int(rest[11]) / TICK, int(rest[12]) / TICK)
        return time.monotonic(), threads, [self.server.metric(name) for name in (
            "chandler_store_revision", "chandler_store_commit_batch_size_count")]

    def per(self, count):
        (begin, before, counts), (end, after, counts_now) = self.begin, self.read()
        used = [(name, user - before.get(key, (name, 0, 0))[1], system - before.get(key, (name, 0, 0))[2])
                for key, (name, user, system) in after.items()]
        user, system = sum(each[1] for each in used), sum(each[2] for each in used)
        busiest = sorted(used, key=lambda each: -each[1] - each[2])[:3]
        shares = ", ".join(f"{name} {(u + s) / (end - begin):.0%}" for name, u, s in busiest)
        writes, commits = (now - then for now, then in zip(counts_now, counts))
        return (f"{(user + system) / count * 1e6:.0f} us of processor time each (user {user / count * 1e6:.0f}, system "
                f"{system / count * 1e6:.0f}), {writes / count:.1f} writes each, {writes / max(1, commits):.1f} writes "
                f"per commit; busiest threads: {shares}")


class Brokers:
    """A watch on one broker, and a connection to change it: both are open before the time begins to count."""

    def __init__(self, server, name):
        self.server = server
        self.watch, self.change = server.connect(), server.connect()
        revision = int(server.metric("chandler_store_revision"))
        self.events = server.watch_over(
            self.watch, f"{BROKERS}?watch=1&fieldSelector=metadata.name%3D{name}&resourceVersion={revision}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watch.close()
        self.change.close()

    def listed_after(self, method, path, body):
        begin = time.monotonic()
        self.server.call_over(self.change, method, path, body)
        for event in self.events:
            broker = json.loads(event)["object"]
            if broker.get("status", {}).get("reconciledGeneration") == broker["metadata"]["generation"]:
                return time.monotonic() - begin
        raise RuntimeError("the watch ended before the broker was listed")


class CatalogRows:
    def __init__(self, bench):
        self.bench = bench
        self.count = 1000 // bench.scale
        self.next = 0

    def run(self):
        flags = ("--generate-classes", str(CLASSES), "--generate-plans", str(PLANS_PER_CLASS))
        log = self.bench.work / "broker.log"
        with scripted_broker(self.bench.program, log, *flags) as url, \
                scripted_broker(self.bench.program, log) as other:
            self.relists(url)
            with self.bench.serve("catalog-0") as server:  # left by the first relist
                self.instances(server)
                self.bindings(server)
                self.hanging(server, other)
        self.types()

    # --- relists

    def register(self, server, name, url):
        """Seconds from sending the broker until it has been listed."""
        with Brokers(server, name) as brokers:
            return brokers.listed_after("POST", BROKERS, {
                "apiVersion": "servicecatalog.k8s.io/v1beta1", "kind": "ClusterServiceBroker",
                "metadata": {"name": name}, "spec": {"url": url}})

    def relists(self, url):
        bench = self.bench
        plans = CLASSES * PLANS_PER_CLASS
        bench.say(f"relists of {plans:,} plans")
        objects = bench.work / "catalog-objects"
        unchanged, spent, rounds = [], [], 0

        def ours():
            nonlocal rounds
            with bench.serve(f"catalog-{rounds}") as server:
                spending = Spent(server)
                took = self.register(server, "bench", url)
                spent.append(spending.per(plans))
                self.keep_objects(server, objects)
                revision = server.metric("chandler_store_revision")
                with Brokers(server, "bench") as brokers:
                    again = brokers.listed_after("PATCH", f"{BROKERS}/bench", {"spec": {"relistRequests": 1}})
                unchanged.append((again, server.metric("chandler_store_revision") - revision))
            rounds += 1
            return took

        def limit():
            return bench.tools.run("catalog_store", directory=bench.work / f"store-{rounds}",
                                   file=objects)["seconds"]

        mine, bare = bench.in_turn(ours, limit, rounds=bench.many_rounds)
        seconds = "{:.3f} s".format
        bench.table.at_most(f"relist, {plans:,} new plans in {CLASSES} classes; the store alone", mine, bare, seconds,
                            4.0)
        bench.table.shown("relist, nothing new; as above, all new", [took for took, _ in unchanged], mine, seconds)
        bench.notes.append(f"relist of new plans: {spent[-1]} (per plan)")
        bench.notes.append(f"relist without news: {max(writes for _, writes in unchanged):.0f} writes")

    @staticmethod
    def keep_objects(server, file):
        """What the relist has made, one object per line."""
        with open(file, "w") as out:
            for kind in ("clusterserviceplans", "clusterserviceclasses"):
                for item in json.loads(server.get(f"{CATALOG}/{kind}"))["items"]:
                    if item["spec"]["clusterServiceBrokerName"] == "bench":
                        out.write(json.dumps(item, separators=(",", ":")) + "\n")

    # --- instances and bindings

    def load(self, server, what, first, count, **options):
        return self.bench.tools.run(
            "catalog_load", port=server.port, token=self.bench.token, create=what, first=first, count=count,
            revision=int(server.metric("chandler_store_revision")), parallel=PARALLEL, **options)

    def commits(self, size):
        """Bare durable commits per second at the same concurrency, of values of that size."""
        return self.bench.tools.run("sqlite_loop", file=self.bench.work / "loop-catalog.db", writers=PARALLEL,
                                    bytes=size, milliseconds=self.bench.millis // 2)["per_second"]

    def more_instances(self, server):
        first, self.next = self.next, self.next + self.count
        return self.load(server, "instances", first, self.count)

    def instances(self, server):
        self.bench.say(f"{self.count:,} instances, {PARALLEL} at a time")
        spent, waited = [], []

        def ours():
            spending = Spent(server)
            done = self.more_instances(server)
            spent.append(spending.per(self.count))
            waited.append(done["p50_us"])
            return done["per_second"]

        mine, bare, small = self.bench.in_turn(
            ours, lambda: self.commits(server.stored_bytes(INSTANCES)) / 3, lambda: self.commits(1024) / 3,
            rounds=self.bench.many_rounds)
        what = f"instances until Ready, {PARALLEL} at a time; bare commits / 3,"
        self.bench.table.at_least(f"{what} the bytes that are stored", mine, bare, 0.4, "{:,.0f}/s".format)
        self.bench.table.shown(f"{what} 1,024 bytes", mine, small, "{:,.0f}/s".format)
        self.bench.notes.append(f"instances: {spent[-1]}; {statistics.median(waited) / 1000:.1f} ms until Ready, p50")

    def bindings(self, server):
        self.bench.say(f"{self.count:,} bindings, {PARALLEL} at a time")
        spent, first = [], -self.count

        def ours():
            nonlocal first
            first += self.count
            spending = Spent(server)
            done = self.load(server, "bindings", first, self.count)
            spent.append(spending.per(self.count))
            return done["per_second"]

        mine, bare = self.bench.in_turn(ours, lambda: self.commits(server.stored_bytes(BINDINGS)) / 4)
        self.bench.table.shown(f"bindings until Ready, {PARALLEL} at a time; bare commits / 4, the bytes that are stored",
                               mine, bare, "{:,.0f}/s".format)
        self.bench.notes.append(f"bindings: {spent[-1]}")

    def hanging(self, server, url):
        bench = self.bench
        bench.say("instances beside a broker that hangs")
        self.register(server, "hung", url)
        stuck = 1_000_000

        def beside():
            nonlocal stuck
            control(url, "PUT", "rules", {"rules": [{"on": "provision", "hang": True}]})
            self.load(server, "instances", stuck, HUNG, wait=0, **{"class": "scripted", "plan": "sync"})
            stuck += HUNG
            done = self.more_instances(server)
            waiting = self.in_flight(server)
            control(url, "DELETE", "rules")
            if waiting == 0:
                raise RuntimeError("the broker that hangs did not hang")
            deadline = time.monotonic() + 60
            while self.in_flight(server) > 0:
                if time.monotonic() > deadline:
                    raise RuntimeError("what had hung did not end")
                time.sleep(0.1)
            return done["per_second"]

        # Each beside the mean of the one before and the one after, as the machine's mood changes.
        alone = [self.more_instances(server)["per_second"]]
        beside_it = []
        for _ in range(3):
            beside_it.append(beside())
            alone.append(self.more_instances(server)["per_second"])
        limits = [(before + after) / 2 for before, after in zip(alone, alone[1:])]
        bench.table.at_least(f"instances beside a broker that hangs with {HUNG} others; alone", beside_it, limits, 0.9,
                             "{:,.0f}/s".format)

    @staticmethod
    def in_flight(server):
        return sum(server.metric(rf'chandler_controller_calls_{what}\{{broker="hung"\}}')
                   for what in ("in_flight", "waiting"))

    # --- types

    def types(self):
        bench = self.bench
        many, types = bench.many, bench.many // 100
        bench.say(f"default plans of {types:,} types")
        changes = []

        def cost(plans, kinds):
            done = bench.tools.run("catalog_types", plans=plans, types=kinds, milliseconds=bench.millis)
            changes.append(done)
            return done["resolve_us"]

        mine, few = bench.in_turn(lambda: cost(many, types), lambda: cost(100, 1))
        unit = "{:.0f} us".format
        bench.table.at_most(f"default plan by type, {many:,} plans of {types:,} types; 100 plans of one", mine, few, unit,
                            1.5)
        bench.table.at_most(f"change of a default, {many:,} plans; 100 plans",
                            [each["change_us"] for each in changes[0::2]],
                            [each["change_us"] for each in changes[1::2]], unit, 1.5)
        bench.notes.append(f"change of a default: {changes[0]['writes']:.0f} writes to two plans, whatever the catalog")
