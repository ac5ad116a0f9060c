# SPDX-License-Identifier: Apache-2.0
"""Readers and writers, permits, several resources at once, upgrades and downgrades (P1, P2, P6)."""
import unittest

from pawl_server import ServerTest
from waiting import wait_until


class SharedTest(ServerTest):
    def test_readers_share_and_keep_a_writer_out(self):
        readers = [self.held(mode="shared") for _ in range(3)]
        self.assertEqual({reader["mode"] for reader in readers}, {"shared"})
        self.assertEqual(len({reader["fencingToken"] for reader in readers}), 3)
        answer = self.client.not_acquired(self.name())
        self.assertEqual((answer["holderCount"], len(answer["holders"])), (3, 3))
        for reader in readers:
            self.client.released(reader["leaseId"])
        writer = self.held()
        self.assertGreater(writer["fencingToken"], max(reader["fencingToken"] for reader in readers))

    def test_a_writer_keeps_readers_out(self):
        self.held()
        self.client.not_acquired(self.name(), mode="shared")

    def test_a_reader_does_not_overtake_a_waiting_writer(self):
        first = self.held(mode="shared")
        writer = self.in_background(lambda c: c.acquired(self.name(), "writer", waitSeconds=60))
        self.wait_for_waiters(self.name(), 1)
        answer = self.client.not_acquired(self.name(), mode="shared")
        self.assertEqual((answer["reason"], answer["waiters"]), ("held", 1))
        self.client.released(first["leaseId"])
        writer.result()


class PermitTest(ServerTest):
    def permits(self, limit, count=1, **fields):
        return self.client.acquire(self.name(), mode="permit", permits={"limit": limit, "count": count}, **fields)

    def test_no_more_permits_than_the_limit_are_in_use(self):
        first = self.permits(3, 2)
        self.assertEqual((first["acquired"], first["permits"]), (True, {"limit": 3, "count": 2}))
        self.assertIs(self.permits(3, 2)["acquired"], False)
        self.assertIs(self.permits(3)["acquired"], True)
        full = self.permits(3)
        self.assertEqual([holder["permits"] for holder in full["holders"]], [2, 1])
        self.client.released(first["leaseId"])
        self.assertIs(self.permits(3, 2)["acquired"], True)

    def test_one_is_asked_for_unless_said(self):
        answer = self.client.acquired(self.name(), mode="permit", permits={"limit": 5})
        self.assertEqual(answer["permits"], {"limit": 5, "count": 1})

    def test_a_resource_has_one_limit_and_one_kind_while_it_is_in_use(self):
        self.permits(3)
        answer = self.permits(4)
        self.assertEqual((answer.status, answer["code"], answer["field"]),
                         (409, "permit_limit_mismatch", "permits.limit"))
        answer = self.client.acquire(self.name())
        self.assertEqual((answer.status, answer["code"], answer["field"]), (409, "mode_mismatch", "mode"))

    def test_permits_go_with_their_mode_only(self):
        for fields in ({"mode": "permit"}, {"permits": {"limit": 3}}, {"mode": "shared", "permits": {"limit": 3}}):
            answer = self.client.acquire(self.name(), **fields)
            self.assertEqual((answer.status, answer["code"]), (422, "invalid"), fields)
            self.assertTrue(answer["field"].startswith("permits"), answer)
        for permits in ({"limit": 0}, {"limit": 2, "count": 3}, {"limit": 2, "count": 0}, {"limit": 10**7}):
            answer = self.client.acquire(self.name(), mode="permit", permits=permits)
            self.assertEqual((answer.status, answer["code"]), (422, "invalid"), permits)


class SeveralTest(ServerTest):
    def test_all_or_nothing_with_one_lease_and_one_token(self):
        names = [self.name(letter) for letter in "abc"]
        lease = self.client.acquired(names)
        self.assertEqual((lease["resources"], lease["resource"]), (names, names[0]))
        for name in names:
            answer = self.client.not_acquired(name)
            self.assertEqual(answer["holders"][0]["fencingToken"], lease["fencingToken"])
        self.client.released(lease["leaseId"])
        one = self.client.acquired(names[1])
        answer = self.client.not_acquired(names)
        self.assertEqual(answer["resource"], names[1])
        self.client.acquired(names[0])
        self.client.released(one["leaseId"])

    def test_one_in_a_list_is_still_one(self):
        answer = self.client.acquired([self.name()])
        self.assertEqual(answer["resource"], self.name())

    def test_names_are_given_once_and_in_one_way(self):
        body = {"ownerId": "worker-1", "ttlSeconds": 5}
        for names in ({}, {"resource": "a", "resources": ["b"]}, {"resources": []}, {"resources": ["a", "a"]},
                      {"resources": [f"name-{number}" for number in range(65)]}):
            answer = self.client.refused(422, "invalid", "POST", "/v1/locks/acquire", body | names)
            self.assertTrue(answer["field"].startswith("resource"), answer)
        answer = self.client.refused(422, "invalid", "POST", "/v1/locks/acquire", body | {"resources": ["a", 7]})
        self.assertEqual(answer["field"], "resources[1]")

    def test_sixty_four_are_fine(self):
        names = [self.name(str(number)) for number in range(64)]
        self.assertEqual(self.client.acquired(names)["resources"], names)


class UpgradeTest(ServerTest):
    def change(self, how, lease, token, **fields):
        return self.client.post(f"/v1/locks/{lease['leaseId']}/{how}", {"fencingToken": token} | fields)

    def test_the_only_reader_becomes_a_writer_with_a_new_token(self):
        lease = self.held(mode="shared")
        answer = self.change("upgrade", lease, lease["fencingToken"])
        self.assertEqual((answer["upgraded"], answer["mode"]), (True, "exclusive"))
        self.assertGreater(answer["fencingToken"], lease["fencingToken"])
        self.client.not_acquired(self.name(), mode="shared")

    def test_a_downgrade_lets_readers_in_and_keeps_the_token(self):
        lease = self.held()
        answer = self.change("downgrade", lease, lease["fencingToken"])
        self.assertEqual((answer["downgraded"], answer["mode"]), (True, "shared"))
        self.assertEqual(answer["fencingToken"], lease["fencingToken"])
        self.held(mode="shared")
        again = self.change("downgrade", lease, lease["fencingToken"])
        self.assertEqual((again["downgraded"], again["fencingToken"]), (True, lease["fencingToken"]))

    def test_an_upgrade_among_other_readers_is_refused_or_waits(self):
        lease = self.held(mode="shared")
        other = self.held(mode="shared")
        answer = self.change("upgrade", lease, lease["fencingToken"])
        self.assertEqual((answer["upgraded"], answer["reason"]), (False, "held"))
        self.assertEqual([holder["leaseId"] for holder in answer["holders"]], [other["leaseId"]])
        body = {"fencingToken": lease["fencingToken"], "waitSeconds": 60, "attempt": 2}
        waits = self.in_background(lambda c: c.done("POST", f"/v1/locks/{lease['leaseId']}/upgrade", body))
        self.wait_for_upgrade()
        conflict = self.change("upgrade", other, other["fencingToken"], waitSeconds=60)
        self.assertEqual((conflict.status, conflict["code"]), (409, "upgrade_conflict"))
        self.client.released(other["leaseId"])
        answer = waits.result()
        self.assertIs(answer["upgraded"], True)
        self.assertGreater(answer["fencingToken"], other["fencingToken"])
        self.assertGreater(answer["waitedSeconds"], 0)

    def wait_for_upgrade(self):
        wait_until(lambda: any(waiter["upgrade"] for waiter in self.client.resource(self.name())["waiters"]),
                   "a waiting upgrade")

    def test_an_upgrade_that_waited_in_vain_leaves_the_reader_as_it_was(self):
        lease = self.held(mode="shared")
        self.held(mode="shared")
        answer = self.change("upgrade", lease, lease["fencingToken"], waitSeconds=0.05)
        self.assertEqual((answer["upgraded"], answer["reason"]), (False, "timeout"))
        self.assertEqual(self.client.renewed(lease["leaseId"])["fencingToken"], lease["fencingToken"])

    def test_a_duplicate_of_an_upgrade_that_was_answered_does_nothing(self):
        lease = self.held(mode="shared")
        other = self.held(mode="shared")
        self.assertIs(self.change("upgrade", lease, lease["fencingToken"])["upgraded"], False)
        self.client.released(other["leaseId"])
        answer = self.change("upgrade", lease, lease["fencingToken"])
        self.assertEqual((answer.status, answer["code"], answer["field"]), (409, "superseded", "attempt"))
        self.assertIs(self.change("upgrade", lease, lease["fencingToken"], attempt=2)["upgraded"], True)

    def test_who_names_another_token_is_told_the_right_one(self):
        lease = self.held(mode="shared")
        answer = self.change("upgrade", lease, lease["fencingToken"] + 1)
        self.assertEqual((answer.status, answer["code"]), (409, "token_mismatch"))
        self.assertEqual(answer["fencingToken"], lease["fencingToken"])
        writer = self.held("writer")
        answer = self.change("downgrade", writer, writer["fencingToken"] + 1)
        self.assertEqual((answer.status, answer["code"]), (409, "token_mismatch"))
        self.assertEqual(answer["fencingToken"], writer["fencingToken"])

    def test_permits_know_no_upgrade(self):
        lease = self.held(mode="permit", permits={"limit": 2})
        for how in ("upgrade", "downgrade"):
            answer = self.change(how, lease, lease["fencingToken"])
            self.assertEqual((answer.status, answer["code"]), (409, "mode_mismatch"))

    def test_a_lease_that_is_over_is_lost_and_an_unknown_one_not_found(self):
        lease = self.held(mode="shared")
        self.client.released(lease["leaseId"])
        for how in ("upgrade", "downgrade"):
            answer = self.change(how, lease, lease["fencingToken"])
            self.assertEqual((answer.status, answer["code"], answer["cause"]), (410, "lease_lost", "released"))
            answer = self.change(how, {"leaseId": "lease_nobody_knows"}, 1)
            self.assertEqual((answer.status, answer["code"]), (404, "lease_not_found"))


if __name__ == "__main__":
    unittest.main()
