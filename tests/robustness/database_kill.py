#!/usr/bin/env python3
"""kill -9 of Chandler and of its database servers while databases come and go: in the end there is one for each instance, and none when
all is deleted.

usage: database_kill.py [--rounds N] [--seed S]

The bundled brokers run inside the server, with MariaDB, PostgreSQL and Redis as its children. A round: users create, bind and delete;
at some moment the server is killed, or one of the database servers, or one and then the other. A killed server is started again, a
killed database server comes back by itself. After the last round everything comes to rest. Then the databases and logins at the
servers are compared with our objects, every login is tried, everything is deleted, and nothing may be left.
"""
import argparse
import base64
import json
import os
import signal
import subprocess
import sys
import time

import storm
from server import Client, wait_until
from storm import BROKERS, INSTANCES, SECRETS, Storm, Users, ready

PLANS = {"mysql": "mysql", "postgresql": "postgresql", "redis": "shared", "sqlite": "default"}
MOST_INSTANCES = 12
DATABASE = "^d[a-z2-7]{24}$"
LOGIN = "^u[a-z2-7]{24}$"


class Tenants(Users):
    """Users who want databases of any kind that there is."""

    def __init__(self, seed, kinds):
        super().__init__(seed)
        self.kinds = kinds

    def spec(self, client):
        if len(self.names(client, INSTANCES)) >= MOST_INSTANCES:
            return None
        kind = self.random.choice(self.kinds)
        return {"clusterServiceClassExternalName": kind, "clusterServicePlanExternalName": PLANS[kind]}


def run(words, **variables):
    done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False, env={**os.environ, **variables})
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout.split()


def sql(kind, place, statement):
    """The answer of an SQL server, as words."""
    if kind == "mysql":
        return run(["mariadb", "--no-defaults", "--protocol=tcp", "--host", place["host"], "--port", str(place["port"]), "--user",
                    place["username"], "--batch", "--skip-column-names", "--execute", statement, place["database"]],
                   MYSQL_PWD=place["password"])
    return run(["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--host", place["host"], "--port", str(place["port"]), "--username",
                place["username"], "--dbname", place["database"], "--command", statement], PGPASSWORD=place["password"])


def redis(place, *words):
    return run(["redis-cli", "-h", place["host"], "-p", str(place["port"]), "--user", place["username"], "--no-auth-warning", *words],
               REDISCLI_AUTH=place["password"])


def log_in(kind, place):
    """Whether one can work with these credentials: write something and read it."""
    if kind == "sqlite":
        return os.path.exists(place["path"])
    if kind == "redis":
        key = place["prefix"] + "robust"
        return redis(place, "SET", key, "7") == ["OK"] and redis(place, "GET", key) == ["7"]
    sql(kind, place, "CREATE TABLE IF NOT EXISTS robust (id INT)")
    return sql(kind, place, "SELECT 7 FROM (SELECT COUNT(*) FROM robust) AS counted") == ["7"]


def once_it_is_up(ask):
    """The answer of a database server that may have been killed a moment ago and is coming back."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return ask()
        except RuntimeError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


class DatabaseStorm(Storm):
    FLAGS = ("--osb-api-request-timeout", "10s", "--operation-polling-maximum-backoff-duration", "1s")
    ACTIONS = (4, 8, 16)
    MOMENTS = (0.05, 0.5, 2)

    def __init__(self, scratch, faults, seed):
        super().__init__(scratch, faults, seed)
        with Client(self.server) as client:
            wait_until(lambda: ready(client.ask("GET", f"{BROKERS}/chandler")[1]), "the bundled catalog is there")
            classes = client.ask("GET", BROKERS.replace("brokers", "classes"))[1]["items"]
        kinds = sorted({item["spec"]["externalName"] for item in classes} & set(PLANS))
        print(f"  kinds: {', '.join(kinds)}", flush=True)
        self.faults.check(len(kinds) == len(PLANS), "not all database servers are installed; run scripts/install-deps databases")
        self.users = Tenants(seed, kinds)

    # --- killing ------------------------------------------------------------------------------------------------------

    def database_servers(self):
        """Processes of the database servers: children of our server, by name."""
        found = {}
        children = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(self.server.pid)], capture_output=True, text=True, check=False)
        for line in children.stdout.splitlines():
            pid, name = line.split(None, 1)
            found[int(pid)] = name
        return found

    def kill_a_database_server(self):
        servers = self.database_servers()
        if servers:
            pid = self.random.choice(sorted(servers))
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def strike(self):
        choice = self.random.randrange(3)
        if choice != 0:
            self.kill_a_database_server()
        if choice != 1:
            time.sleep(self.random.random() * 0.2)
            self.server.kill()
            self.start_server()

    def strike_deletion(self):
        self.kill_a_database_server()
        self.server.kill()
        self.start_server()

    # --- comparing ----------------------------------------------------------------------------------------------------

    def admin_of(self, kind):
        record = self.data / "brokers" / kind / "servers" / "shared" / "server.json"
        if not record.exists():
            return None
        known = json.loads(record.read_text())
        database = {"mysql": "mysql", "postgresql": "postgres"}.get(kind, "")
        return {"host": "127.0.0.1", "port": known["port"], "username": "chandler", "password": known["adminPassword"],
                "database": database}

    def there(self, kind):
        """What of tenants is at the shared server."""
        return once_it_is_up(lambda: self.count(kind))

    def count(self, kind):
        """How many databases (of Redis: which prefixes of keys) and logins."""
        if kind == "sqlite":
            folder = self.data / "brokers" / "sqlite" / "databases" / "instances"
            return len(list(folder.iterdir())), None
        admin = self.admin_of(kind)
        if admin is None:
            return set() if kind == "redis" else 0, 0
        if kind == "redis":
            users = [word for word in redis(admin, "ACL", "USERS") if len(word) == 25 and word.startswith("u")]
            prefixes = {key.split(":")[0] for key in redis(admin, "KEYS", "*")}
            return prefixes, len(users)
        statements = {
            "mysql": (f"SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME REGEXP '{DATABASE}'",
                      f"SELECT COUNT(*) FROM mysql.global_priv WHERE User REGEXP '{LOGIN}'"),
            "postgresql": (f"SELECT COUNT(*) FROM pg_database WHERE datname ~ '{DATABASE}'",
                           f"SELECT COUNT(*) FROM pg_roles WHERE rolname ~ '{LOGIN}'")}
        return tuple(int(sql(kind, admin, statement)[0]) for statement in statements[kind])

    def compare(self, client, instances, bindings):
        kind_of = {item["metadata"]["name"]: item["spec"]["clusterServiceClassExternalName"] for item in instances}
        prefixes = set()
        for item in bindings:
            name, kind = item["metadata"]["name"], kind_of[item["spec"]["instanceRef"]["name"]]
            status, secret = client.ask("GET", f"{SECRETS}/{item['spec']['secretName']}")
            if not self.faults.check(status == 200, f"binding {name} is ready without a secret"):
                continue
            place = {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}
            prefixes.add(place.get("prefix", "").rstrip(":"))
            try:
                works = once_it_is_up(lambda kind=kind, place=place: log_in(kind, place))
                self.faults.check(works, f"the credentials of {name} ({kind}) do not work")
            except RuntimeError as error:
                self.faults.check(False, f"the credentials of {name} ({kind}) do not work: {error}")
        for kind in self.users.kinds:
            ours = [name for name, of in kind_of.items() if of == kind]
            bound = [item for item in bindings if item["spec"]["instanceRef"]["name"] in ours]
            databases, logins = self.there(kind)
            if kind == "redis":
                self.faults.check(databases <= prefixes, f"redis has keys of nobody: {databases - prefixes}")
            else:
                self.faults.check(databases == len(ours), f"{kind}: {databases} databases for {len(ours)} instances")
            self.faults.check(logins is None or logins == len(bound), f"{kind}: {logins} logins for {len(bound)} bindings")

    def verify_nothing_is_left(self, client):
        for kind in self.users.kinds:
            databases, logins = self.there(kind)
            self.faults.check(not databases and not logins, f"{kind}: {databases} databases and {logins} logins are left")


def main():
    parser = argparse.ArgumentParser(description="kill -9 of the bundled databases")
    storm.arguments(parser)
    options = parser.parse_args()
    return storm.rage("database_kill", options, [(None, "", "")],
                      lambda scratch, faults, _: DatabaseStorm(scratch, faults, options.seed))


if __name__ == "__main__":
    sys.exit(main())
