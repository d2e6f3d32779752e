"""A client for tests that measure: one connection, opened again when the server has closed it."""

import http.client
import ssl
import urllib.parse


class TenantClient:
    def __init__(self, url, ca, user):
        where = urllib.parse.urlparse(url)
        self.host, self.port = where.hostname, where.port
        self.trust = ssl.create_default_context(cafile=ca)
        self.headers = {"Authorization": f"Bearer token-of-{user}"}
        self.connection = None
        self.body = b""  # of the last answer

    def __call__(self, method, path, body=None, kind="application/json", headers=None):
        """The status of the answer; an OSError or HTTPException when there is none."""
        if self.connection is None:
            self.connection = http.client.HTTPSConnection(self.host, self.port, context=self.trust, timeout=60)
        try:
            self.connection.request(method, path, body, {**self.headers, "Content-Type": kind, **(headers or {})})
            answer = self.connection.getresponse()
            self.body = answer.read()
            return answer.status
        except BaseException:
            self.connection.close()
            self.connection = None
            raise
