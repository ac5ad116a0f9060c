# SPDX-License-Identifier: Apache-2.0
"""A client that vanishes without a word, as one does whose machine or network is gone, is noticed within seconds and
passed over like one that hangs up (P7). Skipped where no network namespace can be made: see far_side.py."""
import unittest

import raw
from far_side import FarSide
from pawl_server import PawlServer, ServerTest
from waiting import wait_until

# The server needs about five; without its probes it would be the minutes of the wait.
NOTICED_WITHIN = 30.0
LONG = 600


class VanishedTest(ServerTest):
    far_side = None

    @classmethod
    def setUpClass(cls):
        cls.far_side = cls.enterClassContext(FarSide())
        cls.server = cls.enterClassContext(PawlServer(host=cls.far_side.near))

    def queue(self):
        return self.client.resource(self.name())["waiters"]

    def detached(self):
        return [waiter["ownerId"] for waiter in self.queue() if waiter["detached"]]

    def test_a_waiter_that_vanishes_is_passed_over_and_then_forgotten(self):
        holder = self.held(ttl=LONG)
        connection = self.far_side.connect(self.server.port)
        self.addCleanup(connection.close)
        connection.sendall(raw.acquire_bytes(self.name(), "vanishing", LONG, waitSeconds=LONG,
                                             leaseId="lease-that-vanishes"))
        self.wait_for_waiters(self.name(), 1)
        told = self.in_background(lambda c: c.acquire(self.name(), "patient", waitSeconds=LONG))
        self.wait_for_waiters(self.name(), 2)
        self.assertEqual(self.detached(), [])
        self.addCleanup(self.far_side.mend)
        self.far_side.cut()
        # The other one is as quiet, but answers when it is asked whether it is there.
        found = wait_until(self.detached, "the server to notice", NOTICED_WITHIN)
        self.assertEqual(found, ["vanishing"])
        self.client.released(holder["leaseId"])
        answer = told.result(NOTICED_WITHIN)
        self.assertIs(answer["acquired"], True)
        self.assertEqual(answer["ownerId"], "patient")
        wait_until(lambda: self.client.is_over("lease-that-vanishes"), "the end of its wait", NOTICED_WITHIN)
        lost = self.client.refused(410, "lease_lost", "GET", "/v1/locks/lease-that-vanishes")
        self.assertEqual(lost["cause"], "abandoned")


if __name__ == "__main__":
    unittest.main()
