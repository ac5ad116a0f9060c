# SPDX-License-Identifier: Apache-2.0
"""Plain sockets, for what no well-behaved HTTP client does: hang up in mid-wait, send half, send rubbish; and for
thousands of waits in one thread."""
import http.client
import json
import resource
import selectors
import socket
import time

from waiting import PATIENCE


def connect(port):
    made = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def request_bytes(method, path, body=None):
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: pawl\r\n"
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
    return head.encode() + b"\r\n" + data


def acquire_bytes(resource_name, owner="worker-1", ttl=30, **fields):
    return request_bytes("POST", "/v1/locks/acquire",
                         {"resource": resource_name, "ownerId": owner, "ttlSeconds": ttl} | fields)


def read_to_end(connection):
    """All that comes until the server closes."""
    received = b""
    while True:
        try:
            piece = connection.recv(65536)
        except ConnectionResetError:
            return received
        if not piece:
            return received
        received += piece


def send_raw(port, data):
    """The status and the JSON of the first answer to these bytes; (None, None) if there is none."""
    with connect(port) as connection:
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it had heard enough
        response = http.client.HTTPResponse(connection)
        try:
            response.begin()
            raw = response.read()
        except (http.client.BadStatusLine, ConnectionResetError):
            return None, None
        finally:
            response.close()
    return response.status, json.loads(raw) if raw else None


def allow_descriptors(count):
    """Raises the soft limit of this process as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


class Crowd:
    """Many connections, each with one request under way."""

    def __init__(self):
        self._selector = selectors.DefaultSelector()
        self.answers = {}
        self._received = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()

    def send(self, port, name, data):
        connection = connect(port)
        connection.sendall(data)
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ, name)
        self._received[name] = b""

    def collect(self, count, patience=2 * PATIENCE):
        """Reads until so many are answered: `answers` has their JSON by name."""
        deadline = time.monotonic() + patience
        while len(self.answers) < count:
            ready = self._selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError(f"only {len(self.answers)} of {count} were answered")
            for key, _ in ready:
                self._read(key)

    def _read(self, key):
        piece = key.fileobj.recv(65536)
        self._received[key.data] += piece
        head, found, body = self._received[key.data].partition(b"\r\n\r\n")
        if not piece:
            raise AssertionError(f"{key.data} was hung up on after {self._received[key.data]!r}")
        if not found:
            return
        fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
        if len(body) == int(fields["content-length"]):
            self.answers[key.data] = json.loads(body)
            self._selector.unregister(key.fileobj)
            key.fileobj.close()
