# SPDX-License-Identifier: Apache-2.0
"""The served OpenAPI document as a judge: which answers it allows, and which of their fields it knows."""
import re

import jsonschema

PROBLEM = "application/problem+json"


class Document:
    def __init__(self, tree):
        self.tree = tree
        # Paths without a parameter first: /v1/locks/renew is no lease.
        self._paths = sorted(((self._pattern(path), path) for path in tree["paths"]), key=lambda pair: "{" in pair[1])

    @staticmethod
    def _pattern(path):
        return re.compile(re.sub(r"\\\{[^/]*?\\\}", "[^/]*", re.escape(path)))

    def path_of(self, path):
        return next((found for pattern, found in self._paths if pattern.fullmatch(path)), None)

    def operations(self):
        for path, item in self.tree["paths"].items():
            for method in ("get", "put", "post", "delete", "head", "patch"):
                if method in item:
                    yield method.upper(), path, item[method]

    def resolve(self, node):
        """Follows $refs, which stay within the document."""
        while isinstance(node, dict) and "$ref" in node:
            node = self.at(node["$ref"])
        return node

    def at(self, reference):
        assert reference.startswith("#/"), f"this points out of the document: {reference}"
        node = self.tree
        for part in reference[2:].split("/"):
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node

    def check(self, method, path, answer):
        """Fails unless this may be the answer to that call."""
        item = self.tree["paths"].get(self.path_of(path), {})
        operation = item.get("get" if method == "HEAD" else method.lower())
        if operation is None:
            expected = 405 if item else 404
            assert answer.status in (expected, 400, 413), f"{method} {path} is not in the document: {answer}"
            self._check_body(self.problem_schema(), answer, f"{method} {path}")
            return
        where = f"{method} {path} {answer.status}"
        responses = operation["responses"]
        response = self.resolve(responses.get(str(answer.status), responses.get("default")))
        assert response is not None, f"this status is not in the document: {where} {answer}"
        content = {kind.split(";")[0]: media for kind, media in response.get("content", {}).items()}
        kind = answer.type.split(";")[0]
        assert kind in content, f"{where}: the content type {kind!r} is none of {list(content)}"
        if method != "HEAD" and answer.body is not None:
            self._check_body(content[kind].get("schema", {}), answer, where)

    def problem_schema(self):
        return self.tree["components"]["schemas"]["Problem"]

    def _check_body(self, schema, answer, where):
        self.validate(schema, answer.body, where)
        self._check_fields(schema, answer.body, where)
        if answer.status >= 400:
            assert answer.type.startswith(PROBLEM), f"{where}: {answer.type}"
            assert answer["status"] == answer.status, f"{where}: {answer}"
            assert answer["type"] == f"urn:pawl:problem:{answer['code']}", f"{where}: {answer}"

    def validate(self, schema, value, where):
        whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": self.tree["components"],
                 "allOf": [schema]}
        judge = jsonschema.Draft202012Validator(whole, format_checker=jsonschema.FormatChecker())
        errors = [f"{error.json_path}: {error.message}" for error in judge.iter_errors(value)]
        assert not errors, f"{where} is not as documented: {errors[:5]} in {value}"

    def _check_fields(self, schema, value, where):
        """What the document does not name is not there, also where its schemas would let it pass."""
        if isinstance(value, list):
            for schema_of_items in self._all(schema, "items"):
                for item in value:
                    self._check_fields(schema_of_items, item, where)
        if not isinstance(value, dict):
            return
        named = {}
        for properties in self._all(schema, "properties"):
            for name, inner in properties.items():
                named.setdefault(name, []).append(inner)
        free = [inner for inner in self._all(schema, "additionalProperties") if inner is not False]
        for name, inner in value.items():
            assert name in named or free or not named, f"{where}: the document does not know the field {name!r}"
            if name in named:
                self._check_fields({"anyOf": named[name]}, inner, where)

    def _all(self, schema, keyword):
        """Every value of a keyword in the schema and in those that it is made of."""
        schema = self.resolve(schema)
        if not isinstance(schema, dict):
            return []
        found = [schema[keyword]] if keyword in schema else []
        for parts in ("allOf", "anyOf", "oneOf"):
            for part in schema.get(parts, []):
                found += self._all(part, keyword)
        return found
