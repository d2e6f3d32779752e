"""Cuts of a traced run: chooses the moments and what the disk keeps, and has each result examined."""
import bisect
import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import disk
import disk_trace as trace
from disk import NAME_MODES, SECTOR_MODES
from disk_trace import Tracer

WAITING = 4  # cuts that may lie on the disk at once


class TracedRun:
    """What programs do below `root`, from its present state on."""

    def __init__(self, folder, root):
        self.folder, self.root = folder, root
        self.before = disk.Disk(root)
        self.tracer = Tracer(folder, root)

    def finish(self, faults):
        """Reads the trace after the last program has ended, and checks that it is complete."""
        self.records = self.tracer.records()
        self.ends = [record.end for record in self.records]
        following = self.before.copy()
        for record in self.records:
            following.take(record)
        following.cut(self.folder / "whole", 0, "kept", "kept")
        found = disk.differences(self.root, self.folder / "whole")
        faults.check(not found, f"the trace does not lead to the files that are there: {found}")
        shutil.rmtree(self.folder / "whole")

    def index(self, position):
        """How many records there were at this moment."""
        return bisect.bisect_right(self.ends, position)

    def moments(self):
        """By kind of moment: how many records have happened at the cut."""
        records = list(enumerate(self.records))
        logs = self.logs()
        synced = {r.inode for r in self.records if r.what == trace.SYNC_END}
        found = {
            "a name changes": [i + 1 for i, r in records if r.what in trace.NAMES],
            "before a sync is done": [i for i, r in records if r.what == trace.SYNC_END],
            "a sync is done": [i + 1 for i, r in records if r.what == trace.SYNC_END],
            "a write outside the log": [i + 1 for i, r in records if r.what == trace.WRITE and r.inode in synced - logs],
            "any moment": list(range(len(records) + 1)),
        }
        return {kind: moments for kind, moments in found.items() if moments}

    def logs(self):
        """Inodes of the write-ahead log. A number may serve another file before and after; close enough to choose moments."""
        return {record.inode for record in self.records if record.what == trace.CREATE and record.path.endswith("-wal")}


class Cuts:
    """Chosen cuts of a run: (records that have happened, kind of moment, what becomes of sectors and names, seed)."""

    def __init__(self, run, seed, count):
        self.run = run
        chance, kinds = random.Random(seed), list(run.moments().items())
        self.chosen = []
        for number in range(count):
            kind, moments = kinds[number % len(kinds)]
            modes = chance.choice(SECTOR_MODES), chance.choice(NAME_MODES)
            self.chosen.append((chance.choice(moments), kind, *modes, chance.getrandbits(32)))
        self.chosen.sort()

    def examine_all(self, examine_one):
        """Calls `examine_one(folder, records that have happened, seed)` for each, two at a time; what was found wrong, with a title."""
        following, taken, jobs = self.run.before.copy(), 0, []
        with ThreadPoolExecutor(2) as pool:
            for number, (cut, kind, data, names, seed) in enumerate(self.chosen):
                for record in self.run.records[taken:cut]:
                    following.take(record)
                taken = cut
                target = self.run.folder / f"cut-{number}"
                following.cut(target, seed, data, names)
                title = f"cut after {cut} of {len(self.run.records)} records ({kind}), sectors {data}, names {names}, seed {seed}"
                jobs.append((title, pool.submit(self.examine, examine_one, target, cut, seed)))
                while sum(not job.done() for _, job in jobs) >= WAITING:
                    time.sleep(0.01)
            return [(title, job.result()) for title, job in jobs]

    def examine(self, examine_one, target, cut, seed):
        try:
            return examine_one(target, cut, seed)
        finally:
            shutil.rmtree(target, ignore_errors=True)

    def report(self, faults, title, examine_one):
        for text, problems in self.examine_all(examine_one):
            faults.check(not problems, f"{title}: {text}: {'; '.join(problems[:3])}")
        print(f"  {title}: {len(self.run.records)} records, {len(self.chosen)} cuts", flush=True)
