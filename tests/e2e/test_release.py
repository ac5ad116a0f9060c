# SPDX-License-Identifier: Apache-2.0
"""Release: it ends the lease, may be repeated, and never touches another (P5, P6)."""
import unittest

from pawl_server import ServerTest
from waiting import wait_until


class ReleaseTest(ServerTest):
    def test_a_released_lock_is_free_at_once(self):
        lease = self.held()
        answer = self.client.released(lease["leaseId"])
        self.assertIs(answer["released"], True)
        self.assertEqual(answer["cause"], "released")
        self.assertEqual(answer["fencingToken"], lease["fencingToken"])
        self.held()

    def test_a_repeat_is_told_the_same(self):
        lease = self.held()
        first = self.client.released(lease["leaseId"])
        again = self.client.released(lease["leaseId"])
        for field in ("released", "leaseId", "fencingToken", "cause"):
            self.assertEqual(first[field], again[field])

    def test_a_lease_that_was_lost_before_is_gone(self):
        lease = self.held(ttl=0.1)
        wait_until(lambda: self.client.is_over(lease["leaseId"]), "its expiry")
        answer = self.client.refused(410, "lease_lost", "DELETE", f"/v1/locks/{lease['leaseId']}")
        self.assertEqual((answer["cause"], answer["fencingToken"]), ("expired", lease["fencingToken"]))

    def test_an_unknown_lease_is_not_found_and_its_delayed_acquire_is_refused(self):
        for _ in range(2):
            self.client.refused(404, "lease_not_found", "DELETE", "/v1/locks/lease-still-on-its-way")
        answer = self.client.acquire(self.name(), leaseId="lease-still-on-its-way")
        self.assertEqual((answer.status, answer["code"]), (410, "lease_lost"))
        self.assertEqual(answer["cause"], "never_acquired")
        self.held()

    def test_a_waiter_leaves_the_queue_by_a_release(self):
        holder = self.held()
        waiter = self.in_background(lambda c: c.acquire(self.name(), "worker-2", leaseId="lease-gives-up",
                                                        waitSeconds=60))
        self.wait_for_waiters(self.name(), 1)
        answer = self.client.released("lease-gives-up")
        self.assertEqual(answer["cause"], "released")
        self.assertNotIn("fencingToken", answer)
        told = waiter.result()
        self.assertEqual((told.status, told["code"], told["cause"]), (410, "lease_lost", "released"))
        self.wait_for_waiters(self.name(), 0)
        self.client.released(holder["leaseId"])
        self.held()

    def test_an_id_that_was_never_held_is_released_with_the_cause_of_its_end(self):
        self.held()
        self.client.not_acquired(self.name(), leaseId="lease-was-busy")
        self.assertEqual(self.client.released("lease-was-busy")["cause"], "busy")
        self.client.not_acquired(self.name(), leaseId="lease-timed-out", waitSeconds=0.05)
        self.assertEqual(self.client.released("lease-timed-out")["cause"], "timed_out")

    def test_a_release_wakes_the_next_waiter(self):
        holder = self.held()
        waiter = self.in_background(lambda c: c.acquired(self.name(), "worker-2", waitSeconds=60))
        self.wait_for_waiters(self.name(), 1)
        self.client.released(holder["leaseId"])
        self.assertGreater(waiter.result()["fencingToken"], holder["fencingToken"])

    def test_a_lease_is_shown_until_it_is_over_and_its_end_is_remembered(self):
        lease = self.held()
        path = f"/v1/locks/{lease['leaseId']}"
        record = self.client.done("GET", path)
        self.assertEqual((record["state"], record["ownerId"]), ("held", "worker-1"))
        self.client.released(lease["leaseId"])
        self.assertEqual(self.client.refused(410, "lease_lost", "GET", path)["cause"], "released")
        self.client.refused(404, "lease_not_found", "GET", "/v1/locks/lease-never-was")


if __name__ == "__main__":
    unittest.main()
