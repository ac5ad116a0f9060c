# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document: complete, true to itself, and what the service really does. That every answer of every other
test is in it is checked by client.py."""
import json
import re
import unittest

from pawl_server import ServerTest

CALLS = {
    ("POST", "/v1/locks/acquire"), ("POST", "/v1/locks/{leaseId}/renew"), ("POST", "/v1/locks/renew"),
    ("POST", "/v1/locks/{leaseId}/upgrade"), ("POST", "/v1/locks/{leaseId}/downgrade"),
    ("DELETE", "/v1/locks/{leaseId}"), ("GET", "/v1/locks"), ("GET", "/v1/locks/{leaseId}"),
    ("GET", "/v1/resources/{resource}"), ("POST", "/v1/resources/{resource}/force-release"), ("GET", "/v1/audit"),
    ("POST", "/v1/fence/check"), ("GET", "/v1/events"), ("GET", "/v1/renewal-failures"), ("GET", "/v1/cluster"),
    ("GET", "/v1/version"), ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics"), ("GET", "/openapi.json"),
}
CODES = set("""malformed unknown_field cross_origin not_found lease_not_found method_not_allowed timed_out
    lease_not_held lease_id_conflict lease_id_stale superseded mode_mismatch permit_limit_mismatch upgrade_conflict
    token_mismatch renewal_refused not_held not_holder no_deadline lease_lost too_large invalid limit_reached too_many
    overloaded not_leader stopping outcome_unknown internal""".split())


def walk(node, path="#"):
    yield path, node
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        yield from walk(child, f"{path}/{name}")


class OpenApiTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.document = self.client.document
        self.tree = self.document.tree

    def test_it_lists_every_call_and_no_other(self):
        self.assertTrue(self.tree["openapi"].startswith("3.1."))
        found = {(method, path) for method, path, _ in self.document.operations()}
        self.assertEqual(found, CALLS)

    def test_every_reference_leads_somewhere_and_everything_is_used(self):
        references = {node["$ref"] for _, node in walk(self.tree) if isinstance(node, dict) and "$ref" in node}
        for reference in references:
            self.document.at(reference)
        for group, members in self.tree["components"].items():
            for name in members:
                self.assertIn(f"#/components/{group}/{name}", references | {"#/components/schemas/Problem"})

    def test_every_path_parameter_is_declared_and_every_operation_has_a_name_of_its_own(self):
        names = []
        for method, path, operation in self.document.operations():
            parameters = self.tree["paths"][path].get("parameters", []) + operation.get("parameters", [])
            declared = {p["name"] for p in map(self.document.resolve, parameters) if p["in"] == "path"}
            self.assertEqual(declared, set(re.findall(r"{(.*?)}", path)), (method, path))
            names.append(operation["operationId"])
            self.assertTrue(operation.get("summary") or operation.get("description"), (method, path))
        self.assertEqual(len(names), len(set(names)))

    def test_every_code_is_known(self):
        codes = set()
        for path, node in walk(self.tree["components"]["schemas"]["Problem"]):
            if path.endswith("/code") and isinstance(node, dict):
                node = self.document.resolve(node)
                codes |= set(node.get("enum", []))
        self.assertEqual(codes, CODES)

    def test_every_example_is_valid(self):
        """In content and in schemas."""
        judged = 0
        for path, node in walk(self.tree):
            if not isinstance(node, dict) or path.endswith(("/example", "/examples", "/properties")):
                continue
            examples = []
            if "schema" in node and isinstance(node["schema"], dict):
                examples = [node["example"]] if "example" in node else []
                examples += [self.document.resolve(one)["value"] for one in node.get("examples", {}).values()]
                for example in examples:
                    if not isinstance(example, str) or "text/" not in path:
                        self.document.validate(node["schema"], example, f"the example in {path}")
                        judged += 1
            elif path.startswith("#/components/schemas/") and isinstance(node.get("examples"), list):
                for example in node["examples"]:
                    self.document.validate(node, example, f"the example in {path}")
                    judged += 1
        self.assertGreater(judged, 5)

    def test_every_documented_request_field_is_taken_and_no_other(self):
        """An unknown field is refused, so whatever the document names must get past that."""
        values = {"string": "lease-12345678", "number": 1, "integer": 1, "object": {}, "array": [], "boolean": True}
        for method, path, operation in self.document.operations():
            content = self.document.resolve(operation.get("requestBody", {})).get("content", {})
            if "application/json" not in content:
                continue
            schema = self.document.resolve(content["application/json"]["schema"])
            target = path.replace("{leaseId}", "lease-12345678").replace("{resource}", "some-resource")
            for name, field in self.properties(schema).items():
                kind = self.document.resolve(field).get("type", "string")
                kind = kind[0] if isinstance(kind, list) else kind
                answer = self.client.call(method, target, {name: values[kind]})
                self.assertNotEqual(answer.status, 400, f"{method} {path} {name}: {answer}")
            answer = self.client.call(method, target, {"noSuchField": 1})
            self.assertEqual((answer.status, answer["code"]), (400, "unknown_field"))

    def properties(self, schema):
        found = {}
        schema = self.document.resolve(schema)
        found.update(schema.get("properties", {}))
        for parts in ("allOf", "anyOf", "oneOf"):
            for part in schema.get(parts, []):
                found.update(self.properties(part))
        return found

    def test_every_documented_query_parameter_is_taken(self):
        values = {"limit": "10", "after": None, "prefix": "p", "namespace": "default", "ownerId": "o"}
        for method, path, operation in self.document.operations():
            if path == "/v1/events":
                continue
            target = path.replace("{leaseId}", "lease-12345678").replace("{resource}", "some-resource")
            for parameter in map(self.document.resolve, operation.get("parameters", [])):
                if parameter["in"] == "query" and values[parameter["name"]] is not None:
                    answer = self.client.call(method, target, **{parameter["name"]: values[parameter["name"]]})
                    code = (answer.body or {}).get("code")
                    self.assertNotEqual(code, "unknown_field", f"{method} {path} {parameter['name']}")

    def test_it_is_served_as_json(self):
        answer = self.client.done("GET", "/openapi.json")
        self.assertEqual(json.loads(answer.raw), self.tree)


if __name__ == "__main__":
    unittest.main()
