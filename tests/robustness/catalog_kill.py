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
import subprocess
import sys
import time

import storm
from server import PROGRAM, Client, wait_until
from storm import API, BROKERS, INSTANCES, SECRETS, Storm, Users, ready

MERGE = "application/merge-patch+json"

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


class Shoppers(Users):
    """Users of one service with some plans, who also change their minds."""

    def __init__(self, seed, service, plans):
        super().__init__(seed)
        self.service, self.plans = service, plans

    def deeds(self):
        return [*super().deeds(), (self.change, 2)]

    def parameters(self):
        return {"size": self.random.randrange(1, 100)} if self.service == "scripted" else {"maxSizeMiB": self.random.randrange(1, 60)}

    def spec(self, client):
        return {"clusterServiceClassExternalName": self.service, "clusterServicePlanExternalName": self.random.choice(self.plans),
                "parameters": self.parameters()}

    def change(self, client):
        if name := self.pick(client, INSTANCES):
            status, answer = client.ask("PATCH", f"{INSTANCES}/{name}", {"spec": {"parameters": self.parameters()}}, MERGE)
            assert status in (200, 403, 404, 409), answer  # 403: an operation is in progress


class CatalogStorm(Storm):
    FLAGS = ("--no-bundled-brokers", "--osb-api-request-timeout", "2s", "--operation-polling-maximum-backoff-duration", "1s")

    def __init__(self, scratch, faults, seed, kind):
        self.kind = kind
        self.broker = Broker(kind, scratch.path, scratch.log)
        super().__init__(scratch, faults, seed)
        service, self.plans = self.broker.plans()
        self.users = Shoppers(seed, service, list(self.plans.values()))
        with Client(self.server) as client:
            body = {"apiVersion": API.removeprefix("/apis/"), "kind": "ClusterServiceBroker", "metadata": {"name": "storm"},
                    "spec": {"url": f"http://127.0.0.1:{self.broker.port}"}}
            status, answer = client.ask("POST", BROKERS, body)
            self.faults.check(status == 201, f"the broker was refused: {answer}")
            wait_until(lambda: ready(client.ask("GET", f"{BROKERS}/storm")[1]), "the broker's catalog is there")

    def close(self):
        super().close()
        self.broker.kill()

    def before_round(self):
        if self.kind == "scripted":
            self.broker.ask("PUT", "/control/rules", {"rules": [rule for rule in TROUBLE if self.random.random() < 0.5]})

    def before_rest(self):
        if self.kind == "scripted":
            self.broker.ask("DELETE", "/control/rules")

    def while_waiting(self):
        if self.kind == "scripted":
            self.broker.work_goes_on()

    def strike(self):
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
        self.start_server()

    def strike_deletion(self):
        self.server.kill()
        self.start_server()

    def compare(self, client, instances, bindings):
        ours = {item["spec"]["externalID"]: item for item in instances}
        if self.kind == "scripted":
            self.compare_ledger(ours, bindings)
        else:
            folders = self.broker.folders()
            self.faults.check(len(folders) == len(ours), f"{len(folders)} databases for {len(ours)} instances")
        for item in bindings:
            status, secret = client.ask("GET", f"{SECRETS}/{item['spec']['secretName']}")
            if self.faults.check(status == 200, f"binding {item['metadata']['name']} is ready without a secret") and self.kind == "sqlite":
                path = base64.b64decode(secret["data"]["path"]).decode()
                self.faults.check(pathlib.Path(path).exists(), f"binding {item['metadata']['name']}: there is no {path}")

    def compare_ledger(self, ours, bindings):
        bound = {item["status"].get("bindingID", item["spec"]["externalID"]): item for item in bindings}
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

    def verify_nothing_is_left(self, client):
        left = self.broker.ask("GET", "/control/ledger")[1] if self.kind == "scripted" else {"instances": self.broker.folders()}
        self.faults.check(not any(left.values()), f"the broker still has {left}")
        secrets = [item["metadata"]["name"] for item in self.items(client, SECRETS)]
        self.faults.check(not secrets, f"secrets are left: {secrets}")


def main():
    parser = argparse.ArgumentParser(description="kill -9 of the service catalog")
    storm.arguments(parser)
    parser.add_argument("--broker", choices=["scripted", "sqlite"], action="append")
    options = parser.parse_args()
    kinds = options.broker or ["scripted", "sqlite"]
    return storm.rage("catalog_kill", options, [(kind, f", {kind} broker", f" --broker {kind}") for kind in kinds],
                      lambda scratch, faults, kind: CatalogStorm(scratch, faults, options.seed, kind))


if __name__ == "__main__":
    sys.exit(main())
