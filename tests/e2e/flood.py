"""One user floods the server over many connections while another works: flood.py URL CA FLOODER-TOKEN WORKER-TOKEN

The flooder asks for tables and writes over 256 connections until the worker is done with its objects. Prints whether the
flooder was held back and how many of the worker's requests failed.
"""

import http.client
import json
import multiprocessing
import ssl
import sys
import threading
import urllib.parse

CONNECTIONS = 256
PROCESSES = 4  # so that the worker has an interpreter of its own
OBJECTS = 10


class Session:
    def __init__(self, url, ca, token):
        parts = urllib.parse.urlsplit(url)
        context = ssl.create_default_context(cafile=ca)
        self.connection = http.client.HTTPSConnection(parts.hostname, parts.port, context=context, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def send(self, method, path, body=None, **more):
        text = None if body is None else json.dumps(body)
        self.connection.request(method, path, text, {**self.headers, **more})
        answer = self.connection.getresponse()
        answer.read()
        return answer.status


def config_map(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": name}


def flood(url, ca, token, done, statuses):
    table = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    path = "/api/v1/namespaces/default/configmaps"
    try:
        session = Session(url, ca, token)
        while not done.is_set():
            statuses.add(session.send("GET", path, **table))
            statuses.add(session.send("POST", path, config_map({"generateName": "flood-"})))
    except OSError as error:
        statuses.add(str(error))


def flood_together(url, ca, token, done, results):
    statuses = set()
    arguments = (url, ca, token, done, statuses)
    threads = [threading.Thread(target=flood, args=arguments) for _ in range(CONNECTIONS // PROCESSES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put(statuses)


def work(url, ca, token):
    session = Session(url, ca, token)
    path = "/api/v1/namespaces/work/configmaps"
    failed = 0
    for i in range(OBJECTS):
        failed += session.send("POST", path, config_map({"name": f"w{i}"})) != 201
        failed += session.send("GET", f"{path}/w{i}") != 200
        failed += session.send("DELETE", f"{path}/w{i}") != 200
    return failed


def main():
    url, ca, flooder, worker = sys.argv[1:]
    done, results = multiprocessing.Event(), multiprocessing.Queue()
    arguments = (url, ca, flooder, done, results)
    processes = [multiprocessing.Process(target=flood_together, args=arguments) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    try:
        failed = work(url, ca, worker)
    finally:
        done.set()
    statuses = set().union(*(results.get() for _ in processes))
    for process in processes:
        process.join()
    odd = {status for status in statuses if status not in (200, 201, 429)}
    print("the flood was held back:", 429 in statuses, "and served:", 201 in statuses, "else:", sorted(odd, key=str))
    print("requests of the worker that failed:", failed)


main()
