#!/usr/bin/env python3
"""Full disks and damaged files: the server says what is wrong, loses nothing acknowledged, serves nothing half-written.

usage: faults.py [--flips N] [--seed S] [--only CASE | --except CASE]

Each case works on its own copy of a data directory. A server that finds damage either starts with everything that was
acknowledged, or ends with code 1 and one line that names the file.
"""
import argparse
import base64
import errno
import hashlib
import json
import pathlib
import random
import re
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading

from server import (CONFIG_MAPS, LOST, PATIENCE, SECRET_MARK, SECRETS, Client, Faults, NotStarted, Scratch, Server,
                    config_map, start, wait_until)

LABEL = "?labelSelector=suite%3Dfaults"
KIB, MIB = 1024, 1024 * 1024
STORE_FAILED = 74  # exit code when only a restart can tell what is stored


def item(name, text):
    return config_map(name, {"text": text}, {"suite": "faults"})


def secret(name, text):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "labels": {"suite": "faults"}},
            "data": {"text": base64.b64encode((SECRET_MARK + text).encode()).decode()}}


def state(client):
    """All objects of ours: name to everything."""
    found = {}
    for path in (CONFIG_MAPS, SECRETS):
        status, answer = client.ask("GET", path + LABEL)
        if status != 200:
            raise RuntimeError(f"list of {path}: {status} {answer}")
        for one in answer["items"]:
            found[f"{path.rsplit('/', 1)[1]}/{one['metadata']['name']}"] = one
    return found


class Writer(threading.Thread):
    """Creates objects one after the other until the server refuses one or ends."""

    def __init__(self, server, prefix):
        super().__init__(daemon=True)
        self.server, self.prefix = server, prefix
        self.acknowledged, self.unknown, self.message = {}, {}, ""
        self.start()

    def run(self):
        try:
            with Client(self.server) as client:
                for number in range(100_000):
                    name, text = f"{self.prefix}-{number}", "w" * (4 * KIB + number)
                    self.unknown = {name: text}
                    status, answer = client.ask("POST", CONFIG_MAPS, item(name, text))
                    if status != 201:
                        self.message = answer.get("message", "no message")
                        return
                    self.acknowledged[name], self.unknown = text, {}
        except LOST:
            pass


class Cases:
    def __init__(self, scratch, faults, options):
        self.scratch, self.faults, self.options = scratch, faults, options
        self.random = random.Random(options.seed)
        self.copies = 0
        self.servers = []

    # --- steps that several cases take -----------------------------------------------------------------------------

    def start(self, data, *flags, **options):
        server = Server(data, self.scratch.log, *flags, **options)
        self.servers.append(server)
        return server.wait_ready()

    def end_all(self):
        for server in self.servers:
            server.kill()

    def prepare(self):
        """Two data directories with the same kind of content: one stopped in order, one killed with all in its log."""
        self.killed = self.scratch.path / "killed"
        server = self.start(self.killed)
        with Client(server) as client:
            for number in range(120):
                size = self.random.choice([100, 3 * KIB, 30 * KIB])
                for path, body in ((CONFIG_MAPS, item(f"c{number:03}", "x" * size)),
                                   (SECRETS, secret(f"s{number:03}", "y" * (size // 4)))):
                    status, answer = client.ask("POST", path, body)
                    self.faults.check(status == 201, f"could not prepare: {answer}")
            for number in range(0, 120, 10):
                client.ask("DELETE", f"{CONFIG_MAPS}/c{number:03}")
            self.expected = state(client)
        server.kill()
        self.stopped = self.scratch.path / "stopped"
        shutil.copytree(self.killed, self.stopped)
        server = self.start(self.stopped)
        with Client(server) as client:
            self.faults.check(state(client) == self.expected, "not the same after a restart")
        self.faults.check(server.stop() == 0, "no orderly stop")

    def copy(self, of):
        self.copies += 1
        path = self.scratch.path / f"copy-{self.copies}"
        shutil.copytree(of, path)
        return path

    def refusal(self, data, what, *names):
        """A start that must be refused with code 1 and a line that has all of `names`."""
        server = Server(data, self.scratch.log)
        self.servers.append(server)
        try:
            server.wait_ready()
            self.faults.check(False, f"{what}: the server started")
            server.kill()
        except NotStarted as refused:
            self.is_clear(refused, what, *names)

    def is_clear(self, refused, what, *names):
        last = refused.text.strip().splitlines()[-1] if refused.text.strip() else ""
        self.faults.check(refused.code == 1, f"{what}: ended with {refused.code}: {last}")
        self.faults.check(last.startswith("chandler: ") and all(str(name) in last for name in names),
                          f"{what}: the last line should name {', '.join(map(str, names))}: {last}")

    def whole_or_refused(self, data, what):
        """Starts with everything, or says which file is damaged. Returns the server if it started."""
        try:
            server = self.start(data)
        except NotStarted as refused:
            self.is_clear(refused, what, data / "chandler.db")
            return None
        with Client(server) as client:
            found = state(client)
        lost = sorted(set(self.expected) - set(found))
        self.faults.check(found == self.expected, f"{what}: started with another state; {len(lost)} objects are missing")
        return server

    def fill(self, client, prefix, size):
        """Writes until a write is refused. Names of those acknowledged, the refused name, its status and answer."""
        names = []
        for number in range(5_000):
            name = f"{prefix}{number:04}"
            status, answer = client.ask("POST", CONFIG_MAPS, item(name, "z" * size))
            if status != 201:
                return names, name, status, answer
            names.append(f"configmaps/{name}")
        raise RuntimeError("the disk never got full")

    def check_refused_write(self, what, status, answer, *names):
        message = answer.get("message", "")
        self.faults.check(status == 503 and answer.get("kind") == "Status", f"{what}: a write got {status} {answer}")
        self.faults.check(all(str(name) in message for name in names),
                          f"{what}: the message should tell of {', '.join(map(str, names))}: {message}")

    # --- the cases -------------------------------------------------------------------------------------------------

    def file_size_limit(self):
        """The log cannot grow, as on a full disk: writes are refused until the limit is raised, reads go on."""
        data = self.copy(self.stopped)
        server = self.start(data, ignore_file_limit=True)
        with Client(server) as client:
            before = state(client)
            limit = (data / "chandler.db").stat().st_size + MIB  # of all files; the log is the first to get there
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            names, refused, status, answer = self.fill(client, "limit", 20 * KIB)
            self.check_refused_write("file size limit", status, answer, data / "chandler.db", "RLIMIT_FSIZE", limit)
            self.faults.check(names, "the limit left no room for any write")
            found = state(client)
            self.faults.check(set(found) == set(before) | set(names), "what is listed is not what was acknowledged")
            status, _ = client.ask("GET", f"{CONFIG_MAPS}/{refused}")
            self.faults.check(status == 404, f"a refused write is served: {status}")
            status, text = client.send("GET", "/readyz")
            self.faults.check(status == 200, f"file size limit: /readyz gives {status} {text}")
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            status, answer = client.ask("POST", CONFIG_MAPS, item("again", "works"))
            self.faults.check(status == 201, f"the limit is raised, but a write got {status} {answer}")
            found = state(client)
        self.faults.check(server.stop() == 0, "no orderly stop after a file size limit")
        with Client(self.start(data)) as client:
            self.faults.check(state(client) == found, "file size limit: not the same after a restart")

    def failing_disk(self):
        """A disk that fails a sync or a write under load: the server names file and errno, ends with a code of its own,
        and a supervisor's restart finds all that was acknowledged. Once while a checkpoint copies into the database."""
        library = self.scratch.path / "disk_fault.so"
        source = pathlib.Path(__file__).resolve().parent / "disk_fault.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        plan = self.scratch.path / "disk_fault"
        data = self.copy(self.stopped)
        for call, ending in (("sync", "/chandler.db-wal"), ("write", "/chandler.db-wal"), ("sync", "/chandler.db")):
            what = f"a {call} of {ending[1:]} that fails" + ("" if ending.endswith("-wal") else ", in a checkpoint")
            server = self.start(data, environment={"LD_PRELOAD": str(library), "DISK_FAULT": str(plan)})
            with Client(server) as client:
                before = state(client)
            writers = [Writer(server, f"{call}{ending.count('-')}-{number}") for number in range(4)]
            wait_until(lambda: all(len(one.acknowledged) >= 5 for one in writers), "the writers have begun")
            plan.write_text(f"{call} {errno.EIO} {ending}")
            for one in writers:
                one.join(PATIENCE)
            self.faults.check(not any(one.is_alive() for one in writers), f"{what}: a writer has got no answer")
            code = server.wait()
            self.faults.check(code == STORE_FAILED, f"{what}: ended with {code}")
            log = server.log_text()
            self.faults.check(f"{data}{ending}: Input/output error, errno {errno.EIO}" in log,
                              f"{what}: the log does not name file and errno: {log[-600:]}")
            plan.unlink()
            self.after_failing_disk(what, data, before, writers)

    def after_failing_disk(self, what, data, before, writers):
        server = self.start(data)  # as Restart=on-failure of the unit does
        with Client(server) as client:
            after = state(client)
            status, answer = client.ask("PUT", f"{CONFIG_MAPS}/c001", {**before["configmaps/c001"], "data": {"text": what}})
            self.faults.check(status == 200, f"{what}: no write after the restart: {status} {answer}")
        acknowledged = {name: text for one in writers for name, text in one.acknowledged.items()}
        unknown = {name: text for one in writers for name, text in one.unknown.items()}
        texts = {key.split("/")[1]: one["data"]["text"] for key, one in after.items() if key not in before}
        lost = sorted(name for name, text in acknowledged.items() if texts.get(name) != text)
        self.faults.check(not lost, f"{what}: acknowledged and lost: {lost[:5]}")
        strange = sorted(name for name, text in texts.items() if {**unknown, **acknowledged}.get(name) != text)
        self.faults.check(not strange, f"{what}: there, but not as anybody wrote it: {strange[:5]}")
        self.faults.check({key: after.get(key) for key in before} == before, f"{what}: older objects are lost or changed")
        messages = [one.message for one in writers if one.message]
        # A checkpoint has no writer of its own: a client that writes at that moment may lose its connection without an answer.
        in_checkpoint = what.endswith("in a checkpoint")
        self.faults.check((messages or in_checkpoint) and all("restarted" in one for one in messages),
                          f"{what}: answers that do not say what is wrong: {messages}")
        self.faults.check("checkpoint" in what or any("is not known" in one for one in messages),
                          f"{what}: nobody heard that the outcome is not known: {messages}")
        self.faults.check(server.stop() == 0, f"{what}: no orderly stop")
        print(f"    {what}: {len(acknowledged)} acknowledged, {len(unknown)} unknown, "
              f"{len(set(texts) & set(unknown))} of these stored")

    def full_disk(self):
        """A file system of a few MiB that is really full, in a mount namespace of its own."""
        place = self.scratch.path / "small"
        place.mkdir()
        holder = subprocess.Popen(
            ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=12m tmpfs "$1" && echo mounted && cat', "sh", place],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            if holder.stdout.readline() != "mounted\n":
                print(f"    left out: no file system can be mounted here ({holder.stderr.read().strip()})")
                return
            self.on_small_disk(holder.pid, place)
        finally:
            self.end_all()
            holder.stdin.close()
            holder.wait(PATIENCE)
            holder.stdout.close()
            holder.stderr.close()

    def on_small_disk(self, holder, place):
        enter = ["nsenter", "-t", str(holder), "-U", "-m", "--preserve-credentials"]
        seen = pathlib.Path(f"/proc/{holder}/root{place}")  # the same folder from outside
        data = place / "data"

        def serve():
            server = Server(data, self.scratch.log, wrapper=enter)
            self.servers.append(server)
            server.files = seen / "data"
            return server.wait_ready()

        server = serve()
        with Client(server) as client:
            (seen / "filler").write_bytes(b"f" * 6 * MIB)
            names, refused, status, answer = self.fill(client, "disk", 20 * KIB)
            self.faults.check(names, "the disk left no room for any write")
            self.check_refused_write("full disk", status, answer, "disk is full", data / "chandler.db")
            self.faults.check(set(state(client)) == set(names), "full disk: not all that was acknowledged is listed")
            status, text = client.send("GET", "/readyz")
            self.faults.check(status == 200, f"full disk: /readyz gives {status} {text}")
            status, answer = client.ask("DELETE", f"{CONFIG_MAPS}/{refused}")
            self.faults.check(status == 404, f"full disk: a refused write is there: {status}")
        server.kill()

        try:  # nobody can promise a start on a full disk, but what happens must be clear
            server = serve()
        except NotStarted as not_started:
            self.is_clear(not_started, "start on a full disk", data)
            print("    a start on the full disk is refused: " + not_started.text.strip().splitlines()[-1][:200])
        else:
            with Client(server) as client:
                self.faults.check(set(state(client)) == set(names), "start on a full disk: something was lost")
            server.kill()
        (seen / "filler").unlink()
        server = serve()
        with Client(server) as client:
            self.faults.check(set(state(client)) == set(names), "after a full disk: something was lost")
            # Full once more, then space again: this time without a restart.
            self.take_space(seen / "filler", 4 * MIB)
            more, _, status, answer = self.fill(client, "more", 20 * KIB)
            self.check_refused_write("full disk again", status, answer, "disk is full")
            (seen / "filler").unlink()
            status, answer = client.ask("POST", CONFIG_MAPS, item("again", "works"))
            self.faults.check(status == 201, f"there is space again, but a write got {status} {answer}")
            names = {*names, *more, "configmaps/again"}
        server.kill()
        with Client(serve()) as client:
            found = state(client)
            self.faults.check(set(found) == names, "after there was space again: something was lost")
            self.faults.check(all(len(one["data"]["text"]) in (5, 20 * KIB) for one in found.values()), "half a write")

    @staticmethod
    def take_space(file, most):
        """Up to so many bytes: how much the database and its log have left depends on when it was last tidied up."""
        with open(file, "wb", buffering=0) as out:
            for _ in range(most // (64 * KIB)):
                try:
                    out.write(b"f" * 64 * KIB)
                except OSError as full:
                    if full.errno != errno.ENOSPC:
                        raise
                    return

    def cut_database(self):
        size = (self.stopped / "chandler.db").stat().st_size
        for length in (100, 4096, size // 2, size - 4096, size - 1):
            data = self.copy(self.stopped)
            with open(data / "chandler.db", "r+b") as file:
                file.truncate(length)
            server = self.whole_or_refused(data, f"database cut from {size} to {length} bytes")
            if server:
                server.kill()

    def emptied_database(self):
        """SQLite takes an empty file for a new database; here it would be the loss of everything."""
        data = self.copy(self.stopped)
        (data / "chandler.db").write_bytes(b"")
        self.refusal(data, "database cut to nothing", data / "chandler.db")

    def flipped_bytes(self):
        """Bits that changed on disk, anywhere in the file or where keys and revisions stand. Writes afterwards must not
        make it worse."""
        content = (self.stopped / "chandler.db").read_bytes()
        keys = [found.end() for found in re.finditer(rb"configmaps/default/c\d{3}", content)]
        refused = 0
        for number in range(self.options.flips):
            data = self.copy(self.stopped)
            if number % 2:
                at, width = self.random.randrange(4096, len(content) - 64), 16
            else:
                at, width = self.random.choice(keys) + self.random.randrange(-6, 4), 1
            damaged = bytes(byte ^ (1 << self.random.randrange(7)) for byte in content[at:at + width])
            with open(data / "chandler.db", "r+b") as file:
                file.seek(at)
                file.write(damaged)
            what = f"{width} bytes changed at {at} of {len(content)}"
            server = self.whole_or_refused(data, what)
            if server is None:
                refused += 1
            else:
                self.write_all_again(server, data, what)
            shutil.rmtree(data)
        print(f"    {self.options.flips} damaged copies: {refused} refused, the others whole")

    def write_all_again(self, server, data, what):
        """Every object can be changed, or the answer says that the store is damaged; and a restart agrees."""
        now = {}
        with Client(server) as client:
            for key, old in state(client).items():
                plural, name = key.split("/")
                revision = old["metadata"]["resourceVersion"]
                patch = {"metadata": {"annotations": {"touched": "yes"}, "resourceVersion": revision}}
                path = f"{CONFIG_MAPS if plural == 'configmaps' else SECRETS}/{name}"
                status, answer = client.ask("PATCH", path, patch, "application/merge-patch+json")
                if status == 200:
                    now[key] = answer["metadata"]["resourceVersion"]
                else:
                    self.faults.check(status == 503 and "chandler.db" in answer["message"],
                                      f"{what}: a change of {key} got {status} {answer.get('message')}")
                    break
        server.kill()
        try:
            with Client(self.start(data)) as client:
                found = {key: one["metadata"]["resourceVersion"] for key, one in state(client).items()}
            self.faults.check(now.items() <= found.items() and set(found) == set(self.expected),
                              f"{what}: after changes and a restart something is lost")
            self.end_all()
        except NotStarted as not_started:
            self.is_clear(not_started, f"{what}, after changes", data / "chandler.db")

    def wrong_rows(self):
        """A sound SQLite file whose tables contradict each other, as subtle damage or a stray hand leaves it."""
        key = "key LIKE '%configmaps/default/c055'"
        for what, statement in (
                ("a row of log is gone", f"DELETE FROM log WHERE {key}"),
                ("a body in log is changed", f"UPDATE log SET body = replace(body, 'xxx', 'xxy') WHERE {key}"),
                ("a row of cur is gone", f"DELETE FROM cur WHERE {key}"),
                ("a revision in cur is changed", f"UPDATE cur SET rev = rev - 1 WHERE {key}"),
                ("a key in cur is changed", f"UPDATE cur SET key = replace(key, 'c055', 'd055') WHERE {key}"),
                ("a row of meta is gone", "DELETE FROM meta WHERE name = 'floor'"),
                ("the floor is beyond the end", "UPDATE meta SET value = 1000000 WHERE name = 'floor'")):
            data = self.copy(self.stopped)
            database = sqlite3.connect(data / "chandler.db")
            changed = database.execute(statement).rowcount
            database.commit()
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            database.close()
            self.faults.check(changed == 1, f"{what}: changed {changed} rows")
            server = self.whole_or_refused(data, what)
            if server:
                self.write_all_again(server, data, what)

    def cut_log(self):
        """A log that lost its end cannot be told from one that ends there, so an earlier state is in order: but one
        that really was, with every write up to some revision and none after it."""
        log = self.killed / "chandler.db-wal"
        size = log.stat().st_size
        self.faults.check(size > 100 * KIB, "the killed server left no log to cut")
        for share in (0.25, 0.5, 0.9):
            data = self.copy(self.killed)
            with open(data / "chandler.db-wal", "r+b") as file:
                file.truncate(int(size * share))
            self.earlier_or_refused(data, f"log cut to {share:.0%}")
        for share in (0.3, 0.7):
            data = self.copy(self.killed)
            with open(data / "chandler.db-wal", "r+b") as file:
                file.seek(int(size * share))
                file.write(b"\xff" * 64)
            self.earlier_or_refused(data, f"log damaged at {share:.0%}")

    def earlier_or_refused(self, data, what):
        try:
            server = self.start(data)
        except NotStarted as refused:
            self.is_clear(refused, what, data / "chandler.db")
            return
        with Client(server) as client:
            status, answer = client.ask("GET", CONFIG_MAPS)
            newest = int(answer["metadata"]["resourceVersion"])
            found = state(client)
        server.kill()
        # The preparation writes c000, s000, c001, s001, ... and then deletes every tenth c, oldest first.
        order = [name for number in range(120) for name in (f"configmaps/c{number:03}", f"secrets/s{number:03}")]
        created = [name for name in order if name in found or (name in order[:len(found)] and name not in self.expected)]
        deleted = [name for name in created if name not in found]
        self.faults.check(created == order[:len(created)], f"{what}: there are gaps in what was written one after the other")
        self.faults.check(not deleted or len(created) == len(order), f"{what}: deleted before all was written: {deleted}")
        for key, one in found.items():
            self.faults.check(int(one["metadata"]["resourceVersion"]) <= newest, f"{what}: {key} is newer than the list")
            if key in self.expected:
                self.faults.check(one == self.expected[key], f"{what}: {key} is not what was written")

    def no_database(self):
        data = self.copy(self.stopped)
        (data / "chandler.db").write_bytes(b"This is a letter to my aunt.\n" * 400)
        self.stays_untouched(data, "a text in the database's place")
        data = self.copy(self.stopped)
        (data / "chandler.db").unlink()
        other = sqlite3.connect(data / "chandler.db")
        other.execute("CREATE TABLE recipes (name TEXT)")
        other.commit()
        other.close()
        self.stays_untouched(data, "a database of another program")

    def stays_untouched(self, data, what):
        before = hashlib.sha256((data / "chandler.db").read_bytes()).digest()
        self.refusal(data, what, data / "chandler.db")
        after = hashlib.sha256((data / "chandler.db").read_bytes()).digest()
        self.faults.check(before == after, f"{what}: the file was changed")

    def lost_keys(self):
        """Without its keys a server must not begin with new ones."""
        for name in ("encryption.keys", "pki/ca.key", "pki/sa.key"):
            data = self.copy(self.stopped)
            (data / name).unlink()
            self.refusal(data, f"{name} is gone", data / name)
            data = self.copy(self.stopped)
            (data / name).write_text("no key at all\n")
            self.refusal(data, f"{name} is damaged", data / name)
        data = self.copy(self.stopped)
        key = base64.b64encode(self.random.randbytes(32)).decode()
        (data / "encryption.keys").write_text(f"0123abcd {key}\n")
        self.refusal(data, "encryption.keys is of another server", data / "encryption.keys")

    def no_more_files(self):
        """All file descriptors are used up by connections: who is connected is served, and afterwards everyone is. The log
        names the limit, not with every attempt."""
        data = self.copy(self.stopped)
        server = self.start(data)
        held = []
        try:
            with Client(server) as client:
                self.faults.check(state(client) == self.expected, "not the state that was left")
                used = len(list(pathlib.Path(f"/proc/{server.pid}/fd").iterdir()))
                resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (used + 20, used + 20))
                for _ in range(60):
                    held.append(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
                wait_until(lambda: "cannot accept" in server.log_text(), "the server has no files left")
                told = [line for line in server.log_text().splitlines() if "cannot accept" in line]
                self.faults.check(all(word in told[0] for word in ("RLIMIT_NOFILE", str(used + 20), "LimitNOFILE=")),
                                  f"without free files the log says {told[0]}")
                status, answer = client.ask("POST", CONFIG_MAPS, item("crowded", "yes"))
                self.faults.check(status == 201, f"without free files a write gets {status} {answer}")
                self.faults.check(len(state(client)) == len(self.expected) + 1, "without free files a list is not whole")
                told = [line for line in server.log_text().splitlines() if "cannot accept" in line]
                self.faults.check(len(told) == 1, f"the log tells of it {len(told)} times")
        finally:
            for one in held:
                one.close()
        with Client(server) as client:
            self.faults.check(client.send("GET", "/readyz")[0] == 200, "not ready after files were short")
        server.kill()
        with Client(self.start(data)) as client:
            self.faults.check(len(state(client)) == len(self.expected) + 1, "something was lost while files were short")

    def second_server(self):
        data = self.copy(self.stopped)
        server = self.start(data)
        self.refusal(data, "a second server", data, f"process {server.pid}")
        with Client(server) as client:
            self.faults.check(state(client) == self.expected, "the first server has another state")
            status, _ = client.ask("POST", CONFIG_MAPS, item("still", "here"))
            self.faults.check(status == 201, "the first server takes no more writes")


CASES = [Cases.second_server, Cases.no_database, Cases.lost_keys, Cases.cut_database, Cases.emptied_database,
         Cases.cut_log, Cases.wrong_rows, Cases.flipped_bytes, Cases.no_more_files, Cases.file_size_limit,
         Cases.full_disk, Cases.failing_disk]


def main():
    parser = argparse.ArgumentParser(description="full disks and damaged files")
    parser.add_argument("--flips", type=int, default=6, help="damaged copies to try")
    parser.add_argument("--only", help="one case, by its name")
    parser.add_argument("--except", dest="without", help="all cases but this one")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    print(f"faults: seed {options.seed}", flush=True)
    faults = Faults()
    with Scratch() as scratch:
        cases = Cases(scratch, faults, options)
        try:
            cases.prepare()
            for case in CASES:
                if options.only in (None, case.__name__) and options.without != case.__name__:
                    print(f"  {case.__name__.replace('_', ' ')}", flush=True)
                    case(cases)
                    cases.end_all()
        finally:
            cases.end_all()
        scratch.check_log(faults)
        if faults.found:
            print(f"  again with: faults.py --flips {options.flips} --seed {options.seed}")
    return faults.close("faults")


if __name__ == "__main__":
    sys.exit(main())
