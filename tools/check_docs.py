#!/usr/bin/env python3
"""Checks that the documents speak of files that exist, and that every module has a short README.

Looked at: *.md at the top (but CHANGELOG.md, which tells of the past), docs/**/*.md and every README.md. A word in
backticks is taken for a path of the repository when it
- begins with a top-level folder of the repository and a slash: `src/base/result.h`, or
- is a source file below a module, as in an #include: `base/result.h`, or
- is a document at the top: `ARCHITECTURE.md`, or, in a README.md, a source file beside it: `result.h`.
A `*` may match anything; paths with other placeholders (<name>, {a,b}, …) are not looked at. Links to files are checked
as well. Blocks between fences are examples and not looked at.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_OURS = {".git", "build", "bin", "data", "node_modules"}  # made by tools, not kept in the repository
SOURCE = (".h", ".cc")
README_LIMIT = 40

CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"[\w.*-]+(/[\w.*-]+)*/?")


def documents():
    found = set(ROOT.glob("*.md")) | set((ROOT / "docs").rglob("*.md"))
    for folder in top_folders():
        found |= set((ROOT / folder).rglob("README.md"))
    found.discard(ROOT / "CHANGELOG.md")
    return sorted(f for f in found if not NOT_OURS & set(f.relative_to(ROOT).parts))


def top_folders():
    return {p.name for p in ROOT.iterdir() if p.is_dir() and p.name not in NOT_OURS}


def exists(folder, path):
    return any(folder.glob(path)) if "*" in path else (folder / path).exists()


def is_missing(word, document):
    """Whether `word` is a path of the repository that leads nowhere."""
    word = re.sub(r":\d+$", "", word)
    if not PATH.fullmatch(word) or word in SOURCE + (".md",):  # an extension alone is no file
        return False
    first, slash, _ = word.partition("/")
    if slash and first in top_folders():
        return not exists(ROOT, word)
    if slash and word.endswith(SOURCE) and (ROOT / "src" / first).is_dir():
        return not exists(ROOT / "src", word)
    if not slash and word.endswith(".md"):
        return not exists(ROOT, word) and not exists(document.parent, word)
    if not slash and word.endswith(SOURCE) and document.name == "README.md" and document.parent != ROOT:
        return not exists(document.parent, word) and not any(document.parent.rglob(word))
    return False


def check_document(document, faults):
    name = document.relative_to(ROOT)
    fenced = False
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if fenced:
            continue
        for word in CODE.findall(line):
            if is_missing(word.strip(), document):
                faults.append(f"{name}:{number}: `{word}` does not exist")
        for target in LINK.findall(CODE.sub("", line)):
            path = target.partition("#")[0]
            if path and "://" not in path and not path.startswith("mailto:") and not (document.parent / path).exists():
                faults.append(f"{name}:{number}: the link to {target} leads nowhere")


def check_module_readmes(faults):
    modules = [m for m in sorted((ROOT / "src").iterdir()) if m.is_dir() and any(m.rglob("*.cc"))]
    for module in modules:
        readme = module / "README.md"
        name = readme.relative_to(ROOT)
        if not readme.exists():
            faults.append(f"{name}: missing; say what the module is for and what to read first")
            continue
        lines = len(readme.read_text().splitlines())
        if lines >= README_LIMIT:
            faults.append(f"{name}: {lines} lines; keep it under {README_LIMIT}")
    return modules


def main():
    faults = []
    found = documents()
    for document in found:
        check_document(document, faults)
    modules = check_module_readmes(faults)
    if faults:
        print("\n".join(faults))
        return 1
    print(f"docs: {len(found)} documents, {len(modules)} modules: every path exists")
    return 0


if __name__ == "__main__":
    sys.exit(main())
