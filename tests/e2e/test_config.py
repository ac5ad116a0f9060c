# SPDX-License-Identifier: Apache-2.0
"""Configuration: flags over variables over the file over the defaults, and nothing unknown is taken silently."""
import pathlib
import tempfile
import tomllib
import unittest

from pawl_server import PawlServer, run_pawl

USAGE = 2


class ConfigTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="pawl-e2e-")))

    def file(self, text, name="pawl.toml"):
        path = self.folder / name
        path.write_text(text, "utf-8")
        return str(path)

    def printed(self, *flags, env=None):
        ended = run_pawl("serve", "--print-config", *flags, env=env)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return tomllib.loads(ended.stdout)

    def refused(self, *flags, env=None):
        """What it says on stderr; nothing is touched."""
        data = self.folder / "data"
        ended = run_pawl("serve", "--data-dir", data, "--http", "127.0.0.1:0", *flags, env=env)
        self.assertEqual(ended.returncode, USAGE, ended.stderr)
        self.assertFalse(data.exists(), "the data folder was made")
        return ended.stderr

    def test_a_flag_is_stronger_than_a_variable_than_the_file_than_the_default(self):
        config = self.file('long-hold = "7s"\n')
        self.assertEqual(self.printed()["long-hold"], "10m")
        self.assertEqual(self.printed("--config", config)["long-hold"], "7s")
        self.assertEqual(self.printed(env={"PAWL_CONFIG": config})["long-hold"], "7s")
        env = {"PAWL_LONG_HOLD": "8s"}
        self.assertEqual(self.printed("--config", config, env=env)["long-hold"], "8s")
        self.assertEqual(self.printed("--config", config, "--long-hold", "9s", env=env)["long-hold"], "9s")

    def test_what_is_printed_says_where_it_came_from_and_can_be_read_back(self):
        ended = run_pawl("serve", "--print-config", "--max-ttl", "2h", env={"PAWL_MAX_WAIT": "20s"})
        lines = {line.split(" =")[0]: line for line in ended.stdout.splitlines() if " = " in line}
        self.assertIn("--max-ttl", lines["max-ttl"])
        self.assertIn("PAWL_MAX_WAIT", lines["max-wait"])
        self.assertIn("default", lines["min-ttl"])
        again = self.printed("--config", self.file(ended.stdout))
        self.assertEqual(again, tomllib.loads(ended.stdout))

    def test_the_settings_are_in_force(self):
        config = self.file("max-resource-bytes = 20\nmax-owner-bytes = 20\n")
        with PawlServer("--config", config, "--max-ttl", "60s",
                        env={"PAWL_MAX_OWNER_BYTES": "10", "PAWL_MAX_TTL": "1h"}) as server:
            client = server.client()
            for owner, ttl, resource, field in (("o" * 11, 5, "r", "ownerId"), ("o", 61, "r", "ttlSeconds"),
                                                ("o", 5, "r" * 21, "resource")):
                answer = client.acquire(resource, owner, ttl)
                self.assertEqual((answer.status, answer["field"]), (422, field))
            client.acquired("r" * 20, "o" * 10, 60)
            client.close()

    def test_limits_that_change_are_in_force_after_a_restart(self):
        with PawlServer("--max-ttl", "60s") as server:
            client = server.client()
            self.assertEqual(client.acquire("lock", ttl=61).status, 422)
            client.close()
            server.stop()
            server.flags = ["--max-ttl", "2m"]
            server.start()
            client = server.client()
            client.acquired("lock", ttl=61)
            client.close()

    def test_an_unknown_key_is_refused_with_the_nearest(self):
        told = self.refused("--config", self.file('\nlong-hlod = "7s"\n'))
        for part in ("pawl.toml:2", "long-hlod", "long-hold"):
            self.assertIn(part, told)

    def test_a_file_that_is_wrong_is_refused_with_its_place(self):
        for text, part in (('long-hold = 7', "long-hold"), ('max-leases = "many"', "max-leases"),
                           ("x = = 1", "pawl.toml"), ("max-leases = 1\nmax-leases = 2", "max-leases"),
                           ("log-locks = 1", "log-locks"), ('http = "nowhere"', "http")):
            told = self.refused_file(text)
            self.assertIn(part, told)
            self.assertIn("pawl.toml", told)

    def refused_file(self, text):
        ended = run_pawl("serve", "--config", self.file(text))
        self.assertEqual(ended.returncode, USAGE, f"{text!r}: {ended.stderr}")
        return ended.stderr

    def test_a_file_that_is_not_there_is_refused(self):
        self.assertIn("nowhere.toml", self.refused("--config", str(self.folder / "nowhere.toml")))

    def test_bad_flags_and_variables_are_refused_by_name(self):
        for flags, part in ((("--long-hold", "soon"), "long-hold"), (("--max-connections", "0"), "max-connections"),
                            (("--max-leases", "-1"), "max-leases"), (("--no-such-flag",), "no-such-flag"),
                            (("--log-level", "loud"), "log-level"), (("--min-ttl", "2h", "--max-ttl", "1h"), "ttl")):
            self.assertIn(part, self.refused(*flags))
        self.assertIn("PAWL_MAX_TTL", self.refused(env={"PAWL_MAX_TTL": "x"}))

    def test_an_unknown_variable_is_warned_of_with_the_nearest(self):
        with PawlServer(env={"PAWL_LONG_HODL": "5s", "PAWL_URL": "http://127.0.0.1:1"}) as server:
            text = server.log_text()
            self.assertIn("PAWL_LONG_HODL", text)
            self.assertIn("PAWL_LONG_HOLD", text)
            self.assertNotIn("PAWL_URL", text)

    def test_a_port_that_is_taken_has_an_exit_code_of_its_own(self):
        with PawlServer() as server:
            ended = run_pawl("serve", "--data-dir", self.folder / "other", "--http", f"127.0.0.1:{server.port}")
            self.assertEqual(ended.returncode, 25, ended.stderr)
            self.assertIn(str(server.port), ended.stderr)

    def test_a_data_folder_that_is_in_use_is_refused(self):
        with PawlServer() as server:
            ended = run_pawl("serve", "--data-dir", server.data, "--http", "127.0.0.1:0")
            self.assertNotIn(ended.returncode, (0, USAGE), ended.stderr)
            self.assertIn(str(server.data), ended.stderr)
            client = server.client()
            client.acquired("lock")
            client.close()


if __name__ == "__main__":
    unittest.main()
