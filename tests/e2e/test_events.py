# SPDX-License-Identifier: Apache-2.0
"""Server-sent events: what happened to locks, filtered, with ids to resume from, and honest about what was missed."""
import re
import signal
import unittest

import raw
from pawl_server import PawlServer, ServerTest
from sse import EventReader
from waiting import Background, wait_until

COMMON = ("event", "at", "namespace", "resource", "ownerId", "leaseId", "mode", "fencingToken", "ttlSeconds",
          "stateTimeMs")


class EventsTest(ServerTest):
    def reader(self, **named):
        made = EventReader(self.server.port, **({"prefix": self.name("")} | named))
        self.addCleanup(made.close)
        return made

    def test_a_stream_begins_at_once(self):
        reader = self.reader()
        self.assertTrue(reader.type.startswith("text/event-stream"))
        self.assertEqual(reader.first, ": pawl events")

    def test_the_life_of_a_lease_is_told(self):
        reader = self.reader()
        lease = self.held(ttl=25)
        self.client.renewed(lease["leaseId"])
        self.client.released(lease["leaseId"])
        acquired, released = reader.take(2)
        self.assertEqual((acquired["event"], released["event"]), ("lock_acquired", "lock_released"))
        for event in (acquired, released):
            for field in COMMON:
                self.assertIn(field, event["data"])
            self.assertEqual(event["data"]["event"], event["event"])
            self.assertEqual(event["data"]["leaseId"], lease["leaseId"])
            self.assertEqual(event["data"]["fencingToken"], lease["fencingToken"])
            self.assertEqual(event["data"]["ttlSeconds"], 25)
            self.assertTrue(re.fullmatch(r"\d+-\d+-\d+", event["id"]), event["id"])
        self.assertIn("waitedSeconds", acquired["data"])
        self.assertIn("heldSeconds", released["data"])

    def test_every_way_to_end_has_its_event(self):
        reader = self.reader()
        self.held("expires", ttl=0.1)
        event = reader.until(lambda event: event["event"] == "lock_expired")[-1]
        self.assertEqual(event["data"]["resource"], self.name("expires"))
        self.held("too long", maxHoldSeconds=0.1)
        reader.until(lambda event: event["event"] == "lock_max_hold_reached")
        self.held("forced")
        self.client.force_release(self.name("forced"), "carol", "because")
        data = reader.until(lambda event: event["event"] == "lock_force_released")[-1]["data"]
        self.assertEqual((data["actorId"], data["reason"]), ("carol", "because"))
        self.assertGreater(data["auditId"], 0)
        lease = self.held("doomed")
        self.client.force_release(self.name("doomed"), "carol", "gently", when="at_deadline")
        data = reader.until(lambda event: event["event"] == "force_release_requested")[-1]["data"]
        self.assertEqual((data["actorId"], data["leaseId"]), ("carol", lease["leaseId"]))
        self.client.refused(409, "renewal_refused", "POST", f"/v1/locks/{lease['leaseId']}/renew")
        data = reader.until(lambda event: event["event"] == "renewal_failed")[-1]["data"]
        self.assertEqual(data["code"], "renewal_refused")

    def test_waits_and_changes_of_mode_are_told(self):
        reader = self.reader()
        holder = self.held(mode="shared")
        self.client.not_acquired(self.name(), waitSeconds=0.05)
        data = reader.until(lambda event: event["event"] == "lock_waiting")[-1]["data"]
        self.assertEqual((data["waiters"], data["ownerId"]), (1, "worker-2"))
        data = reader.until(lambda event: event["event"] == "wait_ended")[-1]["data"]
        self.assertEqual(data["cause"], "timed_out")
        token = {"fencingToken": holder["fencingToken"]}
        up = self.client.done("POST", f"/v1/locks/{holder['leaseId']}/upgrade", token)
        data = reader.until(lambda event: event["event"] == "lock_upgraded")[-1]["data"]
        self.assertEqual(data["oldFencingToken"], holder["fencingToken"])
        self.assertEqual(data["fencingToken"], up["fencingToken"])
        self.client.done("POST", f"/v1/locks/{holder['leaseId']}/downgrade", {"fencingToken": up["fencingToken"]})
        reader.until(lambda event: event["event"] == "lock_downgraded")

    def test_a_reader_sees_only_its_prefix_and_its_namespace(self):
        wanted = self.reader(prefix=self.name("yes/"))
        everywhere = self.reader(namespace="*")
        self.client.acquired(self.name("no/1"))
        self.client.acquired(self.name("yes/0"), namespace="other")
        self.client.acquired([self.name("no/2"), self.name("yes/2")])
        self.client.acquired(self.name("yes/3"))
        first, second = wanted.take(2)
        self.assertEqual(first["data"]["resources"], [self.name("no/2"), self.name("yes/2")])
        self.assertEqual(second["data"]["resource"], self.name("yes/3"))
        self.assertEqual([event["data"]["namespace"] for event in everywhere.take(4)],
                         ["default", "other", "default", "default"])

    def test_a_reader_that_comes_back_misses_nothing(self):
        reader = self.reader()
        for number in range(6):
            self.held(str(number))
        seen = reader.take(6)
        self.assertEqual(len({event["id"] for event in seen}), 6)
        reader.close()
        later = self.held("6")
        for named in ({"last_event_id": seen[2]["id"]}, {"after": seen[2]["id"]}):
            back = self.reader(**named)
            self.assertEqual([event["id"] for event in back.take(3)], [event["id"] for event in seen[3:]])
            self.assertEqual(back.next()["data"]["leaseId"], later["leaseId"])

    def test_an_id_that_is_none_is_refused(self):
        for bad in ("x", "1-2", "1-2-3-4", "-1-0-0", "99999999999999999999-0-0"):
            answer = self.client.call("GET", "/v1/events", after=bad)
            self.assertEqual((answer.status, answer["field"]), (422, "after"), bad)


class MissedTest(unittest.TestCase):
    def test_a_reader_that_comes_back_too_late_is_told_so(self):
        with PawlServer("--feed-events", "20") as server:
            client = server.client()
            with EventReader(server.port) as reader:
                client.acquired("first")
                first = reader.next()
            for number in range(50):
                client.acquired(f"lock-{number}")
            with EventReader(server.port, last_event_id=first["id"]) as reader:
                missed = reader.next()
                self.assertEqual((missed["event"], missed["id"]), ("missed", None))
                self.assertEqual(missed["data"]["event"], "missed")
                names = [event["data"]["resource"] for event in reader.take(20)]
                self.assertEqual(names, [f"lock-{number}" for number in range(30, 50)])
            client.close()

    def test_after_a_restart_a_reader_is_told_that_it_may_have_missed_something(self):
        with PawlServer(keep_port=True) as server:
            client = server.client()
            with EventReader(server.port) as reader:
                client.acquired("before", ttl=600)
                before = reader.next()
                client.close()
                server.signal(signal.SIGTERM)
                with self.assertRaises((EOFError, ConnectionError)):
                    while True:
                        reader.next()
            self.assertEqual(server.exit_code(), 0)
            server.start()
            client = server.client()
            with EventReader(server.port, last_event_id=before["id"]) as reader:
                self.assertEqual(reader.next()["event"], "missed")
                client.acquired("after")
                event = reader.until(lambda event: event["data"].get("resource") == "after")[-1]
                self.assertGreater(int(event["id"].split("-")[0]), int(before["id"].split("-")[0]))
            client.close()

    def test_a_reader_that_does_not_read_holds_up_nobody(self):
        with PawlServer("--feed-events", "20", "--write-timeout", "1h", "--lost-timeout", "1h") as server:
            client = server.client()
            with EventReader(server.port, receive_bytes=4096) as stalled:
                for number in range(600):
                    client.acquired(f"{number}-{'x' * 500}")
                client.acquired("last")
                seen = stalled.until(lambda event: event["data"].get("resource") == "last")
                missed = [event for event in seen if event["event"] == "missed"]
                self.assertEqual(len(seen) == 601, not missed)
            client.close()

    def test_a_wait_that_nobody_comes_back_for_is_abandoned(self):
        with PawlServer() as server:
            client = server.client()
            holder = client.acquired("lock", ttl=600)
            with EventReader(server.port) as reader:
                deserter = raw.connect(server.port)
                deserter.sendall(raw.acquire_bytes("lock", "deserter", 600, waitSeconds=300, leaseId="deserter-1"))
                reader.until(lambda event: event["event"] == "lock_waiting")
                other = server.client()
                behind = Background(lambda: other.acquired("lock", "behind", waitSeconds=300))
                reader.until(lambda event: event["event"] == "lock_waiting")
                deserter.close()
                wait_until(lambda: client.resource("lock")["waiters"][0]["detached"], "the server to notice")
                client.released(holder["leaseId"])
                data = reader.until(lambda event: event["event"] == "lock_acquired")[-1]["data"]
                self.assertEqual(data["ownerId"], "behind")
                data = reader.until(lambda event: event["event"] == "wait_ended")[-1]["data"]
                self.assertEqual((data["leaseId"], data["cause"]), ("deserter-1", "abandoned"))
            behind.result()
            other.close()
            client.close()


if __name__ == "__main__":
    unittest.main()
