#!/usr/bin/env python3
"""Which source files may be compiled together in one unit: unity_groups.py LIMIT FILE...

Two files cannot share a unit when a name that one keeps to itself (in an unnamed namespace, static, or a macro) is used
in the other: it would be defined twice or mean something else. So nobody has to think of other files' private names.
Prints one line per file, "group;file". Files stay in the order given, and a group holds at most LIMIT of them.
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
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
USED = re.compile(rf"(?<![.\w])(?<!->)({NAME})")
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
    """What a header of ours says, for it is read after the private names of the files before."""
    for folder in HEADER_FOLDERS:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return set(USED.findall(NOISE.sub('""', text_of(path))))
    return set()


def read(path):
    text = text_of(path)
    code = NOISE.sub('""', text)
    own = set(MACRO.findall(code)) | set(STATIC_FUNCTION.findall(code))
    for match in UNNAMED.finditer(code):
        own |= set(DECLARED.findall(outer_text(code, match.end())))
    used = set(USED.findall(code))
    for name in INCLUDE.findall(text):
        used |= names_in_header(name)
    return own - WORDS, used


def grouped(paths, limit):
    groups = []  # of (paths, own names, used names)
    for path in paths:
        own, used = read(path)
        for group in groups:
            if len(group[0]) < limit and not (own & group[2]) and not (used & group[1]):
                break
        else:
            group = ([], set(), set())
            groups.append(group)
        group[0].append(path)
        group[1].update(own)
        group[2].update(used)
    return [group[0] for group in groups]


def main():
    limit, paths = int(sys.argv[1]), sys.argv[2:]
    for number, group in enumerate(grouped(paths, limit)):
        for path in group:
            print(f"{number};{path}")


if __name__ == "__main__":
    main()
