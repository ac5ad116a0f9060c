#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when docs/track-record.md does not list each planted bug with its sentence, or lists one that is gone."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).parent.parent.parent
mutants = {path.stem: path.read_text().splitlines()[0] for path in (root / "tests/mutants").glob("*.mutant")}
listed = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", (root / "docs/track-record.md").read_text(), re.M))
problems = [f"{name}: not listed as it is" for name, sentence in sorted(mutants.items()) if listed.get(name) != sentence]
problems += [f"{name}: listed, but there is no such mutant" for name in sorted(set(listed) - set(mutants))]
print("\n".join(problems + [f"{len(mutants)} mutants, {len(problems)} problems"]))
sys.exit(1 if problems or not mutants else 0)
