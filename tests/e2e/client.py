# SPDX-License-Identifier: Apache-2.0
"""A client that believes nothing: every answer, good or bad, must be one that the served OpenAPI document
describes."""
import http.client
import json
import urllib.parse

from openapi import Document
from waiting import PATIENCE


class Answer:
    def __init__(self, status, headers, raw):
        self.status = status
        self.headers = headers
        self.raw = raw
        self.type = headers.get("Content-Type", "")
        self.body = json.loads(raw) if raw and self.type.endswith("json") else None

    def __getitem__(self, field):
        return self.body[field]

    def __contains__(self, field):
        return field in self.body

    def __repr__(self):
        return f"{self.status} {self.raw.decode('utf-8', 'replace')}"


class Client:
    """One connection. Not for two threads at a time."""

    _documents = {}

    def __init__(self, port, patience=PATIENCE, host="127.0.0.1"):
        self.port = port
        self._connection = http.client.HTTPConnection(host, port, timeout=patience)

    def close(self):
        self._connection.close()

    @property
    def document(self):
        """As this server serves it."""
        if self.port not in self._documents:
            answer = self._exchange("GET", "/openapi.json", None, {})
            assert answer.status == 200, answer
            self._documents[self.port] = Document(answer.body)
        return self._documents[self.port]

    def _exchange(self, method, target, body, headers):
        self._connection.request(method, target, body, headers)
        response = self._connection.getresponse()
        return Answer(response.status, response.headers, response.read())

    def call(self, method, path, body=None, raw=None, headers=None, **query):
        """`body` is sent as JSON, `raw` as it is."""
        document = self.document
        given = {name: value for name, value in query.items() if value is not None}
        target = path + ("?" + urllib.parse.urlencode(given, quote_via=urllib.parse.quote) if given else "")
        data = json.dumps(body).encode() if body is not None else raw
        sent = {"Content-Type": "application/json"} if data is not None else {}
        answer = self._exchange(method, target, data, sent | (headers or {}))
        document.check(method, path, answer)
        return answer

    def get(self, path, **query):
        return self.call("GET", path, **query)

    def post(self, path, body=None, **named):
        return self.call("POST", path, body, **named)

    def refused(self, status, code, method, path, body=None, **named):
        """A call that is answered with this problem."""
        answer = self.call(method, path, body, **named)
        assert (answer.status, answer.body.get("code")) == (status, code), f"not {status} {code}: {answer}"
        return answer

    def done(self, method, path, body=None, **named):
        answer = self.call(method, path, body, **named)
        assert answer.status == 200, answer
        return answer

    def acquire(self, resource, owner="worker-1", ttl=30, **fields):
        names = {"resources": resource} if isinstance(resource, list) else {"resource": resource}
        return self.post("/v1/locks/acquire", names | {"ownerId": owner, "ttlSeconds": ttl} | fields)

    def acquired(self, resource, owner="worker-1", ttl=30, **fields):
        answer = self.acquire(resource, owner, ttl, **fields)
        assert answer.status == 200 and answer["acquired"], answer
        return answer

    def not_acquired(self, resource, owner="worker-2", ttl=30, **fields):
        answer = self.acquire(resource, owner, ttl, **fields)
        assert answer.status == 200 and not answer["acquired"], answer
        return answer

    def renew(self, lease_id, **fields):
        return self.post(f"/v1/locks/{lease_id}/renew", fields or None)

    def renewed(self, lease_id, **fields):
        return self.done("POST", f"/v1/locks/{lease_id}/renew", fields or None)

    def release(self, lease_id, **query):
        return self.call("DELETE", f"/v1/locks/{lease_id}", **query)

    def released(self, lease_id, **query):
        return self.done("DELETE", f"/v1/locks/{lease_id}", **query)

    def lost(self, lease_id, cause):
        """A renewal is told that the lease is over."""
        answer = self.refused(410, "lease_lost", "POST", f"/v1/locks/{lease_id}/renew")
        assert answer["cause"] == cause, f"not {cause}: {answer}"
        return answer

    def is_over(self, lease_id):
        return self.call("GET", f"/v1/locks/{lease_id}").status != 200

    def resource(self, name, **query):
        return self.done("GET", f"/v1/resources/{quoted(name)}", **query)

    def force_release(self, name, actor="alice", reason="stuck", **fields):
        return self.post(f"/v1/resources/{quoted(name)}/force-release", {"actorId": actor, "reason": reason} | fields)


def quoted(name):
    return urllib.parse.quote(name, safe="")
