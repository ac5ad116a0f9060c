# SPDX-License-Identifier: Apache-2.0
"""Metrics, health and logs: well-formed, and they say what happened."""
import json
import unittest

import raw
from pawl_server import PawlServer, ServerTest
from prometheus import Metrics
from waiting import wait_until


class MetricsTest(ServerTest):
    def metrics(self):
        answer = self.client.done("GET", "/metrics")
        self.assertTrue(answer.type.startswith("text/plain; version=0.0.4"), answer.type)
        return Metrics(answer.raw.decode("utf-8"))

    def test_it_is_well_formed(self):
        self.client.released(self.held()["leaseId"])
        metrics = self.metrics()
        for name, _ in metrics.samples:
            family = metrics.family_of(name)
            self.assertIn(family, metrics.help)
            self.assertTrue(family.startswith(("pawl_", "process_")), family)
            if metrics.types[family] == "counter":
                self.assertTrue(family.endswith("_total"), family)
        self.assertGreater(len(metrics.types), 20)
        for (family, labels), buckets in metrics.histograms().items():
            counts = [count for _, count in buckets]
            self.assertEqual(counts, sorted(counts), family)
            self.assertEqual(buckets[-1][0], float("inf"), family)
            self.assertEqual(metrics.samples[(f"{family}_count", labels)], counts[-1])
            self.assertIn((f"{family}_sum", labels), metrics.samples)

    def test_it_counts_what_happens(self):
        before = self.metrics()
        lease = self.held()
        self.client.not_acquired(self.name())
        self.client.renewed(lease["leaseId"])
        during = self.metrics()
        self.client.force_release(self.name())
        self.client.lost(lease["leaseId"], "force_released")
        after = self.metrics()

        def grew(first, second, part):
            return [name for name in {name for name, _ in second.samples}
                    if part in name and second.sum(name) > first.sum(name)]

        self.assertTrue(grew(before, during, "held"), "no gauge of what is held")
        self.assertTrue(grew(before, during, "_total"))
        self.assertTrue(grew(during, after, "force"), "no count of force releases")
        self.assertTrue(grew(during, after, "renewal"), "no count of failed renewals")
        self.assertTrue(grew(during, after, "hold"), "no histogram of holds")
        self.assertTrue(grew(before, after, "request"), "no count of requests")

    def test_label_values_from_names_are_bounded_and_escaped(self):
        self.client.acquired('quote"back\\slash:x')
        for number in range(300):
            self.client.acquired(f"prefix{number}:x")
        self.client.acquired("p" * 400 + ":x")
        metrics = self.metrics()
        series = {}
        for name, labels in metrics.samples:
            if not name.endswith("_bucket"):
                series[name] = series.get(name, 0) + 1
        self.assertLess(max(series.values()), 250, series)
        self.assertLess(max(len(value) for _, labels in metrics.samples for _, value in labels), 150)


class HealthTest(ServerTest):
    def test_it_is_alive_and_ready(self):
        self.assertEqual(self.client.done("GET", "/healthz").body, {"status": "ok"})
        self.assertEqual(self.client.done("GET", "/readyz").body, {"ready": True})

    def test_it_tells_who_it_is(self):
        version = self.client.done("GET", "/v1/version")
        self.assertEqual((version["name"], version["api"]), ("pawl", "v1"))
        self.assertRegex(version["version"], r"\A\d+\.\d+\.\d+")
        cluster = self.client.done("GET", "/v1/cluster")
        self.assertEqual((cluster["role"], cluster["ready"]), ("leader", True))
        self.assertEqual(cluster["members"], [{"nodeId": cluster["nodeId"], "self": True}])

    def test_head_is_get_without_a_body(self):
        for path in ("/healthz", "/readyz", "/v1/version", "/v1/locks", "/metrics", "/openapi.json"):
            answer = self.client.call("HEAD", path)
            self.assertEqual((answer.status, answer.raw), (200, b""), path)
            self.assertGreater(int(answer.headers["Content-Length"]), 0)


class LogTest(unittest.TestCase):
    def test_every_line_is_an_object_that_begins_with_its_event(self):
        with PawlServer() as server:
            client = server.client()
            lease = client.acquired('name "with" \\ quotes: größe', "owner-1", 17)
            client.released(lease["leaseId"])
            short = client.acquired("short", "owner-2", 0.1)
            wait_until(lambda: client.is_over(short["leaseId"]), "its expiry")
            client.lost(short["leaseId"], "expired")
            client.acquired("stuck", "owner-3")
            client.force_release("stuck", "dave", "stuck")
            raw.send_raw(server.port, b"rubbish\r\n\r\n")
            client.close()
            server.stop()
            lines = server.log_lines()
            self.assertGreater(len(lines), 5)
            for line in lines:
                fields = json.loads(line, object_pairs_hook=list)
                self.assertEqual([name for name, _ in fields[:3]], ["event", "at", "severity"], line)
                self.assertEqual(len({name for name, _ in fields}), len(fields), line)
                self.assertIn(dict(fields)["severity"], ("debug", "info", "warning", "error"))
            acquired = server.find_event("lock_acquired", leaseId=lease["leaseId"])
            self.assertEqual(acquired["resource"], 'name "with" \\ quotes: größe')
            self.assertEqual((acquired["ownerId"], acquired["ttlSeconds"]), ("owner-1", 17))
            self.assertEqual(acquired["fencingToken"], lease["fencingToken"])
            self.assertIsNotNone(server.find_event("lock_released", leaseId=lease["leaseId"]))
            self.assertEqual(server.find_event("lock_expired", leaseId=short["leaseId"])["severity"], "warning")
            failed = server.find_event("renewal_failed", leaseId=short["leaseId"])
            self.assertEqual((failed["cause"], failed["severity"]), ("expired", "warning"))
            forced = server.find_event("lock_force_released", resource="stuck")
            self.assertEqual((forced["actorId"], forced["reason"]), ("dave", "stuck"))


if __name__ == "__main__":
    unittest.main()
