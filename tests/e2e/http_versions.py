"""Over which version of HTTP a test runs, how its clients are told, and how the server's own count proves it.

The server always offers both versions. Go programs (kubectl) and curl take HTTP/2 unless they are told otherwise, and both
are told by the runner: a test of the foundation runs once per version, and its name in the report says which. The files of
the FAMILIES, which are about what the API is used for, run once, over whatever their clients take. A line in a file says
what else holds for it:

    # Over: HTTP/1.1                              its clients know no other version
    # Over: each HTTP, HTTP/1.1 alone for X       once per version, but X among its clients knows no other
    # Over: both HTTP at once                     it chooses the version of each request by itself

Before a server is stopped, prelude.sh notes how many connections of each version it has had. A run fails when a version was
used that it should not have used, and when one was not used that it should have.
"""

import re
from dataclasses import dataclass

from script import BadScript

HTTP1, HTTP2 = "HTTP/1.1", "HTTP/2"
FAMILIES = ("catalog", "claims", "console", "databases", "quickstart", "storage", "svcat", "upgrade", "usage")
# What Go clients say on standard error when they are told so.
CONFIRMATION = re.compile(r"I\d{4} [\d:.]+ +\d+ http\.go:\d+\] HTTP2 has been explicitly disabled")


@dataclass(frozen=True)
class Http:
    """What one run speaks: the version that clients are told to take, and all that the server must have seen."""

    name: str
    told: str
    seen: tuple

    def environment(self):
        return {"DISABLE_HTTP2": "yes"} if self.told == HTTP1 else {}

    def curl_configuration(self):
        return "http1.1\n" if self.told == HTTP1 else "http2\n"

    def fault(self, notes):
        """Why `notes`, a line "HTTP/1.1-CONNECTIONS HTTP/2-CONNECTIONS" per server, do not prove it; "" if they do."""
        if not notes:
            return "no server noted which versions of HTTP were spoken; stop it with stop_server or kill_server"
        total = {HTTP1: 0, HTTP2: 0}
        for note in notes:
            if not (found := re.fullmatch(r"(\d+) (\d+)", note)):
                return f"the versions of HTTP that a server has spoken could not be read: {note}"
            total[HTTP1] += int(found[1])
            total[HTTP2] += int(found[2])
        wrong = [version for version, count in total.items() if (count > 0) != (version in self.seen)]
        if not wrong:
            return ""
        counted = ", ".join(f"{count} of {version}" for version, count in total.items())
        return f"the run is over {self.name}, but its clients made these connections: {counted}"


ONLY_HTTP1 = Http(HTTP1, HTTP1, (HTTP1,))
ONLY_HTTP2 = Http(HTTP2, HTTP2, (HTTP2,))


def versions(file):
    """The runs of a test file; None stands for one that nobody told anything and whose versions are not checked."""
    wish = re.search(r"^# Over: (.*)$", file.read_text(), re.M)
    if wish is None:
        return [None] if file.stem.split("_")[0] in FAMILIES else [ONLY_HTTP2, ONLY_HTTP1]
    if wish[1] == HTTP1:
        return [ONLY_HTTP1]
    if wish[1] == "both HTTP at once":
        return [Http("both HTTP", HTTP2, (HTTP1, HTTP2))]
    if re.fullmatch(r"each HTTP, HTTP/1\.1 alone for .+", wish[1]):
        return [Http(HTTP2, HTTP2, (HTTP1, HTTP2)), ONLY_HTTP1]
    raise BadScript(f"{file.name}: cannot make sense of \"Over: {wish[1]}\"")
