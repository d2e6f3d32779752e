#!/usr/bin/env python3
"""kill -9 while instances and bindings come and go: at the end the broker has exactly what our records say, and nothing when all is deleted.

usage: catalog_kill.py [--rounds N] [--seed S] [--broker scripted|sqlite]

A round: users create, change and delete instances and bindings; after some number of requests the server is killed and started again.
The scripted broker keeps everything in memory and lives through all rounds; it is slow, loses connections and fails now and then. The
sqlite broker keeps everything on disk and is killed as well. After the last round everything comes to rest; then the broker's ledger
and our objects are compared, everything is deleted, and the ledger must be empty.
"""
import argparse
import base64
import http.client
import json
import pathlib
import random
import subprocess
import sys
import time

from server import LOST, PROGRAM, Client, Faults, Scratch, start, wait_until

API = "/apis/servicecatalog.k8s.io/v1beta1"
INSTANCES = f"{API}/namespaces/default/serviceinstances"
BINDINGS = f"{API}/namespaces/default/servicebindings"
BROKERS = f"{API}/clusterservicebrokers"
SECRETS = "/api/v1/namespaces/default/secrets"
MERGE = "application/merge-patch+json"
REST_SECONDS = 90
FLAGS = ("--no-bundled-brokers", "--osb-api-request-timeout", "2s", "--operation-polling-maximum-backoff-duration", "1s")

# Trouble of the scripted broker: each happens to some requests, again and again.
TROUBLE = [
    {"on": "provision", "skip": 3, "times": 2, "disconnect": "after"},
    {"on": "bind", "skip": 4, "times": 2, "status": 500, "apply": True},
    {"on": "provision", "skip": 9, "times": 2, "status": 503},
    {"on": "unbind", "skip": 2, "times": 1, "disconnect": "after"},
    {"on": "deprovision", "skip": 2, "times": 2, "status": 500, "apply": True},
    {"on": "update", "skip": 2, "times": 1, "disconnect": "after"},
    {"on": "provision", "skip": 6, "times": 1, "hang": True},
]


class Broker:
    """A broker as a child process, on a port that it keeps over restarts."""

    def __init__(self, kind, folder, log):
        self.kind, self.folder, self.log, self.port = kind, folder / "broker", log, 0
        self.run()

    def run(self):
        command = [PROGRAM, "broker", self.kind, "--listen", f"127.0.0.1:{self.port}", "--data-dir", str(self.folder)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        self.port = int(self.process.stdout.readline().decode().rsplit(":", 1)[1])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {"X-Broker-API-Version": "2.17"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def plans(self):
        status, catalog = self.ask("GET", "/v2/catalog")
        assert status == 200, catalog
        service = next(service for service in catalog["services"] if service["name"] in ("scripted", "sqlite"))
        return service["name"], {plan["id"]: plan["name"] for plan in service["plans"]}

    def work_goes_on(self):
        """Background work of the scripted broker advances when it is asked for, and nobody asks about what is to be deleted."""
        ledger = self.ask("GET", "/control/ledger")[1]
        for entry in ledger["instances"]:
            if entry["state"] != "ready":
                self.ask("GET", f"/v2/service_instances/{entry['id']}/last_operation")
        for entry in ledger["bindings"]:
            if entry["state"] != "ready":
                self.ask("GET", f"/v2/service_instances/{entry['instance_id']}/service_bindings/{entry['id']}/last_operation")

    def folders(self):
        return sorted(entry.name for entry in next(self.folder.rglob("instances")).iterdir())


class Users:
    """Asks for random things and remembers nothing: what counts is what the server has at the end."""

    def __init__(self, seed, service, plans):
        self.random, self.service, self.plans = random.Random(seed), service, plans
        self.made = 0

    def act(self, client):
        self.random.choices([self.create, self.bind, self.unbind, self.delete, self.change], [5, 5, 2, 3, 2])[0](client)

    def names(self, client, path):
        return [item["metadata"]["name"] for item in client.ask("GET", path)[1]["items"] if "deletionTimestamp" not in item["metadata"]]

    def pick(self, client, path):
        names = self.names(client, path)
        return self.random.choice(names) if names else None

    def parameters(self):
        return {"size": self.random.randrange(1, 100)} if self.service == "scripted" else {"maxSizeMiB": self.random.randrange(1, 60)}

    def create(self, client):
        self.made += 1
        spec = {"clusterServiceClassExternalName": self.service, "clusterServicePlanExternalName": self.random.choice(self.plans),
                "deletionPolicy": "Cascade", "parameters": self.parameters()}
        self.post(client, INSTANCES, "ServiceInstance", f"i{self.made}", spec)

    def bind(self, client):
        if instance := self.pick(client, INSTANCES):
            self.made += 1
            self.post(client, BINDINGS, "ServiceBinding", f"b{self.made}", {"instanceRef": {"name": instance}})

    def post(self, client, path, kind, name, spec):
        body = {"apiVersion": API.removeprefix("/apis/"), "kind": kind, "metadata": {"name": name}, "spec": spec}
        status, answer = client.ask("POST", path, body)
        # 409: sent again after a kill that hid the answer; 403: the instance goes already.
        assert status in (201, 403, 409), answer

    def unbind(self, client):
        if name := self.pick(client, BINDINGS):
            client.ask("DELETE", f"{BINDINGS}/{name}")

    def delete(self, client):
        if name := self.pick(client, INSTANCES):
            client.ask("DELETE", f"{INSTANCES}/{name}")

    def change(self, client):
        if name := self.pick(client, INSTANCES):
            status, answer = client.ask("PATCH", f"{INSTANCES}/{name}", {"spec": {"parameters": self.parameters()}}, MERGE)
            assert status in (200, 403, 404, 409), answer  # 403: an operation is in progress


def ready(item):
    return any(c["type"] == "Ready" and c["status"] == "True" for c in item.get("status", {}).get("conditions", []))


def settled(item):
    """At rest: not going, ready, and for the spec as it is now."""
    return "deletionTimestamp" not in item["metadata"] and ready(item) and \
        item["status"].get("reconciledGeneration") == item["metadata"].get("generation")


class Storm:
    def __init__(self, scratch, faults, seed, kind):
        self.faults, self.kind, self.scratch = faults, kind, scratch
        self.random = random.Random(seed)
        self.broker = Broker(kind, scratch.path, scratch.log)
        self.service, self.plans = self.broker.plans()
        self.users = Users(seed, self.service, list(self.plans.values()))
        self.data = scratch.path / "data"
        self.server = start(self.data, scratch.log, *FLAGS)
        with Client(self.server) as client:
            body = {"apiVersion": API.removeprefix("/apis/"), "kind": "ClusterServiceBroker", "metadata": {"name": "storm"},
                    "spec": {"url": f"http://127.0.0.1:{self.broker.port}"}}
            status, answer = client.ask("POST", BROKERS, body)
            self.faults.check(status == 201, f"the broker was refused: {answer}")
            wait_until(lambda: ready(client.ask("GET", f"{BROKERS}/storm")[1]), "the broker's catalog is there")

    def close(self):
        self.server.kill()
        self.broker.kill()

    def round(self):
        if self.kind == "scripted":
            self.broker.ask("PUT", "/control/rules", {"rules": [rule for rule in TROUBLE if self.random.random() < 0.5]})
        actions = self.random.choice([3, 10, 25])
        with Client(self.server) as client:
            for _ in range(actions):
                try:
                    self.users.act(client)
                except LOST as error:
                    self.faults.check(False, f"a connection broke before the kill: {error!r}")
                    return
        time.sleep(self.random.random() * self.random.choice([0.01, 0.3, 2]))  # the moment, not a wait for anything
        self.faults.check(self.server.runs(), "the server ended by itself")
        broker_too = self.kind == "sqlite" and self.random.random() < 0.6
        if broker_too and self.random.random() < 0.5:
            self.broker.kill()
            time.sleep(self.random.random() * 0.3)
            self.server.kill()
        else:
            self.server.kill()
            if broker_too:
                self.broker.kill()
        if broker_too:
            self.broker.run()
        self.server = start(self.data, self.scratch.log, *FLAGS)

    def items(self, client, path):
        return client.ask("GET", path)[1]["items"]

    def come_to_rest(self, client):
        """Lets everything end; names what does not."""
        if self.kind == "scripted":
            self.broker.ask("DELETE", "/control/rules")
        deadline = time.monotonic() + REST_SECONDS
        while True:
            instances, bindings = self.items(client, INSTANCES), self.items(client, BINDINGS)
            busy = [item for item in instances + bindings if not settled(item)]
            if not busy:
                return instances, bindings
            if time.monotonic() > deadline:
                for item in busy:
                    self.faults.check(False, f"{item['metadata']['name']} does not come to rest: {json.dumps(item.get('status'))}")
                return instances, bindings
            self.nudge(client, busy)
            if self.kind == "scripted":
                self.broker.work_goes_on()
            time.sleep(0.1)

    def nudge(self, client, busy):
        """A binding whose instance was deleted before it was bound waits for ever, as it should: its user deletes it."""
        for item in busy:
            reasons = {c["reason"] for c in item.get("status", {}).get("conditions", [])}
            if "ReferencesNonexistentInstance" in reasons and "deletionTimestamp" not in item["metadata"]:
                client.ask("DELETE", f"{BINDINGS}/{item['metadata']['name']}")

    def compare(self, client, instances, bindings):
        ours = {item["spec"]["externalID"]: item for item in instances}
        bound = {item["status"].get("bindingID", item["spec"]["externalID"]): item for item in bindings}
        if self.kind == "scripted":
            ledger = self.broker.ask("GET", "/control/ledger")[1]
            theirs = {entry["id"]: entry for entry in ledger["instances"]}
            self.faults.check(set(theirs) == set(ours), f"instances differ: only at the broker {set(theirs) - set(ours)}, "
                              f"only here {[ours[key]['metadata']['name'] for key in set(ours) - set(theirs)]}")
            for key in set(ours) & set(theirs):
                name, spec = ours[key]["metadata"]["name"], ours[key]["spec"]
                self.faults.check(theirs[key]["parameters"] == spec["parameters"],
                                  f"{name}: the broker has {theirs[key]['parameters']}, not {spec['parameters']}")
                self.faults.check(self.plans[theirs[key]["plan_id"]] == spec["clusterServicePlanExternalName"],
                                  f"{name}: the broker has plan {theirs[key]['plan_id']}")
            keys = {entry["id"] for entry in ledger["bindings"]}
            self.faults.check(keys == set(bound), f"bindings differ: only at the broker {keys - set(bound)}, only here "
                              f"{[bound[key]['metadata']['name'] for key in set(bound) - keys]}")
        else:
            folders = self.broker.folders()
            self.faults.check(len(folders) == len(ours), f"{len(folders)} databases for {len(ours)} instances")
        for item in bindings:
            status, secret = client.ask("GET", f"{SECRETS}/{item['spec']['secretName']}")
            if self.faults.check(status == 200, f"binding {item['metadata']['name']} is ready without a secret") and self.kind == "sqlite":
                path = base64.b64decode(secret["data"]["path"]).decode()
                self.faults.check(pathlib.Path(path).exists(), f"binding {item['metadata']['name']}: there is no {path}")

    def delete_all(self, client):
        for path in (INSTANCES, BINDINGS):
            for item in self.items(client, path):
                client.ask("DELETE", f"{path}/{item['metadata']['name']}")
        self.server.kill()  # once more, in the middle of it
        self.server = start(self.data, self.scratch.log, *FLAGS)

    def verify_empty(self, client):
        def all_gone():
            if self.kind == "scripted":
                self.broker.work_goes_on()
            return not self.items(client, INSTANCES) and not self.items(client, BINDINGS)

        wait_until(all_gone, "all is deleted", REST_SECONDS, 0.1)
        left = self.broker.ask("GET", "/control/ledger")[1] if self.kind == "scripted" else {"instances": self.broker.folders()}
        self.faults.check(not any(left.values()), f"the broker still has {left}")
        secrets = [item["metadata"]["name"] for item in self.items(client, SECRETS)]
        self.faults.check(not secrets, f"secrets are left: {secrets}")

    def run(self, rounds):
        for number in range(rounds):
            self.round()
            with Client(self.server) as client:
                print(f"  round {number + 1}: {len(self.items(client, INSTANCES))} instances, {len(self.items(client, BINDINGS))} bindings",
                      flush=True)
        with Client(self.server) as client:
            self.compare(client, *self.come_to_rest(client))
            self.delete_all(client)
        with Client(self.server) as client:
            self.verify_empty(client)


def main():
    parser = argparse.ArgumentParser(description="kill -9 of the service catalog")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--broker", choices=["scripted", "sqlite"], action="append")
    options = parser.parse_args()
    faults = Faults()
    for kind in options.broker or ["scripted", "sqlite"]:
        print(f"catalog_kill: seed {options.seed}, {options.rounds} rounds, {kind} broker", flush=True)
        with Scratch() as scratch:
            storm = Storm(scratch, faults, options.seed, kind)
            try:
                storm.run(options.rounds)
            finally:
                storm.close()
            scratch.check_log(faults)
            if faults.found:
                print("  last lines of the log:\n" + "\n".join(scratch.log.read_text().splitlines()[-10:]))
                print(f"  again with: catalog_kill.py --rounds {options.rounds} --seed {options.seed} --broker {kind}")
    return faults.close("catalog_kill")


if __name__ == "__main__":
    sys.exit(main())
