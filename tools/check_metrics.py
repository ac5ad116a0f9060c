#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when an alert rule or the dashboard uses a metric or a label that docs/metrics.md does not list.

usage: check_metrics.py [ROOT]
"""
import json
import pathlib
import re
import sys

DOC = "docs/metrics.md"
RULES = "packaging/prometheus/pawl-alerts.yml"
DASHBOARD = "packaging/grafana/pawl-dashboard.json"

ROW = re.compile(r"^\| `((?:pawl|process)_\w+)` \| (counter|gauge|histogram) \|([^|]*)\|", re.M)
USE = re.compile(r"\b((?:pawl|process)_\w+)(?:\{([^}]*)\})?")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
GIVEN = {"instance", "job"}  # by Prometheus


def documented(text):
    """Series name: the labels it may have."""
    series = {}
    for name, kind, labels in ROW.findall(text):
        known = set(re.findall(r"`(\w+)`", labels)) | GIVEN
        if kind == "histogram":
            series.update({f"{name}_sum": known, f"{name}_count": known, f"{name}_bucket": known | {"le"}})
        else:
            series[name] = known
    return series


def rule_expressions(text):
    """Of the YAML: what stands after `expr:`, on that line or indented below it."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        found = re.match(r"(\s*)(?:- )?expr:\s*(.*)", line)
        if not found:
            continue
        indent, first = len(found.group(1)), found.group(2)
        expression = [] if first in ("|", ">", "|-", ">-") else [first]
        for below in lines[at + 1:]:
            if below.strip() and len(below) - len(below.lstrip()) <= indent:
                break
            expression.append(below.strip())
        yield " ".join(expression)


def dashboard_expressions(dashboard):
    """Every `expr`, and every variable's `query`, however deep."""
    if isinstance(dashboard, dict):
        for key, value in dashboard.items():
            if key in ("expr", "query", "definition") and isinstance(value, str):
                yield value
            else:
                yield from dashboard_expressions(value)
    elif isinstance(dashboard, list):
        for value in dashboard:
            yield from dashboard_expressions(value)


def check_expressions(where, expressions, series):
    used = 0
    for expression in expressions:
        for name, selector in USE.findall(expression):
            used += 1
            if name not in series:
                yield f"{where}: {name} is not in {DOC}"
                continue
            for label in LABEL.findall(re.sub(r'"[^"]*"', '""', selector)):
                if label not in series[name]:
                    yield f"{where}: {name} has no label {label}"
    if used == 0:
        yield f"{where}: uses no metric at all"


def check(root):
    series = documented((root / DOC).read_text())
    if not series:
        yield f"{DOC}: lists no metric"
        return
    yield from check_expressions(RULES, rule_expressions((root / RULES).read_text()), series)
    dashboard = json.loads((root / DASHBOARD).read_text())
    yield from check_expressions(DASHBOARD, dashboard_expressions(dashboard), series)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    problems = list(check(root))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
