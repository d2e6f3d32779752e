"""The rows of scripts/bench about changing objects, tables, and starting with a million objects.

What each means is in bench/README.md.
"""

import contextlib
import sqlite3
import subprocess
import time

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
MILLION = 1_000_000


class ApiRows:
    def __init__(self, bench):
        self.bench = bench
        self.objects = 10_000 // bench.scale

    def run(self):
        with self.bench.serve("api") as server:
            self.bench.fill(server, "configmaps", self.objects, 1000)
            self.changes(server)
            self.tables(server)
        if self.bench.scale == 1:
            self.million()
        else:
            self.bench.notes.append("start with 1,000,000 objects: only without --quick")

    def changes(self, server):
        bench = self.bench

        def rate(how):
            return bench.load(server.port, change=how, among=self.objects, connections=16,
                              milliseconds=bench.millis)["per_second"]

        for how, share in (("patch", 0.8), ("apply", 0.5)):
            bench.say(f"{how} beside update, 16 connections")
            ours, limit = bench.in_turn(lambda: rate(how), lambda: rate("update"))
            bench.table.at_least(f"{how} 1 KiB, 16 connections; update", ours, limit, share, "{:,.0f}/s".format)

    def tables(self, server):
        bench = self.bench
        bench.say(f"LIST of {self.objects:,} objects as a table")

        def rate(**options):
            done = bench.load(server.port, get=CONFIGMAPS, connections=1, milliseconds=bench.millis, **options)
            return done["per_second"] * self.objects

        ours, limit = bench.in_turn(lambda: rate(accept=TABLE), rate)
        bench.table.shown(f"LIST of {self.objects:,} objects as a table; plain, objects", ours, limit, "{:,.0f}/s".format)

    def million(self):
        """A start from a cold page cache is not ours to force; reading the file beside it has the same luck."""
        bench = self.bench
        folder = bench.work / "million"
        with bench.serve("million") as server:
            bench.fill(server, "configmaps", 1, 1)
        with contextlib.closing(sqlite3.connect(folder / "chandler.db")) as database:
            stored, = database.execute("SELECT body FROM cur JOIN log USING (rev) "
                                       "WHERE cur.key = 'core/configmaps/default/item-0'").fetchone()
        template = bench.work / "stored-object"
        template.write_bytes(stored)
        for file in folder.glob("chandler.db*"):
            file.unlink()
        bench.say(f"building a database of {MILLION:,} objects")
        made = bench.tools.run("object_store", directory=folder, file=template, count=MILLION)
        bench.say(f"starts with {MILLION:,} objects, {made['bytes'] / 2**20:,.0f} MiB of values")
        file = folder / "chandler.db"

        def start():
            with bench.serve("million") as server:
                return server.start_seconds

        def read():
            begin = time.monotonic()
            with open("/dev/null", "wb") as sink:
                subprocess.run(["cat", file], stdout=sink, check=True)
            return time.monotonic() - begin

        ours, limit = bench.in_turn(start, read)
        bench.table.shown(f"start with {MILLION:,} objects; reading the file", ours, limit, "{:.2f} s".format)
