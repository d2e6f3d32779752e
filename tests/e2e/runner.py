"""Runs .test files (their format: script.py): runner.py [--suite FOLDER --kubectl FILE] [NAME...]

All commands of a file share one bash with prelude.sh loaded, an empty folder and an empty home directory. CHANDLER is the
server to test, bin/chandler of this repository if not set. http_versions.py says which tests run over which version of HTTP.

A suite is another folder of .test files: its own prelude.sh is loaded after the one here, its tests run once, with that kubectl.
"""

import argparse
import concurrent.futures
import fcntl
import json
import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from http_versions import CONFIRMATION, Http, versions
from script import BadScript, Step, parse, pattern, tidy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGED_KUBECTL = ROOT / "build/tools/kubectl-1.20/usr/bin/kubectl"
COMMAND_SECONDS = 90


@dataclass
class Client:
    path: str
    minor: int


@dataclass
class Test:
    name: str
    file: pathlib.Path
    client: Client
    http: Http | None


class Shell:
    """One bash that runs the commands of a test in its own folder and its own session."""

    running = set()

    def __init__(self, test, work):
        self.output = work / "output"
        tools = work / "tools"
        (work / "home").mkdir()
        tools.mkdir()
        # A script, not a link: a kubectl that looks for files beside itself finds them.
        kubectl = tools / "kubectl"
        kubectl.write_text(f'#!/bin/sh\nexec "{test.client.path}" "$@"\n')
        kubectl.chmod(0o755)
        environment = {name: os.environ[name] for name in ("PATH", "CHANDLER", "PEERS") if name in os.environ}
        environment.update(
            PATH=f"{tools}:{environment['PATH']}", HERE=str(HERE), ROOT=str(ROOT), WORK=str(work), HOME=str(work / "home"),
            TMPDIR=str(work), LC_ALL="C.UTF-8", TZ="UTC")
        if test.http is not None:
            environment.update(test.http.environment(), HTTP_NOTES=str(work / "http_notes"))
            (work / "home/.curlrc").write_text(test.http.curl_configuration())
        self.process = subprocess.Popen(
            ["bash", "--norc"], cwd=work, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        Shell.running.add(self)

    def run(self, command):
        """The exit code, or a sentence when there is none, and the output."""
        # Appended, because a command in the background may still write to it.
        self.output.write_text("")
        script = f'{{\n{command}\n}} </dev/null >>"{self.output}" 2>&1; echo "done $?"\n'
        try:
            self.process.stdin.write(script.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return "the shell has ended", ""
        answer = self._answer()
        lines = self.output.read_text(errors="replace").splitlines(keepends=True)
        output = "".join(line for line in lines if not CONFIRMATION.fullmatch(line.rstrip("\n")))
        if found := re.fullmatch(r"done (\d+)\n", answer):
            return int(found[1]), output
        return answer.strip(), output

    def _answer(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(COMMAND_SECONDS):
                return f"no end within {COMMAND_SECONDS} s"
        return self.process.stdout.readline().decode(errors="replace") or "the shell has ended"

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def close(self):
        self.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        Shell.running.discard(self)


def indented(text, mark):
    return "".join(f"    {mark} {line}\n" for line in text.splitlines())


def shortened(text, limit=40):
    lines = text.splitlines()
    return "\n".join(lines[:limit] + [f"({len(lines) - limit} more lines)"] * (len(lines) > limit))


def complaint(test, step, code, output):
    text = f"  {test.file.name}:{step.line}\n" + indented(step.command, "$")
    text += indented("\n".join(step.expected), "expected |")
    text += indented(shortened(output), "     got |")
    return text + (f"    exit code {code}, expected {step.exit_code}\n" if code != step.exit_code else "")


def remove(folder):
    """Also when a process that was just killed writes its last file."""
    deadline = time.monotonic() + 10
    while folder.exists() and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)


def http_fault(test, notes):
    fault = test.http.fault(notes.read_text().splitlines() if notes.exists() else []) if test.http else ""
    return f"  {fault}\n" if fault else ""


def perform(test):
    """What went wrong, as text, empty if nothing; and the seconds it took."""
    began = time.monotonic()
    return problems(test), time.monotonic() - began


def problems(test):
    work = pathlib.Path(tempfile.mkdtemp(prefix="chandler-e2e-"))
    report = ""
    shell = None
    try:
        steps = parse(test.file)
        if not steps:
            return "  there is no command in it\n"
        shell = Shell(test, work)
        preludes = dict.fromkeys([HERE / "prelude.sh", test.file.parent / "prelude.sh"])  # a suite's comes second
        for step in [*(Step(0, f'. "{prelude}"') for prelude in preludes), *steps, Step(0, "finish")]:
            code, output = shell.run(step.command)
            text = "".join(tidy(line) + "\n" for line in output.splitlines())
            if code != step.exit_code or not pattern(step.expected).fullmatch(text):
                report += complaint(test, step, code, output)
            if not isinstance(code, int):
                break
        else:
            report += http_fault(test, work / "http_notes")
        log = work / "server.log"
        if report and log.exists():
            report += "  the server's last lines:\n" + indented("\n".join(log.read_text().splitlines()[-15:]), "log |")
        return report
    except BadScript as problem:
        return f"  {problem}\n"
    finally:
        if shell:
            shell.close()
        remove(work)


def find_clients(paths):
    """These programs, the newest first."""
    clients = {}
    for path in filter(None, paths):
        if not os.access(path, os.X_OK):
            sys.exit(f"runner: {path} is missing; run scripts/install-deps test")
        answer = subprocess.run([path, "version", "--client", "-o", "json"], check=True, capture_output=True, text=True)
        minor = int(re.match(r"\d+", json.loads(answer.stdout)["clientVersion"]["minor"])[0])
        clients.setdefault(minor, Client(path, minor))
    return [clients[minor] for minor in sorted(clients, reverse=True)]


def with_clients(file, clients):
    """Every kubectl for "With: every kubectl"; else the newest, if it is not older than "With: kubectl 1.N or later"."""
    wish = re.search(r"^# With: (.*)$", file.read_text(), re.M)
    if wish is None:
        return clients[:1]
    if wish[1] == "every kubectl":
        return clients
    if found := re.fullmatch(r"kubectl 1\.(\d+) or later", wish[1]):
        return [client for client in clients[:1] if client.minor >= int(found[1])]
    raise BadScript(f"{file.name}: cannot make sense of \"With: {wish[1]}\"")


def has_loop_devices():
    """File systems in files can be made and mounted: the rights, the program, and a device that is free."""
    get_free = 0x4C82  # LOOP_CTL_GET_FREE of linux/loop.h
    if os.geteuid() != 0 or shutil.which("mkfs.ext4", path="/usr/sbin:/sbin") is None:
        return False
    try:
        with open("/dev/loop-control", "rb") as control:
            number = fcntl.ioctl(control, get_free)
        with open(f"/dev/loop{number}", "rb"):
            return True
    except OSError:
        return False


def what_is_missing(file):
    """"" or why the test cannot run here, for files with "Needs: ..."."""
    wish = re.search(r"^# Needs: (.*)$", file.read_text(), re.M)
    if wish is None:
        return ""
    if wish[1] == "loop devices":
        return "" if has_loop_devices() else "this machine has no loop devices, or no right to use them"
    if wish[1] == "root":
        return "" if os.geteuid() == 0 else "it is about what root sees"
    raise BadScript(f"{file.name}: cannot make sense of \"Needs: {wish[1]}\"")


def find_tests(suite, names, clients):
    tests = []
    for file in sorted(suite.glob("*.test")):
        if names and file.stem not in names:
            continue
        if missing := what_is_missing(file):
            print(f"skipped {file.stem}: {missing}")
            continue
        chosen = with_clients(file, clients)
        if not chosen:
            print(f"skipped {file.stem}: no kubectl here is new enough")
        for client in chosen:
            for http in versions(file) if suite == HERE else [None]:
                traits = ([f"kubectl 1.{client.minor}"] if len(chosen) > 1 else []) + ([http.name] if http else [])
                tests.append(Test(", ".join([file.stem, *traits]), file, client, http))
    return tests


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--suite", type=pathlib.Path, default=HERE)
    arguments.add_argument("--kubectl", action="append", help="instead of the machine's and Debian's")
    arguments.add_argument("names", nargs="*", metavar="NAME")
    given = arguments.parse_args()
    os.environ["CHANDLER"] = os.path.abspath(os.environ.get("CHANDLER", ROOT / "bin/chandler"))
    signal.signal(signal.SIGTERM, interrupt)
    try:
        clients = find_clients(given.kubectl or [shutil.which("kubectl"), str(PACKAGED_KUBECTL)])
        tests = find_tests(given.suite.resolve(), given.names, clients)
    except BadScript as problem:
        sys.exit(f"runner: {problem}")
    failed = 0
    # Half of the time a test waits for something, so there are two for each processor.
    with concurrent.futures.ThreadPoolExecutor(max_workers=2 * os.cpu_count()) as pool:
        try:
            reports = {pool.submit(perform, test): test for test in tests}
            for done in concurrent.futures.as_completed(reports):
                report, seconds = done.result()
                failed += bool(report)
                print(f"{'FAILED' if report else 'ok'} {reports[done].name} ({seconds:.1f} s)\n{report}", end="", flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for shell in list(Shell.running):
                shell.kill()
            sys.exit("runner: interrupted")
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    main()
