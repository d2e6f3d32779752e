"""Starts a server on a data directory after a crash and lists what is wrong with what it has."""
import json
import subprocess
from dataclasses import dataclass, field

from model import KINDS, revision_of
from server import LOST, PROGRAM, Client, NotStarted, start
from watcher import Expired, follow


@dataclass
class Expected:
    """What must be there."""

    story: object                                 # of the run that ended
    floor: int                                    # newest revision that anyone was told of
    identity: dict = field(default_factory=dict)  # file: content
    defined: bool = True                          # the custom kind is there for certain
    may_expire: bool = False                      # history may have been trimmed


def verify(data):
    """What `chandler verify` says against the directory, or nothing."""
    done = subprocess.run([PROGRAM, "verify", "--data-dir", data], capture_output=True, text=True, timeout=120, check=False)
    return [] if done.returncode == 0 else [f"verify: {done.stdout.strip()[-300:]} {done.stderr.strip()[-300:]}"]


def examine(data, log, expected):
    """What is wrong, as texts."""
    try:
        server = start(data, log, "--controllers", "", "--history-seconds", "300")
    except NotStarted as error:
        return [f"it does not start: {error.text.strip().splitlines()[-1:]}"]
    except TimeoutError as error:
        return [f"it does not start: {error}"]
    try:
        changed = [name for name, content in expected.identity.items() if (data / name).read_bytes() != content]
        if changed:
            return [f"lost: {', '.join(changed)} of before"]
        with Client(server) as client:
            problems = examine_objects(client, expected)
    except LOST as error:
        problems = [f"the server broke off: {error!r}"]
    finally:
        server.kill()
    return problems + verify(data)


def examine_objects(client, expected):
    problems, there, served = [], {}, []
    for kind in KINDS:
        status, text = client.send("GET", kind.selected())
        if status == 404 and kind is KINDS[2] and not expected.defined:
            continue  # the definition was not acknowledged
        if status != 200:
            return [f"lost: the list of {kind.plural} is answered with {status}"]
        served.append(kind)
        answer = json.loads(text)
        revision = int(answer["metadata"]["resourceVersion"])
        if revision < expected.floor:
            problems.append(f"lost: revisions went back from {expected.floor} to {revision}")
        there.update({(kind, item["metadata"]["name"]): (kind.digest_of(item), revision_of(item)) for item in answer["items"]})
    nearest = None
    for reached, state in expected.story.states_from(expected.floor):
        if state == there:
            break
        nearest = nearest or (reached, state)
    else:
        return problems + [describe(nearest, there)]
    for kind in served:
        problems += examine_watch(client, kind, expected, reached)
    return problems


def describe(nearest, there):
    """How what is there differs from the state at the floor."""
    reached, state = nearest
    lost = [f"{kind.plural}/{name}" for kind, name in state if (kind, name) not in there]
    new = [f"{kind.plural}/{name}" for kind, name in there if (kind, name) not in state]
    other = [f"{kind.plural}/{name} at {there[kind, name][1]} for {state[kind, name][1]}" for kind, name in state
             if (kind, name) in there and there[kind, name] != state[kind, name]]
    return f"lost or half: the state is none since revision {reached}: missing {lost[:3]}, more {new[:3]}, other {other[:3]}"


def examine_watch(client, kind, expected, reached):
    """A watch from somewhere before goes on with what happened since, then with a new write."""
    revisions = [event.revision for event in expected.story.events if event.kind is kind and event.revision <= expected.floor]
    after = revisions[len(revisions) // 2] if revisions else None
    status, answer = client.ask("POST", kind.path, kind.build("after-the-cut", "new"))
    if status != 201:
        return [f"a write of {kind.plural} is answered with {status}: {answer.get('message')}"]
    newest = revision_of(answer)
    if newest <= max(expected.floor, reached):
        return [f"revision {newest} was given before"]
    if after is None:
        return []
    told = []

    def take(type_, item):
        told.append((type_, item["metadata"]["name"], kind.digest_of(item), revision_of(item)))
        return revision_of(item) >= newest

    try:
        with Client(client.server) as watching:
            follow(watching, kind, after, take, "&timeoutSeconds=20")
    except Expired as error:
        return [] if expected.may_expire else [f"the watch of {kind.plural} does not go on after {after}: {error}"]
    due = expected.story.between(kind, after, max(reached, expected.floor))
    due.append(("ADDED", "after-the-cut", kind.digest("new"), newest))
    return [] if told == due else [f"the watch of {kind.plural} from {after} told {told[-3:]}, due was {due[-3:]}"]
