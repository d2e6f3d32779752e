"""Runs a program so that all it does to the files of a folder is logged (disk_tracer.c), and reads the log."""
import os
import pathlib
import struct
import subprocess
from dataclasses import dataclass

CREATE, MKDIR, WRITE, TRUNCATE, SYNC_BEGIN, SYNC_END, REMOVE, RENAME, LINK, CHMOD, UNKNOWN = range(1, 12)
NAMES = {CREATE, MKDIR, REMOVE, RENAME, LINK}  # change a directory

HEAD = struct.Struct("<IIQqQII")


@dataclass(frozen=True)
class Record:
    """One change or one half of a sync. `end`: the length of the log when it was there."""

    what: int
    inode: int
    number: int     # offset, size, mode or number of the sync
    seconds: float  # as time.monotonic() counts
    first: bytes    # data or path
    second: str     # the new name of a rename
    end: int

    @property
    def path(self):
        return os.fsdecode(self.first)


def read_trace(path):
    text = pathlib.Path(path).read_bytes()
    records, at = [], 0
    while at < len(text):
        size, what, inode, number, nanoseconds, first, second = HEAD.unpack_from(text, at)
        begin = at + HEAD.size
        records.append(Record(what, inode, number, nanoseconds / 1e9, text[begin:begin + first],
                              os.fsdecode(text[begin + first:begin + first + second]), at + size))
        at += size
    return records


class Tracer:
    """The library, compiled into `folder`, and the log that all programs run with it append to."""

    def __init__(self, folder, root, log=None):
        self.library, self.log, self.root = folder / "disk_tracer.so", pathlib.Path(log or folder / "disk.trace"), root
        source = pathlib.Path(__file__).with_name("disk_tracer.c")
        if not self.library.exists():
            subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, source], check=True)
        self.restart()

    def restart(self):
        self.log.write_bytes(b"")

    def variables(self):
        return {"LD_PRELOAD": str(self.library), "DISK_TRACE_ROOT": str(self.root), "DISK_TRACE_LOG": str(self.log)}

    def wrapper(self):
        """What to put before a command."""
        return ["env", *(f"{name}={value}" for name, value in self.variables().items())]

    def position(self):
        """This moment, as a length of the log."""
        return os.stat(self.log).st_size

    def records(self):
        return read_trace(self.log)
