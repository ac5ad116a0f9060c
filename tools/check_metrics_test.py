#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The metrics check must find what the documentation does not list, in rules and dashboard, and nothing else."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_metrics

DOC = """
| name | type | labels | meaning |
|---|---|---|---|
| `pawl_ready` | gauge | | ready |
| `pawl_calls_total` | counter | `call`, `mode` | calls |
| `pawl_wait_seconds` | histogram | `call` | waits |
"""


class CheckMetrics(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.write(check_metrics.DOC, DOC)
        self.rules("pawl_ready == 0")
        self.dashboard("pawl_ready")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def rules(self, expression):
        self.write(check_metrics.RULES, f"rules:\n  - alert: A\n    expr: {expression}\n    for: 1m\n"
                                        "    annotations:\n      summary: pawl_anything goes\n")

    def dashboard(self, expression):
        self.write(check_metrics.DASHBOARD, json.dumps({"panels": [{"targets": [{"expr": expression}]}]}))

    def problems(self):
        return list(check_metrics.check(self.root))

    def test_what_is_documented_passes(self):
        for expression in ('rate(pawl_calls_total{call="a", mode=~"b|c", instance="x:1"}[5m])', "pawl_ready",
                           'pawl_wait_seconds_bucket{le="0.1"} / pawl_wait_seconds_count{call!="a=b"}'):
            self.rules(expression)
            self.dashboard(expression)
            self.assertEqual(self.problems(), [], expression)

    def test_an_unknown_metric_is_found(self):
        self.rules("pawl_redy == 0")
        self.assertIn("pawl_redy is not", self.problems()[0])

    def test_it_is_found_below_the_line_too(self):
        self.rules(">-\n      pawl_ready\n      and pawl_redy")
        self.assertEqual(len(self.problems()), 1)

    def test_a_histogram_is_used_by_its_series(self):
        self.dashboard("pawl_wait_seconds")
        self.assertEqual(len(self.problems()), 1)

    def test_an_unknown_label_is_found(self):
        self.dashboard('pawl_calls_total{cal="a"}')
        self.assertIn("no label cal", self.problems()[0])

    def test_nothing_at_all_is_no_success(self):
        self.dashboard("up")
        self.assertIn("uses no metric", self.problems()[0])
        self.write(check_metrics.DOC, "# Metrics")
        self.assertIn("lists no metric", self.problems()[0])


if __name__ == "__main__":
    unittest.main()
