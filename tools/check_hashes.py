#!/usr/bin/env python3
"""Checks that no hash table or hash in src uses std::hash of texts: clients can compute it (src/base/text_hash.h)."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STANDARD_HASH = re.compile(
    r"\b(?:std|boost)::hash<std::string|\bunordered_(?:\w+_)?(?:map|set)<std::string(?:_view)?\b(?!.*TextHash)")


def main():
    faults = []
    files = [f for f in sorted((ROOT / "src").rglob("*"))
             if f.suffix in (".h", ".cc") and not f.stem.endswith(("_test", "_fixture"))]
    for file in files:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if STANDARD_HASH.search(line):
                faults.append(f"{file.relative_to(ROOT)}:{number}: a client can choose texts of one std::hash; use a "
                              "map, a set or TextHash (base/text_hash.h)")
    if faults:
        print("\n".join(faults))
        return 1
    print(f"hashes: {len(files)} files, no std::hash of texts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
