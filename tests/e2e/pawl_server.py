# SPDX-License-Identifier: Apache-2.0
"""`pawl serve` as a child process in a folder of its own: started, stopped, killed, started again. Nothing of it
outlives the test. PAWL_BINARY says which program it is."""
import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from client import Client
from waiting import PATIENCE, Background, wait_until

BINARY = os.environ.get("PAWL_BINARY", "pawl")
PORT_IN_USE = 25
_libc = ctypes.CDLL(None)


def clean_environment(extra=None):
    """Without the PAWL_... of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAWL_")}
    return kept | (extra or {})


def run_pawl(*words, env=None, stdin="", patience=PATIENCE):
    """The command, until it ends."""
    return subprocess.run([BINARY, *map(str, words)], env=clean_environment(env), input=stdin, text=True,
                          capture_output=True, timeout=patience, check=False)


def _die_with_the_test():
    _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _free_port():
    """Outside the range from which the kernel gives ports to clients, so that a restart finds it free."""
    low = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text("ascii").split()[0])
    while True:
        port = random.randrange(10000, max(low, 10002))
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class PawlServer:
    """One data folder and the lives of the service on it. `keep_port`: every life has the same port."""

    def __init__(self, *flags, env=None, keep_port=False, host="127.0.0.1"):
        self.flags = [str(flag) for flag in flags]
        self.environment = env or {}
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pawl-e2e-"))
        self.data = self.folder / "data"
        self.host = host
        self.port = None
        self.process = None
        self._keep_port = keep_port
        self._lives = 0

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self._clean_up()
            raise

    def __exit__(self, kind, error, trace):
        try:
            if kind is not None:
                self.print_log()
            elif self.running():
                self.stop()
        finally:
            self._clean_up()

    def start(self):
        port = self.port if self._keep_port else None
        while True:
            self._launch(port or (_free_port() if self._keep_port else 0))
            serving = wait_until(lambda: self.find_event("serving") or not self.running(), "the event `serving`")
            if serving is not True:
                break
            if self.process.returncode != PORT_IN_USE or port:
                raise AssertionError(f"it ended with code {self.process.returncode}:\n{self.log_text()}")
        self.port = int(serving["http"].rsplit(":", 1)[1])
        return self

    def _launch(self, port):
        self._lives += 1
        words = [BINARY, "serve", "--http", f"{self.host}:{port}", "--data-dir", str(self.data), *self.flags]
        with open(self._log_file(), "wb") as log:
            self.process = subprocess.Popen(words, env=clean_environment(self.environment), stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, preexec_fn=_die_with_the_test)

    def running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def exit_code(self):
        """Of a process that is about to end; below zero: the signal that ended it."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end; its log:\n{self.log_text()}") from None

    def stop(self):
        """SIGTERM. Zero also says that the sanitizers, if any, found nothing: neither errors nor leaks."""
        self.signal(signal.SIGTERM)
        code = self.exit_code()
        if code != 0:
            raise AssertionError(f"it ended with code {code} after SIGTERM; its log:\n{self.log_text()}")

    def kill(self):
        self.signal(signal.SIGKILL)
        self.exit_code()

    def client(self, **named):
        return Client(self.port, host=self.host, **named)

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    def _log_file(self):
        return self.folder / f"log-{self._lives}"

    def log_text(self):
        return self._log_file().read_text("utf-8", errors="replace")

    def log_lines(self):
        """The whole lines of this life."""
        text = self.log_text()
        return text[: text.rfind("\n") + 1].splitlines()

    def events(self, name=None):
        found = [json.loads(line) for line in self.log_lines() if line.startswith("{")]
        return [event for event in found if name in (None, event["event"])]

    def find_event(self, name, **fields):
        for event in self.events(name):
            if all(event.get(field) == value for field, value in fields.items()):
                return event
        return None

    def print_log(self):
        lines = self.log_lines()
        shown = "\n".join(lines[-200:])
        print(f"--- the last of {len(lines)} lines of the server's log ---\n{shown}\n---", file=sys.stderr)

    def _clean_up(self):
        if self.running():
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class ServerTest(unittest.TestCase):
    """Tests that share one server, each with resources of its own: self.name("x")."""

    flags = ()
    server = None

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(PawlServer(*cls.flags))

    def setUp(self):
        self.client = self.server.client()
        self.addCleanup(self.client.close)

    def run(self, result=None):
        def bad():
            return len(result.failures) + len(result.errors) if result else 0

        before = bad()
        super().run(result)
        if bad() > before:
            self.server.print_log()

    def name(self, text="lock"):
        return f"{self.id().rsplit('.', 1)[1]}:{text}"

    def held(self, text="lock", **fields):
        """A lease that is granted."""
        return self.client.acquired(self.name(text), **fields)

    def in_background(self, function, *args, **named):
        """function(client, ...) on a connection of its own."""
        client = self.server.client()
        self.addCleanup(client.close)
        return Background(function, client, *args, **named)

    def wait_for_waiters(self, resource, count):
        wait_until(lambda: self.client.resource(resource)["waiterCount"] == count, f"{count} waiters on {resource}")
