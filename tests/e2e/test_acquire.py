# SPDX-License-Identifier: Apache-2.0
"""Acquire: who is granted, who is not, and what a repeated request is told (P1, P2, P5, P6, P8)."""
import datetime
import re
import unittest

from client import quoted
from pawl_server import ServerTest
from waiting import wait_until


class AcquireTest(ServerTest):
    def test_a_free_lock_is_granted_with_all_that_a_holder_needs(self):
        answer = self.client.acquired(self.name(), "worker-7", 12.5)
        self.assertRegex(answer["leaseId"], r"\Alease_[0-9a-f]{32}\Z")
        self.assertEqual(answer["resource"], self.name())
        self.assertEqual(answer["namespace"], "default")
        self.assertEqual(answer["ownerId"], "worker-7")
        self.assertEqual(answer["mode"], "exclusive")
        self.assertEqual(answer["ttlSeconds"], 12.5)
        self.assertEqual(answer["validForSeconds"], 12.5)
        self.assertEqual(answer["waitedSeconds"], 0)
        self.assertIs(answer["repeated"], False)
        self.assertGreater(answer["fencingToken"], 0)
        self.assertNotIn("resources", answer)
        self.assertNotIn("permits", answer)
        times = [datetime.datetime.fromisoformat(answer[field]) for field in ("createdAt", "expiresAt")]
        self.assertEqual(times[1] - times[0], datetime.timedelta(seconds=12.5))
        self.assertTrue(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", answer["createdAt"]))

    def test_a_lock_that_is_held_is_refused_and_names_its_holder(self):
        holder = self.held()
        answer = self.client.not_acquired(self.name())
        self.assertEqual(answer["reason"], "held")
        self.assertEqual(answer["resource"], self.name())
        self.assertEqual((answer["holderCount"], answer["waiters"]), (1, 0))
        self.assertEqual([shown["leaseId"] for shown in answer["holders"]], [holder["leaseId"]])
        self.assertEqual(answer["holders"][0]["ownerId"], "worker-1")
        self.assertEqual(answer["holders"][0]["fencingToken"], holder["fencingToken"])
        self.assertGreater(answer["retryAfterSeconds"], 0)
        self.assertLessEqual(answer["retryAfterSeconds"], 30)

    def test_the_owner_itself_is_refused_too_for_a_lease_is_not_an_owner(self):
        self.held()
        self.assertEqual(self.client.acquire(self.name(), "worker-1")["acquired"], False)

    def test_tokens_grow_over_all_resources(self):
        tokens = []
        for number in range(5):
            lease = self.held(str(number % 2))
            tokens.append(lease["fencingToken"])
            self.client.released(lease["leaseId"])
        self.assertEqual(tokens, sorted(set(tokens)))

    def test_a_repeat_is_told_the_same_grant_and_extends_nothing(self):
        lease = self.held(leaseId="lease-of-repeat-1")
        self.assertEqual(lease["leaseId"], "lease-of-repeat-1")
        again = self.client.acquired(self.name(), leaseId="lease-of-repeat-1", attempt=2, waitSeconds=5)
        self.assertIs(again["repeated"], True)
        self.assertEqual(again["fencingToken"], lease["fencingToken"])
        self.assertLess(again["validForSeconds"], lease["validForSeconds"])
        self.assertGreater(again["stateTimeMs"], 0)

    def test_an_id_belongs_to_one_request(self):
        self.held(leaseId="lease-of-conflict")
        for other in ({"owner": "worker-2"}, {"ttl": 31}, {"mode": "shared"}, {"maxHoldSeconds": 60}):
            answer = self.client.acquire(self.name(), leaseId="lease-of-conflict", **other)
            self.assertEqual((answer.status, answer["code"]), (409, "lease_id_conflict"), other)
            self.assertEqual(answer["field"], "leaseId")
            self.assertIs(answer["retryable"], False)
        self.client.acquired(self.name(), leaseId="lease-of-conflict", metadata={"not": "part of it"})

    def test_a_late_duplicate_never_makes_a_new_grant(self):
        lease = self.held(leaseId="lease-of-late-duplicate")
        self.client.released(lease["leaseId"])
        answer = self.client.acquire(self.name(), leaseId=lease["leaseId"])
        self.assertEqual((answer.status, answer["code"], answer["cause"]), (410, "lease_lost", "released"))
        self.assertEqual(answer["leaseId"], lease["leaseId"])
        self.assertEqual(answer["fencingToken"], lease["fencingToken"])

    def test_an_id_that_was_refused_as_held_stays_so(self):
        holder = self.held()
        self.client.not_acquired(self.name(), leaseId="lease-of-busy-1")
        self.client.released(holder["leaseId"])
        answer = self.client.not_acquired(self.name(), leaseId="lease-of-busy-1")
        self.assertEqual((answer["reason"], answer["holders"]), ("held", []))
        self.assertNotIn("holderCount", answer)
        self.assertNotIn("waiters", answer)
        self.assertIsNone(answer["retryAfterSeconds"])

    def test_a_lease_that_nobody_renews_expires_and_the_next_token_is_larger(self):
        first = self.held(ttl=0.2)
        second = self.client.acquired(self.name(), "worker-2", waitSeconds=30)
        self.assertGreater(second["fencingToken"], first["fencingToken"])
        self.client.lost(first["leaseId"], "expired")

    def test_namespaces_do_not_see_each_other(self):
        self.held()
        other = self.client.acquired(self.name(), namespace="tenant_2")
        self.assertEqual(other["namespace"], "tenant_2")
        self.client.not_acquired(self.name(), namespace="tenant_2")
        answer = self.client.renew(other["leaseId"])
        self.assertEqual((answer.status, answer["code"]), (404, "lease_not_found"))
        self.client.renewed(other["leaseId"], namespace="tenant_2")
        self.client.released(other["leaseId"], namespace="tenant_2")

    def test_the_namespace_may_be_a_query_parameter_but_not_another_one(self):
        body = {"resource": self.name(), "ownerId": "worker-1", "ttlSeconds": 5}
        answer = self.client.done("POST", "/v1/locks/acquire", body, namespace="tenant_3")
        self.assertEqual(answer["namespace"], "tenant_3")
        body["namespace"] = "tenant_4"
        answer = self.client.refused(422, "invalid", "POST", "/v1/locks/acquire", body, namespace="tenant_3")
        self.assertEqual(answer["field"], "namespace")

    def test_metadata_is_kept_with_the_lease(self):
        metadata = {"host": "db-3", "clé": "valeur", "empty": ""}
        lease = self.held(metadata=metadata)
        record = self.client.done("GET", f"/v1/locks/{lease['leaseId']}")
        self.assertEqual(record["metadata"], metadata)
        self.assertEqual(record["state"], "held")

    def test_names_may_be_any_utf8_and_are_percent_encoded_in_paths(self):
        for text in ("a/b c%2F+", "größe:東京/🔒", "?x=1&y#z", "..", "%", "a" * 400):
            name = self.name(text)
            lease = self.client.acquired(name)
            shown = self.client.resource(name)
            self.assertEqual(shown["resource"], name)
            self.assertEqual([holder["leaseId"] for holder in shown["holders"]], [lease["leaseId"]], quoted(name))

    def test_the_longest_names_that_are_allowed_work_throughout(self):
        name, owner, lease_id = self.name() + "n" * (512 - len(self.name())), "o" * 256, "i" * 128
        lease = self.client.acquired(name, owner, leaseId=lease_id)
        self.assertEqual((lease["resource"], lease["ownerId"], lease["leaseId"]), (name, owner, lease_id))
        again = self.client.acquired(name, owner, leaseId=lease_id)
        self.assertEqual((again["repeated"], again["fencingToken"]), (True, lease["fencingToken"]))
        self.assertEqual(self.client.not_acquired(name)["holders"][0]["leaseId"], lease_id)
        self.client.renewed(lease_id)
        record = self.client.done("GET", f"/v1/locks/{lease_id}")
        self.assertEqual((record["leaseId"], record["ownerId"]), (lease_id, owner))
        self.client.released(lease_id)
        self.client.acquired(name)

    def test_a_max_hold_ends_the_lease_however_often_it_is_renewed(self):
        lease = self.held(maxHoldSeconds=0.4)
        self.assertLessEqual(lease["validForSeconds"], 0.4)
        wait_until(lambda: self.client.renew(lease["leaseId"]).status == 410, "the end of the max hold")
        self.client.lost(lease["leaseId"], "max_hold_reached")

    def test_a_min_hold_keeps_the_resource_closed_after_an_early_release(self):
        lease = self.held(minHoldSeconds=600)
        self.client.released(lease["leaseId"])
        answer = self.client.not_acquired(self.name())
        self.assertEqual((answer["reason"], answer["holders"], answer["holderCount"]), ("delayed", [], 0))
        self.assertGreater(answer["retryAfterSeconds"], 0)
        self.assertLessEqual(answer["retryAfterSeconds"], 600)
        self.assertIsNotNone(self.client.resource(self.name())["closedUntil"])

    def test_a_lock_delay_follows_a_loss_and_not_a_release(self):
        released = self.held("released", lockDelaySeconds=600)
        self.client.released(released["leaseId"])
        self.held("released")
        lost = self.held("lost", lockDelaySeconds=600, ttl=0.1)
        wait_until(lambda: self.client.is_over(lost["leaseId"]), "its expiry")
        self.assertEqual(self.client.not_acquired(self.name("lost"))["reason"], "delayed")

    def test_a_token_is_valid_while_its_lease_lives(self):
        def check(token):
            answer = self.client.done("POST", "/v1/fence/check", {"resource": self.name(), "fencingToken": token})
            return answer["valid"], answer["currentToken"]

        self.assertEqual(check(1), (False, None))
        lease = self.held()
        token = lease["fencingToken"]
        self.assertEqual(check(token), (True, token))
        self.assertEqual(check(token - 1), (False, token))
        self.client.released(lease["leaseId"])
        self.assertIs(check(token)[0], False)

    def test_a_duration_is_exact_to_the_microsecond(self):
        self.assertEqual(self.held("a", ttl=0.1)["validForSeconds"], 0.1)
        self.assertEqual(self.held("b", ttl=1.000001)["validForSeconds"], 1.000001)
        self.assertEqual(self.held("c", ttl=86400)["validForSeconds"], 86400)


if __name__ == "__main__":
    unittest.main()
