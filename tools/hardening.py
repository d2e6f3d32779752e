#!/usr/bin/env python3
"""Checks that built programs are hardened as cmake/Compiler.cmake says: hardening.py PROGRAM...

Reads what `readelf` of binutils prints. Each rule has a reason; all faults of all programs are reported.
"""

import re
import subprocess
import sys

# A handful would come from the start-up files of the compiler; a program of ours has tens of thousands of functions.
FEW_LANDING_PADS = 1000
LANDING_PAD = bytes.fromhex("f30f1efa")  # endbr64


def readelf(program, *options):
    return subprocess.run(["readelf", "--wide", *options, program], capture_output=True, text=True, check=True).stdout


def section(program, name):
    """The bytes of a section."""
    found = re.search(rf"\] {re.escape(name)}\s+\S+\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", readelf(program, "--sections"))
    if found is None:
        return b""
    offset, size = (int(number, 16) for number in found.groups())
    with open(program, "rb") as file:
        file.seek(offset)
        return file.read(size)


def segment_flags(headers, kind):
    """The flags of the segments of a kind, such as ["RW"]; GNU_STACK without E is data only."""
    lines = [line.split() for line in headers.splitlines() if line.split()[:1] == [kind]]
    return ["".join(word for word in words[6:-1]) for words in lines]


def faults_of(program):
    headers = readelf(program, "--file-header", "--segments")
    dynamic = readelf(program, "--dynamic")
    symbols = readelf(program, "--dyn-syms")
    imported = set(re.findall(r"\bUND (\w+)", symbols))
    if not re.search(r"Type:\s+DYN \(Position-Independent Executable", headers):
        yield "is loaded at a fixed address; -fPIE and -pie are missing"
    if not segment_flags(headers, "GNU_RELRO"):
        yield "leaves its relocations writable; -z relro is missing"
    if not re.search(r"\((?:FLAGS|FLAGS_1)\).*\b(?:BIND_NOW|NOW)\b", dynamic):
        yield "resolves functions when they are first called, so their table stays writable; -z now is missing"
    stack = segment_flags(headers, "GNU_STACK")
    if len(stack) != 1 or "E" in stack[0]:
        yield f"has an executable stack (GNU_STACK: {stack or 'absent'}); -z noexecstack is missing"
    if any({"W", "E"} <= set(flags) for flags in segment_flags(headers, "LOAD")):
        yield "has a segment that is writable and executable"
    if "(TEXTREL)" in dynamic:
        yield "has relocations in its code, which must be writable for them"
    if "__stack_chk_fail" not in imported:
        yield "does not check for overwritten return addresses; -fstack-protector-strong is missing"
    checked = {name for name in imported if re.fullmatch(r"__\w+_chk", name)} - {"__stack_chk_fail"}
    if not checked:
        yield "imports none of the checked functions (such as __memcpy_chk); _FORTIFY_SOURCE is missing, or -O is"
    pads = section(program, ".text").count(LANDING_PAD)
    if pads < FEW_LANDING_PADS:
        yield f"has {pads} landing pads for indirect calls; -fcf-protection is missing"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    faults = [f"{program}: {fault}" for program in sys.argv[1:] for fault in faults_of(program)]
    if faults:
        print("\n".join(faults))
        return 1
    print(f"hardening: {len(sys.argv) - 1} programs checked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
