"""What must be true after any crash, kept from the outside: every write with its answer, and what became of it.

Each name is written by one thread only, so its history is a line. A write whose answer never came is pending: it is
there or it is not, and after the restart, looking tells which. From then on the history is known again.
"""
import base64
import hashlib
import json
import threading

from server import SECRET_MARK

LABEL = "suite=kill"
GROUP = "robustness.example.com"


class Kind:
    """How objects of one kind are written, and which part of them is ours."""

    def __init__(self, plural, prefix, api_version, name, field):
        self.plural, self.api_version, self.name, self.field = plural, api_version, name, field
        self.path = f"{prefix}/namespaces/default/{plural}"

    def selected(self, query=""):
        return f"{self.path}?labelSelector={LABEL.replace('=', '%3D')}{query}"

    def build(self, name, text, metadata=None):
        labels = dict([LABEL.split("=")])
        return {"apiVersion": self.api_version, "kind": self.name,
                "metadata": {"name": name, "labels": labels} | (metadata or {}), self.field: self.content(text)}

    def content(self, text):
        if self.plural == "secrets":
            return {"text": base64.b64encode((SECRET_MARK + text).encode()).decode()}
        return {"text": text}

    def digest_of(self, item):
        return hashlib.sha256(json.dumps(item.get(self.field), sort_keys=True).encode()).hexdigest()[:16]

    def digest(self, text):
        return self.digest_of({self.field: self.content(text)})


KINDS = [
    Kind("configmaps", "/api/v1", "v1", "ConfigMap", "data"),
    Kind("secrets", "/api/v1", "v1", "Secret", "data"),
    Kind("notes", f"/apis/{GROUP}/v1", f"{GROUP}/v1", "Note", "spec"),
]

NOTES = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"notes.{GROUP}"},
    "spec": {
        "group": GROUP, "scope": "Namespaced",
        "names": {"plural": "notes", "singular": "note", "kind": "Note", "listKind": "NoteList"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": {"type": "object", "properties": {"text": {"type": "string"}}}}}}}],
    },
}


def revision_of(item):
    return int(item["metadata"]["resourceVersion"])


class Pending:
    """A write under way. digest None: a delete."""

    def __init__(self, digest, floor):
        self.digest, self.floor = digest, floor


class Line:
    """The history of one name: (type, digest, revision) as a watch would tell it; a delete's revision is not told."""

    def __init__(self):
        self.events = []
        self.pending = None
        self.uid = None

    def live(self):
        return bool(self.events) and self.events[-1][0] != "DELETED"

    def last(self):
        """Digest and revision of the state, if it is there."""
        return self.events[-1][1:] if self.live() else (None, None)

    def settle(self, digest, revision, uid):
        """The pending write has happened."""
        if digest is None:
            self.events.append(("DELETED", self.events[-1][1], None))
        else:
            self.events.append(("MODIFIED" if self.live() else "ADDED", digest, revision))
            self.uid = uid
        self.pending = None


class Model:
    """All lines, and the revisions seen so far. Lines are each written by one thread; the rest is thread-safe."""

    def __init__(self, faults):
        self.faults = faults
        self.lock = threading.Lock()
        self.lines = {kind: {} for kind in KINDS}
        self.newest = 0        # highest revision that anyone was told
        self.given = {}        # revision: what it was given to, by an answer to a write
        self.acknowledged = 0

    def line(self, kind, name):
        with self.lock:
            return self.lines[kind].setdefault(name, Line())

    def saw(self, revision):
        with self.lock:
            self.newest = max(self.newest, revision)

    def acknowledge(self, what, revision, floor):
        """A write was answered with this revision; `floor` is the highest that was known when it was sent."""
        with self.lock:
            self.acknowledged += 1
            if revision is None:
                return
            other = self.given.setdefault(revision, what)
            self.newest = max(self.newest, revision)
        self.faults.check(other == what, f"revision {revision} was given twice: to {other} and {what}")
        self.faults.check(revision > floor, f"{what}: revision {revision} is not above {floor}, known before")

    def compare(self, kind, name, item):
        """An object as it is after a restart (None: it is not there) beside what may be. Settles what was pending."""
        line = self.line(kind, name)
        what = f"{kind.plural}/{name}"
        pending, line.pending = line.pending, None
        digest, revision = line.last()
        if item is None:
            if pending and pending.digest is None:
                line.settle(None, None, None)
            else:
                self.faults.check(digest is None, f"{what}: acknowledged at revision {revision}, and lost")
            return
        seen_digest, seen_revision, uid = kind.digest_of(item), revision_of(item), item["metadata"]["uid"]
        if pending and pending.digest == seen_digest:
            self.faults.check(seen_revision > pending.floor, f"{what}: revision {seen_revision} went back")
            self.faults.check(digest is None or uid == line.uid, f"{what}: its uid changed")
            line.settle(seen_digest, seen_revision, uid)
        elif digest is None:
            self.faults.check(False, f"{what}: is there at revision {seen_revision}, but was deleted or never made")
        else:
            self.faults.check(seen_digest == digest, f"{what}: content at {seen_revision} is not that of {revision}")
            self.faults.check(seen_revision == revision, f"{what}: revision {seen_revision}, acknowledged was {revision}")
            self.faults.check(uid == line.uid, f"{what}: its uid changed")
