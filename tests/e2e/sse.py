# SPDX-License-Identifier: Apache-2.0
"""A reader of server-sent events: GET /v1/events, one event at a time."""
import http.client
import json
import socket
import urllib.parse

from waiting import PATIENCE


def _with_small_buffer(port, receive_bytes):
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    made.settimeout(PATIENCE)
    made.connect(("127.0.0.1", port))
    return made


class EventReader:
    """`first` is the line that the server greets with. Events are dicts: id (None: has none), event, data."""

    def __init__(self, port, last_event_id=None, receive_bytes=None, **query):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        if receive_bytes:
            self._connection.sock = _with_small_buffer(port, receive_bytes)
        target = "/v1/events" + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        self._connection.request("GET", target, headers=headers)
        self._response = self._connection.getresponse()
        if self._response.status != 200:
            raise AssertionError(f"{self._response.status} {self._response.read()!r}")
        self.type = self._response.headers["Content-Type"]
        self.first = self._line()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._response.close()
        self._connection.close()

    def _line(self):
        line = self._response.readline().decode("utf-8")
        if not line.endswith("\n"):
            raise EOFError("the stream is over")
        return line.rstrip("\r\n")

    def next(self):
        event = {"id": None, "event": None, "data": None}
        while True:
            line = self._line()
            if not line:
                if event["data"] is not None:
                    return event
                continue
            if line.startswith(":"):
                continue
            name, _, value = line.partition(": ")
            assert name in event and event[name] is None, f"an unexpected line in an event: {line!r}"
            event[name] = json.loads(value) if name == "data" else value

    def take(self, count):
        return [self.next() for _ in range(count)]

    def until(self, wanted):
        """Events up to the first for which `wanted` is true."""
        seen = [self.next()]
        while not wanted(seen[-1]):
            seen.append(self.next())
        return seen
