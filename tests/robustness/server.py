"""A server as a child process, a client for it, and a list of faults: what the robustness tests share.

The program is $CHANDLER, or bin/chandler of this repository. Only the standard library is used.
"""
import http.client
import json
import os
import pathlib
import select
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("CHANDLER", str(ROOT / "bin" / "chandler"))
PATIENCE = 60  # seconds until a wait is given up; generous, because machines are slow at times
LOST = (OSError, http.client.HTTPException)  # how a connection ends when its server does

# Every secret value that a test writes begins with this, so that one search finds a leak. In base64 as well: three
# bytes become four characters, so a text with a length of a multiple of three has one form there, whatever follows.
SECRET_MARK = "hush-this-is-very-secret"
SECRET_MARK_BASE64 = "aHVzaC10aGlzLWlzLXZlcnktc2VjcmV0"


class Faults:
    """What was found wrong. Thread-safe; prints each as it comes."""

    def __init__(self):
        self.lock = threading.Lock()
        self.found = []
        self.checks = 0

    def check(self, holds, text):
        with self.lock:
            self.checks += 1
            if not holds:
                self.found.append(text)
                if len(self.found) <= 20:
                    print(f"  FAULT: {text}", flush=True)
        return bool(holds)

    def close(self, title):
        print(f"{title}: {self.checks} checks, {len(self.found)} faults", flush=True)
        return 1 if self.found else 0


def wait_until(condition, what, seconds=PATIENCE, pause=0.01):
    """Asks until `condition` holds; an error that says `what` if it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s in vain: {what}")
        time.sleep(pause)


class Scratch:
    """A temporary folder that is gone afterwards, with a log for all servers of a test."""

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))  # so that all is cleaned up then, too
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="chandler-robustness-"))
        self.log = self.path / "log"
        self.log.touch()
        return self

    def __exit__(self, *_):
        for server in Server.started:
            server.kill()
        shutil.rmtree(self.path, ignore_errors=True)

    def check_log(self, faults):
        text = self.log.read_text(errors="replace")
        bugs = [line for line in text.splitlines() if "bug:" in line or "AddressSanitizer" in line]
        faults.check(not bugs, f"the log tells of a bug: {bugs[:1]}")
        for mark in (SECRET_MARK, SECRET_MARK_BASE64):
            at = text.find(mark)
            faults.check(at < 0, f"a secret value is in the log: ...{text[max(0, at - 200):at]}")


class NotStarted(Exception):
    """The server ended before it was ready."""

    def __init__(self, code, text):
        super().__init__(f"the server ended with code {code}: {text.strip()}")
        self.code, self.text = code, text


class Server:
    """One run of the program on a data directory."""

    started = []

    def __init__(self, data, log, *flags, wrapper=(), ignore_file_limit=False, environment=None, user=None):
        self.data, self.log_path = pathlib.Path(data), pathlib.Path(log)
        self.log_from = self.log_path.stat().st_size
        command = [*wrapper, PROGRAM, "serve", "--data-dir", str(data), "--listen", "127.0.0.1:0", *flags]
        with open(log, "ab") as log_file:
            # Python ignores SIGXFSZ; a child inherits that unless it is restored, and then gets EFBIG for too long a file.
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log_file,
                                            restore_signals=not ignore_file_limit, user=user, group=user,
                                            extra_groups=None if user is None else [],
                                            env={**os.environ, **(environment or {})})
        Server.started.append(self)
        self.port = None
        self.files = self.data  # where we see the data directory

    @property
    def pid(self):
        return self.process.pid

    def log_text(self):
        with open(self.log_path, "rb") as log:
            log.seek(self.log_from)
            return log.read().decode(errors="replace")

    def wait_ready(self):
        deadline = time.monotonic() + PATIENCE
        line = b""
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.kill()
                raise TimeoutError("the server was not ready in time")
            piece = os.read(self.process.stdout.fileno(), 4096)
            if not piece:
                raise NotStarted(self.wait(), self.log_text())
            line += piece
        self.port = int(line.decode().split("https://127.0.0.1:")[1].split()[0])
        return self

    def wait(self):
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.wait()

    def stop(self):
        """Stops in order; the exit code, or None if it does not stop."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def runs(self):
        return self.process.poll() is None

    def tls(self, with_certificate=True):
        context = ssl.create_default_context(cafile=str(self.files / "pki/ca.crt"))
        if with_certificate:
            context.load_cert_chain(str(self.files / "pki/admin.crt"), str(self.files / "pki/admin.key"))
        return context

    def client(self):
        return Client(self)

    def memory(self):
        """Resident memory in bytes."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("no VmRSS")


def start(data, log, *flags, **options):
    return Server(data, log, *flags, **options).wait_ready()


class Client:
    """One keep-alive connection. Connects at the first request; LOST tells that it broke."""

    def __init__(self, server):
        self.server = server
        self.connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=server.tls(), timeout=PATIENCE)

    def send(self, method, path, body=None, content_type="application/json"):
        """Status and text."""
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        self.connection.request(method, path, body, {"Content-Type": content_type} if body is not None else {})
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def ask(self, method, path, body=None, content_type="application/json"):
        """Status and parsed answer."""
        status, text = self.send(method, path, body, content_type)
        return status, json.loads(text)

    def stream(self, path):
        """The answer to a GET, to be read line by line."""
        self.connection.request("GET", path)
        return self.connection.getresponse()

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def config_map(name, data, labels=None):
    metadata = {"name": name} | ({"labels": labels} if labels else {})
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
SECRETS = "/api/v1/namespaces/default/secrets"
