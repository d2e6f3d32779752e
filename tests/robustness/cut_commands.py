"""Power cuts while `chandler restore`, `rotate-key` and `backup` work: the old state or the new one, and the new one once the command
has ended."""
import pathlib
import shutil
import subprocess

from cuts import Cuts, TracedRun
from examine import verify
from model import KINDS
from server import PROGRAM, Client, NotStarted, start

OBJECTS = 40
KEPT_KINDS = KINDS[:2]


def run_command(wrapper, *words):
    done = subprocess.run([*wrapper, PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"chandler {words[0]} ended with {done.returncode}: {done.stderr}")


def state_of(client):
    return {(kind.plural, item["metadata"]["name"]): kind.digest_of(item)
            for kind in KEPT_KINDS for item in client.ask("GET", kind.selected())[1]["items"]}


def write_objects(client, faults, prefix):
    for number in range(OBJECTS):
        kind = KEPT_KINDS[number % 2]
        status, _ = client.send("POST", kind.path, kind.build(f"{prefix}-{number}", str(number) * 900))
        faults.check(status == 201, "could not prepare")


class Prepared:
    """A data directory whose server has ended, and a backup of an earlier state of it."""

    def __init__(self, folder, log, faults):
        folder.mkdir()
        self.data, self.backup, self.log, self.faults = folder / "data", folder / "earlier.backup", log, faults
        server = start(self.data, log, "--controllers", "")
        with Client(server) as client:
            write_objects(client, faults, "before")
            self.earlier = state_of(client)
            run_command([], "backup", "--kubeconfig", self.data / "admin.kubeconfig", "--to", self.backup)
            write_objects(client, faults, "after")
            self.present = state_of(client)
        server.stop()

    def copy_to(self, folder):
        folder.mkdir()
        root = folder / "disk"
        root.mkdir()
        shutil.copytree(self.data, root / "data")
        return root

    def examine(self, data, allowed):
        """What is wrong with a directory that may have one of these states."""
        try:
            server = start(data, self.log, "--controllers", "")
        except NotStarted as error:
            return [f"it does not start: {error.text.strip().splitlines()[-1:]}"]
        with Client(server) as client:
            there = state_of(client)
        server.kill()
        problems = [] if there in allowed else [f"neither the old nor the new state: {len(there)} objects"]
        return problems + verify(data)


def cut_restore(prepared, folder, options):
    run = TracedRun(folder, prepared.copy_to(folder))
    run_command(run.tracer.wrapper(), "restore", "--data-dir", run.root / "data", "--from", prepared.backup, "--force")
    run.finish(prepared.faults)

    def examine(target, cut, _):
        done = cut == len(run.records)
        return prepared.examine(target / "data", [prepared.earlier] if done else [prepared.earlier, prepared.present])

    Cuts(run, options.seed, options.cuts // 2).report(prepared.faults, "restore", examine)
    prepared.faults.check(not examine(run.root, len(run.records), 0), "the restore itself did not restore")


def keys_in(data):
    return sum(bool(line) and not line.startswith("#") for line in (data / "encryption.keys").read_text().splitlines())


def cut_rotation(prepared, folder, options):
    run = TracedRun(folder, prepared.copy_to(folder))
    run_command(run.tracer.wrapper(), "rotate-key", "--data-dir", run.root / "data")
    run.finish(prepared.faults)

    def examine(target, cut, _):
        problems = prepared.examine(target / "data", [prepared.present])
        run_command([], "rotate-key", "--data-dir", target / "data")  # one that was cut off can be ended
        if keys_in(target / "data") != 1:
            problems.append(f"{keys_in(target / 'data')} keys are left after the next rotation")
        return problems + prepared.examine(target / "data", [prepared.present])

    Cuts(run, options.seed + 1, options.cuts // 4).report(prepared.faults, "rotate-key", examine)


def cut_backup(prepared, folder, options):
    """The backup is a client; what it writes is one file, which is sound or not there."""
    folder.mkdir()
    root = folder / "disk"
    root.mkdir()
    run = TracedRun(folder, root)
    server = start(prepared.data, prepared.log, "--controllers", "")
    run_command(run.tracer.wrapper(), "backup", "--kubeconfig", prepared.data / "admin.kubeconfig", "--to", root / "taken")
    server.stop()
    run.finish(prepared.faults)

    def examine(target, cut, _):
        taken = pathlib.Path(target) / "taken"
        if not taken.exists():
            return ["a backup that was taken is not there"] if cut == len(run.records) else []
        done = subprocess.run([PROGRAM, "verify", "--backup", taken], capture_output=True, text=True, timeout=60, check=False)
        return [] if done.returncode == 0 else [f"a backup with its name is not sound: {done.stderr.strip()}"]

    cuts = Cuts(run, options.seed + 2, options.cuts)
    cuts.chosen += [(len(run.records), "the end", data, "dropped", 0) for data in ("dropped", "torn")]
    cuts.report(prepared.faults, "backup", examine)


def cut_commands(scratch, faults, options):
    prepared = Prepared(scratch.path / "commands", scratch.log, faults)
    cut_restore(prepared, scratch.path / "restore", options)
    cut_rotation(prepared, scratch.path / "rotation", options)
    cut_backup(prepared, scratch.path / "backup", options)
