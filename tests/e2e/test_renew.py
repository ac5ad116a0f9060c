# SPDX-License-Identifier: Apache-2.0
"""Renewals, alone and many at a time: they extend, never shorten, and a lost lease is told why (P3, P4, P5, P8)."""
import unittest

from pawl_server import ServerTest
from waiting import wait_until


class RenewTest(ServerTest):
    def test_a_renewal_gives_the_whole_ttl_again(self):
        lease = self.held(ttl=20)
        answer = self.client.renewed(lease["leaseId"])
        self.assertIs(answer["renewed"], True)
        self.assertEqual(answer["leaseId"], lease["leaseId"])
        self.assertEqual(answer["fencingToken"], lease["fencingToken"])
        self.assertEqual((answer["ttlSeconds"], answer["validForSeconds"]), (20, 20))
        self.assertGreaterEqual(answer["stateTimeMs"], lease["stateTimeMs"])

    def test_an_empty_object_is_as_good_as_no_body(self):
        lease = self.held()
        self.client.done("POST", f"/v1/locks/{lease['leaseId']}/renew", {})
        self.client.done("POST", f"/v1/locks/{lease['leaseId']}/renew", raw=b"")

    def test_a_renewal_may_ask_for_more_and_never_shortens(self):
        lease = self.held(ttl=20)
        longer = self.client.renewed(lease["leaseId"], ttlSeconds=600)
        self.assertEqual(longer["validForSeconds"], 600)
        shorter = self.client.renewed(lease["leaseId"], ttlSeconds=1)
        self.assertGreater(shorter["validForSeconds"], 60)

    def test_renewals_keep_a_short_lease_alive_for_many_ttls(self):
        lease = self.held(ttl=3)
        start = lease["stateTimeMs"]
        wait_until(lambda: self.client.renewed(lease["leaseId"])["stateTimeMs"] > start + 4000, "more than one TTL")
        self.client.not_acquired(self.name())

    def test_an_unknown_lease_is_not_found(self):
        answer = self.client.refused(404, "lease_not_found", "POST", "/v1/locks/lease_nobody_knows/renew")
        self.assertEqual(answer["leaseId"], "lease_nobody_knows")

    def test_a_lease_that_is_over_is_lost_with_its_cause(self):
        released = self.held("released")
        self.client.released(released["leaseId"])
        self.client.lost(released["leaseId"], "released")
        expired = self.held("expired", ttl=0.1)
        wait_until(lambda: self.client.is_over(expired["leaseId"]), "its expiry")
        answer = self.client.lost(expired["leaseId"], "expired")
        self.assertEqual(answer["fencingToken"], expired["fencingToken"])
        self.assertIs(answer["retryable"], False)
        forced = self.held("forced")
        self.client.force_release(self.name("forced"), "bob", "deploy is stuck")
        answer = self.client.lost(forced["leaseId"], "force_released")
        self.assertEqual((answer["actorId"], answer["reason"]), ("bob", "deploy is stuck"))
        self.assertGreater(answer["auditId"], 0)

    def test_an_old_id_never_touches_the_next_lease_of_the_resource(self):
        first = self.held()
        self.client.released(first["leaseId"])
        second = self.held()
        self.client.lost(first["leaseId"], "released")
        self.client.released(first["leaseId"])
        self.client.renewed(second["leaseId"])

    def test_a_waiting_id_has_nothing_to_renew(self):
        self.held()
        waiter = self.in_background(lambda c: c.acquire(self.name(), "worker-2", leaseId="lease-that-waits",
                                                        waitSeconds=60))
        self.wait_for_waiters(self.name(), 1)
        self.client.refused(409, "lease_not_held", "POST", "/v1/locks/lease-that-waits/renew")
        self.client.released("lease-that-waits")
        self.assertEqual(waiter.result()["cause"], "released")

    def test_many_are_renewed_in_one_call_each_with_its_own_answer(self):
        good = [self.held(str(number))["leaseId"] for number in range(3)]
        gone = self.held("gone")["leaseId"]
        self.client.released(gone)
        asked = [good[0], gone, good[1], "lease_nobody_knows", good[2]]
        answer = self.client.done("POST", "/v1/locks/renew", {"leaseIds": asked, "ttlSeconds": 50})
        results = answer["results"]
        self.assertEqual([result["leaseId"] for result in results], asked)
        self.assertEqual([result["renewed"] for result in results], [True, False, True, False, True])
        self.assertEqual([result.get("code") for result in results],
                         [None, "lease_lost", None, "lease_not_found", None])
        self.assertEqual(results[1]["cause"], "released")
        self.assertIn("detail", results[3])
        self.assertEqual(results[4]["validForSeconds"], 50)

    def test_a_thousand_are_renewed_at_once_and_not_one_more(self):
        lease = self.held()["leaseId"]
        others = [f"lease-{number:06}" for number in range(999)]
        answer = self.client.done("POST", "/v1/locks/renew", {"leaseIds": others + [lease]})
        self.assertEqual(len(answer["results"]), 1000)
        self.assertIs(answer["results"][-1]["renewed"], True)
        for bad in ([], others + [lease, "lease-too-many"], [lease, lease]):
            refused = self.client.refused(422, "invalid", "POST", "/v1/locks/renew", {"leaseIds": bad})
            self.assertTrue(refused["field"].startswith("leaseIds"), refused)


if __name__ == "__main__":
    unittest.main()
