"""The row of scripts/bench about svcat: a long list from the first request to the last line, beside curl, which only fetches the bytes.

What it means is in bench/README.md.
"""

import subprocess
import time

PLANS = "/apis/servicecatalog.k8s.io/v1beta1/clusterserviceplans"


class SvcatRows:
    def __init__(self, bench):
        self.bench = bench
        self.count = 10_000 // bench.scale

    def run(self):
        bench = self.bench
        with bench.serve("svcat") as server:
            command = [bench.program.parent / "svcat", "--kubeconfig", bench.work / "svcat" / "admin.kubeconfig",
                       "get", "plans", "--cluster"]
            bench.fill(server, "plans", self.count, self.count // 10)
            bench.say(f"svcat get plans over {self.count:,} plans")
            size = len(server.get(PLANS))
            listed = self.timed(command)[1]
            # Titles and rule come first, and long descriptions take more lines.
            if listed.count(b"\n") < self.count + 2:
                raise RuntimeError(f"svcat printed {listed.count(bytes([10]))} lines for {self.count} plans")
            curl = ["curl", "--silent", "--show-error", "--fail", "--cacert", bench.work / "svcat" / "pki" / "ca.crt",
                    "--header", f"Authorization: Bearer {bench.token}", f"https://127.0.0.1:{server.port}{PLANS}"]

            mine, bare = bench.in_turn(lambda: self.timed(command)[0], lambda: self.timed(curl)[0])
            bench.table.at_most(f"svcat get plans, {self.count:,} plans; curl of the same list", mine, bare, "{:.3f} s".format, 2.0)
            first = self.first_line(command)
            bench.notes.append(f"svcat get plans: {size / 1e6:.1f} MB of JSON in pages of 500; the first line came after {first:.3f} s")

    @staticmethod
    def timed(command):
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, timeout=120, check=False)
        took = time.monotonic() - begin
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
        return took, done.stdout

    @staticmethod
    def first_line(command):
        begin = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            took = time.monotonic() - begin
            process.stdout.read()
        return took
