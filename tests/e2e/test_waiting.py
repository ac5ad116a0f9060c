# SPDX-License-Identifier: Apache-2.0
"""Waits: answered when the lock is granted, in order of arrival; who hangs up is passed over and forgotten (P7)."""
import unittest

import raw
from pawl_server import ServerTest
from waiting import wait_until


class WaitingTest(ServerTest):
    def waiter(self, owner, **fields):
        """Waits in the background, and stands in the queue when this returns."""
        before = self.client.resource(self.name())["waiterCount"]
        told = self.in_background(lambda c: c.acquire(self.name(), owner, **({"waitSeconds": 120} | fields)))
        self.wait_for_waiters(self.name(), before + 1)
        return told

    def deserter(self, owner, lease_id):
        """Stands in the queue, on a socket that the test can close."""
        before = self.client.resource(self.name())["waiterCount"]
        connection = raw.connect(self.server.port)
        self.addCleanup(connection.close)
        connection.sendall(raw.acquire_bytes(self.name(), owner, waitSeconds=120, leaseId=lease_id))
        self.wait_for_waiters(self.name(), before + 1)
        return connection

    def queue(self):
        return self.client.resource(self.name())["waiters"]

    def test_a_waiter_is_answered_when_the_lock_is_released(self):
        holder = self.held()
        told = self.waiter("worker-2")
        self.assertFalse(told.done())
        self.client.released(holder["leaseId"])
        answer = told.result()
        self.assertIs(answer["acquired"], True)
        self.assertGreater(answer["waitedSeconds"], 0)
        self.assertEqual(answer["validForSeconds"], 30)
        self.assertGreater(answer["fencingToken"], holder["fencingToken"])

    def test_a_waiter_is_answered_when_the_holder_expires(self):
        self.held(ttl=0.3)
        self.assertIs(self.client.acquire(self.name(), "worker-2", waitSeconds=120)["acquired"], True)

    def test_a_waiter_is_answered_when_an_operator_ends_the_hold(self):
        self.held()
        told = self.waiter("worker-2")
        self.client.force_release(self.name())
        self.assertIs(told.result()["acquired"], True)

    def test_a_wait_in_vain_ends_as_a_timeout(self):
        self.held()
        answer = self.client.not_acquired(self.name(), waitSeconds=0.1, leaseId="lease-in-vain")
        self.assertEqual((answer["reason"], answer["resource"]), ("timeout", self.name()))
        self.assertEqual((answer["holders"], answer["retryAfterSeconds"]), ([], None))
        self.assertNotIn("holderCount", answer)
        self.assertNotIn("waiters", answer)
        again = self.client.not_acquired(self.name(), waitSeconds=0.1, leaseId="lease-in-vain")
        self.assertEqual(again["reason"], "timeout")
        self.assertEqual(self.queue(), [])

    def test_waiters_are_served_in_order_of_arrival(self):
        holder = self.held()
        told = [self.waiter(f"worker-{number}") for number in range(5)]
        self.assertEqual([waiter["ownerId"] for waiter in self.queue()], [f"worker-{number}" for number in range(5)])
        self.assertEqual([waiter["position"] for waiter in self.queue()], [1, 2, 3, 4, 5])
        lease = holder
        tokens = [holder["fencingToken"]]
        for number, waiter in enumerate(told):
            self.assertFalse(any(later.done() for later in told[number:]))
            self.client.released(lease["leaseId"])
            lease = waiter.result()
            self.assertIs(lease["acquired"], True)
            tokens.append(lease["fencingToken"])
        self.assertEqual(tokens, sorted(tokens))

    def test_who_does_not_wait_does_not_overtake(self):
        holder = self.held(mode="shared")
        told = self.waiter("writer")
        self.assertEqual(self.client.not_acquired(self.name(), mode="shared")["waiters"], 1)
        self.client.released(holder["leaseId"])
        told.result()

    def test_a_client_that_hangs_up_is_passed_over_and_then_forgotten(self):
        holder = self.held()
        deserter = self.deserter("deserter", "lease-of-a-deserter")
        told = self.waiter("patient")
        deserter.close()
        wait_until(lambda: any(waiter["detached"] for waiter in self.queue()), "the server to notice")
        self.client.released(holder["leaseId"])
        self.assertIs(told.result()["acquired"], True)
        wait_until(lambda: self.client.is_over("lease-of-a-deserter"), "the end of the deserter's wait")
        answer = self.client.refused(410, "lease_lost", "GET", "/v1/locks/lease-of-a-deserter")
        self.assertEqual(answer["cause"], "abandoned")
        self.assertEqual(self.queue(), [])

    def test_a_client_that_half_closes_counts_as_gone(self):
        self.held()
        deserter = self.deserter("deserter", "lease-of-a-half")
        deserter.shutdown(1)  # SHUT_WR
        wait_until(lambda: self.client.is_over("lease-of-a-half"), "the end of its wait")

    def test_a_client_that_comes_back_in_time_keeps_its_place(self):
        for number in range(5):  # a slow machine may be too late for one
            holder = self.held()
            first = self.deserter("first", f"lease-comes-back-{number}")
            second = self.waiter("second", waitSeconds=300)
            first.close()
            wait_until(lambda: any(waiter["detached"] for waiter in self.queue()), "the server to notice")
            back = self.in_background(lambda c, n=number: c.acquire(
                self.name(), "first", leaseId=f"lease-comes-back-{n}", attempt=2, waitSeconds=120))
            wait_until(lambda: back.done() or not any(waiter["detached"] for waiter in self.queue()), "its return")
            self.client.released(holder["leaseId"])
            answer = back.result()
            if answer.status == 200:
                self.assertIs(answer["acquired"], True)
                self.assertFalse(second.done())
                self.client.released(answer["leaseId"])
                self.assertGreater(second.result()["fencingToken"], answer["fencingToken"])
                return
            self.assertEqual(answer["cause"], "abandoned")
            self.client.released(second.result()["leaseId"])
        self.fail("five times more than five seconds for a few requests")

    def test_a_newer_attempt_takes_the_place_of_an_older_one(self):
        holder = self.held()
        old = self.waiter("worker-2", leaseId="lease-asked-twice")
        new = self.in_background(lambda c: c.acquire(self.name(), "worker-2", leaseId="lease-asked-twice", attempt=2,
                                                     waitSeconds=120))
        answer = old.result()
        self.assertEqual((answer.status, answer["code"]), (409, "superseded"))
        late = self.client.acquire(self.name(), "worker-2", leaseId="lease-asked-twice", attempt=1, waitSeconds=120)
        self.assertEqual((late.status, late["code"], late["field"]), (409, "superseded", "attempt"))
        self.assertEqual(len(self.queue()), 1)
        self.client.released(holder["leaseId"])
        self.assertEqual((new.result()["acquired"], new.result()["leaseId"]), (True, "lease-asked-twice"))

    def test_a_waiting_lease_can_be_looked_at(self):
        self.held()
        told = self.waiter("worker-2", leaseId="lease-in-a-queue")
        record = self.client.done("GET", "/v1/locks/lease-in-a-queue")
        self.assertEqual((record["state"], record["ownerId"]), ("waiting", "worker-2"))
        for field in ("fencingToken", "createdAt", "renewedAt", "expiresAt"):
            self.assertIsNone(record[field])
        self.client.released("lease-in-a-queue")
        told.result()

    def test_two_thousand_wait_at_once_and_one_release_admits_them_all(self):
        count = 2200
        raw.allow_descriptors(count + 200)
        holder = self.held(ttl=600)
        with raw.Crowd() as crowd:
            for number in range(count):
                crowd.send(self.server.port, number, raw.acquire_bytes(
                    self.name(), f"reader-{number}", 600, mode="shared", waitSeconds=500))
            self.wait_for_waiters(self.name(), count)
            self.client.released(holder["leaseId"])
            crowd.collect(count)
            self.assertTrue(all(answer["acquired"] for answer in crowd.answers.values()))
            tokens = {answer["fencingToken"] for answer in crowd.answers.values()}
            self.assertEqual(len(tokens), count)
        self.assertEqual(self.client.resource(self.name())["holderCount"], count)


if __name__ == "__main__":
    unittest.main()
