"""What one tenant's instances do to another tenant's: neighbours.py ATTACK URL CA BROKER

mallory's instances are in the namespace attic, anna's in work; both brokers are scripted ones, BROKER registered as shop
and OTHER as other. Prints one line: ok when the median time until anna's instances are Ready is at most BOUND times what
it is without the attack. Otherwise it prints the figures and ends with 1.
"""

import http.server
import itertools
import json
import pathlib
import statistics
import sys
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tenant_client import TenantClient  # noqa: E402

BOUND = 15
ROUNDS = 7
LONGEST = 30  # seconds until one of anna's instances is Ready, whatever the bound
GROUP = "/apis/servicecatalog.k8s.io/v1beta1/namespaces/"
NUMBERS = itertools.count()

_, ATTACK, URL, CA, BROKER = sys.argv


class Fault(Exception):
    pass


def client(user):
    return TenantClient(URL, CA, user)


def ask(who, status, *request):
    got = who(*request)
    if got != status:
        raise Fault(f"{request[0]} {request[1]}: {got} {who.body[:300]!r}")


def instance(name, service_class, plan, **more):
    return json.dumps({
        "apiVersion": "servicecatalog.k8s.io/v1beta1", "kind": "ServiceInstance", "metadata": {"name": name},
        "spec": {"clusterServiceClassExternalName": service_class, "clusterServicePlanExternalName": plan, **more}})


def rules(*given):
    control("PUT", json.dumps({"rules": given}).encode())


def control(method, body=None):
    urllib.request.urlopen(urllib.request.Request(f"{BROKER}/control/rules", body, method=method), timeout=10).close()


def flood(count, **more):
    mallory = client("mallory")
    for _ in range(count):
        body = instance(f"{ATTACK}-{next(NUMBERS)}", "mysql", more.get("plan", "large"),
                        **{key: value for key, value in more.items() if key != "plan"})
        ask(mallory, 201, "POST", f"{GROUP}attic/serviceinstances", body)


def reasons():
    """The reasons of the condition Ready of mallory's instances of this attack."""
    mallory = client("mallory")
    ask(mallory, 200, "GET", f"{GROUP}attic/serviceinstances")
    found = []
    for item in json.loads(mallory.body)["items"]:
        if item["metadata"]["name"].startswith(ATTACK):
            conditions = item.get("status", {}).get("conditions", [])
            found += [one["reason"] for one in conditions if one["type"] == "Ready"]
    return found


def until(what, holds):
    deadline = time.monotonic() + LONGEST
    while not holds():
        if time.monotonic() > deadline:
            raise Fault(f"the attack did not get under way: {what}; {sorted(set(reasons()))}")
        time.sleep(0.05)


# --- attacks: each returns when it is under way ---------------------------------------------------------------------------


def hanging():
    """Calls for instances of one plan get no answer; there are more of them than the broker may have under way."""
    rules({"on": "provision", "planID": "mysql-large-id", "hang": True})
    flood(200)
    until("200 requests are recorded", lambda: reasons().count("ProvisionRequestInFlight") == 200)


def failing():
    """Everything about instances of one plan fails, so that the breaker opens; cleaning up fails too."""
    rules({"on": "provision", "planID": "mysql-large-id", "status": 500, "body": {"description": "no"}},
          {"on": "deprovision", "status": 500, "body": {"description": "no"}})
    flood(200)
    until("some have failed", lambda: len(reasons()) - reasons().count("ProvisionRequestInFlight") >= 5)


def mistaken():
    """What cannot be resolved, or lacks its secret."""
    flood(300, plan="none")
    flood(300, parametersFrom=[{"secretKeyRef": {"name": "missing", "key": "k"}}])
    until("600 have failed", lambda: len(reasons()) == 600)


def touching():
    """Specs that change all the time, at a broker that refuses each change with 500."""
    rules({"on": "update", "status": 500, "body": {"description": "no"}})
    flood(20, plan="small")
    until("20 are Ready", lambda: reasons().count("ProvisionedSuccessfully") == 20)

    def touch():
        mallory = client("mallory")
        for number in itertools.count():
            path = f"{GROUP}attic/serviceinstances/{ATTACK}-{number % 20}"
            mallory("PATCH", path, json.dumps({"spec": {"parameters": {"charset": f"c{number}"}}}),
                    "application/merge-patch+json")

    for _ in range(4):
        threading.Thread(target=touch, daemon=True).start()
    # While the breaker is open no failure comes in: a request that waits for it is part of the attack as well.
    until("updates are sent", lambda: {"UpdateInstanceCallFailed", "UpdateInstanceRequestInFlight"} & set(reasons()))


def catalogs():
    """A broker of the namespace with a large catalog, another one each time, that is read again all the time."""
    reads = itertools.count()

    class Catalog(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            read = next(reads)
            plans = [{"id": f"p{i}", "name": f"p{i}", "description": f"{read} " + "d" * 1500} for i in range(400)]
            body = json.dumps({"services": [{"id": "s", "name": "s", "description": "d", "bindable": True, "plans": plans}]})
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Catalog)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    mallory = client("mallory")
    ask(mallory, 201, "POST", f"{GROUP}attic/servicebrokers", json.dumps({
        "apiVersion": "servicecatalog.k8s.io/v1beta1", "kind": "ServiceBroker", "metadata": {"name": "large"},
        "spec": {"url": f"http://127.0.0.1:{server.server_address[1]}"}}))

    def read_again():
        one = client("mallory")
        for number in itertools.count(1):
            one("PATCH", f"{GROUP}attic/servicebrokers/large", json.dumps({"spec": {"relistRequests": number}}),
                "application/merge-patch+json")
            time.sleep(0.01)

    threading.Thread(target=read_again, daemon=True).start()
    until("it is read again", lambda: next(reads) >= 3)


# --- anna -----------------------------------------------------------------------------------------------------------------


def ready_times():
    anna, times = client("anna"), []
    for service_class in ("mysql", "other-mysql"):  # at mallory's broker, and at another
        for _ in range(ROUNDS):
            path = f"{GROUP}work/serviceinstances"
            name = f"{ATTACK}-{next(NUMBERS)}"
            begin = time.monotonic()
            ask(anna, 201, "POST", path, instance(name, service_class, "small"))
            while True:
                ask(anna, 200, "GET", f"{path}/{name}")
                conditions = json.loads(anna.body).get("status", {}).get("conditions", [])
                took = time.monotonic() - begin
                if any(one["type"] == "Ready" and one["status"] == "True" for one in conditions):
                    break
                if took > LONGEST:
                    raise Fault(f"not Ready after {took:.0f} s: {conditions}")
                time.sleep(0.002)
            times.append(took)
    return statistics.median(times[:ROUNDS]), statistics.median(times[ROUNDS:])


def main():
    alone = ready_times()
    try:
        {one.__name__: one for one in (hanging, failing, mistaken, touching, catalogs)}[ATTACK]()
        beside = ready_times()
    finally:
        control("DELETE")  # the next attack begins with a broker that answers
    ratios = [two / one for one, two in zip(alone, beside)]
    print(f"{ATTACK}: x{ratios[0]:.1f} at the same broker, x{ratios[1]:.1f} at another; "
          f"alone {alone[0] * 1000:.0f} ms", file=sys.stderr)
    faults = [f"{beside[i] * 1000:.0f} ms at {where}, {ratios[i]:.0f} times the {alone[i] * 1000:.0f} ms without"
              for i, where in enumerate(("the same broker", "another broker")) if ratios[i] > BOUND]
    print(f"{ATTACK}: {'; '.join(faults) or 'ok'}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        print(f"{ATTACK}: {fault}")
        sys.exit(1)
