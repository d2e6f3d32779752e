"""svcat in a real terminal (a pty): progress that rewrites its line, Ctrl-C, questions, colours.

Called by svcat_terminal.test with a running server and a scripted broker; $BROKER is the broker's address. Prints a line for each
thing that holds, and ends with an error at the first that does not.
"""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import urllib.request

SECONDS = 60
REWRITE = "\r\x1b[K"


class Terminal:
    """A command in a terminal of its own: what it prints is read, what people type is sent."""

    def __init__(self, *words, **variables):
        environment = {**os.environ, "TERM": "xterm", **variables}
        self.text = ""
        self.child, self.master = pty.fork()
        if self.child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # who started the tests may have it ignored
            os.execvpe("svcat", ["svcat", *words], environment)

    def _read(self):
        """False at the end of the program."""
        if not select.select([self.master], [], [], SECONDS)[0]:
            sys.exit(f"nothing more came within {SECONDS} s; so far: {self.text!r}")
        try:
            piece = os.read(self.master, 4096)
        except OSError:  # how Linux tells that the other side of a pty is closed
            return False
        self.text += piece.decode(errors="replace")
        return bool(piece)

    def until(self, pattern):
        deadline = time.monotonic() + SECONDS
        while not re.search(pattern, self.text):
            if not self._read() or time.monotonic() > deadline:
                sys.exit(f"{pattern!r} was not printed, but {self.text!r}")
        return self

    def type(self, keys):
        os.write(self.master, keys.encode())
        return self

    def end(self):
        """The exit code; minus the signal for a program that was ended by one."""
        while self._read():
            pass
        os.close(self.master)
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


def rules(*rows):
    request = urllib.request.Request(f"{os.environ['BROKER']}/control/rules", method="PUT",
                                     data=json.dumps({"rules": list(rows)}).encode())
    urllib.request.urlopen(request, timeout=30).close()


def check(holds, what, terminal):
    if not holds:
        sys.exit(f"does not hold: {what}\n{terminal.text!r}")
    print(f"ok {what}", flush=True)


def svcat(*words):
    return subprocess.run(["svcat", *words], capture_output=True, text=True, timeout=SECONDS, check=False).stdout


def progress():
    rules({"on": "provision", "async": {"polls": 2, "descriptions": ["half done"]}})
    terminal = Terminal("provision", "slow", "--class", "mysql", "--plan", "small", "--wait")
    code = terminal.end()
    lines = [part for part in terminal.text.split(REWRITE) if part.startswith("instance slow: ")]
    check(code == 0 and any("(half done)" in line for line in lines), "progress tells what the broker says", terminal)
    check(any(re.search(r"; next poll in \d+s \(\d+s\)", line) for line in lines), "and when it is asked again, and the time so far", terminal)
    check(all("\n" not in line for line in lines[:-1]), "on one line that is rewritten", terminal)
    check(terminal.text.rindex(REWRITE) < terminal.text.index("Name:"), "which is gone before the result", terminal)
    check("\x1b[32mReady" in terminal.text, "the state has its colour", terminal)
    plain = Terminal("describe", "instance", "slow", NO_COLOR="1")
    check(plain.end() == 0 and "\x1b[" not in plain.text, "but not with NO_COLOR", plain)


def interrupt():
    rules({"on": "provision", "async": {"polls": 1000, "descriptions": ["patience"]}})
    terminal = Terminal("provision", "endless", "--class", "mysql", "--plan", "small", "--wait")
    terminal.until(r"\(patience\)").type("\x03")
    code = terminal.end()
    check(code == 130 and "Interrupted. The operation on instance endless goes on; see how it stands: "
          "svcat describe instance endless -n default\r\n" in terminal.text, "Ctrl-C says that the operation goes on", terminal)
    check("endless" in svcat("get", "instances"), "and so it does", terminal)


def questions():
    asked = r"Deprovision instance slow of namespace default\? Its data is lost\. \[y/N\] "
    terminal = Terminal("deprovision", "slow")
    code = terminal.until(asked).type("n\r").end()
    check(code == 1 and "Nothing was done." in terminal.text and "slow" in svcat("get", "instances"), "no means no", terminal)
    terminal = Terminal("deprovision", "slow")
    code = terminal.until(asked).type("\x04").end()
    check(code == 2 and "pass --yes" in terminal.text, "the end of input is no answer", terminal)
    terminal = Terminal("deprovision", "slow")
    code = terminal.until(asked).type("\x03").end()
    check(code == -2 and "slow" in svcat("get", "instances"), "Ctrl-C at a question does nothing", terminal)
    terminal = Terminal("deprovision", "slow", "--wait")
    code = terminal.until(asked).type("yes\r").end()
    check(code == 0 and "deleted slow" in terminal.text and "slow" not in svcat("get", "instances"), "yes means yes", terminal)


def errors():
    terminal = Terminal("describe", "instance", "nobody")
    check(terminal.end() == 1 and terminal.text.startswith("\x1b[31mError:\x1b[0m "), "errors are red", terminal)


for part in (progress, interrupt, questions, errors):
    part()
