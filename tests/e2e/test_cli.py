# SPDX-License-Identifier: Apache-2.0
"""The commands against a real service: what people read, what scripts read, and the exit codes."""
import json
import os
import pty
import select
import subprocess
import time
import unittest

from pawl_server import BINARY, ServerTest, clean_environment, run_pawl
from waiting import PATIENCE, Background, wait_until

OK, FAILED, USAGE, NOT_ACQUIRED, LOST, UNREACHABLE = range(6)
COMMANDS = ("serve", "acquire", "renew", "release", "list", "show", "why", "force-release", "audit", "failures",
            "watch", "status", "version", "completion")


class CliTest(ServerTest):
    def pawl(self, *words, code=OK, **named):
        """The text that it printed, stdout and stderr."""
        env = {"PAWL_URL": self.server.url} | named.pop("env", {})
        ended = run_pawl(*words, env=env, **named)
        self.assertEqual(ended.returncode, code, f"pawl {' '.join(map(str, words))}: {ended}")
        return ended

    def json(self, *words, **named):
        return json.loads(self.pawl(*words, "--json", **named).stdout)

    def test_acquire_renew_show_release(self):
        text = self.pawl("acquire", self.name(), "--owner", "me", "--ttl", "90s", "--meta", "k=v").stdout
        record = self.client.done("GET", "/v1/locks", prefix=self.name())["locks"][0]
        for part in (self.name(), record["leaseId"], str(record["fencingToken"]), "me"):
            self.assertIn(part, text)
        self.assertEqual((record["ttlSeconds"], record["metadata"]), (90, {"k": "v"}))
        lease = record["leaseId"]
        self.assertIn(lease, self.pawl("renew", lease, "--ttl", "2m").stdout)
        self.assertEqual(self.json("renew", lease)["renewed"], True)
        text = self.pawl("show", lease).stdout
        for part in (lease, self.name(), "held", "k=v"):
            self.assertIn(part, text)
        self.assertEqual(self.json("show", lease)["ownerId"], "me")
        self.assertIn(lease, self.pawl("release", lease).stdout)
        self.assertEqual(self.json("release", lease)["released"], True)
        for command in ("renew", "show"):
            self.assertIn("released", self.pawl(command, lease, code=LOST).stderr)
            self.assertEqual(self.json(command, lease, code=LOST)["code"], "lease_lost")

    def test_many_are_renewed_in_one_call(self):
        leases = [self.held(letter)["leaseId"] for letter in "abc"]
        self.assertEqual(len(self.json("renew", *leases)["results"]), 3)
        ended = self.pawl("renew", leases[0], "lease-nobody-knows", code=LOST)
        self.assertIn(leases[0], ended.stdout)
        self.assertIn("lease-nobody-knows", ended.stderr)

    def test_acquire_says_who_holds_it(self):
        self.held()
        ended = self.pawl("acquire", self.name(), code=NOT_ACQUIRED)
        self.assertIn("worker-1", ended.stderr)
        self.assertEqual(self.json("acquire", self.name(), code=NOT_ACQUIRED)["reason"], "held")
        ended = self.pawl("acquire", self.name(), "--wait", "100ms", code=NOT_ACQUIRED)
        self.assertIn("worker-1", ended.stderr)

    def test_acquire_waits(self):
        holder = self.held()
        told = Background(lambda: self.json("acquire", self.name(), "--wait", "2m"))
        self.wait_for_waiters(self.name(), 1)
        self.client.released(holder["leaseId"])
        self.assertEqual(told.result()["acquired"], True)

    def test_acquire_in_every_mode(self):
        self.assertEqual(self.json("acquire", self.name("shared"), "--shared")["mode"], "shared")
        answer = self.json("acquire", self.name("seats"), "--permits", "5:2", "--max-hold", "1h", "--min-hold", "1s",
                           "--lock-delay", "2s")
        self.assertEqual(answer["permits"], {"limit": 5, "count": 2})
        names = [self.name("a"), self.name("b")]
        self.assertEqual(self.json("acquire", *names)["resources"], names)
        answer = self.json("acquire", self.name("id"), "--lease-id", "lease-of-a-command", "--namespace", "tenant_7")
        self.assertEqual((answer["leaseId"], answer["namespace"]), ("lease-of-a-command", "tenant_7"))
        again = self.json("acquire", self.name("id"), "--lease-id", "lease-of-a-command", "--owner",
                          answer["ownerId"], env={"PAWL_NAMESPACE": "tenant_7"})
        self.assertEqual(again["repeated"], True)

    def test_list_in_pages(self):
        for number in range(7):
            self.held(str(number))
        text = self.pawl("list", self.name("")).stdout
        for number in range(7):
            self.assertIn(self.name(str(number)), text)
        self.assertEqual(len(self.json("list", self.name(""), "--limit", "3")["locks"]), 3)
        everything = self.pawl("list", self.name(""), "--all", "--json").stdout
        self.assertEqual(everything.count('"leaseId"'), 7)
        lines = text.splitlines()
        columns = {line.find("worker-1") for line in lines if "worker-1" in line}
        self.assertEqual(len(columns), 1, "the table is not aligned")
        self.assertEqual(self.pawl("list", "nothing-begins-so").stdout.count("worker-1"), 0)

    def test_why_explains(self):
        self.assertIn("free", self.pawl("why", self.name()).stdout)
        holder = self.held()
        told = self.in_background(lambda c: c.acquire(self.name(), "next-one", waitSeconds=120))
        self.wait_for_waiters(self.name(), 1)
        text = self.pawl("why", self.name()).stdout
        for part in ("worker-1", "next-one", self.name()):
            self.assertIn(part, text)
        self.assertEqual(self.json("why", self.name())["waiterCount"], 1)
        self.client.released(holder["leaseId"])
        told.result()
        self.assertIn("usually", self.pawl("why", self.name()).stdout)

    def test_force_release_refuses_to_guess_without_a_terminal(self):
        lease = self.held()
        ended = self.pawl("force-release", self.name(), "--reason", "stuck", code=USAGE)
        self.assertIn("--yes", ended.stderr)
        self.client.renewed(lease["leaseId"])
        self.pawl("force-release", self.name(), code=USAGE)
        text = self.pawl("force-release", self.name(), "--reason", "stuck", "--actor", "erin", "--yes").stdout
        self.assertIn("erin", text)
        self.client.lost(lease["leaseId"], "force_released")
        self.pawl("force-release", self.name(), "--reason", "stuck", "--yes", code=FAILED)
        text = self.pawl("audit", self.name()).stdout
        for part in ("erin", "stuck", "worker-1", "FORCE_UNLOCK"):
            self.assertIn(part, text)
        self.assertEqual(self.json("audit", self.name())["records"][0]["actorId"], "erin")

    def on_a_terminal(self, answer, *words):
        """What is shown until it ends, and the exit code. The answer is typed when the question stands."""
        primary, secondary = pty.openpty()
        process = subprocess.Popen([BINARY, *words], env=clean_environment({"PAWL_URL": self.server.url}),
                                   stdin=secondary, stdout=secondary, stderr=secondary)
        os.close(secondary)
        shown, typed, deadline = b"", False, time.monotonic() + PATIENCE
        while time.monotonic() < deadline and select.select([primary], [], [], PATIENCE)[0]:
            try:
                piece = os.read(primary, 4096)
            except OSError:  # the other end is closed
                break
            shown += piece
            if not typed and b"?" in shown:
                os.write(primary, answer)
                typed = True
        os.close(primary)
        return shown.decode(), process.wait(PATIENCE)

    def test_force_release_shows_the_holder_and_asks(self):
        lease = self.held()
        words = ("force-release", self.name(), "--reason", "stuck")
        shown, code = self.on_a_terminal(b"n\n", *words)
        self.assertIn("worker-1", shown)
        self.assertEqual(code, FAILED)
        self.client.renewed(lease["leaseId"])
        shown, code = self.on_a_terminal(b"\n", *words)
        self.assertEqual(code, FAILED)
        self.client.renewed(lease["leaseId"])
        shown, code = self.on_a_terminal(b"y\n", *words)
        self.assertEqual(code, OK, shown)
        self.client.lost(lease["leaseId"], "force_released")

    def test_force_release_gently_and_only_one(self):
        first, second = (self.held(mode="shared") for _ in range(2))
        self.pawl("force-release", self.name(), "--reason", "r", "--yes", "--token", first["fencingToken"])
        self.client.lost(first["leaseId"], "force_released")
        answer = self.json("force-release", self.name(), "--reason", "r", "--yes", "--lease-id", second["leaseId"],
                           "--at-deadline")
        self.assertEqual(answer["when"], "at_deadline")
        self.pawl("renew", second["leaseId"], code=FAILED)

    def test_failures(self):
        lease = self.client.acquired(self.name(), "sleepy", 0.1)
        wait_until(lambda: self.client.is_over(lease["leaseId"]), "its expiry")
        self.client.lost(lease["leaseId"], "expired")
        text = self.pawl("failures", self.name()).stdout
        for part in (self.name(), "sleepy", "expired"):
            self.assertIn(part, text)
        self.assertEqual(self.json("failures", "--owner", "sleepy")["failures"][0]["leaseId"], lease["leaseId"])

    def test_watch_follows(self):
        for words in ((), ("--json",)):
            process = subprocess.Popen([BINARY, "watch", self.name(), *words], text=True, stdout=subprocess.PIPE,
                                       env=clean_environment({"PAWL_URL": self.server.url}))
            lines = Background(lambda p=process: [p.stdout.readline(), p.stdout.readline()])

            def grow():
                self.client.released(self.held()["leaseId"])
                return lines.done()

            try:
                wait_until(grow, "two lines")
                seen = lines.result()
            finally:
                process.terminate()
                process.wait(PATIENCE)
                process.stdout.close()
            if words:
                self.assertTrue(json.loads(seen[0])["event"].startswith("lock_"))
            else:
                self.assertIn(self.name(), seen[0])

    def test_status_and_version(self):
        self.held()
        self.assertIn("ready", self.pawl("status").stdout)
        status = self.json("status")
        self.assertEqual(status["ready"], True)
        self.assertGreater(status["held"], 0)
        self.assertEqual(status["waiting"], 0)
        version = self.client.done("GET", "/v1/version")["version"]
        self.assertIn(version, self.pawl("version").stdout)
        self.assertIn(version, self.pawl("--version").stdout)
        self.assertEqual(self.json("version")["version"], version)

    def test_a_service_that_is_not_there_is_unreachable(self):
        for words in (("list",), ("status",), ("acquire", "x"), ("why", "x")):
            ended = self.pawl(*words, "--url", "http://127.0.0.1:1", code=UNREACHABLE)
            self.assertIn("127.0.0.1:1", ended.stderr)

    def test_a_wrong_command_line_says_what_is_right(self):
        self.assertIn("release", self.pawl("relase", "x", code=USAGE).stderr)
        self.assertIn("--ttl", self.pawl("acquire", "x", "--tll", "5s", code=USAGE).stderr)
        self.assertIn("--ttl", self.pawl("acquire", "x", "--ttl", "soon", code=USAGE).stderr)
        self.pawl("acquire", code=USAGE)
        self.pawl(code=USAGE)
        self.assertIn("--ttl", self.pawl("acquire", "x", "--ttl", "48h", code=USAGE).stderr)
        self.assertIn("--url", self.pawl("list", "--url", "nonsense://x", code=USAGE).stderr)

    def test_text_of_others_cannot_steer_the_terminal(self):
        self.client.acquired(self.name(), "evil\u202eowner")
        for words in (("list", self.name()), ("why", self.name())):
            shown = self.pawl(*words).stdout
            self.assertNotIn("\x1b", shown)
            self.assertNotIn("\u202e", shown)

    def test_every_command_helps_with_examples(self):
        for command in COMMANDS:
            text = self.pawl(command, "--help").stdout
            self.assertIn(f"pawl {command}", text)
            self.assertEqual(text, self.pawl("help", command).stdout)
        text = self.pawl("--help").stdout
        for command in COMMANDS:
            self.assertIn(command, text)
        self.assertIn("PAWL_URL", text)

    def test_completion_scripts_are_well_formed(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.pawl("completion", shell).stdout
            for word in ("acquire", "force-release", "lease-id"):
                self.assertIn(word, script)
        script = self.pawl("completion", "bash").stdout
        checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        asked = script + r"""
            COMP_WORDS=(pawl rel); COMP_CWORD=1
            $(complete -p pawl | sed "s/.*-F \([^ ]*\).*/\1/") pawl rel pawl
            echo "${COMPREPLY[@]}"
            """
        ended = subprocess.run(["bash"], input=asked, text=True, capture_output=True, check=False)
        self.assertIn("release", ended.stdout.split(), ended.stderr)


if __name__ == "__main__":
    unittest.main()
