#!/usr/bin/env python3
"""Which source files may be compiled together in one unit: unity_groups.py LIMIT FILE...

Two files cannot share a unit when a name that one keeps to itself (in an unnamed namespace, static, or a macro) is used
in the other: it would be defined twice or mean something else. So nobody has to think of other files' private names.
What stands behind a dot, an arrow or a :: is somebody else's, but to macros.
A name that a file only borrows (using a::b;) may be borrowed by others too. Prints one line per file, "group;file"; a
group holds at most LIMIT of them. Those that get on with few come first, so that they find each other.
"""
import functools
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER_FOLDERS = [os.path.join(ROOT, folder) for folder in ("src", "tests")]

# Comments, strings and character literals say nothing about names.
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'', re.S)
NAME = r"[A-Za-z_]\w*"
MACRO = re.compile(rf"^[ \t]*#[ \t]*define[ \t]+({NAME})", re.M)
STATIC_FUNCTION = re.compile(rf"^static\b[^;{{(=]*?({NAME})\s*[(=;{{]", re.M)
UNNAMED = re.compile(r"\bnamespace\s*\{")
DECLARED = re.compile(rf"\b({NAME})\s*(?:[(={{;\[]|:(?!:)|final\b)")
BASES = re.compile(rf"\b((?:class|struct)\s+{NAME}(?:\s+final)?)\s*:(?!:)[^{{;]*\{{")
BORROWED = re.compile(rf"\busing\s+(?:::)?((?:{NAME}::)+({NAME}))\s*;")
NAMESPACE_ALIAS = re.compile(rf"\bnamespace\s+(?P<name>{NAME})\s*=\s*(?:::)?(?P<target>[\w:]+)\s*;")
USING_NAMESPACE = re.compile(r"\busing\s+namespace\s+[\w:]+\s*;")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
WORD = re.compile(NAME)
USED = re.compile(rf"(?<![.\w:])(?<!->)({NAME})")
WORDS = set(
    """alignas auto bool break case catch char class const constexpr continue decltype default delete do double else enum
    explicit extern false float for friend if inline int long mutable namespace new noexcept nullptr operator private
    protected public return short signed sizeof static static_assert struct switch template this throw true try typedef
    typename union unsigned using virtual void volatile while int64_t uint64_t size_t uint8_t uint32_t int32_t override
    TEST TEST_F TEST_P TYPED_TEST INSTANTIATE_TEST_SUITE_P std optional vector string string_view map set function pair
    Value Object Array Result Status Step EXPECT_EQ ASSERT_TRUE""".split())


def outer_text(code, begin):
    """What stands directly in the braces that open before `begin`, with everything nested left out."""
    depth, kept = 1, []
    for i in range(begin, len(code)):
        c = code[i]
        if c == "}":
            depth -= 1
            if depth == 0:
                break
            if depth == 1:
                kept.append(";")
        elif depth == 1:
            kept.append(c)
        if c == "{":
            depth += 1
    return "".join(kept)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def names_in_header(name):
    """What a header of ours uses, and all its words, for it is read after the private names of the files before. Suites
    of tests are headers full of code that include each other; others that headers include say little beyond their
    declarations."""
    for folder in HEADER_FOLDERS:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            text = text_of(path)
            suites = [names_in_header(other) for other in INCLUDE.findall(text) if other.startswith("conformance/")]
            code = NOISE.sub('""', text)
            return (set(USED.findall(code)).union(*(used for used, _ in suites)),
                    set(WORD.findall(code)).union(*(words for _, words in suites)))
    return set(), set()


class File:
    """What a file calls its own, what it borrows (name to what it stands for), and all that it mentions."""

    def __init__(self, path):
        text = text_of(path)
        code = NOISE.sub('""', text)
        self.path = path
        self.macros = set(MACRO.findall(code))
        self.own = self.macros | set(STATIC_FUNCTION.findall(code))
        self.borrowed = {}
        for match in UNNAMED.finditer(code):
            self.read_private(outer_text(code, match.end()))
        self.own -= WORDS
        self.words = set(WORD.findall(code))
        self.used = set(USED.findall(code))
        for name in INCLUDE.findall(text):
            used, words = names_in_header(name)
            self.used |= used
            self.words |= words

    def read_private(self, code):
        for target, name in BORROWED.findall(code):
            self.borrowed[name] = target
        for match in NAMESPACE_ALIAS.finditer(code):
            self.borrowed[match["name"]] = match["target"]
        for borrows in (BORROWED, NAMESPACE_ALIAS, USING_NAMESPACE):
            code = borrows.sub("", code)
        self.own |= set(DECLARED.findall(BASES.sub(r"\1 {", code)))

    def clashes_with(self, other):
        if self.macros & other.words or other.macros & self.words:
            return True
        if self.own & other.used or other.own & self.used:
            return True
        if self.own & other.borrowed.keys() or other.own & self.borrowed.keys():
            return True
        return any(other.borrowed.get(name, target) != target for name, target in self.borrowed.items())


def grouped(paths, limit):
    files = [File(path) for path in paths]
    clashes = {file: sum(file.clashes_with(other) for other in files if other is not file) for file in files}
    groups = []
    for file in sorted(files, key=lambda file: -clashes[file]):
        for group in groups:
            if len(group) < limit and not any(file.clashes_with(other) for other in group):
                group.append(file)
                break
        else:
            groups.append([file])
    return [[file.path for file in group] for group in groups]


def main():
    limit, paths = int(sys.argv[1]), sys.argv[2:]
    for number, group in enumerate(grouped(paths, limit)):
        for path in group:
            print(f"{number};{path}")


if __name__ == "__main__":
    main()
