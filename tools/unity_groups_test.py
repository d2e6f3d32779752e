#!/usr/bin/env python3
"""Which files may share a unit: a table of pairs with the reason."""
import os
import tempfile
import unittest

import unity_groups

PRIVATE = "namespace a {{\nnamespace {{\n{}\n}}\n}}\n"

# (one file, the other, may they share a unit, why)
ROWS = [
    (PRIVATE.format("int f() { return 1; }"), "int g();", True, "nothing in common"),
    (PRIVATE.format("int f() { return 1; }"), PRIVATE.format("int f() { return 2; }"), False, "two functions"),
    (PRIVATE.format("struct Row { int x; };"), PRIVATE.format("struct Row { int y; };"), False, "two types"),
    (PRIVATE.format("class Row final : B {};"), "Row make();", False, "a private type hides a shared one"),
    (PRIVATE.format("constexpr int kMany = 1;"), "int x = kMany;", False, "a private constant hides a shared one"),
    (PRIVATE.format("using Kind = int;"), PRIVATE.format("using Kind = long;"), False, "two aliases"),
    (PRIVATE.format("int f() { int inner = 1; return inner; }"), "int inner;", True, "a local name is nobody's business"),
    (PRIVATE.format("int f();"), "int g() { return x.f(); }", True, "a member of the same name"),
    (PRIVATE.format("int f();"), "int g() { return p->f(); }", True, "the same behind a pointer"),
    (PRIVATE.format("int f();"), "// f() is meant\nauto s = \"f()\";", True, "comments and strings name nothing"),
    (PRIVATE.format("int f();"), 'auto s = R"(f())"; int h();', True, "nor do raw strings"),
    (PRIVATE.format("int f();"), "int g() { return b::f(); }", True, "the same of another namespace"),
    ("#define LIMIT 1\n", "int x = LIMIT;", False, "a macro reaches the next file"),
    ("#define LIMIT 1\n", "int x = b::LIMIT;", False, "and knows no namespaces"),
    ("static int f() { return 1; }\n", "int f(int);", False, "static is private too"),
    (PRIVATE.format("std::map<int, json::Value> m();"), "json::Value v;", True, "the name before :: is not declared"),
    (PRIVATE.format("class Story : public testing::Test {};"), PRIVATE.format("class Tale : public testing::Test {};"), True,
     "a base is not declared"),
    (PRIVATE.format("using testing::Not;"), PRIVATE.format("using ::testing::Not;"), True, "borrowed by both"),
    (PRIVATE.format("using testing::Not;"), "bool x = Not(y);", True, "who borrows takes nothing away"),
    (PRIVATE.format("using testing::Not;"), PRIVATE.format("using cel::Not;"), False, "borrowed from different lenders"),
    (PRIVATE.format("using testing::Not;"), PRIVATE.format("struct Not {};"), False, "borrowed here, made there"),
    (PRIVATE.format("namespace fs = std::filesystem;"), PRIVATE.format("namespace fs = std::filesystem;"), True,
     "a short name for the same"),
    (PRIVATE.format("namespace fs = std::filesystem;"), PRIVATE.format("namespace fs = boost;"), False,
     "a short name for another"),
]


class UnityGroups(unittest.TestCase):
    def groups(self, *texts, limit=8):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, text in enumerate(texts):
                paths.append(os.path.join(folder, f"{number}.cc"))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write(text)
            return [[paths.index(path) for path in group] for group in unity_groups.grouped(paths, limit)]

    def test_pairs(self):
        for one, other, together, why in ROWS:
            for texts in ((one, other), (other, one)):
                self.assertEqual(len(self.groups(*texts)) == 1, together, why)

    def test_headers_count_for_who_includes_them(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "limits_of_test.h"), "w", encoding="utf-8") as file:
                file.write("inline void f() { int kThreads = 1; }")
            unity_groups.HEADER_FOLDERS, before = [folder], unity_groups.HEADER_FOLDERS
            try:
                private = PRIVATE.format("constexpr int kThreads = 8;")
                self.assertEqual(self.groups(private, '#include "limits_of_test.h"\n'), [[0], [1]])
                self.assertEqual(self.groups(private, '#include "another.h"\n'), [[0, 1]])
            finally:
                unity_groups.HEADER_FOLDERS = before

    def test_a_group_is_bounded(self):
        self.assertEqual(self.groups("", "", "", "", "", limit=2), [[0, 1], [2, 3], [4]])

    def test_those_that_clash_most_come_first(self):
        f, g = PRIVATE.format("int f();"), PRIVATE.format("int g();")
        self.assertEqual(self.groups(f, f, g), [[0, 2], [1]])
        self.assertEqual(self.groups("int h();", f, f), [[1, 0], [2]])


if __name__ == "__main__":
    unittest.main()
