# SPDX-License-Identifier: Apache-2.0
"""What an operator sees and does: lists, the reason of a wait, force-release and its trail, failed renewals, holds
that take too long."""
import unittest

from pawl_server import PawlServer, ServerTest
from sse import EventReader
from waiting import wait_until


class ListTest(ServerTest):
    def pages(self, **query):
        after = None
        while True:
            page = self.client.done("GET", "/v1/locks", after=after, **query)
            yield page["locks"]
            after = page["next"]
            if after is None:
                return

    def test_a_prefix_is_listed_in_pages_in_order(self):
        names = sorted(self.name(f"{number:02}") for number in range(23))
        for name in reversed(names):
            self.client.acquired(name, metadata={"n": name[-2:]})
        self.client.acquired("elsewhere")
        pages = list(self.pages(prefix=self.name(""), limit=10))
        self.assertEqual([len(page) for page in pages], [10, 10, 3])
        records = [record for page in pages for record in page]
        self.assertEqual([record["resource"] for record in records], names)
        self.assertEqual(records[7]["metadata"], {"n": "07"})
        self.assertEqual(records[7]["ownerId"], "worker-1")

    def test_a_shared_lock_is_listed_once_for_each_holder(self):
        leases = {self.held(mode="shared")["leaseId"] for _ in range(5)}
        pages = list(self.pages(prefix=self.name(), limit=2))
        self.assertEqual({record["leaseId"] for page in pages for record in page}, leases)
        self.assertEqual(sum(map(len, pages)), 5)

    def test_a_namespace_of_its_own_has_a_list_of_its_own(self):
        self.client.acquired(self.name(), namespace="tenant_9")
        records = self.client.done("GET", "/v1/locks", namespace="tenant_9")["locks"]
        self.assertEqual([record["namespace"] for record in records], ["tenant_9"])
        self.assertEqual(self.client.done("GET", "/v1/locks", prefix=self.name())["locks"], [])

    def test_what_is_released_meanwhile_breaks_no_page(self):
        leases = [self.held(f"{number}") for number in range(9)]
        page = self.client.done("GET", "/v1/locks", prefix=self.name(""), limit=4)
        self.client.released(leases[3]["leaseId"])
        self.client.released(leases[4]["leaseId"])
        rest = self.client.done("GET", "/v1/locks", prefix=self.name(""), limit=9, after=page["next"])
        self.assertEqual([record["resource"] for record in rest["locks"]], [self.name(str(n)) for n in range(5, 9)])


class ResourceTest(ServerTest):
    def test_nobody_knows_a_resource_and_yet_it_is_shown(self):
        shown = self.client.resource(self.name())
        self.assertEqual((shown["holders"], shown["waiters"]), ([], []))
        self.assertEqual((shown["holderCount"], shown["waiterCount"]), (0, 0))
        self.assertIsNone(shown["holdSeconds"])
        self.assertIsNone(shown["closedUntil"])

    def test_it_explains_who_holds_who_waits_and_how_long_it_usually_takes(self):
        for _ in range(3):
            self.client.released(self.held()["leaseId"])
        holder = self.held(ttl=60)
        waiters = []
        for owner, fields in (("first", {}), ("second", {"mode": "shared"})):
            waiters.append(self.in_background(
                lambda c, o=owner, f=fields: c.acquire(self.name(), o, waitSeconds=60, **f)))
            self.wait_for_waiters(self.name(), len(waiters))
        shown = self.client.resource(self.name())
        self.assertEqual([one["leaseId"] for one in shown["holders"]], [holder["leaseId"]])
        self.assertGreater(shown["holders"][0]["heldSeconds"], 0)
        self.assertLess(shown["holders"][0]["validForSeconds"], 60)
        self.assertEqual([(one["ownerId"], one["position"], one["mode"]) for one in shown["waiters"]],
                         [("first", 1, "exclusive"), ("second", 2, "shared")])
        self.assertEqual([(one["upgrade"], one["detached"]) for one in shown["waiters"]], [(False, False)] * 2)
        self.assertEqual(shown["lastToken"], holder["fencingToken"])
        self.assertEqual(shown["holdSeconds"]["count"], 3)
        self.assertLessEqual(shown["holdSeconds"]["p50"], shown["holdSeconds"]["p99"])
        few = self.client.resource(self.name(), limit=1)
        self.assertEqual((len(few["waiters"]), few["waiterCount"]), (1, 2))
        self.client.released(holder["leaseId"])
        self.client.released(waiters[0].result()["leaseId"])
        self.assertEqual(waiters[1].result()["acquired"], True)


class ForceReleaseTest(ServerTest):
    def test_it_ends_the_hold_and_leaves_a_record(self):
        lease = self.held(ttl=600)
        answer = self.client.force_release(self.name(), "alice", "the worker hangs")
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual((answer["releasedCount"], answer["when"]), (1, "now"))
        self.assertEqual(answer["released"][0]["leaseId"], lease["leaseId"])
        record = answer["audit"]
        self.assertEqual((record["action"], record["resource"]), ("FORCE_UNLOCK", self.name()))
        self.assertEqual((record["actorId"], record["reason"]), ("alice", "the worker hangs"))
        self.assertEqual(record["holders"][0]["fencingToken"], lease["fencingToken"])
        trail = self.client.done("GET", "/v1/audit", prefix=self.name())["records"]
        self.assertEqual(trail, [record])
        after = self.held()
        self.assertGreater(after["fencingToken"], lease["fencingToken"])

    def test_all_readers_are_ended_at_once(self):
        leases = [self.held(mode="shared")["leaseId"] for _ in range(4)]
        answer = self.client.force_release(self.name())
        self.assertEqual([holder["leaseId"] for holder in answer["released"]], leases)
        self.assertEqual((answer["releasedCount"], answer["audit"]["holderCount"]), (4, 4))

    def test_one_named_holder_is_ended_only_if_it_still_holds(self):
        first, second, third = (self.held(mode="shared") for _ in range(3))
        self.client.force_release(self.name(), leaseId=first["leaseId"])
        self.client.force_release(self.name(), fencingToken=second["fencingToken"])
        self.client.renewed(third["leaseId"])
        for named in ({"leaseId": first["leaseId"]}, {"fencingToken": second["fencingToken"]}):
            answer = self.client.force_release(self.name(), **named)
            self.assertEqual((answer.status, answer["code"]), (409, "not_holder"))
            self.assertEqual(answer["field"], next(iter(named)))
        self.client.renewed(third["leaseId"])

    def test_nobody_to_release_is_said(self):
        answer = self.client.force_release(self.name())
        self.assertEqual((answer.status, answer["code"], answer["field"]), (409, "not_held", "resource"))

    def test_the_gentle_way_refuses_renewals_and_waits_for_the_deadline(self):
        lease = self.held(ttl=1.5)
        answer = self.client.force_release(self.name(), "alice", "maintenance", when="at_deadline")
        self.assertEqual((answer["when"], answer["audit"]["action"]), ("at_deadline", "FORCE_UNLOCK_AT_DEADLINE"))
        refused = self.client.renew(lease["leaseId"])
        if refused.status != 410:  # unless this took longer than its TTL
            self.assertEqual((refused.status, refused["code"]), (409, "renewal_refused"))
            self.assertEqual((refused["actorId"], refused["reason"]), ("alice", "maintenance"))
            self.assertLessEqual(refused["validForSeconds"], 1.5)
        wait_until(lambda: self.client.is_over(lease["leaseId"]), "its deadline")
        lost = self.client.lost(lease["leaseId"], "force_released")
        self.assertEqual((lost["actorId"], lost["auditId"]), ("alice", answer["audit"]["id"]))

    def test_actor_and_reason_are_required_and_one_holder_is_named_in_one_way(self):
        path = f"/v1/resources/{self.name()}/force-release"
        for given, field in (({"actorId": "a"}, "reason"), ({"reason": "r"}, "actorId"),
                             ({"actorId": "a", "reason": ""}, "reason"),
                             ({"actorId": "a", "reason": "r", "when": "later"}, "when")):
            self.assertEqual(self.client.refused(422, "invalid", "POST", path, given)["field"], field)
        both = {"actorId": "a", "reason": "r", "leaseId": "lease-12345678", "fencingToken": 1}
        self.assertIn(self.client.refused(422, "invalid", "POST", path, both)["field"], ("leaseId", "fencingToken"))

    def test_the_trail_is_read_in_pages_oldest_first(self):
        for number in range(5):
            self.held()
            self.client.force_release(self.name(), f"actor-{number}")
        first = self.client.done("GET", "/v1/audit", prefix=self.name(), limit=3)
        rest = self.client.done("GET", "/v1/audit", prefix=self.name(), limit=3, after=first["next"])
        actors = [record["actorId"] for record in first["records"] + rest["records"]]
        self.assertEqual(actors, [f"actor-{number}" for number in range(5)])
        self.assertIsNone(rest["next"])


class FailuresTest(ServerTest):
    def failures(self, **query):
        return self.client.done("GET", "/v1/renewal-failures", **query)["failures"]

    def test_a_renewal_that_came_too_late_can_be_inspected(self):
        lease = self.client.acquired(self.name(), "sleepy", 0.1)
        wait_until(lambda: self.client.is_over(lease["leaseId"]), "its expiry")
        self.client.lost(lease["leaseId"], "expired")
        for query in ({"prefix": self.name()}, {"ownerId": "sleepy"}):
            failure = self.failures(**query)[0]
            self.assertEqual((failure["leaseId"], failure["resource"]), (lease["leaseId"], self.name()))
            self.assertEqual((failure["ownerId"], failure["fencingToken"]), ("sleepy", lease["fencingToken"]))
            self.assertEqual((failure["code"], failure["cause"]), ("lease_lost", "expired"))
            self.assertGreaterEqual(failure["lateSeconds"], 0)
        self.assertEqual(self.failures(ownerId="wide awake"), [])

    def test_a_renewal_of_what_nobody_knows_is_one_too(self):
        self.client.renew("lease-nobody-knows")
        failure = next(one for one in self.failures() if one["leaseId"] == "lease-nobody-knows")
        self.assertEqual((failure["code"], failure["resource"], failure["ownerId"]), ("lease_not_found", None, None))


class RestartTest(unittest.TestCase):
    def test_the_trail_survives_a_clean_stop_and_a_kill(self):
        with PawlServer() as server:
            records = []
            for number, end in enumerate((server.stop, server.kill, server.stop)):
                client = server.client()
                client.acquired("lock", ttl=600)
                records.append(client.force_release("lock", f"actor-{number}", "again")["audit"])
                client.close()
                end()
                server.start()
                client = server.client()
                self.assertEqual(client.done("GET", "/v1/audit")["records"], records)
                client.close()

    def test_a_hold_that_takes_too_long_raises_an_event_a_log_line_and_a_metric(self):
        with PawlServer("--long-hold", "500ms") as server:
            client = server.client()
            with EventReader(server.port, prefix="slow") as reader:
                lease = client.acquired("slow", ttl=600)
                event = reader.until(lambda event: event["event"] == "lock_held_long")[-1]
                self.assertIsNone(event["id"])
                self.assertEqual(event["data"]["leaseId"], lease["leaseId"])
                self.assertGreaterEqual(event["data"]["heldSeconds"], 0.5)
            line = wait_until(lambda: server.find_event("lock_held_long", leaseId=lease["leaseId"]), "its log line")
            self.assertEqual((line["resource"], line["severity"]), ("slow", "warning"))
            metrics = client.get("/metrics").raw.decode()
            self.assertRegex(metrics, r"(?m)^pawl_\w*held_long\w*(\{.*\})? [1-9]")
            client.close()


if __name__ == "__main__":
    unittest.main()
