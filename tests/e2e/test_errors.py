# SPDX-License-Identifier: Apache-2.0
"""Every refusal: the right status, a stable code, the field it is about, and nothing done. What only an operator or a
holder can meet stands with their tests; overloaded, not_leader and outcome_unknown with those of the service."""
import json
import unittest

import raw
from pawl_server import PawlServer, ServerTest
from waiting import wait_until

ACQUIRE = "/v1/locks/acquire"


def body(**fields):
    return {"resource": "lock", "ownerId": "worker-1", "ttlSeconds": 5} | fields


class MalformedTest(ServerTest):
    def malformed(self, data):
        return self.client.refused(400, "malformed", "POST", ACQUIRE, raw=data)

    def test_what_is_not_json_is_malformed(self):
        for data in (b"", b"{", b"[]", b"null", b"7", b'"text"', b"{} {}", b"{'a':1}", b'{"a":1,}',
                     b'{"ttlSeconds":NaN}', b'{"ttlSeconds":Infinity}', b'{"ttlSeconds":01}', b'{"a":"\x01"}',
                     b"\xef\xbb\xbf{}", b"\x00"):
            answer = self.client.call("POST", ACQUIRE, raw=data)
            self.assertIn((answer.status, answer["code"]), [(400, "malformed"), (422, "invalid")], data)
            if data not in (b"", b"[]", b"null", b"7", b'"text"'):
                self.assertEqual(answer.status, 400, data)

    def test_a_key_that_comes_twice_is_named(self):
        answer = self.malformed(b'{"resource":"a","ownerId":"b","ttlSeconds":5,"ownerId":"c"}')
        self.assertEqual(answer["field"], "ownerId")
        answer = self.malformed(b'{"resource":"a","ownerId":"b","ttlSeconds":5,"metadata":{"k":"1","k":"2"}}')
        self.assertIn("k", answer["field"])

    def test_a_key_written_in_another_way_is_still_the_same_key(self):
        self.malformed(b'{"resource":"a","ownerId":"b","ttlSeconds":5,"owner\\u0049d":"c"}')

    def test_invalid_utf8_is_malformed(self):
        for bad in (b"\xff", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"):
            self.malformed(b'{"resource":"' + bad + b'","ownerId":"b","ttlSeconds":5}')
            self.malformed(b'{"resource":"a","ownerId":"b","ttlSeconds":5,"' + bad + b'":1}')

    def test_half_a_surrogate_is_no_character(self):
        answer = self.client.call("POST", ACQUIRE, raw=b'{"resource":"\\ud800","ownerId":"b","ttlSeconds":5}')
        self.assertIn(answer.status, (400, 422))

    def test_deep_json_is_refused(self):
        for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
            depth = 5000
            data = b'{"metadata":' + opening * depth + b"1" + closing * depth + b"}"
            self.malformed(data)

    def test_a_body_where_none_is_wanted_is_refused(self):
        self.client.refused(400, "malformed", "GET", "/v1/locks", raw=b"{}")

    def test_a_broken_percent_encoding_is_malformed(self):
        for path in ("/v1/resources/%", "/v1/resources/%4", "/v1/resources/%zz"):
            self.client.refused(400, "malformed", "GET", path)

    def test_a_path_that_is_not_utf8_is_refused(self):
        answer = self.client.call("GET", "/v1/resources/%FF")
        self.assertIn(answer.status, (400, 422))

    def test_rubbish_is_answered_or_hung_up_on_and_others_go_on(self):
        for data in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"HELLO WORLD\r\n\r\n", b"\x00" * 100,
                     b"GET / HTTP/9.9\r\n\r\n", b"GET /healthz HTTP/1.1\r\n\r\n",
                     b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                     b"POST /v1/locks/acquire HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
                     b"POST /v1/locks/acquire HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):
            status, problem = raw.send_raw(self.server.port, data)
            if status is not None:
                self.assertEqual((status, problem["code"]), (400, "malformed"), data)
        self.assertEqual(self.client.get("/healthz").status, 200)


class UnknownTest(ServerTest):
    def test_an_unknown_field_is_refused_with_the_nearest_name(self):
        for wrong, right in (("ttlSecond", "ttlSeconds"), ("owner", "ownerId"), ("ttl_seconds", "ttlSeconds"),
                             ("waitSecond", "waitSeconds"), ("leaseID", "leaseId")):
            answer = self.client.refused(400, "unknown_field", "POST", ACQUIRE, body(**{wrong: 1}))
            self.assertEqual(answer["field"], wrong)
            self.assertIn(right, answer["detail"])

    def test_an_unknown_field_in_permits_is_refused_too(self):
        answer = self.client.refused(400, "unknown_field", "POST", ACQUIRE,
                                     body(mode="permit", permits={"limit": 3, "cuont": 1}))
        self.assertEqual(answer["field"], "permits.cuont")

    def test_an_unknown_or_repeated_query_parameter_is_refused(self):
        answer = self.client.refused(400, "unknown_field", "GET", "/v1/locks", prefx="a")
        self.assertEqual(answer["field"], "prefx")
        self.assertIn("prefix", answer["detail"])
        answer = self.client.call("GET", "/v1/locks?prefix=a&prefix=b")
        self.assertEqual(answer.status, 400)

    def test_an_unknown_path_is_not_found(self):
        for path in ("/", "/v1", "/v1/lock", "/v2/locks", "/v1/locks/lease-12345678/renews", "/v1/locks/",
                     "//v1/locks"):
            self.client.refused(404, "not_found", "GET", path)

    def test_a_wrong_method_is_told_the_right_ones(self):
        for method, path, allowed in (("GET", ACQUIRE, {"POST"}), ("PUT", "/v1/locks", {"GET", "HEAD"}),
                                      ("POST", "/healthz", {"GET", "HEAD"}),
                                      ("PATCH", "/v1/locks/lease-12345678", {"GET", "HEAD", "DELETE"})):
            answer = self.client.call(method, path)
            self.assertEqual((answer.status, answer["code"]), (405, "method_not_allowed"), path)
            self.assertEqual({word.strip() for word in answer.headers["Allow"].split(",")} - {"OPTIONS"}, allowed)


class CrossOriginTest(ServerTest):
    """A web page can make a browser send plain requests to a node that only the browser's machine can reach."""

    def refused(self, field, method, path, data=None, **headers):
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.client.refused(403, "cross_origin", method, path, raw=data, headers=sent)
        self.assertEqual((answer["field"], answer["retryable"]), (field, False))
        self.assertNotIn("access-control", str(answer.headers).lower())

    def data(self):
        return json.dumps(body(resource=self.name())).encode()

    def test_a_page_of_another_origin_is_refused_and_nothing_is_done(self):
        holder = self.held("other")
        for origin in ("http://evil.example", "https://evil.example", "null", f"http://localhost:{self.server.port}",
                       "http://127.0.0.1", f"http://127.0.0.1:{self.server.port}.evil.example"):
            self.refused("Origin", "POST", ACQUIRE, self.data(), Origin=origin, Content_Type="text/plain")
            self.refused("Origin", "POST", f"/v1/locks/{holder['leaseId']}/renew", Origin=origin)
            self.refused("Origin", "DELETE", f"/v1/locks/{holder['leaseId']}", Origin=origin)
            self.refused("Origin", "GET", "/v1/locks", Origin=origin)
        self.refused("Sec-Fetch-Site", "POST", ACQUIRE, self.data(), Sec_Fetch_Site="cross-site")
        self.refused("Sec-Fetch-Site", "GET", "/v1/events", Sec_Fetch_Site="cross-site")
        self.assertEqual(self.client.resource(self.name())["holderCount"], 0)
        self.assertEqual(self.client.resource(self.name("other"))["holderCount"], 1)

    def test_a_page_of_the_node_itself_is_served(self):
        headers = {"Origin": self.server.url, "Sec-Fetch-Site": "same-origin"}
        answer = self.client.call("POST", ACQUIRE, raw=self.data(), headers=headers)
        self.assertEqual((answer.status, answer["acquired"]), (200, True))

    def test_a_preflight_is_refused_as_any_unknown_method(self):
        answer = self.client.call("OPTIONS", ACQUIRE, headers={
            "Origin": "http://evil.example", "Access-Control-Request-Method": "POST", "Sec-Fetch-Site": "cross-site"})
        self.assertEqual((answer.status, answer["code"]), (405, "method_not_allowed"))
        self.assertNotIn("access-control", str(answer.headers).lower())


class InvalidTest(ServerTest):
    def invalid(self, field, **fields):
        answer = self.client.refused(422, "invalid", "POST", ACQUIRE, body(**fields))
        self.assertEqual(answer["field"], field)
        self.assertNotEqual(answer["detail"], "")
        return answer

    def test_a_missing_field_is_named(self):
        for field in ("resource", "ownerId", "ttlSeconds"):
            rest = body()
            del rest[field]
            self.assertEqual(self.client.refused(422, "invalid", "POST", ACQUIRE, rest)["field"], field)
        answer = self.client.refused(422, "invalid", "POST", "/v1/fence/check", {"resource": "a"})
        self.assertEqual(answer["field"], "fencingToken")

    def test_a_value_of_the_wrong_type_is_named(self):
        for field, value in (("resource", 7), ("ownerId", None), ("ttlSeconds", "5"), ("waitSeconds", True),
                             ("mode", 1), ("permits", []), ("leaseId", {}), ("attempt", 1.5), ("metadata", "text"),
                             ("namespace", 3), ("resources", "a")):
            fields = {field: value}
            if field == "resources":
                rest = body(**fields)
                del rest["resource"]
                self.assertEqual(self.client.refused(422, "invalid", "POST", ACQUIRE, rest)["field"], field)
            else:
                self.invalid(field, **fields)
        self.invalid("metadata.key", metadata={"key": 1})

    def test_a_value_out_of_range_is_named(self):
        for field, value in (("ttlSeconds", 0), ("ttlSeconds", -1), ("ttlSeconds", 0.0999), ("ttlSeconds", 86401),
                             ("waitSeconds", -0.1), ("waitSeconds", 601), ("minHoldSeconds", 86401),
                             ("lockDelaySeconds", -1), ("attempt", 0), ("mode", "exclusiv"), ("leaseId", "short"),
                             ("leaseId", "with space inside"), ("leaseId", "x" * 129), ("resource", ""),
                             ("resource", "x" * 513), ("resource", "tab\there"), ("ownerId", "x" * 257),
                             ("namespace", "no/slash"), ("namespace", "x" * 65)):
            self.invalid(field, **{field: value})

    def test_huge_numbers_are_invalid_and_never_wrap(self):
        for number in ("1e400", "1e308", "18446744073709551617", "9" * 400, "-1e400"):
            for field in ("ttlSeconds", "waitSeconds", "attempt", "maxHoldSeconds"):
                data = json.dumps(body())[:-1] + f', "{field}": {number}}}'
                data = data.replace('"ttlSeconds": 5, ', "") if field == "ttlSeconds" else data
                data = data.replace('"ttlSeconds": 5,', "") if field == "ttlSeconds" else data
                answer = self.client.call("POST", ACQUIRE, raw=data.encode())
                self.assertIn(answer.status, (400, 422), (field, number))
        data = b'{"resource":"a","fencingToken":9007199254740993}'
        self.assertIn(self.client.call("POST", "/v1/fence/check", raw=data).status, (400, 422))

    def test_metadata_is_bounded(self):
        answer = self.client.refused(422, "invalid", "POST", ACQUIRE,
                                     body(metadata={str(number): "x" for number in range(17)}))
        self.assertTrue(answer["field"].startswith("metadata"))
        answer = self.client.refused(422, "invalid", "POST", ACQUIRE, body(metadata={"key": "x" * 1025}))
        self.assertTrue(answer["field"].startswith("metadata"))

    def test_a_page_has_its_bounds(self):
        for limit in ("0", "1001", "-1", "x", "", "1.5"):
            answer = self.client.refused(422, "invalid", "GET", "/v1/locks", limit=limit)
            self.assertEqual(answer["field"], "limit")
        answer = self.client.call("GET", "/v1/locks", after="no cursor of ours")
        self.assertEqual((answer.status, answer["field"]), (422, "after"))

    def test_a_lease_id_in_the_path_is_checked(self):
        answer = self.client.refused(422, "invalid", "POST", "/v1/locks/short/renew")
        self.assertEqual(answer["field"], "leaseId")

    def test_a_refused_request_changes_nothing(self):
        self.invalid("waitSeconds", resource=self.name(), waitSeconds=-1)
        shown = self.client.resource(self.name())
        self.assertEqual((shown["holders"], shown["waiters"]), ([], []))
        self.assertIsNone(shown["holdSeconds"])


class LimitsTest(unittest.TestCase):
    def test_what_is_too_large_is_not_read(self):
        with PawlServer() as server:
            client = server.client()
            answer = client.call("POST", ACQUIRE, body(ownerId="x" * 70000))
            self.assertEqual((answer.status, answer["code"]), (413, "too_large"))
            client.close()
            head = b"POST /v1/locks/acquire HTTP/1.1\r\nHost: x\r\n"
            for data in (head + b"Content-Length: 99999999999\r\n\r\n", head + b"X: " + b"y" * 100000 + b"\r\n\r\n",
                         head + b"Transfer-Encoding: chunked\r\n\r\n" + (b"1000\r\n" + b"x" * 4096 + b"\r\n") * 20):
                status, problem = raw.send_raw(server.port, data)
                self.assertEqual((status, problem and problem["code"]), (413, "too_large"), data[:100])

    def test_half_a_request_times_out(self):
        with PawlServer("--header-timeout", "300ms", "--body-timeout", "300ms") as server:
            for data in (b"POST /v1/locks/acq",
                         b"POST /v1/locks/acquire HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"):
                status, problem = raw.send_raw(server.port, data)
                self.assertEqual((status, problem["code"]), (408, "timed_out"))

    def test_a_full_service_says_which_limit_is_reached(self):
        with PawlServer("--max-leases", "2", "--max-waiters", "1") as server:
            client = server.client()
            client.acquired("a")
            client.acquired("b")
            answer = client.refused(429, "limit_reached", "POST", ACQUIRE, body(resource="c"))
            self.assertIs(answer["retryable"], True)
            self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
            client.close()

    def test_an_event_reader_too_many_is_refused(self):
        with PawlServer("--max-event-readers", "1") as server:
            with raw.connect(server.port) as reader:
                reader.sendall(raw.request_bytes("GET", "/v1/events"))
                self.assertIn(b"200", reader.recv(4096))
                client = server.client()
                client.refused(429, "too_many", "GET", "/v1/events")
                client.close()
            def free():
                with raw.connect(server.port) as next_reader:
                    next_reader.sendall(raw.request_bytes("GET", "/v1/events"))
                    return next_reader.recv(4096).startswith(b"HTTP/1.1 200")
            wait_until(free, "the place of the reader that left")

    def test_a_connection_too_many_is_turned_away_and_later_ones_are_not(self):
        with PawlServer("--max-connections", "3") as server:
            idle = [raw.connect(server.port) for _ in range(3)]
            for connection in idle:
                connection.sendall(raw.request_bytes("GET", "/healthz"))
                self.assertIn(b"200", connection.recv(4096))
            status, problem = raw.send_raw(server.port, raw.request_bytes("GET", "/healthz"))
            if status is not None:
                self.assertEqual((status, problem["code"]), (429, "too_many"))
            for connection in idle:
                connection.close()
            last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            wait_until(lambda: raw.send_raw(server.port, last)[0] == 200, "room for another")

    def test_an_id_older_than_the_memory_is_stale(self):
        with PawlServer("--retention", "1s") as server:
            client = server.client()
            client.acquired("clock", ttl=600)
            old = f"p1_0_{'0' * 32}"
            path = "/v1/locks/clock-of-the-service/renew"
            wait_until(lambda: client.call("GET", "/v1/version")["stateTimeMs"] > 1100 or
                       client.post(path) is None, "more state time than is remembered")
            answer = client.refused(409, "lease_id_stale", "POST", ACQUIRE, body(leaseId=old))
            self.assertEqual(answer["field"], "leaseId")
            client.close()


if __name__ == "__main__":
    unittest.main()
