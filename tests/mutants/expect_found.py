#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program that has a planted bug in it, and passes if the program finds it.

usage: expect_found.py PROGRAM [ARGUMENT...]

Found means exit code 1, the finder's own, or an assertion of the core; anything else, a crash included, is not a
finding that one could trust.
"""
import signal
import subprocess
import sys


def main():
    run = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    lines = run.stdout.splitlines()
    print("\n".join(lines[:25]))
    if run.returncode == 1 and lines:
        print("found")
        return 0
    if run.returncode == -signal.SIGABRT and any("pawl: bug: assertion" in line for line in lines):
        print("found by an assertion of the core")
        return 0
    print(f"NOT found: exit code {run.returncode}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
