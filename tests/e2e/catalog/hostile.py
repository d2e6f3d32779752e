"""A broker that answers every request in one bad way: hostile.py ANSWER SEEN. Prints its port; notes heads of requests in the file SEEN."""
import gzip
import socket
import socketserver
import sys
import time

CATALOG = '{"services":[{"id":"%s","name":"n","description":"d","bindable":true,"plans":[{"id":"p","name":"p","description":"d"}]}]}'

BOMB = gzip.compress(b" " * 50_000_000, 9) if sys.argv[1] == "zip-bomb" else b""


def head(length=None, more=""):
    size = "" if length is None else f"Content-Length: {length}\r\n"
    return f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{size}{more}\r\n".encode()


def send(connection, kind):
    if kind == "huge-body":
        connection.sendall(head(10**12) + b"[")
        for _ in range(1000):
            connection.sendall(b" " * 1_000_000)
    elif kind == "endless-body":
        connection.sendall(head(None, "Transfer-Encoding: chunked\r\n"))
        for _ in range(1000):
            connection.sendall(b"f4240\r\n" + b" " * 1_000_000 + b"\r\n")
    elif kind == "deep-json":
        body = b'{"services":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
        connection.sendall(head(len(body)) + body)
    elif kind == "wrong-types":
        body = b'{"services":{"id":7}}'
        connection.sendall(head(len(body)) + body)
    elif kind == "invalid-utf8":
        body = (CATALOG % "x").encode().replace(b'"n"', b'"\xff\xfe\xc0\x80"')
        connection.sendall(head(len(body)) + body)
    elif kind == "trickle":
        connection.sendall(head(10_000))
        for _ in range(1000):
            connection.sendall(b" ")
            time.sleep(0.2)
    elif kind == "short-length":
        body = (CATALOG % "x").encode()
        connection.sendall(head(len(body) + 100) + body)
    elif kind == "many-headers":
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        for number in range(200_000):
            connection.sendall(f"X-{number}: {'a' * 100}\r\n".encode())
    elif kind == "garbage":
        connection.sendall(b"\x00\x16\x03\x01 SSH-2.0 no HTTP here\r\n\r\n")
    elif kind == "zip-bomb":
        connection.sendall(head(len(BOMB), "Content-Encoding: gzip\r\n") + BOMB)
    elif kind.startswith("redirect:"):
        connection.sendall(f"HTTP/1.1 302 Found\r\nLocation: {kind[9:]}/v2/catalog\r\nContent-Length: 0\r\n\r\n".encode())


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.request.recv(65536)
            if not more:
                return
            data += more
        with open(sys.argv[2], "ab") as seen:
            seen.write(data.split(b"\r\n\r\n")[0].lower().replace(b"\r", b"") + b"\n")
        try:
            send(self.request, sys.argv[1])
            self.request.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the client has had enough


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


with Server(("127.0.0.1", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
