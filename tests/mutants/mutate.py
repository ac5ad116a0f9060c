#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a .mutant file (see README.md) and writes mutated copies of the source files that it names.

usage: mutate.py MUTANT ROOT OUT      write the copies below OUT
       mutate.py MUTANT --files       print the files it changes, one a line
       mutate.py MUTANT --judges      print who must find it, one a line
"""
import pathlib
import re
import sys


def parse(path):
    text = pathlib.Path(path).read_text()
    sentence, rest = text.split("\n", 1)
    judges = re.search(r"^found by: (.+)$", rest, re.M)
    edits = {}
    current = None
    for match in re.finditer(r"^file: (?P<file>[^\n]+)$|^<<<<\n(?P<find>.*?)\n====\n(?P<put>.*?)\n?^>>>>$", rest, re.M | re.S):
        if match["file"]:
            current = match["file"].strip()
            edits[current] = []
        else:
            edits[current].append((match["find"], match["put"]))
    if not sentence or judges is None or not edits or not all(edits.values()):
        sys.exit(f"{path}: not a mutant: it needs a sentence, 'found by:', and for each 'file:' an edit")
    return judges.group(1).split(), edits


def main():
    mutant, what = sys.argv[1], sys.argv[2]
    judges, edits = parse(mutant)
    if what == "--files":
        print("\n".join(edits))
    elif what == "--judges":
        print("\n".join(judges))
    else:
        root, out = pathlib.Path(what), pathlib.Path(sys.argv[3])
        for file, pairs in edits.items():
            text = (root / file).read_text()
            for find, put in pairs:
                if text.count(find) != 1:
                    sys.exit(f"{mutant}: found {text.count(find)} times in {file}, not once:\n{find}")
                text = text.replace(find, put)
            target = out / pathlib.Path(file).name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)


if __name__ == "__main__":
    main()
