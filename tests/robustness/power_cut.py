#!/usr/bin/env python3
"""Power cuts: traces all that a server does to its disk, and starts a server on what a cut at any moment may leave.

usage: power_cut.py [--cuts N] [--writes N] [--seed S] [--only PART]

A run is recorded (story.py): the first start, load, an orderly stop, another start, load with checkpoints, a kill, and a third start
that trims history. Then the disk (disk.py) is cut at chosen moments: unsynced sectors and names are kept, dropped, torn or reordered.
A server is started on what is left (examine.py): all that any client knew is there, nothing is there in part, the keys are the same,
watches resume, and `chandler verify` finds nothing. One in three of these starts is cut as well.

Parts:
  full      the above; then disks that forget what was synced, which the examination must notice
  normal    --durability normal loses a few seconds at most, and never a part of a write
  commands  restore, rotate-key and backup: the old state or the new one
"""
import argparse
import pathlib
import random
import shutil
import sys

import disk
import disk_trace as trace
from cut_commands import cut_commands
from cuts import Cuts, TracedRun
from disk import NAME_MODES, SECTOR_MODES
from disk_trace import Tracer
from examine import Expected, examine
from model import KINDS, NOTES
from server import Client, Faults, Scratch, start, wait_until
from story import Story
from watcher import Expired, follow

FLAGS = ("--controllers", "*,-service-catalog")
LONG_HISTORY, SHORT_HISTORY = ("--history-seconds", "300"), ("--history-seconds", "1")
WRITERS = 3
NORMAL_SECONDS = 5  # what --durability normal may lose: it syncs every second, on a starved machine later


class ServerRun(TracedRun):
    """A recorded run of a server on a traced disk."""

    def __init__(self, folder, log, faults, options, *flags, seconds=0):
        root = folder / "disk"
        root.mkdir(parents=True)
        super().__init__(folder, root)
        self.data, self.log, self.faults, self.flags = root / "data", log, faults, (*FLAGS, *flags)
        self.story = Story(faults, self.tracer.position)
        self.record(options, seconds)
        self.story.finish()
        self.finish(faults)

    def start(self, history=LONG_HISTORY):
        return start(self.data, self.log, *self.flags, *history, wrapper=self.tracer.wrapper())

    def record(self, options, seconds):
        server = self.start()
        self.ready = self.tracer.position()
        self.identity = {name: (self.data / name).read_bytes() for name in ("pki/ca.crt", "pki/admin.crt", "encryption.keys")}
        with Client(server) as client:
            status, answer = client.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NOTES)
            self.faults.check(status == 201, f"the definition was refused: {answer}")
            self.defined = self.tracer.position()
            wait_until(lambda: client.send("GET", KINDS[2].path)[0] == 200, "the custom kind is served")
        self.story.record(server, options.seed, WRITERS, options.writes, seconds)
        self.faults.check(server.stop() == 0, "the recorded server did not stop in order")
        server = self.start()
        self.story.record(server, options.seed + 1, WRITERS, options.writes, seconds)
        server.kill()
        self.trimming = self.tracer.position()
        server = self.start(SHORT_HISTORY)
        wait_until(lambda: self.forgot_the_beginning(server), "history is trimmed")
        self.faults.check(server.stop() == 0, "the recorded server did not stop in order")

    def forgot_the_beginning(self, server):
        first = min(event.revision for event in self.story.events if event.kind is KINDS[0])
        try:
            with Client(server) as client:
                follow(client, KINDS[0], first, lambda *_: True, "&timeoutSeconds=1")
        except Expired:
            return True
        return False

    def moments(self):
        trimming = range(self.index(self.trimming), len(self.records) + 1)
        return {"the first start": list(range(self.index(self.ready))), "history is trimmed": list(trimming)} | super().moments()

    def expected(self, cut, certain=None):
        """What must be there when `cut` records have happened: what was known then, or when only the `certain` first had happened."""
        certain = cut if certain is None else certain
        position = self.ends[certain - 1] if certain else 0
        return Expected(self.story, self.story.floor(position), self.identity if position >= self.ready else {},
                        defined=position >= self.defined, may_expire=cut > self.index(self.trimming))

    def expected_of_normal(self, cut):
        """Only what was known for a few seconds already."""
        known_by = self.records[cut - 1].seconds - NORMAL_SECONDS if cut else 0
        return self.expected(cut, sum(record.seconds <= known_by for record in self.records))

    def examine(self, target, expected, seed):
        """Every third time, the start on what the cut left is cut as well."""
        if seed % 3 != 0:
            return examine(target / "data", self.log, expected)
        again = pathlib.Path(f"{target}-again")
        following, chance = disk.Disk(target), random.Random(seed)
        tracer = Tracer(self.folder, target, log=f"{target}.trace")
        try:
            start(target / "data", self.log, *FLAGS, wrapper=tracer.wrapper()).kill()
            records = tracer.records()
            for record in records[:chance.randint(0, len(records))]:
                following.take(record)
            following.cut(again, seed, chance.choice(SECTOR_MODES), chance.choice(NAME_MODES))
            return [f"cut again: {text}" for text in examine(again / "data", self.log, expected)]
        finally:
            shutil.rmtree(again, ignore_errors=True)
            tracer.log.unlink()


def cut_full(scratch, faults, options):
    run = ServerRun(scratch.path / "full", scratch.log, faults, options)
    Cuts(run, options.seed, options.cuts).report(
        faults, "full", lambda target, cut, seed: run.examine(target, run.expected(cut), seed))
    show_teeth(run, options)


def cut_normal(scratch, faults, options):
    run = ServerRun(scratch.path / "normal", scratch.log, faults, options, "--durability", "normal", seconds=NORMAL_SECONDS - 1)
    cuts = Cuts(run, options.seed, options.cuts // 3)
    cuts.report(faults, "normal", lambda target, cut, seed: run.examine(target, run.expected_of_normal(cut), seed))
    floors = [run.expected_of_normal(cut).floor for cut, *_ in cuts.chosen]
    faults.check(any(floors), "nothing was old enough to be promised by --durability normal: the run was too short")
    show_teeth_of_normal(run)


# --- whether a loss would be seen -------------------------------------------------------------------------------------------


def problems_on(run, cut, lose, data, names):
    """What the examination says about a disk that forgot these records."""
    following = run.before.copy(lose)
    for record in run.records[:cut]:
        following.take(record)
    target = run.folder / "broken"
    following.cut(target, 0, data, names)
    problems = examine(target / "data", run.log, run.expected(cut))
    shutil.rmtree(target)
    return problems


def synced_alone(run, chance):
    """(writes, cut): the writes that one sync of the log made certain, and a moment at which an event in them is known."""
    logs = run.logs()
    syncs = [i for i, r in enumerate(run.records) if r.what == trace.SYNC_END and r.inode in logs]
    found = []
    for before, done, after in zip(syncs, syncs[1:], syncs[2:]):
        writes = {i for i in range(before + 1, done) if run.records[i].what == trace.WRITE and run.records[i].inode in logs}
        if writes and run.story.floor(run.ends[after - 1]) > run.story.floor(run.ends[done]):
            found.append((writes, after))
    return chance.choice(found)


def show_teeth(run, options):
    chance = random.Random(options.seed)
    for _ in range(2):
        lose, cut = synced_alone(run, chance)
        run.faults.check(problems_on(run, cut, lose, "kept", "kept"),
                         f"teeth: nobody noticed the loss of synced writes, records {sorted(lose)}, at {cut}")
    folders = {r.inode for r in run.records if r.what == trace.MKDIR} | {run.root.stat().st_ino}
    lose = {i for i, r in enumerate(run.records) if r.what == trace.SYNC_END and r.inode in folders}
    cut = run.index(run.story.events[0].known) + 1
    run.faults.check(problems_on(run, cut, lose, "kept", "dropped"), "teeth: nobody noticed the loss of all names")
    print("  three broken disks found out", flush=True)


def show_teeth_of_normal(run):
    """Without a sync per write, the newest writes go with the power: what full promises is then not true."""
    newest = run.index(run.story.events[-1].known)
    problems = problems_on(run, newest, (), "dropped", "kept")
    run.faults.check(any("lost" in text for text in problems),
                     f"teeth: --durability normal, judged as full, was not found to lose writes, but: {problems}")


def main():
    parser = argparse.ArgumentParser(description="power cuts")
    parser.add_argument("--cuts", type=int, default=24)
    parser.add_argument("--writes", type=int, default=60, help="of each writer, in each half of a recorded run")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parts = {"full": cut_full, "normal": cut_normal, "commands": cut_commands}
    parser.add_argument("--only", choices=list(parts))
    options = parser.parse_args()
    print(f"power_cut: seed {options.seed}, {options.cuts} cuts", flush=True)
    faults = Faults()
    with Scratch() as scratch:
        for name, part in parts.items():
            if options.only in (None, name):
                part(scratch, faults, options)
        scratch.check_log(faults)
        if faults.found:
            only = f" --only {options.only}" if options.only else ""
            print(f"  again with: power_cut.py --cuts {options.cuts} --writes {options.writes} --seed {options.seed}{only}")
    return faults.close("power_cut")


if __name__ == "__main__":
    sys.exit(main())
