#!/usr/bin/env python3
"""Too little of something: file descriptors, memory, threads, room for objects. The server names the limit and what to do,
refuses or ends with a code of its own, and loses nothing acknowledged.

usage: starved.py [--only CASE]
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import threading

from server import CONFIG_MAPS, LOST, PATIENCE, PROGRAM, Client, Faults, NotStarted, Scratch, Server, config_map, wait_until

KIB, MIB = 1024, 1024 * 1024
NO_RESOURCES = 71  # exit code for memory or threads that the system does not give
STRANGER = 54321  # a user that runs nothing else; limits on processes do not bind root


def item(name, size):
    return config_map(name, {"text": "z" * size})


def gauge(client, name):
    _, text = client.send("GET", "/metrics")
    for line in text.decode().splitlines():
        if line.startswith(name + " "):
            return int(line.split()[1])
    raise RuntimeError(f"no metric {name}")


class Cases:
    def __init__(self, scratch, faults):
        self.scratch, self.faults = scratch, faults
        self.servers = []

    # --- steps that several cases take -----------------------------------------------------------------------------

    def server(self, data, *flags, **options):
        server = Server(self.scratch.path / data, self.scratch.log, *flags, **options)
        self.servers.append(server)
        return server

    def start(self, data, *flags, **options):
        return self.server(data, *flags, **options).wait_ready()

    def end_all(self):
        for server in self.servers:
            server.kill()

    def log_has(self, server, what, *words):
        def has_line():
            return any(all(word in line for word in words) for line in server.log_text().splitlines())

        try:
            wait_until(has_line, "the line is logged", 10)
        except TimeoutError:
            self.faults.check(False, f"{what}: no line of the log has {', '.join(words)}: {server.log_text()[-1500:]}")

    def ended(self, server, what, *words):
        """With the code for missing resources, and a last line of its own."""
        try:
            code = server.wait()
        except NotStarted as ended:
            code = ended.code
        last = server.log_text().strip().splitlines()[-1:]
        self.faults.check(code == NO_RESOURCES, f"{what}: ended with {code}: {last}")
        self.faults.check(last and last[0].startswith("chandler: ") and all(word in last[0] for word in words),
                          f"{what}: the last line should name {', '.join(words)}: {last}")

    def not_started(self, server, what, *words, code=NO_RESOURCES):
        try:
            server.wait_ready()
            self.faults.check(False, f"{what}: the server started")
            server.kill()
        except NotStarted as ended:
            last = ended.text.strip().splitlines()[-1:]
            self.faults.check(ended.code == code, f"{what}: ended with {ended.code}: {last}")
            self.faults.check(last and last[0].startswith("chandler: ") and all(word in last[0] for word in words),
                              f"{what}: the last line should name {', '.join(words)}: {last}")

    def refused(self, what, status, answer):
        causes = [cause.get("reason") for cause in answer.get("details", {}).get("causes", [])]
        message = answer.get("message", "")
        self.faults.check(status == 503 and causes == ["StorageQuotaExceeded"] and "--storage-quota-mib" in message,
                          f"{what}: got {status} {answer}")

    # --- the cases -------------------------------------------------------------------------------------------------

    def few_descriptors(self):
        """Named at start, with the number of connections that fit."""
        server = self.start("files", wrapper=["prlimit", "--nofile=400:400"])
        self.log_has(server, "few descriptors", "RLIMIT_NOFILE", "value=400", "connections=272", "LimitNOFILE=")
        self.faults.check(server.stop() == 0, "few descriptors: no orderly stop")
        for number in (16, 32, 64):
            server = self.server("none", wrapper=["prlimit", f"--nofile={number}:{number}"])
            self.not_started(server, f"{number} descriptors", "RLIMIT_NOFILE", str(number), "LimitNOFILE=", code=1)
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard != resource.RLIM_INFINITY and hard < 20_128:
            print(f"    left out: many descriptors, as the hard limit is {hard}")
            return
        server = self.start("files", wrapper=["prlimit", "--nofile=64:"])
        self.faults.check("RLIMIT_NOFILE" not in server.log_text(), "a low soft limit under a high hard one is no reason to warn")
        self.faults.check(server.stop() == 0, "many descriptors: no orderly stop")

    def file_size(self):
        server = self.start("size", wrapper=["prlimit", f"--fsize={64 * MIB}"])
        self.log_has(server, "file size", "RLIMIT_FSIZE", f"value={64 * MIB}", "LimitFSIZE=")
        self.faults.check(server.stop() == 0, "file size: no orderly stop")

    def no_memory_at_start(self):
        """Whatever it is that does not get its memory."""
        for size in (60, 90, 130):
            server = self.server(f"memory-{size}", wrapper=["prlimit", f"--data={size * MIB}"])
            try:
                server.wait_ready()
                self.faults.check(server.stop() == 0, "no orderly stop")
            except NotStarted as ended:
                last = ended.text.strip().splitlines()[-1:]
                self.faults.check(ended.code in (1, NO_RESOURCES) and last and last[0].startswith("chandler: "),
                                  f"{size} MiB: ended with {ended.code}: {last}")

    def no_memory(self):
        """Under load, with a quota that the memory does not bear: one line, and everything acknowledged after a restart."""
        server = self.start("load", "--storage-quota-mib", "4096")
        status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
        held = int(next(line for line in status.splitlines() if line.startswith("VmData:")).split()[1]) * KIB
        resource.prlimit(server.pid, resource.RLIMIT_DATA, (held + 32 * MIB, held + 32 * MIB))
        names = []
        try:
            with Client(server) as client:
                for number in range(1_000):
                    status, answer = client.ask("POST", CONFIG_MAPS, item(f"m{number}", 900 * KIB))
                    if not self.faults.check(status == 201, f"no memory: a write got {status} {answer}"):
                        break
                    names.append(f"m{number}")
        except LOST:
            pass
        self.ended(server, "no memory", "out of memory", "RLIMIT_DATA", "MiB are resident", "--storage-quota-mib")
        with Client(self.start("load")) as client:
            _, answer = client.ask("GET", CONFIG_MAPS)
            found = {one["metadata"]["name"] for one in answer["items"]}
            self.faults.check(set(names) <= found, f"no memory: lost {sorted(set(names) - found)[:3]}")
        print(f"    {len(names)} objects until there was no memory")

    def no_threads(self):
        """At start, one number after the other until the server starts."""
        if os.geteuid() != 0:
            print("    left out: another user is needed, and only root can be one")
            return
        self.scratch.path.chmod(0o711)
        for number in (1, 3, 6, 10):
            data = self.scratch.path / f"threads-{number}"
            data.mkdir()
            os.chown(data, STRANGER, STRANGER)
            server = self.server(data.name, "--no-bundled-brokers", user=STRANGER, wrapper=["prlimit", f"--nproc={number}"])
            self.not_started(server, f"{number} threads", "cannot start a thread", f"RLIMIT_NPROC is {number}", "TasksMax=")

    def quota(self):
        """Four writers fill it: never beyond, deletions go through, there is room again, also after a restart."""
        flags = ("--storage-quota-mib", "4", "--no-bundled-brokers")
        server = self.start("quota", *flags)
        self.log_has(server, "quota", "storage quota", "quota_mib=4")
        stored, refusals = self.fill(server)
        with Client(server) as client:
            self.faults.check(gauge(client, "chandler_storage_quota_bytes") == 4 * MIB, "quota: not the one that was asked for")
            used = gauge(client, "chandler_cache_bytes")
            self.faults.check(used <= 4 * MIB, f"quota: {used} bytes are used")
            self.faults.check(used > 4 * MIB - 64 * KIB, f"quota: only {used} bytes are used")
            for status, answer in refusals:
                self.refused("quota: a create", status, answer)
            self.faults.check(client.send("GET", "/readyz")[0] == 200, "quota: not ready")
            self.changes_at_quota(client, stored)
        lines = [line for line in server.log_text().splitlines() if "the storage quota is reached" in line]
        self.faults.check(len(lines) == 1, f"quota: the log tells {len(lines)} times of one crossing")

        server.kill()
        server = self.start("quota", *flags)
        with Client(server) as client:
            self.faults.check(gauge(client, "chandler_cache_bytes") <= 4 * MIB, "quota: more after a restart")
            self.refused("quota: after a restart", *client.ask("POST", CONFIG_MAPS, item("restarted", 200 * KIB)))
            for name in stored[2:len(stored) // 4]:
                status, _ = client.ask("DELETE", f"{CONFIG_MAPS}/{name}")
                self.faults.check(status == 200, f"quota: a delete got {status}")
            status, answer = client.ask("POST", CONFIG_MAPS, item("room", 200 * KIB))
            self.faults.check(status == 201, f"quota: there is room again, but a write got {status} {answer}")
        self.log_has(server, "quota", "there is room again below the storage quota")
        self.faults.check(server.stop() == 0, "quota: no orderly stop")

    def restored(self):
        """A backup may hold more than the quota of where it goes: the server starts, and deletions make room."""
        server = self.start("backed-up", "--no-bundled-brokers")
        with Client(server) as client:
            for number in range(10):
                self.faults.check(client.ask("POST", CONFIG_MAPS, item(f"r{number}", 200 * KIB))[0] == 201, "restored: no write")
        backup = self.scratch.path / "restored.backup"
        made = [PROGRAM, "backup", "--kubeconfig", str(server.data / "admin.kubeconfig"), "--to", str(backup)]
        self.run("backup", *made, "--include-keys")
        self.faults.check(server.stop() == 0, "restored: no orderly stop")
        self.run("restore", PROGRAM, "restore", "--data-dir", str(self.scratch.path / "restored"), "--from", str(backup))
        server = self.start("restored", "--no-bundled-brokers", "--storage-quota-mib", "1")
        self.log_has(server, "restored", "the objects take more than the storage quota")
        with Client(server) as client:
            self.refused("restored: a create", *client.ask("POST", CONFIG_MAPS, item("new", 1)))
            for number in range(10):
                self.faults.check(client.ask("DELETE", f"{CONFIG_MAPS}/r{number}")[0] == 200, "restored: a delete is refused")
            status, answer = client.ask("POST", CONFIG_MAPS, item("new", 1))
            self.faults.check(status == 201, f"restored: there is room, but a write got {status} {answer}")
        self.faults.check(server.stop() == 0, "restored: no orderly stop at the end")

    def run(self, what, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.faults.check(done.returncode == 0, f"{what} ended with {done.returncode}: {done.stderr}")

    def fill(self, server):
        stored, refusals, lock = [], [], threading.Lock()

        def write(prefix):
            with Client(server) as client:
                for number in range(1_000):
                    name = f"{prefix}-{number:03}"
                    status, answer = client.ask("POST", CONFIG_MAPS, item(name, 30 * KIB))
                    with lock:
                        if status != 201:
                            refusals.append((status, answer))
                            return
                        stored.append(name)

        writers = [threading.Thread(target=write, args=(prefix,), daemon=True) for prefix in "abcd"]
        for one in writers:
            one.start()
        for one in writers:
            one.join(PATIENCE)
        self.faults.check(len(refusals) == len(writers), f"quota: {len(refusals)} writers were refused")
        return stored, refusals

    def changes_at_quota(self, client, stored):
        first, second = (f"{CONFIG_MAPS}/{name}" for name in stored[:2])
        patch = {"content_type": "application/merge-patch+json"}
        self.refused("quota: an update that grows", *client.ask("PATCH", first, {"data": {"more": "x" * 64 * KIB}}, **patch))
        status, _ = client.ask("PATCH", first, {"data": {"text": "short"}, "metadata": {"finalizers": ["example.com/a"]}},
                               **patch)
        self.faults.check(status == 200, f"quota: an update that shrinks got {status}")
        status, answer = client.ask("POST", CONFIG_MAPS, item("fits", 20 * KIB))
        self.faults.check(status == 201, f"quota: what fits now got {status} {answer}")
        status, answer = client.ask("DELETE", first)
        self.faults.check(status == 200 and answer["metadata"].get("deletionTimestamp"), f"quota: a mark of deletion got {answer}")
        status, _ = client.ask("PATCH", first, {"metadata": {"finalizers": None}}, **patch)
        self.faults.check(status == 200, f"quota: the end of a finalizer got {status}")
        self.faults.check(client.ask("GET", first)[0] == 404, "quota: it is still there")
        status, _ = client.ask("DELETE", second)
        self.faults.check(status == 200, f"quota: a delete got {status}")
        self.faults.check(self.fills_again(client), "quota: it never fills again")

    def fills_again(self, client):
        for number in range(100):
            status, _ = client.ask("POST", CONFIG_MAPS, item(f"again-{number}", 8 * KIB))
            if status == 503:
                return True
        return False


CASES = [Cases.few_descriptors, Cases.file_size, Cases.no_memory_at_start, Cases.no_memory, Cases.no_threads, Cases.quota,
         Cases.restored]


def main():
    parser = argparse.ArgumentParser(description="too little of something")
    parser.add_argument("--only", help="one case, by its name")
    options = parser.parse_args()
    print("starved:", flush=True)
    faults = Faults()
    with Scratch() as scratch:
        cases = Cases(scratch, faults)
        try:
            for case in CASES:
                if options.only in (None, case.__name__):
                    print(f"  {case.__name__.replace('_', ' ')}", flush=True)
                    case(cases)
                    cases.end_all()
        finally:
            cases.end_all()
        scratch.check_log(faults)
    return faults.close("starved")


if __name__ == "__main__":
    sys.exit(main())
