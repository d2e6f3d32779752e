"""An OpenID Connect issuer for tests, on any free port of this machine, with a key of its own making.

oidc_issuer.py FOLDER          serves until it is ended; writes FOLDER/ca.crt, FOLDER/url and, for each key, FOLDER/<kid>.key.
                               A file FOLDER/rotate makes it publish the key "second" instead of "first".
oidc_issuer.py token FOLDER KID NAME=VALUE...    prints an ID token with these claims (JSON, or else text)
"""

import base64
import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import time


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *arguments], input=data, check=True, capture_output=True).stdout


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def published(folder, kid):
    modulus = openssl("rsa", "-in", str(folder / f"{kid}.key"), "-noout", "-modulus").decode().strip().split("=")[1]
    return {"kty": "RSA", "kid": kid, "use": "sig", "alg": "RS256", "n": encoded(bytes.fromhex(modulus)), "e": "AQAB"}


def token(folder, kid, claims):
    now = int(time.time())
    body = {"iss": (folder / "url").read_text(), "sub": "jane", "aud": "chandler", "iat": now, "exp": now + 600, **claims}
    text = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": kid}, body))
    return text + "." + encoded(openssl("dgst", "-sha256", "-sign", str(folder / f"{kid}.key"), data=text.encode()))


def serve(folder):
    for kid in ("first", "second"):
        openssl("genrsa", "-out", str(folder / f"{kid}.key"), "2048")
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=issuer", "-addext",
            "subjectAltName=IP:127.0.0.1", "-keyout", str(folder / "tls.key"), "-out", str(folder / "ca.crt"))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            url = (folder / "url").read_text()
            kid = "second" if (folder / "rotate").exists() else "first"
            pages = {"/.well-known/openid-configuration": {"issuer": url, "jwks_uri": f"{url}/keys"},
                     "/keys": {"keys": [published(folder, kid)]}}
            page = pages.get(self.path)
            text = json.dumps(page or {}).encode()
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.crt", folder / "tls.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    (folder / "url.new").write_text(f"https://127.0.0.1:{server.server_address[1]}")
    (folder / "url.new").rename(folder / "url")
    server.serve_forever()


def value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def main():
    if sys.argv[1] != "token":
        return serve(pathlib.Path(sys.argv[1]))
    folder, kid = pathlib.Path(sys.argv[2]), sys.argv[3]
    print(token(folder, kid, {name: value(text) for name, text in (pair.split("=", 1) for pair in sys.argv[4:])}))


main()
