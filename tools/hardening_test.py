#!/usr/bin/env python3
"""Tests hardening.py: a program without one of the flags fails for that reason, and for no other."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import hardening  # noqa: E402, after the path to it is known

PROGRAM = r"""
#include <cstring>
#include <cstdio>
int main(int count, char** words) {
  char copy[20];
  std::strcpy(copy, words[count - 1]);
  return std::puts(copy);
}
"""
HARDENED = ["-fPIE", "-pie", "-fstack-protector-strong", "-fcf-protection=full", "-D_FORTIFY_SOURCE=3", "-Wl,-z,relro",
            "-Wl,-z,now", "-Wl,-z,noexecstack"]
ROWS = [  # the flag, what takes its place, the beginning of the fault
    ("-pie", ["-no-pie"], "is loaded at a fixed address"),
    ("-Wl,-z,relro", ["-Wl,-z,norelro"], "leaves its relocations writable"),
    ("-Wl,-z,now", ["-Wl,-z,lazy"], "resolves functions when they are first called"),
    ("-Wl,-z,noexecstack", ["-Wl,-z,execstack"], "has an executable stack"),
    ("-fstack-protector-strong", ["-fno-stack-protector"], "does not check for overwritten return addresses"),
    ("-D_FORTIFY_SOURCE=3", [], "imports none of the checked functions"),
    ("-fcf-protection=full", ["-fcf-protection=none"], "has 2 landing pads"),
]


class Hardening(unittest.TestCase):
    def faults(self, flags):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "program.cc")
            source.write_text(PROGRAM)
            program = pathlib.Path(folder, "program")
            subprocess.run(["clang++-16", "-O2", "-fuse-ld=lld-16", *flags, source, "-o", program], check=True)
            return list(hardening.faults_of(str(program)))

    def setUp(self):
        self.few, hardening.FEW_LANDING_PADS = hardening.FEW_LANDING_PADS, 3  # two are in start-up files

    def tearDown(self):
        hardening.FEW_LANDING_PADS = self.few

    def test_a_hardened_program_passes(self):
        self.assertEqual(self.faults(HARDENED), [])

    def test_each_flag_is_missed(self):
        for flag, instead, fault in ROWS:
            with self.subTest(flag=flag):
                found = self.faults([word for word in HARDENED if word != flag] + instead)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(fault), found[0])


if __name__ == "__main__":
    unittest.main()
