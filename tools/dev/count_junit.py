#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints "passed failed skipped" for the JUnit file that ctest wrote.

ctest calls a test "skipped" for several reasons. Only one is a test's own wish (it ran and said so, by
GTEST_SKIP or an exit code); a disabled test or one whose program is missing could not run, and fails.
"""
import sys
import xml.etree.ElementTree as ElementTree


def verdict(case):
    status = case.get("status")
    if status == "run" and case.find("failure") is None:
        return "passed"
    skip = case.find("skipped")
    if skip is not None and skip.get("message", "").startswith("SKIP_"):
        return "skipped"
    print(f"failed: {case.get('name')} ({status})", file=sys.stderr)
    return "failed"


def main():
    try:
        cases = ElementTree.parse(sys.argv[1]).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print(f"cannot read ctest's results: {error}", file=sys.stderr)
        cases = ()
    verdicts = [verdict(case) for case in cases]
    print(*(verdicts.count(kind) for kind in ("passed", "failed", "skipped")))


main()
