#!/usr/bin/env python3
"""Checks that no source file is too long and none has a name that says nothing."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "cmd", "tests", "bench")
LIMIT = 700
TEST_LIMIT = 1200
EMPTY_NAMES = {"util", "utils", "helper", "helpers", "common", "misc", "manager"}


def check_file(file, faults):
    name = file.relative_to(ROOT)
    is_test = file.name.endswith("_test.cc") or name.parts[0] == "tests"
    limit = TEST_LIMIT if is_test else LIMIT
    lines = len(file.read_text().splitlines())
    if lines > limit:
        faults.append(f"{name}:{limit + 1}: {lines} lines; no more than {limit}: split it")
    for part in name.with_suffix("").parts:
        if part.removesuffix("_test") in EMPTY_NAMES:
            faults.append(f"{name}:1: '{part}' says nothing; name it after what it holds")


def main():
    faults = []
    files = [f for top in FOLDERS for f in sorted((ROOT / top).rglob("*")) if f.suffix in (".h", ".cc")]
    for file in files:
        check_file(file, faults)
    if faults:
        print("\n".join(faults))
        return 1
    print(f"sizes: {len(files)} files, none above {LIMIT} lines ({TEST_LIMIT} for tests)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
