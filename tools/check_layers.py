#!/usr/bin/env python3
"""Checks that every #include "module/..." below src/ and cmd/ is allowed by tools/layers.txt.

Tests (x_test.cc, and x_fixture.h that they share) may besides include what lies below tests/: fakes, suites that several modules run.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = ROOT / "tools" / "layers.txt"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+/[^"]+)"')


def read_rules(faults):
    rules = {}
    for number, line in enumerate(RULES.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        module, colon, allowed = line.partition(":")
        if not colon or module in rules:
            faults.append(f"tools/layers.txt:{number}: not a new 'module: allowed modules'")
            continue
        rules[module] = set(allowed.split())
    for module, allowed in rules.items():
        for other in sorted(allowed - rules.keys() - {"*"}):
            faults.append(f"tools/layers.txt: {module} may include {other}, which has no line of its own")
    return rules


def module_of(path, rules):
    """The longest declared module that `path` (a/b/file.h) lies in, or None."""
    folders = path.split("/")[:-1]
    for length in range(len(folders), 0, -1):
        name = "/".join(folders[:length])
        if name in rules:
            return name
    return None


def check_file(file, rules, faults):
    relative = file.relative_to(ROOT).as_posix()
    module = module_of(relative.removeprefix("src/"), rules)
    if module is None:
        faults.append(f"{relative}:1: its module has no line in tools/layers.txt")
        return
    allowed = rules[module] | {module}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = match.group(1)
        if file.name.endswith(("_test.cc", "_fixture.h")) and (ROOT / "tests" / included).exists():
            continue
        target = module_of(included, rules)
        if target is None:
            faults.append(f'{relative}:{number}: "{included}" is in no module; libraries are included with <>')
        elif target not in allowed and "*" not in allowed:
            faults.append(f'{relative}:{number}: {module} may not include {target} ("{included}")')


def main():
    faults = []
    rules = read_rules(faults)
    files = [f for top in ("src", "cmd") for f in sorted((ROOT / top).rglob("*")) if f.suffix in (".h", ".cc")]
    for file in files:
        check_file(file, rules, faults)
    if faults:
        print("\n".join(faults))
        return 1
    print(f"layers: {len(files)} files keep to tools/layers.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
