# SPDX-License-Identifier: Apache-2.0
"""The Prometheus text format, read strictly."""
import re

_SAMPLE = re.compile(r'(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?P<labels>.*)\})? (?P<value>\S+)')
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|\Z)')


class Metrics:
    """`types` by family; samples as {(name, frozenset of label pairs): value}."""

    def __init__(self, text):
        assert text.endswith("\n")
        self.types = {}
        self.help = {}
        self.samples = {}
        for line in text.splitlines():
            self._take(line)

    def _take(self, line):
        if line.startswith("# HELP "):
            name, _, words = line[7:].partition(" ")
            assert name not in self.help and words, line
            self.help[name] = words
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            assert name not in self.types, line
            assert kind in ("counter", "gauge", "histogram", "summary", "untyped"), line
            self.types[name] = kind
        elif line:
            match = _SAMPLE.fullmatch(line)
            assert match, f"this is no sample: {line!r}"
            labels = match["labels"] or ""
            pairs = _LABEL.findall(labels)
            assert _LABEL.sub("", labels) == "", f"these are no labels: {line!r}"
            key = (match["name"], frozenset(pairs))
            assert key not in self.samples, f"twice: {line!r}"
            self.samples[key] = float(match["value"])

    def family_of(self, name):
        if name in self.types:
            return name
        for ending in ("_bucket", "_sum", "_count"):
            if name.endswith(ending) and self.types.get(name[: -len(ending)]) == "histogram":
                return name[: -len(ending)]
        raise AssertionError(f"{name} belongs to no family")

    def sum(self, name, **labels):
        """Over all samples that have these labels."""
        wanted = set(labels.items())
        return sum(value for (found, pairs), value in self.samples.items() if found == name and wanted <= pairs)

    def histograms(self):
        """(family, other labels) -> sorted list of (upper bound, count)."""
        found = {}
        for (name, pairs), value in self.samples.items():
            if name.endswith("_bucket") and self.family_of(name) != name:
                bound = float(dict(pairs)["le"])
                rest = frozenset(pair for pair in pairs if pair[0] != "le")
                found.setdefault((self.family_of(name), rest), []).append((bound, value))
        return {key: sorted(buckets) for key, buckets in found.items()}
