"""An admission webhook as people write them: webhook_server.py CERTIFICATE KEY PORT_FILE CALLS_FILE

Listens on any free port of 127.0.0.1 and writes it to PORT_FILE. The path says how it answers. Each question is noted in
CALLS_FILE: path, operation, resource with its part, name, and whether it is a dry run.
"""

import base64
import http.server
import json
import os
import ssl
import sys
import threading
import time

certificate, key, port_file, calls_file = sys.argv[1:]
noting = threading.Lock()


def allowed(**more):
    return {"allowed": True, **more}


def denied(code, message, **more):
    return {"allowed": False, "status": {"code": code, "message": message, **more}}


def patched(operations):
    return allowed(patchType="JSONPatch", patch=base64.b64encode(json.dumps(operations).encode()).decode())


def decide(path, request):
    """The response to a question, or the text of a broken one."""
    new = request.get("object") or {}
    labels = new.get("metadata", {}).get("labels", {})
    if path == "/deny":
        return denied(403, "not on a Sunday", reason="Forbidden")
    if path == "/team":  # everything belongs to somebody
        if request["operation"] == "DELETE" or "team" in labels:
            return allowed()
        return denied(422, "a team label is required")
    if path == "/label":
        if labels:
            return patched([{"op": "add", "path": "/metadata/labels/seen", "value": request["userInfo"]["username"]}])
        return patched([{"op": "add", "path": "/metadata/labels", "value": {"seen": "first"}}])
    if path == "/mark":
        if labels:
            return patched([{"op": "add", "path": "/metadata/labels/seen", "value": "yes"}])
        return patched([{"op": "add", "path": "/metadata/labels", "value": {"seen": "yes"}}])
    if path == "/few":  # of a Scale
        if new["kind"] != "Scale":
            return denied(400, f"{new['kind']} is no Scale")
        if new["spec"]["replicas"] > 9:
            return {**denied(403, "that is too many"), "warnings": ["nine is the most"]}
        return patched([{"op": "replace", "path": "/spec/replicas", "value": min(new["spec"]["replicas"], 5)}])
    if path == "/warn":
        return allowed(warnings=["the shop is moving"])
    if path == "/slow":
        time.sleep(3)
        return allowed()
    if path == "/huge":
        return allowed(warnings=["x" * (8 << 20)])
    return allowed()


class Webhook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept

    def log_message(self, *_):
        pass

    def do_POST(self):
        path = self.path.partition("?")[0]
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = review["request"]
        part = "/" + request["subResource"] if "subResource" in request else ""
        with noting, open(calls_file, "a") as calls:
            print(path, request["operation"], request["resource"]["resource"] + part, request.get("name", "-"),
                  "dry" if request["dryRun"] else "real", file=calls)
        if path == "/redirect":
            return self.answer(302, b"", Location="/allow")
        if path == "/fault":
            return self.answer(500, b"oops")
        if path == "/broken":
            return self.answer(200, b"{")
        response = {"uid": "another" if path == "/uid" else request["uid"], **decide(path, request)}
        version = "admission.k8s.io/v1beta1" if path == "/old" else review["apiVersion"]
        self.answer(200, json.dumps({"apiVersion": version, "kind": "AdmissionReview", "response": response}).encode())

    def answer(self, status, body, **headers):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # the server did not want that much


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # many may come at once
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # such as one that does not trust us
            super().handle_error(request, client_address)


server = Server(("127.0.0.1", 0), Webhook)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
# Each connection shakes hands in its own thread.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
with open(port_file + ".new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(port_file + ".new", port_file)
server.serve_forever()
