# SPDX-License-Identifier: Apache-2.0
"""Stops and restarts: a drain tells whoever waits, and what was granted is still granted afterwards (P2, P3, P9)."""
import http.client
import resource
import signal
import unittest

import raw
from pawl_server import PawlServer
from waiting import Background, wait_until


class StoppingTest(unittest.TestCase):
    def wait_for_waiters(self, client, name, count):
        wait_until(lambda: client.resource(name)["waiterCount"] == count, f"{count} waiters")

    def test_a_drain_tells_whoever_waits_to_ask_again(self):
        with PawlServer(keep_port=True) as server:
            client, other = server.client(), server.client()
            holder = client.acquired("lock", ttl=600)
            told = Background(lambda: other.acquire("lock", "worker-2", 600, waitSeconds=300, leaseId="lease-waits"))
            self.wait_for_waiters(client, "lock", 1)
            server.signal(signal.SIGTERM)
            answer = told.result()
            self.assertEqual((answer.status, answer["code"], answer["retryable"]), (503, "stopping", True))
            self.assertEqual(answer["leaseId"], "lease-waits")
            self.assertEqual(answer.headers["Retry-After"], "1")
            self.assertEqual(server.exit_code(), 0)
            client.close()
            other.close()
            server.start()
            client = server.client()
            client.renewed(holder["leaseId"])
            client.released(holder["leaseId"])
            again = client.acquire("lock", "worker-2", 600, waitSeconds=300, leaseId="lease-waits", attempt=2)
            if again.status == 200:  # it came back in time, or was ended as nobody came
                self.assertGreater(again["fencingToken"], holder["fencingToken"])
            else:
                self.assertEqual((again.status, again["cause"]), (410, "abandoned"))
            client.close()

    def test_a_disk_that_fails_stops_the_service_and_nothing_that_was_answered_is_lost(self):
        with PawlServer(keep_port=True) as server:
            client = server.client()
            held = client.acquired("lock", ttl=600)
            _, most = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, most))
            with self.assertRaises((http.client.HTTPException, OSError)):  # no answer, rather than a false one
                client.acquire("other", "worker", 600, leaseId="lease-unknown")
            self.assertEqual(server.exit_code(), 20)
            client.close()
            server.start()
            client = server.client()
            self.assertEqual(client.renewed(held["leaseId"])["fencingToken"], held["fencingToken"])
            again = client.acquire("other", "worker", 600, leaseId="lease-unknown", attempt=2)
            self.assertGreater(again["fencingToken"], held["fencingToken"])
            client.close()

    def test_idle_connections_and_event_readers_do_not_hold_up_a_stop(self):
        with PawlServer("--drain-timeout", "1h") as server:
            idle = raw.connect(server.port)
            reader = raw.connect(server.port)
            reader.sendall(raw.request_bytes("GET", "/v1/events"))
            reader.recv(4096)
            server.stop()
            raw.read_to_end(reader)
            raw.read_to_end(idle)
            reader.close()
            idle.close()

    def test_a_client_that_never_finishes_its_request_holds_up_a_stop_no_longer_than_allowed(self):
        with PawlServer("--drain-timeout", "500ms", "--body-timeout", "1h") as server:
            with raw.connect(server.port) as half:
                half.sendall(b"POST /v1/locks/acquire HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
                client = server.client()
                client.acquired("lock")  # so that the half request has been seen
                client.close()
                server.stop()

    def test_a_request_that_is_finished_during_the_drain_is_told_to_ask_elsewhere(self):
        with PawlServer("--drain-timeout", "1h", "--body-timeout", "1h") as server:
            with raw.connect(server.port) as late:
                late.sendall(b"POST /v1/locks/acquire HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{")
                client = server.client()
                client.acquired("lock")  # so that the half request has been seen
                client.close()
                server.signal(signal.SIGTERM)
                wait_until(lambda: server.find_event("stopping"), "the drain to begin")
                late.sendall(b"}")
                answer = raw.read_to_end(late)
                self.assertTrue(answer.startswith(b"HTTP/1.1 503 "), answer)
                self.assertIn(b'"code":"stopping"', answer)
            self.assertEqual(server.exit_code(), 0)

    def test_both_signals_stop_cleanly(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with PawlServer() as server:
                server.signal(number)
                self.assertEqual(server.exit_code(), 0)

    def test_a_second_signal_stops_at_once(self):
        with PawlServer("--drain-timeout", "1h", "--body-timeout", "1h") as server:
            with raw.connect(server.port) as half:
                half.sendall(b"POST /v1/locks/acquire HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
                client = server.client()
                client.acquired("lock", ttl=600)
                client.close()
                server.signal(signal.SIGTERM)
                wait_until(lambda: server.find_event("stopping"), "the drain to begin")
                self.assertTrue(server.running())
                server.signal(signal.SIGTERM)
                self.assertEqual(server.exit_code(), 128 + signal.SIGTERM)

    def test_leases_outlive_a_stop_and_a_kill_and_tokens_grow(self):
        with PawlServer(keep_port=True) as server:
            tokens = []
            kept = None
            for end in (server.stop, server.kill, server.kill, server.stop):
                client = server.client()
                if kept is None:
                    kept = client.acquired("kept", ttl=3600, metadata={"since": "ever"})
                else:
                    record = client.done("GET", f"/v1/locks/{kept['leaseId']}")
                    self.assertEqual(record["fencingToken"], kept["fencingToken"])
                    self.assertEqual(record["metadata"], {"since": "ever"})
                    self.assertFalse(client.acquire("kept")["acquired"])
                    before = f"lease-{len(tokens) - 1:08}"
                    self.assertTrue(client.acquired("lock-0", leaseId=before, ttl=3600)["repeated"])
                    client.released(before)
                tokens.append(client.acquired("lock-0", leaseId=f"lease-{len(tokens):08}", ttl=3600)["fencingToken"])
                client.close()
                end()
                server.start()
            client = server.client()
            client.renewed(kept["leaseId"])
            tokens.append(client.acquired("last")["fencingToken"])
            self.assertEqual(tokens, sorted(set(tokens)))
            self.assertGreater(tokens[0], kept["fencingToken"])
            client.close()

    def test_a_service_that_starts_refuses_nothing_that_it_had_granted_and_expires_what_is_due(self):
        with PawlServer() as server:
            client = server.client()
            short = client.acquired("short", ttl=0.5)
            client.close()
            server.kill()
            server.start()
            client = server.client()
            wait_until(lambda: client.is_over(short["leaseId"]), "its expiry")
            client.lost(short["leaseId"], "expired")
            self.assertGreater(client.acquired("short")["fencingToken"], short["fencingToken"])
            client.close()


if __name__ == "__main__":
    unittest.main()
