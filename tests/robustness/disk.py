"""A disk that can lose power: from a trace (disk_trace.py), the files as they may be after a cut at any record.

The model, which is what POSIX promises and what ext4, XFS and btrfs keep at least:

* What was changed in a file before a sync of it began is there once the sync has ended.
* Of the changes since, each sector of 512 bytes (or each page of 4096) holds its content after any one of the writes to it, or
  before all of them: sectors reach the disk in any order, each as a whole. A byte that was never there reads as zero; content of
  other files never shows.
* Truncations take effect in order. What was written behind a truncation that is lost is lost, too.
* A name (created, removed, renamed, a directory made) is certain only when its directory has been synced; syncing the file is not
  enough. Until then it may be there or not, each on its own or, as in a journal, up to some moment. A rename is one step.
* Modes are never lost, and neither is the order of changes of one name.
"""
import copy
import os
import random
import shutil

import disk_trace as trace

SECTOR, PAGE = 512, 4096


class File:
    """Content that is certain, and the changes since: (moment, offset, data) or (moment, size, None) for a truncation."""

    def __init__(self, mode, content=b""):
        self.mode, self.sure, self.pending = mode, bytearray(content), []

    def sync(self, moment):
        """All before this moment is certain."""
        done = [change for change in self.pending if change[0] < moment]
        if done:
            self.pending = self.pending[len(done):]
            for change in done:
                put(self.sure, change)

    def content(self, survive):
        """The content, with what `survive` lets through of the pending changes."""
        return survive(bytes(self.sure), self.pending) if self.pending else bytes(self.sure)


class Folder:
    """Names that are certain. `live` are the names as the program sees them."""

    def __init__(self, mode):
        self.mode, self.sure, self.live = mode, {}, {}


def put(content, change):
    _, at, data = change
    size = at if data is None else at + len(data)
    if len(content) < size:
        content.extend(bytes(size - len(content)))
    if data is None:
        del content[size:]
    else:
        content[at:size] = data


# --- what survives of the changes of a file -----------------------------------------------------------------------------


def all_of(sure, pending):
    content = bytearray(sure)
    for change in pending:
        put(content, change)
    return bytes(content)


def none_of(sure, pending):
    return sure


class Sectors:
    """Some sectors of some writes, by chance. `keep(writes)`: how many of the writes to a sector have reached the disk."""

    def __init__(self, chance, size, keep):
        self.chance, self.size, self.keep = chance, size, keep

    def __call__(self, sure, pending):
        cuts = [i for i, change in enumerate(pending) if change[2] is None]
        applied = self.chance.randint(0, len(cuts))
        first_lost = cuts[applied] if applied < len(cuts) else len(pending)
        limit, versions = None, {}
        for i, (_, at, data) in enumerate(pending):
            if data is None:
                if i >= first_lost:
                    limit = at if limit is None else min(limit, at)
                continue
            for sector in range(at // self.size, -(-(at + len(data)) // self.size)):
                if limit is None or (sector + 1) * self.size <= limit:
                    versions.setdefault(sector, []).append(i)
        kept = {sector: set(writes[:self.keep(writes)]) for sector, writes in versions.items()}
        content, longest = bytearray(sure), len(sure)
        for i, (moment, at, data) in enumerate(pending):
            if data is None:
                if i < first_lost:
                    put(content, (moment, at, None))
                    longest = at
                continue
            for sector in range(at // self.size, -(-(at + len(data)) // self.size)):
                if i in kept.get(sector, ()):
                    begin, end = max(at, sector * self.size), min(at + len(data), (sector + 1) * self.size)
                    put(content, (moment, begin, data[begin - at:end - at]))
                    longest = max(longest, end)
            if limit is None:
                longest = max(longest, at + len(data))
        if self.chance.random() < 0.5 and longest > len(content):
            content.extend(bytes(longest - len(content)))  # the size came first
        return bytes(content)


class FirstOnes:
    """All before one change, and that one torn."""

    def __init__(self, chance):
        self.chance = chance

    def __call__(self, sure, pending):
        last = self.chance.randrange(len(pending))
        content = bytearray(all_of(sure, pending[:last]))
        moment, at, data = pending[last]
        if data is not None:
            sectors = len(data) // SECTOR
            put(content, (moment, at, data[:SECTOR * self.chance.randint(0, sectors)]))
        return bytes(content)


def survivors(chance):
    """By name: what may become of the pending changes of a file."""

    def any_version(writes):
        return chance.randint(0, len(writes))

    def nearly_all(writes):
        return len(writes) if chance.random() < 0.95 else any_version(writes)

    def last_write(sure, pending):
        newest = max((i for i, change in enumerate(pending) if change[2] is not None), default=-1)
        return Sectors(chance, SECTOR, lambda writes: len(writes) if writes[-1] == newest else 0)(sure, pending)

    return {
        "dropped": none_of,
        "kept": all_of,
        "torn": FirstOnes(chance),
        "sectors": Sectors(chance, SECTOR, any_version),
        "pages": Sectors(chance, PAGE, any_version),
        "holes": Sectors(chance, SECTOR, nearly_all),
        "reordered": last_write,  # the newest write has overtaken all others
    }


SECTOR_MODES = sorted(survivors(random.Random()))
NAME_MODES = ("kept", "dropped", "journal", "some")  # journal: all up to some moment; some: each on its own


# --- the disk ---------------------------------------------------------------------------------------------------------------


class NameChange:
    """A change of one name, or of two at once: [(folder, name, what is there afterwards or None)]; `home` must be synced."""

    def __init__(self, moment, home, entries):
        self.moment, self.home, self.entries = moment, home, entries
        self.keys = {(id(folder), name) for folder, name, _ in entries}

    def apply_to(self, names):
        for folder, name, there in self.entries:
            if there is None:
                names(folder).pop(name, None)
            else:
                names(folder)[name] = there


class Disk:
    """Follows a trace. `lose`: records (by number) that the disk forgets although it was asked to sync them: a broken disk, with
    which the test shows that it would see a loss."""

    def __init__(self, root, lose=()):
        self.lose = frozenset(lose)
        self.root_path = os.path.realpath(root)
        self.nodes = {}
        self.root = self.load(self.root_path)
        self.names = []      # pending NameChanges
        self.syncs = {}      # (inode, number): the moment at which it began
        self.moment = 0      # records taken

    def copy(self, lose=()):
        """For another replay; only of a disk that has not taken records yet."""
        assert self.moment == 0, "records were taken already"
        fresh = copy.deepcopy(self)
        fresh.lose = frozenset(lose)
        return fresh

    def load(self, path):
        """What is there before the trace begins is certain."""
        info = os.lstat(path)
        if os.path.isdir(path):
            node = Folder(info.st_mode & 0o7777)
            for name in os.listdir(path):
                if not name.endswith("-shm"):
                    node.sure[name] = self.load(os.path.join(path, name))
            node.live = dict(node.sure)
        else:
            with open(path, "rb") as file:
                node = File(info.st_mode & 0o7777, file.read())
        self.nodes[info.st_ino] = node
        return node

    def locate(self, path):
        """The folder of a path and the name in it, as the program sees them."""
        parts = os.path.relpath(os.path.normpath(path), self.root_path).split(os.sep)
        folder = self.root
        for part in parts[:-1]:
            folder = folder.live[part]
        return folder, parts[-1]

    def change_names(self, moment, home, *entries):
        change = NameChange(moment, home, list(entries))
        change.apply_to(lambda folder: folder.live)
        self.names.append(change)

    def take(self, record):
        moment, self.moment = self.moment, self.moment + 1
        what = record.what
        if what in (trace.CREATE, trace.MKDIR):
            node = File(record.number) if what == trace.CREATE else Folder(record.number)
            self.nodes[record.inode] = node
            if record.first:
                folder, name = self.locate(record.path)
                self.change_names(moment, folder, (folder, name, node))
        elif what == trace.WRITE:
            if moment not in self.lose:
                self.nodes[record.inode].pending.append((moment, record.number, record.first))
        elif what == trace.TRUNCATE:
            self.nodes[record.inode].pending.append((moment, record.number, None))
        elif what == trace.CHMOD:
            self.nodes[record.inode].mode = record.number
        elif what == trace.SYNC_BEGIN:
            self.syncs[record.inode, record.number] = moment
        elif what == trace.SYNC_END:
            began = self.syncs.pop((record.inode, record.number))
            if moment not in self.lose:
                self.sync(self.nodes[record.inode], began)
        elif what == trace.REMOVE:
            folder, name = self.locate(record.path)
            self.change_names(moment, folder, (folder, name, None))
        elif what == trace.RENAME:
            (old, old_name), (new, new_name) = self.locate(record.path), self.locate(record.second)
            self.change_names(moment, new, (old, old_name, None), (new, new_name, old.live[old_name]))
        elif what == trace.LINK:
            folder, name = self.locate(record.path)
            self.change_names(moment, folder, (folder, name, self.nodes[record.inode]))
        else:
            raise ValueError(f"the program changes files in a way that the trace does not know: {record.path}")

    def sync(self, node, moment):
        if isinstance(node, File):
            node.sync(moment)
            return
        done = {i for i, change in enumerate(self.names) if change.home is node and change.moment < moment}
        self.settle(self.with_earlier(done))

    def with_earlier(self, chosen):
        """These changes, and those before them of the same names: the order of changes of one name is never lost."""
        chosen, keys = set(chosen), set()
        for i in range(len(self.names) - 1, -1, -1):
            if i in chosen or self.names[i].keys & keys:
                chosen.add(i)
                keys |= self.names[i].keys
        return chosen

    def settle(self, chosen):
        for i in sorted(chosen):
            self.names[i].apply_to(lambda folder: folder.sure)
        self.names = [change for i, change in enumerate(self.names) if i not in chosen]

    # --- cutting ------------------------------------------------------------------------------------------------------

    def names_that_survive(self, chance, how):
        count = len(self.names)
        if how == "kept":
            return set(range(count))
        if how == "dropped":
            return set()
        if how == "journal":
            return self.with_earlier(range(chance.randint(0, count)))
        return self.with_earlier(i for i in range(count) if chance.random() < 0.5)

    def cut(self, target, seed, data, names):
        """Writes to `target` what a power cut now leaves: `data` is one of SECTOR_MODES, `names` one of NAME_MODES."""
        chance = random.Random(seed)
        survive = survivors(chance)[data]
        surviving = self.names_that_survive(chance, names)
        tables = {}

        def table(folder):
            if id(folder) not in tables:
                tables[id(folder)] = dict(folder.sure)
            return tables[id(folder)]

        for i in sorted(surviving):
            self.names[i].apply_to(table)
        shutil.rmtree(target, ignore_errors=True)
        self.write(self.root, target, table, survive)

    def write(self, node, path, table, survive):
        if isinstance(node, Folder):
            os.mkdir(path)
            for name, child in sorted(table(node).items()):
                self.write(child, os.path.join(path, name), table, survive)
        else:
            with open(path, "wb") as file:
                file.write(node.content(survive))
        os.chmod(path, node.mode)


def differences(one, other):
    """Paths whose type or content differ between two folders, but for what the trace leaves out."""
    found = []
    names = {name for folder in (one, other) for name in os.listdir(folder) if not name.endswith("-shm")}
    for name in sorted(names):
        a, b = os.path.join(one, name), os.path.join(other, name)
        if not os.path.exists(a) or not os.path.exists(b) or os.path.isdir(a) != os.path.isdir(b):
            found.append(name)
        elif os.path.isdir(a):
            found += [os.path.join(name, inner) for inner in differences(a, b)]
        else:
            with open(a, "rb") as first, open(b, "rb") as second:
                if first.read() != second.read():
                    found.append(name)
    return found
