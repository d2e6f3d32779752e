"""Another one's controller, with the habits of Kubernetes' Go client, against a server that is stopped, started and has
forgotten on the way: election by Lease, lists as watches, bookmarks, resync, 410. Prints a line for each part that holds.

The controller keeps a copy of every ConfigMap with the label copy=yes, owned by it, in a ConfigMap <name>-copy. It speaks
HTTP by itself, so that every request is exactly what such a client sends.
"""

import datetime
import json
import os
import pathlib
import queue
import re
import struct
import sys
import threading
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "robustness"))
sys.dont_write_bytecode = True
from server import CONFIG_MAPS, LOST, Client, start, wait_until  # noqa: E402

LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
PROTOBUF = "application/vnd.kubernetes.protobuf"
RECORDED = HERE.parent / "compat/protobuf"
LEASE_SECONDS = 2
RESYNC_SECONDS = 0.5


class Apiserver:
    """The server, which may be another process from one moment to the next."""

    def __init__(self, work):
        self.data, self.log = work / "data", work / "server.log"
        self.log.touch()
        self.process = None

    def start(self, *flags):
        self.process = start(self.data, self.log, "--controllers", "*,-service-catalog", *flags)

    def stop(self):
        self.note_http_versions()
        assert self.process.stop() == 0, "the server did not stop in good order"

    def restart(self, *flags):
        self.stop()
        self.start(*flags)

    def note_http_versions(self):
        """What prelude.sh notes of its servers: the connections by version of HTTP, but for the one that asks."""
        with Client(self.process) as client:
            metrics = client.send("GET", "/metrics")[1].decode()
        counts = dict(re.findall(r'^chandler_http_protocol_connections_total{protocol="(.*)"} (\d+)$', metrics, re.M))
        with open(os.environ["HTTP_NOTES"], "a", encoding="utf-8") as notes:
            print(int(counts["http/1.1"]) - 1, counts["h2"], file=notes)

    def ask(self, method, path, body=None, content_type="application/json"):
        with Client(self.process) as client:
            return client.ask(method, path, body, content_type)


# --- bodies in protobuf, as clients write them that are told to

def field(number, payload):
    if isinstance(payload, int):
        return varint(number << 3) + varint(payload)
    payload = payload.encode() if isinstance(payload, str) else payload
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def varint(value):
    out = b""
    while value > 0x7F:
        out += struct.pack("B", value & 0x7F | 0x80)
        value >>= 7
    return out + struct.pack("B", value)


def micro_time(text):
    moment = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    return field(1, int(moment.timestamp())) + field(2, moment.microsecond * 1000)


def lease_in_protobuf(lease):
    meta, spec = lease["metadata"], lease["spec"]
    metadata = field(1, meta["name"]) + field(3, "default")
    if "resourceVersion" in meta:
        metadata += field(5, meta["uid"]) + field(6, meta["resourceVersion"])
    content = (field(1, spec["holderIdentity"]) + field(2, spec["leaseDurationSeconds"]) +
               field(3, micro_time(spec["acquireTime"])) + field(4, micro_time(spec["renewTime"])) +
               field(5, spec["leaseTransitions"]))
    kind = field(1, "coordination.k8s.io/v1") + field(2, "Lease")
    return b"k8s\0" + field(1, kind) + field(2, field(1, metadata) + field(2, content))


class Elector:
    """Leader election: a Lease that its holder renews with the version it knows, and others watch by their own clock."""

    def __init__(self, api, identity):
        self.api, self.identity = api, identity
        self.lease = None        # as last seen
        self.seen_at = 0.0       # when its content last changed, by our own clock
        self.slow_path = 0       # renewals that had to look first

    def now(self):
        return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def observe(self, lease):
        if self.lease is None or self.lease["spec"] != lease["spec"]:
            self.seen_at = time.monotonic()
        self.lease = lease

    def record(self, acquired, transitions, base=None):
        spec = {"holderIdentity": self.identity, "leaseDurationSeconds": LEASE_SECONDS, "acquireTime": acquired,
                "renewTime": self.now(), "leaseTransitions": transitions}
        return {"metadata": dict(base["metadata"]) if base else {"name": "elected"}, "spec": spec}

    def put(self, lease):
        status, answer = self.api.ask("PUT", LEASES + "/elected", lease_in_protobuf(lease), PROTOBUF)
        if status == 200:
            self.observe(answer)
        else:
            assert status == 409 and answer["reason"] == "Conflict", (status, answer)
        return status == 200

    def holds(self):
        return self.lease is not None and self.lease["spec"]["holderIdentity"] == self.identity

    def try_to_lead(self):
        """True while we lead."""
        if self.holds() and time.monotonic() < self.seen_at + LEASE_SECONDS:
            # The quick way: no look before the write.
            spec = self.lease["spec"]
            if self.put(self.record(spec["acquireTime"], spec.get("leaseTransitions", 0), self.lease)):
                return True
        self.slow_path += 1
        status, answer = self.api.ask("GET", LEASES + "/elected")
        if status == 404:
            status, answer = self.api.ask("POST", LEASES, lease_in_protobuf(self.record(self.now(), 0)), PROTOBUF)
            assert status in (201, 409), (status, answer)
            if status == 201:
                self.observe(answer)
            return status == 201
        assert status == 200, (status, answer)
        self.observe(answer)
        spec = answer["spec"]
        free = not spec.get("holderIdentity") or time.monotonic() >= self.seen_at + spec["leaseDurationSeconds"]
        if not self.holds() and not free:
            return False
        transitions = spec.get("leaseTransitions", 0)
        if self.holds():
            return self.put(self.record(spec["acquireTime"], transitions, answer))
        return self.put(self.record(self.now(), transitions + 1, answer))

    def release(self):
        lease = json.loads(json.dumps(self.lease))
        lease["spec"].update(holderIdentity="", leaseDurationSeconds=1, renewTime=self.now())
        status, answer = self.api.ask("PUT", LEASES + "/elected", lease)
        assert status == 200, (status, answer)
        self.lease = answer


class Expired(Exception):
    pass


class Reflector(threading.Thread):
    """Keeps a copy of a collection: begins with a list, as a stream if the server can, and follows it over every end."""

    def __init__(self, api, path, on_change, streams=True, selector=""):
        super().__init__(daemon=True)
        self.api, self.path, self.on_change, self.selector = api, path, on_change, selector
        self.streams = streams      # lists as watches
        self.store = {}
        self.lock = threading.Lock()
        self.revision = ""
        self.bookmarks = self.relists = self.expired = 0
        self.open = True
        self.fault = None
        self.asleep = threading.Event()
        self.awake = threading.Event()
        self.awake.set()

    def run(self):
        try:
            while self.open:
                try:
                    if not self.revision:
                        self.relist()
                    if self.revision:
                        self.watch()
                except Expired:
                    self.expired += 1
                    self.revision = ""
                except LOST:
                    time.sleep(0.05)
                if not self.awake.is_set():
                    self.asleep.set()
                    self.awake.wait()
        except Exception as error:  # a thread that dies silently would pass for one that sees nothing
            self.fault = error
            raise

    def query(self, **options):
        return "?" + "&".join([f"{key}={value}" for key, value in options.items()] + [self.selector][:bool(self.selector)])

    def relist(self):
        self.relists += 1
        if self.streams:
            found = {}
            # All that is there as ADDED events, until a bookmark says so.
            self.follow(self.query(watch="true", sendInitialEvents="true", resourceVersionMatch="NotOlderThan",
                                   resourceVersion="", allowWatchBookmarks="true", timeoutSeconds=300), found)
            return
        found, token = {}, ""
        while True:
            status, page = self.api.ask("GET", self.path + self.query(limit=2, **({"continue": token} if token else
                                                                                 {"resourceVersion": 0})))
            if status == 410:
                raise Expired()
            assert status == 200, (status, page)
            found |= {item["metadata"]["name"]: item for item in page["items"]}
            token = page["metadata"].get("continue", "")
            if not token:
                break
        self.replace(found, page["metadata"]["resourceVersion"])

    def replace(self, found, revision):
        with self.lock:
            gone = self.store.keys() - found.keys()
            self.store, self.revision = found, revision
        for name in gone | found.keys():
            self.on_change(name)

    def watch(self):
        self.follow(self.query(watch="true", allowWatchBookmarks="true", resourceVersion=self.revision,
                               timeoutSeconds=300))

    def follow(self, query, initial=None):
        with Client(self.api.process) as client:
            answer = client.stream(self.path + query)
            if answer.status == 410:
                raise Expired()
            if answer.status in (400, 422) and initial is not None:
                self.streams = False  # a server that does not know such lists; ask for a plain one from now on
                return
            assert answer.status == 200, (answer.status, answer.read())
            while self.open:
                line = answer.readline()
                if not line.endswith(b"\n"):
                    return
                event = json.loads(line)
                if event["type"] == "ERROR":
                    assert event["object"]["code"] == 410, event
                    raise Expired()
                initial = self.take(event["type"], event["object"], initial)

    def take(self, sort, item, initial):
        """What is left of the initial events: None when they have ended."""
        metadata = item["metadata"]
        del item["apiVersion"], item["kind"]  # items of a list do not repeat it
        if sort == "BOOKMARK":
            self.bookmarks += 1
            if initial is not None and metadata.get("annotations", {}).get("k8s.io/initial-events-end") == "true":
                self.replace(initial, metadata["resourceVersion"])
                return None
            self.revision = metadata["resourceVersion"]
            return initial
        if initial is not None:
            assert sort == "ADDED", sort
            initial[metadata["name"]] = item
            return initial
        assert int(metadata["resourceVersion"]) > int(self.revision), "an event came out of order"
        with self.lock:
            if sort == "DELETED":
                self.store.pop(metadata["name"], None)
            else:
                self.store[metadata["name"]] = item
            self.revision = metadata["resourceVersion"]
        self.on_change(metadata["name"])
        return None

    def sleep(self):
        """Stops following once the present stream ends."""
        self.awake.clear()

    def get(self, name):
        with self.lock:
            return self.store.get(name)


class Controller(threading.Thread):
    """A queue of keys, one worker, retries; owns what it makes."""

    def __init__(self, api, streams):
        super().__init__(daemon=True)
        self.api = api
        self.queue = queue.Queue()
        self.waiting = set()
        self.lock = threading.Lock()
        self.writes = 0
        self.resyncs = 0
        self.fault = None
        self.reflector = Reflector(api, CONFIG_MAPS, self.enqueue, streams)
        self.reflector.start()

    def enqueue(self, name):
        name = name.removesuffix("-copy")
        with self.lock:
            if name in self.waiting:
                return
            self.waiting.add(name)
        self.queue.put(name)

    def run(self):
        resync = time.monotonic() + RESYNC_SECONDS
        try:
            while True:
                try:
                    name = self.queue.get(timeout=max(0.01, resync - time.monotonic()))
                except queue.Empty:
                    name = None
                if time.monotonic() >= resync:
                    self.resyncs += 1
                    with self.reflector.lock:
                        names = list(self.reflector.store)
                    for known in names:
                        self.enqueue(known)
                    resync = time.monotonic() + RESYNC_SECONDS
                if name is None:
                    continue
                with self.lock:
                    self.waiting.discard(name)
                try:
                    again = self.reconcile(name)
                except LOST:
                    again = True
                if again:
                    time.sleep(0.02)
                    self.enqueue(name)
        except Exception as error:
            self.fault = error
            raise

    def reconcile(self, name):
        """True if it has to be tried again."""
        source, copy = self.reflector.get(name), self.reflector.get(name + "-copy")
        if not source or source["metadata"].get("labels", {}).get("copy") != "yes":
            return False
        if "deletionTimestamp" in source["metadata"]:
            return False
        if copy and copy.get("data") == source.get("data"):
            return False
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": source["metadata"]["uid"],
                 "controller": True, "blockOwnerDeletion": True}
        wanted = {"apiVersion": "v1", "kind": "ConfigMap", "data": source.get("data", {}),
                  "metadata": {"name": name + "-copy", "ownerReferences": [owner]}}
        if copy:
            wanted["metadata"]["resourceVersion"] = copy["metadata"]["resourceVersion"]
            status, answer = self.api.ask("PUT", f"{CONFIG_MAPS}/{name}-copy", wanted)
        else:
            status, answer = self.api.ask("POST", CONFIG_MAPS, wanted)
        self.writes += 1
        # Behind the times: the cache will hear of it and we shall be called again.
        if status in (404, 409):
            return True
        assert status in (200, 201), (status, answer)
        return False


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"copy": "yes"}}, "data": data}


def stored(api):
    status, listed = api.ask("GET", CONFIG_MAPS)
    assert status == 200, listed
    return {item["metadata"]["name"]: item for item in listed["items"]}


def copies_are_right(api):
    there = stored(api)
    sources = {name: item for name, item in there.items() if item["metadata"].get("labels", {}).get("copy") == "yes"}
    copies = {name for name in there if name.endswith("-copy")}
    return copies == {name + "-copy" for name in sources} and all(
        there[name + "-copy"].get("data") == item.get("data") for name, item in sources.items())


def knows_all(api, controller):
    there = stored(api)
    with controller.reflector.lock:
        return controller.reflector.store == there


def check(*controllers):
    for controller in controllers:
        for part in (controller, controller.reflector):
            assert part.fault is None and part.is_alive(), part.fault


def election(api):
    first, second = Elector(api, "first-" + uuid.uuid4().hex), Elector(api, "second-" + uuid.uuid4().hex)
    assert first.try_to_lead() and not second.try_to_lead()
    slow = first.slow_path
    for _ in range(5):
        assert first.try_to_lead() and not second.try_to_lead()
    assert first.slow_path == slow, "a renewal had to look first"
    assert not second.holds()
    # Somebody touches the lease: the quick way loses the race, the slow way goes on.
    status, _ = api.ask("PATCH", LEASES + "/elected", {"metadata": {"labels": {"touched": "yes"}}},
                        "application/merge-patch+json")
    assert status == 200 and first.try_to_lead() and first.slow_path == slow + 1
    # The holder falls silent: its time runs out by the other's clock.
    wait_until(second.try_to_lead, "the second took over", pause=0.1)
    assert second.lease["spec"]["leaseTransitions"] == 1 and not first.try_to_lead() and not first.holds()
    second.release()
    assert first.try_to_lead() and first.lease["spec"]["leaseTransitions"] == 2
    return first


def copies(api, controllers):
    for number in range(7):
        status, answer = api.ask("POST", CONFIG_MAPS, config_map(f"source-{number}", number=str(number)))
        assert status == 201, answer
    recorded = bytes.fromhex("".join((RECORDED / "create-configmap.hex").read_text().split()))
    status, answer = api.ask("POST", CONFIG_MAPS, recorded, PROTOBUF)
    assert status == 201, answer
    for change in range(20):
        status, _ = api.ask("PATCH", f"{CONFIG_MAPS}/source-{change % 7}", {"data": {"change": str(change)}},
                            "application/merge-patch+json")
        assert status == 200
    wait_until(lambda: copies_are_right(api), "copies")
    wait_until(lambda: all(knows_all(api, one) for one in controllers), "both caches know all")
    check(*controllers)


def resync_changes_nothing(api, controllers):
    before, rounds = stored(api), [one.resyncs for one in controllers]
    writes = [one.writes for one in controllers]
    wait_until(lambda: all(one.resyncs >= done + 2 for one, done in zip(controllers, rounds)), "two rounds")
    wait_until(lambda: all(one.queue.empty() for one in controllers), "the queues are empty")
    assert stored(api) == before and [one.writes for one in controllers] == writes
    check(*controllers)


def owners_take_theirs_along(api, controllers):
    for number in (0, 3):
        status, _ = api.ask("DELETE", f"{CONFIG_MAPS}/source-{number}")
        assert status == 200
    wait_until(lambda: copies_are_right(api) and "source-0-copy" not in stored(api), "the copies are gone")
    wait_until(lambda: all(knows_all(api, one) for one in controllers), "both caches know it")
    check(*controllers)


def restarts_are_survived(api, controllers, leader):
    relists = [one.reflector.relists for one in controllers]
    for round_ in range(2):
        api.restart()
        status, answer = api.ask("POST", CONFIG_MAPS, config_map(f"restart-{round_}", round=str(round_)))
        assert status == 201, answer
        wait_until(lambda: copies_are_right(api), "copies after a restart")
    wait_until(lambda: all(knows_all(api, one) for one in controllers), "both caches know all")
    assert [one.reflector.relists for one in controllers] == relists, "a watch could not be resumed"
    assert leader.try_to_lead(), "the leader is the leader still"
    check(*controllers)


def what_is_forgotten_is_listed_again(api, controllers):
    for one in controllers:
        one.reflector.sleep()
    api.restart("--history-seconds", "0")
    for one in controllers:
        assert one.reflector.asleep.wait(60), "a reflector did not notice the restart"
    api.ask("DELETE", f"{CONFIG_MAPS}/source-1")
    for change in range(20):
        api.ask("PATCH", f"{CONFIG_MAPS}/source-2", {"data": {"late": str(change)}}, "application/merge-patch+json")
    oldest = min(int(one.reflector.revision) for one in controllers)

    def forgotten():
        status, answer = api.ask("GET", f"{CONFIG_MAPS}?resourceVersion={oldest}&resourceVersionMatch=Exact")
        return status == 410 and answer["reason"] == "Expired"
    wait_until(forgotten, "history is forgotten")
    for one in controllers:
        one.reflector.awake.set()
    wait_until(lambda: copies_are_right(api), "copies after the gap")
    wait_until(lambda: all(knows_all(api, one) for one in controllers), "both caches know all again")
    assert all(one.reflector.expired for one in controllers), "nobody was told to list again"
    check(*controllers)


def main():
    api = Apiserver(pathlib.Path(os.environ["WORK"]))
    try:
        api.start()
        leader = election(api)
        print("ok election")
        controllers = [Controller(api, streams=True), Controller(api, streams=False)]
        for one in controllers:
            one.start()
        copies(api, controllers)
        assert controllers[0].reflector.streams and controllers[0].reflector.bookmarks >= 1
        print("ok copies")
        resync_changes_nothing(api, controllers)
        print("ok resync")
        owners_take_theirs_along(api, controllers)
        print("ok owners")
        restarts_are_survived(api, controllers, leader)
        print("ok restarts")
        what_is_forgotten_is_listed_again(api, controllers)
        print("ok forgotten history")
        api.stop()
    finally:
        if api.process is not None:
            api.process.kill()


if __name__ == "__main__":
    main()
