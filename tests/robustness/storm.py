"""Instances and bindings that come and go while something is killed: what catalog_kill.py and database_kill.py share.

A storm: rounds in which users act and somebody dies, then rest, a comparison of our objects with what there really is, and the deletion
of everything, after which nothing may be left. A kind of storm says who dies (`strike`), what to compare and what is left.
"""
import json
import random
import time

from server import LOST, Client, Faults, Scratch, start

API = "/apis/servicecatalog.k8s.io/v1beta1"
INSTANCES = f"{API}/namespaces/default/serviceinstances"
BINDINGS = f"{API}/namespaces/default/servicebindings"
BROKERS = f"{API}/clusterservicebrokers"
SECRETS = "/api/v1/namespaces/default/secrets"
REST_SECONDS = 90


def ready(item):
    return any(c["type"] == "Ready" and c["status"] == "True" for c in item.get("status", {}).get("conditions", []))


def settled(item):
    """At rest: not going, ready, and for the spec as it is now."""
    return "deletionTimestamp" not in item["metadata"] and ready(item) and \
        item["status"].get("reconciledGeneration") == item["metadata"].get("generation")


class Users:
    """Ask for random things and remember nothing: what counts is what the server has at the end."""

    def __init__(self, seed):
        self.random, self.made = random.Random(seed), 0

    def spec(self, client):
        """Of a new instance; None: no more now."""
        raise NotImplementedError

    def deeds(self):
        """What they do, with weights."""
        return [(self.create, 5), (self.bind, 5), (self.unbind, 2), (self.delete, 3)]

    def act(self, client):
        deeds, weights = zip(*self.deeds())
        self.random.choices(deeds, weights)[0](client)

    def names(self, client, path):
        return [item["metadata"]["name"] for item in client.ask("GET", path)[1]["items"] if "deletionTimestamp" not in item["metadata"]]

    def pick(self, client, path):
        names = self.names(client, path)
        return self.random.choice(names) if names else None

    def post(self, client, path, kind, name, spec):
        body = {"apiVersion": API.removeprefix("/apis/"), "kind": kind, "metadata": {"name": name}, "spec": spec}
        status, answer = client.ask("POST", path, body)
        # 409: sent again after a kill that hid the answer; 403: the instance goes already.
        assert status in (201, 403, 409), answer

    def create(self, client):
        if spec := self.spec(client):
            self.made += 1
            self.post(client, INSTANCES, "ServiceInstance", f"i{self.made}", {"deletionPolicy": "Cascade", **spec})

    def bind(self, client):
        if instance := self.pick(client, INSTANCES):
            self.made += 1
            self.post(client, BINDINGS, "ServiceBinding", f"b{self.made}", {"instanceRef": {"name": instance}})

    def unbind(self, client):
        if name := self.pick(client, BINDINGS):
            client.ask("DELETE", f"{BINDINGS}/{name}")

    def delete(self, client):
        if name := self.pick(client, INSTANCES):
            client.ask("DELETE", f"{INSTANCES}/{name}")


class Storm:
    """One server and its users. A kind of storm sets FLAGS, ACTIONS and MOMENTS, and `users` once it knows what they may ask for."""

    FLAGS = ()  # of the server
    ACTIONS = (3, 10, 25)  # of the users in a round
    MOMENTS = (0.01, 0.3, 2)  # seconds until the kill, at most

    def __init__(self, scratch, faults, seed):
        self.faults, self.scratch, self.random = faults, scratch, random.Random(seed)
        self.data = scratch.path / "data"
        self.users = None
        self.start_server()

    # What kinds of storms do.
    def strike(self):
        raise NotImplementedError

    def strike_deletion(self):
        """In the middle of the deletion of everything."""
        raise NotImplementedError

    def compare(self, client, instances, bindings):
        raise NotImplementedError

    def verify_nothing_is_left(self, client):
        raise NotImplementedError

    def before_round(self):
        pass

    def before_rest(self):
        pass

    def while_waiting(self):
        pass

    # What is the same for all.
    def start_server(self):
        self.server = start(self.data, self.scratch.log, *self.FLAGS)

    def close(self):
        self.server.kill()

    def items(self, client, path):
        return client.ask("GET", path)[1]["items"]

    def round(self):
        self.before_round()
        with Client(self.server) as client:
            for _ in range(self.random.choice(self.ACTIONS)):
                try:
                    self.users.act(client)
                except LOST as error:
                    self.faults.check(False, f"a connection broke before the kill: {error!r}")
                    return
        time.sleep(self.random.random() * self.random.choice(self.MOMENTS))  # the moment, not a wait for anything
        self.faults.check(self.server.runs(), "the server ended by itself")
        self.strike()

    def wait_for(self, look, complaint):
        """Until `look` finds nothing that is still busy; names what is after REST_SECONDS. Says whether all ended."""
        deadline = time.monotonic() + REST_SECONDS
        while busy := look():
            if time.monotonic() > deadline:
                for item in busy:
                    self.faults.check(False, f"{item['metadata']['name']} {complaint}: {json.dumps(item.get('status'))}")
                return False
            self.while_waiting()
            time.sleep(0.1)
        return True

    def come_to_rest(self, client):
        self.before_rest()

        def busy():
            found = [item for path in (INSTANCES, BINDINGS) for item in self.items(client, path) if not settled(item)]
            for item in found:  # its instance was deleted before it was bound, so it waits for ever: its user deletes it
                reasons = {c["reason"] for c in item.get("status", {}).get("conditions", [])}
                if "ReferencesNonexistentInstance" in reasons and "deletionTimestamp" not in item["metadata"]:
                    client.ask("DELETE", f"{BINDINGS}/{item['metadata']['name']}")
            return found

        self.wait_for(busy, "does not come to rest")
        return self.items(client, INSTANCES), self.items(client, BINDINGS)

    def delete_all(self, client):
        for path in (INSTANCES, BINDINGS):
            for item in self.items(client, path):
                client.ask("DELETE", f"{path}/{item['metadata']['name']}")
        self.strike_deletion()

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
            if self.wait_for(lambda: self.items(client, INSTANCES) + self.items(client, BINDINGS), "is not deleted"):
                self.verify_nothing_is_left(client)


def arguments(parser):
    """Those of every storm."""
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))


def rage(title, options, variants, make):
    """Runs a storm for each of the variants (what to say about it, and the flags that repeat it); the exit code.
    `make(scratch, faults, variant)` makes the storm."""
    faults = Faults()
    for variant, described, flags in variants:
        print(f"{title}: seed {options.seed}, {options.rounds} rounds{described}", flush=True)
        with Scratch() as scratch:
            storm = None
            try:
                storm = make(scratch, faults, variant)
                storm.run(options.rounds)
            except (TimeoutError, RuntimeError) as error:
                faults.check(False, str(error))
            finally:
                if storm is not None:
                    storm.close()
            scratch.check_log(faults)
            if faults.found:
                telling = [line for line in scratch.log.read_text().splitlines() if " INFO " not in line or "left out" in line]
                print("  from the log:\n" + "\n".join(telling[-20:]))
                print(f"  again with: {title}.py --rounds {options.rounds} --seed {options.seed}{flags}")
    return faults.close(title)
