"""The disk that loses power: what it may keep and must keep, in rows; and SQLite on it, which is known to survive."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import disk
import disk_trace as trace
from disk import NAME_MODES, SECTOR_MODES
from disk_trace import Record, Tracer

# Commits rows one by one and says after each how long the trace is. argv: database, log, synchronous, rows
COMMITTER = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = " + sys.argv[3])
database.execute("PRAGMA wal_autocheckpoint = 20")
database.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT)")
for number in range(1, int(sys.argv[4]) + 1):
    database.execute("INSERT INTO rows VALUES (?, ?)", (number, str(number) * 700))
    print(os.stat(sys.argv[2]).st_size)
"""


class Bench:
    """A disk fed by hand. Inode 1 is the root."""

    def __init__(self, folder, **options):
        self.top = os.path.join(folder, "top")
        os.mkdir(self.top)
        self.disk = disk.Disk(self.top, **options)
        self.disk.nodes[1] = self.disk.root
        self.out = os.path.join(folder, "out")

    def do(self, *steps):
        for what, inode, number, first, second in steps:
            if what in trace.NAMES and first:
                first = os.path.join(self.disk.root_path, first)
            second = second and os.path.join(self.disk.root_path, second)
            self.disk.take(Record(what, inode, number, 0, os.fsencode(first), second, 0))

    def cut(self, data, names, seed=0):
        self.disk.cut(self.out, seed, data, names)
        return {str(path.relative_to(self.out)): path.read_bytes() if path.is_file() else None
                for path in pathlib.Path(self.out).rglob("*")}


def create(name, inode):
    return trace.CREATE, inode, 0o600, name, ""


def write(inode, at, data):
    return trace.WRITE, inode, at, data, ""


def sync(inode, number=1):
    return [(trace.SYNC_BEGIN, inode, number, "", ""), (trace.SYNC_END, inode, number, "", "")]


def rename(old, new):
    return trace.RENAME, 0, 0, old, new


A, B, C = b"a" * 512, b"b" * 512, b"c" * 512
SURE = [create("f", 2), write(2, 0, A + A + A), *sync(2), *sync(1)]

# (steps, all outcomes that there may be for file "f", None: it is not there; why)
OUTCOMES = [
    ([create("f", 2)], {None, b""}, "a name is not certain before its folder is synced"),
    ([create("f", 2), write(2, 0, A), *sync(2)], {None, A}, "nor does the sync of the file make it so"),
    ([create("f", 2), *sync(1)], {b""}, "a synced name"),
    ([*SURE], {A + A + A}, "synced content"),
    ([*SURE, write(2, 0, B)], {A + A + A, B + A + A}, "one sector"),
    ([*SURE, write(2, 512, B + C)], {A + A + A, A + B + A, A + A + C, A + B + C}, "each sector by itself"),
    ([*SURE, write(2, 0, B), write(2, 0, C)], {A + A + A, B + A + A, C + A + A}, "the older, the newer or none of two"),
    ([*SURE, write(2, 0, B), *sync(2), write(2, 0, C)], {B + A + A, C + A + A}, "what was synced in between stays"),
    ([*SURE, write(2, 100, b"x")], {A + A + A, A[:100] + b"x" + A[101:] + A + A}, "a part of a sector"),
    ([*SURE, (trace.TRUNCATE, 2, 512, "", "")], {A + A + A, A}, "a truncation, done or not"),
    ([*SURE, (trace.TRUNCATE, 2, 0, "", ""), write(2, 0, B)], {A + A + A, b"", B, bytes(512)},
     "what was written behind a truncation is not there without it"),
    ([*SURE, write(2, 1536, B)], {A + A + A, A + A + A + B, A + A + A + bytes(512)}, "a file that grows: zeros, never dirt"),
    ([*SURE, create("g", 3), write(3, 0, B), *sync(3), rename("g", "f")], {A + A + A, B}, "a rename is one step"),
    ([*SURE, create("g", 3), write(3, 0, B), *sync(3), rename("g", "f"), *sync(1)], {B}, "a rename that was synced"),
    ([*SURE, create("g", 3), write(3, 0, B), rename("g", "f"), *sync(1)], {b"", B, bytes(512)},
     "a rename makes no content certain"),
    ([*SURE, (trace.REMOVE, 0, 0, "f", "")], {A + A + A, None}, "a removed file may come back"),
    ([*SURE, (trace.REMOVE, 0, 0, "f", ""), *sync(1)], {None}, "but not after a sync"),
    ([*SURE, (trace.REMOVE, 0, 0, "f", ""), create("f", 2), write(2, 0, B), *sync(2)], {A + A + A, None, B},
     "another file of the same name and inode"),
    ([*SURE, (trace.SYNC_BEGIN, 2, 9, "", ""), write(2, 0, B), (trace.SYNC_END, 2, 9, "", "")], {A + A + A, B + A + A},
     "a sync covers what came before it began"),
]


class CutTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="chandler-disk-")
        self.addCleanup(shutil.rmtree, self.folder)

    def bench(self, **options):
        return Bench(tempfile.mkdtemp(dir=self.folder), **options)

    def test_just_these_outcomes(self):
        for steps, expected, reason in OUTCOMES:
            with self.subTest(reason):
                bench = self.bench()
                bench.do(*steps)
                seen = {bench.cut(data, names, seed).get("f") for data in SECTOR_MODES for names in NAME_MODES for seed in range(12)}
                self.assertEqual(seen, expected)

    def test_a_lost_folder_takes_all_below_it_along(self):
        bench = self.bench()
        steps = [(trace.MKDIR, 5, 0o700, "d", ""), create("d/f", 6), write(6, 0, A), *sync(6), *sync(5)]
        bench.do(*steps)
        self.assertEqual(bench.cut("kept", "dropped"), {})
        bench.do(*sync(1))
        self.assertEqual(bench.cut("dropped", "dropped"), {"d": None, "d/f": A})

    def test_a_rename_between_folders_is_one_step(self):
        bench = self.bench()
        bench.do((trace.MKDIR, 5, 0o700, "d", ""), *sync(1), *SURE, rename("f", "d/f"))
        outcomes = {tuple(sorted(bench.cut("kept", names, seed))) for names in NAME_MODES for seed in range(12)}
        self.assertEqual(outcomes, {("d", "f"), ("d", "d/f")})

    def test_the_same_seed_cuts_the_same(self):
        bench = self.bench()
        bench.do(*SURE, write(2, 0, B * 40))
        self.assertEqual(bench.cut("sectors", "some", 7), bench.cut("sectors", "some", 7))
        self.assertNotEqual(bench.cut("sectors", "some", 7), bench.cut("sectors", "some", 8))

    def test_a_broken_disk_forgets(self):
        bench = self.bench(lose={len(SURE)})
        bench.do(*SURE, write(2, 0, B), *sync(2))
        self.assertEqual(bench.cut("kept", "kept"), {"f": A + A + A})

    def test_what_the_trace_does_not_know_is_a_fault(self):
        with self.assertRaisesRegex(ValueError, "mmap"):
            self.bench().do((trace.UNKNOWN, 0, 0, "mmap", ""))


class SqliteTest(unittest.TestCase):
    """A traced program, its files cut everywhere. SQLite keeps what was committed with FULL, and loses with OFF."""

    def run_committer(self, folder, synchronous):
        root = folder / "root"
        root.mkdir()
        before = disk.Disk(root)
        tracer = Tracer(folder, root)
        done = subprocess.run([sys.executable, "-c", COMMITTER, root / "rows.db", tracer.log, synchronous, "40"], check=True,
                              capture_output=True, text=True, env={**os.environ, **tracer.variables()})
        return root, before, tracer.records(), [int(line) for line in done.stdout.split()]

    def lost(self, folder, synchronous):
        """How many of the cuts lost a row that was committed, or left a file that is damaged."""
        _, following, records, committed = self.run_committer(folder, synchronous)
        losses = 0
        for number, record in enumerate(records):
            following.take(record)
            data, names = SECTOR_MODES[number % len(SECTOR_MODES)], NAME_MODES[number // len(SECTOR_MODES) % len(NAME_MODES)]
            following.cut(folder / "cut", number, data, names)
            least = sum(1 for position in committed if position <= record.end)
            losses += not self.is_whole(folder / "cut" / "rows.db", least)
        self.assertGreater(len(records), 100)
        return losses

    def is_whole(self, path, least):
        try:
            database = sqlite3.connect(path)
            with database:
                sound = database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
                numbers = [row[0] for row in database.execute("SELECT number FROM rows")] if tables else []
            database.close()
        except sqlite3.DatabaseError:
            return False
        return sound and len(numbers) >= least and numbers == list(range(1, len(numbers) + 1))

    def test_the_trace_tells_all_that_is_on_the_disk(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(os.path.realpath(name))
            root, following, records, _ = self.run_committer(folder, "FULL")
            for record in records:
                following.take(record)
            following.cut(folder / "cut", 0, "kept", "kept")
            self.assertEqual(disk.differences(root, folder / "cut"), [])

    def test_nothing_is_lost_that_was_synced(self):
        with tempfile.TemporaryDirectory() as name:
            self.assertEqual(self.lost(pathlib.Path(os.path.realpath(name)), "FULL"), 0)

    def test_what_was_not_synced_is_lost(self):
        with tempfile.TemporaryDirectory() as name:
            self.assertGreater(self.lost(pathlib.Path(os.path.realpath(name)), "OFF"), 10)


if __name__ == "__main__":
    unittest.main()
