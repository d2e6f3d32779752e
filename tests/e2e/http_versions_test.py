"""What proves that a run spoke the version of HTTP it is named after, and which files run over which: rows with the reason."""
import pathlib
import tempfile
import unittest

from http_versions import CONFIRMATION, HTTP1, HTTP2, ONLY_HTTP1, ONLY_HTTP2, Http, versions
from script import BadScript

HERE = pathlib.Path(__file__).resolve().parent
BOTH = Http("both HTTP", HTTP2, (HTTP1, HTTP2))

# (the run, what was noted, is it proven, why)
NOTES = [
    (ONLY_HTTP2, ["0 3"], True, "HTTP/2 and nothing else"),
    (ONLY_HTTP1, ["3 0"], True, "HTTP/1.1 and nothing else"),
    (ONLY_HTTP2, ["0 3", "0 0"], True, "the second server was not asked anything"),
    (ONLY_HTTP1, ["0 3"], False, "the other version"),
    (ONLY_HTTP1, ["3 0", "3 1"], False, "one connection of the other version, at the second server"),
    (ONLY_HTTP2, ["1 3"], False, "one client did not take HTTP/2"),
    (ONLY_HTTP2, ["0 0"], False, "nobody spoke at all"),
    (ONLY_HTTP2, [], False, "no server was asked"),
    (ONLY_HTTP2, ["0 3", "unknown curl: (7) refused"], False, "one server could not be asked"),
    (BOTH, ["1 3"], True, "both, as said"),
    (BOTH, ["0 3"], False, "nobody needs HTTP/1.1 any more: the line in the file is out of date"),
]

# (name of the file, its line, versions that clients are told in its runs, why)
FILES = [
    ("objects", "", [HTTP2, HTTP1], "the foundation is tested over both"),
    ("catalog_seed", "", [], "a family, by the first word of its name"),
    ("catalogs", "", [HTTP2, HTTP1], "the whole word counts"),
    ("python", "# Over: HTTP/1.1", [HTTP1], "a client that knows one version"),
    ("backup", "# Over: each HTTP, HTTP/1.1 alone for chandler backup", [HTTP2, HTTP1], "one client knows one version"),
    ("http2", "# Over: both HTTP at once", [HTTP2], "one run over both"),
    ("catalog_seed", "# Over: HTTP/1.1", [HTTP1], "a family may wish, too"),
]


def runs_of(name, line):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / f"{name}.test"
        file.write_text(f"# A test.\n{line}\n\n$ true\n")
        return versions(file)


class HttpVersions(unittest.TestCase):
    def test_proof(self):
        for run, notes, proven, reason in NOTES:
            with self.subTest(reason):
                self.assertEqual(run.fault(notes) == "", proven)

    def test_runs_of_files(self):
        for name, line, told, reason in FILES:
            with self.subTest(reason):
                self.assertEqual([run.told for run in runs_of(name, line) if run], told)

    def test_a_line_that_makes_no_sense_is_refused(self):
        with self.assertRaises(BadScript):
            runs_of("objects", "# Over: HTTP/3")

    def test_only_the_confirmation_of_go_clients_is_left_out(self):
        self.assertTrue(CONFIRMATION.fullmatch("I1115 19:35:53.569970   23171 http.go:135] HTTP2 has been explicitly disabled"))
        self.assertFalse(CONFIRMATION.fullmatch("E1115 19:35:53.569970   23171 http.go:135] HTTP2 is broken"))

    def test_every_file_here_makes_sense(self):
        for file in HERE.glob("*.test"):
            with self.subTest(file.name):
                self.assertTrue(versions(file))


if __name__ == "__main__":
    unittest.main()
