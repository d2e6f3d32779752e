"""The format of .test files: shell commands as a person would type them, each followed by what it prints.

    # Purpose of the file. A line "# With: ..." says which clients run it, see with_clients() in runner.py; a line
    # "# Over: ..." over which version of HTTP, see http_versions.py; , on a machine without.

    $ kubectl get configmap shop -o name        a command; below it the expected output, both streams together
    configmap/shop
    $ kubectl apply -f - <<END                  lines that go on with a command begin with "> "
    > kind: ConfigMap
    > END
    ...                                         any number of lines
    $ kubectl get configmap gone
    Error from server (NotFound): ...           within a line: anything
    ? 1                                         the exit code, if it is not 0

<age>, <number>, <uid> and <word> stand for one such word. Several blanks within a line count as two, so the width of a
column does not matter. Empty lines and lines that begin with # separate commands; where a command prints such a line,
"..." stands for it.
"""

import re
from dataclasses import dataclass, field

WILDCARDS = {
    "...": r".*",
    "<age>": r"(?:\d+[smhdy])+",
    "<number>": r"\d+",
    "<uid>": r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    "<word>": r"\S+",
}
WILDCARD = re.compile("|".join(re.escape(name) for name in WILDCARDS))


@dataclass
class Step:
    line: int
    command: str
    expected: list = field(default_factory=list)
    exit_code: int = 0


class BadScript(Exception):
    pass


def parse(file):
    """The steps of a .test file."""
    steps = []
    open_step = None
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if line.startswith("$ "):
            open_step = Step(number, line[2:])
            steps.append(open_step)
        elif line.startswith("> ") or line == ">":
            if open_step is None or open_step.expected:
                raise BadScript(f"{file.name}:{number}: nothing to go on with")
            open_step.command += "\n" + line[2:]
        elif not line or line.startswith("#"):
            open_step = None
        elif open_step is None:
            raise BadScript(f"{file.name}:{number}: output without a command")
        elif re.fullmatch(r"\? \d+", line):
            open_step.exit_code = int(line[2:])
            open_step = None
        else:
            open_step.expected.append(line)
    return steps


def tidy(line):
    return re.sub(r"(?<=\S) {2,}", "  ", line.rstrip())


def pattern(expected):
    """A regular expression for the whole output."""
    parts = []
    for line in map(tidy, expected):
        if line == "...":
            parts.append(r"(?:.*\n)*?")
            continue
        end = 0
        for found in WILDCARD.finditer(line):
            parts.append(re.escape(line[end : found.start()]) + WILDCARDS[found.group()])
            end = found.end()
        parts.append(re.escape(line[end:]) + r"\n")
    return re.compile("".join(parts))
