#!/usr/bin/env python3
"""kill -9 of backup, restore and rotate-key at random moments, under load where a server runs.

usage: backup_kill.py [--rounds N] [--objects N] [--seed S]

Afterwards: a backup that has its name is sound and holds every write that was acknowledged before it was asked for; a data
directory whose restore was killed is the old one or the new one; after a killed rotation every Secret can be read, and the
next rotation ends with one key.
"""
import argparse
import base64
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

from server import (CONFIG_MAPS, LOST, PROGRAM, SECRET_MARK, SECRETS, Client, Faults, Scratch, config_map, start)


def secret(name, text):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
            "data": {"text": base64.b64encode((SECRET_MARK + text).encode()).decode()}}


def command(*words):
    return [PROGRAM, *map(str, words)]


def run(*words):
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=120, check=False)


class Killer:
    """Runs a command again and again, killed after a random part of the time that it takes undisturbed."""

    def __init__(self, seed, faults):
        self.random, self.faults = random.Random(seed), faults
        self.killed = 0

    def run(self, takes, *words):
        """True: it was killed; False: it came to its end before."""
        with subprocess.Popen(command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(takes * self.random.random())
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            code = process.wait()
        self.faults.check(code in (0, -signal.SIGKILL), f"{words[0]} ended with {code}")
        self.killed += code != 0
        return code != 0


class Load:
    """Creates ConfigMaps until it is told to stop."""

    def __init__(self, server):
        self.server, self.acknowledged, self.ended = server, [], False
        self.thread = threading.Thread(target=self.loop)
        self.thread.start()

    def loop(self):
        with Client(self.server) as client:
            number = 0
            while not self.ended:
                number += 1
                try:
                    status, _ = client.send("POST", CONFIG_MAPS, config_map(f"load-{number}", {"n": str(number)}))
                except LOST:
                    return
                if status == 201:
                    self.acknowledged.append(f"load-{number}")

    def stop(self):
        self.ended = True
        self.thread.join()


def names(client, path):
    status, answer = client.ask("GET", path)
    assert status == 200, answer
    return {one["metadata"]["name"]: one["metadata"]["uid"] for one in answer["items"]}


def secrets_of(client):
    status, answer = client.ask("GET", SECRETS)
    assert status == 200, answer
    return {one["metadata"]["name"]: one.get("data") for one in answer["items"]}


def prepare(scratch, faults, objects):
    data = scratch.path / "data"
    server = start(data, scratch.log, "--controllers", "")
    with Client(server) as client:
        for number in range(objects):
            client.send("POST", CONFIG_MAPS, config_map(f"c{number}", {"text": "x" * 2000}))
            if number % 4 == 0:
                status, _ = client.send("POST", SECRETS, secret(f"s{number}", "y" * 500))
                faults.check(status == 201, "could not prepare")
    return data, server


def kill_servers(scratch, faults, options, data, server):
    """The server dies while it makes or sends a backup: the command says so, and the file is the one from before. The server that runs in the end."""
    chance = random.Random(options.seed + 3)
    target, kubeconfig = scratch.path / "server.backup", data / "admin.kubeconfig"
    begin = time.monotonic()
    done = run("backup", "--kubeconfig", kubeconfig, "--to", target)
    takes = time.monotonic() - begin
    faults.check(done.returncode == 0, f"backup: {done.stderr}")
    cut = 0
    for _ in range(max(2, options.rounds // 2)):
        words = command("backup", "--kubeconfig", kubeconfig, "--to", target, "--force")
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(takes * chance.random())
            server.kill()
            said = process.communicate(timeout=120)[1]
        faults.check(process.returncode in (0, 1), f"backup ended with {process.returncode}: {said}")
        cut += process.returncode
        faults.check(run("verify", "--backup", target).returncode == 0, "the backup from before is gone")
        faults.check(not target.with_name(target.name + ".tmp").exists(), "half a backup was left behind")
        server = start(data, scratch.log, "--controllers", "")
    print(f"servers killed during a backup: {cut} backups cut short", flush=True)
    return server


def kill_backups(scratch, faults, options, data, server):
    killer, load = Killer(options.seed, faults), Load(server)
    target = scratch.path / "killed.backup"
    kubeconfig = data / "admin.kubeconfig"
    begin = time.monotonic()
    done = run("backup", "--kubeconfig", kubeconfig, "--to", target)
    takes = time.monotonic() - begin
    faults.check(done.returncode == 0, f"backup: {done.stderr}")
    for _ in range(options.rounds):
        killer.run(takes * 1.2, "backup", "--kubeconfig", kubeconfig, "--to", target, "--force")
        sound = run("verify", "--backup", target)
        faults.check(sound.returncode == 0, f"a file with the name of a backup is none: {sound.stderr}")
    expected = list(load.acknowledged)
    done = run("backup", "--kubeconfig", kubeconfig, "--to", target, "--force")
    faults.check(done.returncode == 0, f"backup after kills: {done.stderr}")
    load.stop()
    print(f"backups: {killer.killed} of {options.rounds} killed, {len(load.acknowledged)} writes meanwhile", flush=True)
    return target, expected


def kill_restores(scratch, faults, options, data, backup, expected, old):
    """`old`: the names that the data directory has now, which must be what it has until a restore is done."""
    killer = Killer(options.seed + 1, faults)
    keys = scratch.path / "keys"
    shutil.copy(data / "encryption.keys", keys)
    trial = scratch.path / "trial"
    shutil.copytree(data, trial)
    begin = time.monotonic()
    done = run("restore", "--data-dir", trial, "--from", backup, "--force")
    takes = time.monotonic() - begin
    faults.check(done.returncode == 0, f"restore: {done.stderr}")
    for number in range(options.rounds):
        shutil.rmtree(trial)
        shutil.copytree(data, trial)
        killed = killer.run(takes * 1.2, "restore", "--data-dir", trial, "--from", backup, "--keys", keys, "--force")
        with_server = start(trial, scratch.log, "--controllers", "")
        with Client(with_server) as client:
            found = names(client, CONFIG_MAPS)
        with_server.stop()
        is_old = found == old
        is_new = "after-backup" not in found and set(expected) <= set(found)
        faults.check(is_new or (killed and is_old), f"round {number}: neither the old nor the new state: {len(found)}")
        sound = run("verify", "--data-dir", trial)
        faults.check(sound.returncode == 0, f"round {number}: {sound.stdout}")
    print(f"restores: {killer.killed} of {options.rounds} killed", flush=True)


def kill_rotations(scratch, faults, options, data, secrets):
    killer = Killer(options.seed + 2, faults)
    begin = time.monotonic()
    done = run("rotate-key", "--data-dir", data)
    takes = time.monotonic() - begin
    faults.check(done.returncode == 0, f"rotate-key: {done.stderr}")
    for number in range(options.rounds):
        killer.run(takes * 1.2, "rotate-key", "--data-dir", data)
        sound = run("verify", "--data-dir", data)
        faults.check(sound.returncode == 0, f"round {number}: {sound.stdout}")
    done = run("rotate-key", "--data-dir", data)
    faults.check(done.returncode == 0, f"rotate-key after kills: {done.stderr}")
    lines = [line for line in (data / "encryption.keys").read_text().splitlines() if line and not line.startswith("#")]
    faults.check(len(lines) == 1, f"{len(lines)} keys are left")
    server = start(data, scratch.log, "--controllers", "")
    with Client(server) as client:
        faults.check(secrets_of(client) == secrets, "the Secrets are not what they were")
    server.stop()
    print(f"rotations: {killer.killed} of {options.rounds} killed", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--objects", type=int, default=400)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"backup_kill: seed {options.seed}", flush=True)
    faults = Faults()
    with Scratch() as scratch:
        data, server = prepare(scratch, faults, options.objects)
        server = kill_servers(scratch, faults, options, data, server)
        backup, expected = kill_backups(scratch, faults, options, data, server)
        with Client(server) as client:
            client.send("POST", CONFIG_MAPS, config_map("after-backup", {}))
            old, secrets = names(client, CONFIG_MAPS), secrets_of(client)
        server.stop()
        kill_restores(scratch, faults, options, data, backup, expected, old)
        kill_rotations(scratch, faults, options, data, secrets)
        scratch.check_log(faults)
    code = faults.close("backup_kill")
    if code:
        print(f"again: tests/robustness/backup_kill.py --rounds {options.rounds} --seed {options.seed}")
    return code


if __name__ == "__main__":
    sys.exit(main())
