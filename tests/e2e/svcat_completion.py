"""Completion as people use it: interactive bash, zsh and fish in a pty, a line half typed, the Tab key.

Called by svcat_completion.test with a running server, in an empty folder. After Tab an X is typed, which shows whether a blank was
added; then the line becomes the arguments of a script that notes them, because what shells draw while they edit is hard to read.
Prints a line for each shell in which everything is completed as it should be.
"""

import os
import pathlib
import pty
import select
import shutil
import sys
import time

SECONDS = 60
READY = "ready-for-more:"
NOTED = pathlib.Path("noted")
# How each shell is started and told to complete. The prompt is put together, so that its echo is not taken for it.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "dumb",
             ["source <(svcat completion bash)", "bind 'set bell-style none'", "PS1=ready-for'-more:'"]),
    "zsh": (["zsh", "-f", "-i"], "dumb",
            ["autoload -U compinit; compinit -u -D", "source <(svcat completion zsh)", "unsetopt zle_bracketed_paste; unsetopt beep",
             "PROMPT=ready-for'-more:'"]),
    "fish": (["fish", "--no-config", "-i"], "xterm",
             ["svcat completion fish | source", "function fish_prompt; echo ready-for'-more:'; end"]),
}
# What is typed, and the words that come of it.
CASES = [
    ("svcat desc", ["svcat", "describe", "X"]),
    ("svcat get ins", ["svcat", "get", "instances", "X"]),
    ("svcat describe instance my", ["svcat", "describe", "instance", "mydb", "X"]),
    ("svcat -n default describe instance my", ["svcat", "-n", "default", "describe", "instance", "mydb", "X"]),
    ("svcat provision other --type shop-my", ["svcat", "provision", "other", "--type", "shop-mysql", "X"]),
    ("svcat provision other --type=shop-my", ["svcat", "provision", "other", "--type=shop-mysql", "X"]),
    ("svcat describe plan mysql/sm", ["svcat", "describe", "plan", "mysql/small", "X"]),
    ("svcat get plans -o cust", ["svcat", "get", "plans", "-o", "custom-columns=X"]),
    ("svcat --kubeconfig only-", ["svcat", "--kubeconfig", "only-file.yaml", "X"]),
]


class Terminal:
    def __init__(self, name, words, kind):
        self.name, self.text = name, ""
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.execvpe(words[0], words, {**os.environ, "TERM": kind})

    def until(self, happened, what):
        deadline = time.monotonic() + SECONDS
        while not happened():
            if time.monotonic() > deadline:
                sys.exit(f"{self.name}: {what} did not come within {SECONDS} s, but {self.text!r}")
            if select.select([self.master], [], [], 0.05)[0]:
                self.text += os.read(self.master, 4096).decode(errors="replace")

    def until_ready(self):
        self.until(lambda: READY in self.text, "the prompt")
        self.text = ""

    def type(self, keys):
        os.write(self.master, keys.encode())

    def close(self):
        self.type("\x15exit\r")
        os.close(self.master)
        os.waitpid(self.child, 0)


def try_shell(name):
    words, kind, setup = SHELLS[name]
    terminal = Terminal(name, words, kind)
    for line in setup:
        terminal.type(line + "\r")
    terminal.until_ready()
    for typed, expected in CASES:
        NOTED.unlink(missing_ok=True)
        terminal.type(f"{typed}\tX\x01./note \r")  # Ctrl-A goes to the beginning of the line
        terminal.until(NOTED.exists, typed)
        got = NOTED.read_text().splitlines()
        if got != expected:
            sys.exit(f"{name}: {typed!r} and Tab gave {got}, not {expected}")
        terminal.until_ready()
    terminal.close()
    print(f"ok {name}", flush=True)


pathlib.Path("only-file.yaml").touch()
pathlib.Path("note").write_text("#!/bin/sh\nprintf '%s\\n' \"$@\" >noted.new && mv noted.new noted\n")
pathlib.Path("note").chmod(0o755)
for shell in SHELLS:
    if shutil.which(shell):
        try_shell(shell)
    else:
        sys.exit(f"{shell} is missing; run scripts/install-deps test")
