#!/usr/bin/env python3
"""Prints how much of the code that reads a fuzz target's input the corpus reaches: a row per target, lines and regions.

usage: coverage.py BUILD FOUND

BUILD is the tree of the preset fuzz-coverage. FOUND holds what exploring runs have found (FOUND/<target>/new and large);
where there is something, further columns say what it reaches beyond the corpus. Exit 1 when a target fails on an input,
or when a source that its CMake file names after READS is not part of it.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
SECONDS = 600  # for all inputs of a target


class Failure(Exception):
    pass


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                          check=False, timeout=SECONDS, **options)
    if done.returncode != 0:
        raise Failure(f"{pathlib.Path(command[0]).name} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def files_in(folders):
    return sum(1 for folder in folders for path in folder.rglob("*") if path.is_file())


def profile(program, folders, scratch):
    """Runs each input below `folders` once; the path of what has been counted."""
    raw, out = scratch / "raw", scratch / f"{len(folders)}.profdata"
    run([program, "-runs=0", "-rss_limit_mb=2048", "-timeout=60", *folders],
        env={"LLVM_PROFILE_FILE": str(raw), "PATH": "/usr/bin:/bin"}, cwd=scratch)
    run(["llvm-profdata-16", "merge", "-sparse", raw, "-o", out])
    return out


class Reached:
    def __init__(self, summaries):
        def of(what):
            return (sum(summary[what]["covered"] for summary in summaries),
                    sum(summary[what]["count"] for summary in summaries))

        self.lines, self.regions = of("lines"), of("regions")

    @staticmethod
    def text(part):
        covered, count = part
        return f"{covered}/{count} {100 * covered / count:5.1f} %"

    def columns(self):
        return [self.text(self.lines), self.text(self.regions)]


def reached(program, data, sources):
    """What was reached in `sources` together, and the name of the source of which least was."""
    report = json.loads(run(["llvm-cov-16", "export", "-summary-only", f"-instr-profile={data}", program]))
    by_name = {}
    for file in report["data"][0]["files"]:
        at = file["filename"].rfind("/src/")
        if at >= 0:
            by_name[file["filename"][at + len("/src/"):]] = file["summary"]
    missing = [source for source in sources if by_name.get(source, {}).get("lines", {}).get("count", 0) == 0]
    if missing:
        raise Failure(f"not part of the program: {', '.join('src/' + source for source in missing)}")
    least = min(sources, key=lambda source: by_name[source]["lines"]["percent"])
    return Reached([by_name[source] for source in sources]), f"{least} {by_name[least]['lines']['percent']:.0f} %"


def row(program, found):
    name = program.name.removesuffix("_fuzz")
    sources = (program.parent / f"{name}.reads").read_text().split()
    corpus = [CORPUS / name]
    if not corpus[0].is_dir():
        raise Failure(f"{corpus[0]} does not exist")
    explored = [folder for folder in (found / name / "new", found / name / "large") if folder.is_dir()]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        result, least = reached(program, profile(program, corpus, scratch), sources)
        columns = [name, str(files_in(corpus)), *result.columns(), least]
        if files_in(explored) == 0:
            return [*columns, "", "", ""]
        further, _ = reached(program, profile(program, corpus + explored, scratch), sources)
        return [*columns, str(files_in(explored)), *further.columns()]


def print_table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for cells in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, found = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    missing = [tool for tool in ("llvm-profdata-16", "llvm-cov-16") if shutil.which(tool) is None]
    if missing:
        sys.exit(f"missing: {', '.join(missing)}; install them with: scripts/install-deps test")
    programs = sorted(path for path in (build / "tests" / "fuzz").glob("*_fuzz") if path.is_file())
    if not programs:
        sys.exit(f"no fuzz target is built below {build}; build them with: "
                 "cmake --preset fuzz-coverage && cmake --build --preset fuzz-coverage")
    rows = [["target", "inputs", "lines", "regions", "least of", "found", "lines with them", "regions with them"]]
    failed = 0
    for program in programs:
        try:
            rows.append(row(program, found))
        except (Failure, subprocess.TimeoutExpired) as fault:
            failed += 1
            print(f"FAILED {program.name}: {fault}", file=sys.stderr)
    print_table(rows)
    print(f"{len(programs)} targets, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
