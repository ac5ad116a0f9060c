# SPDX-License-Identifier: Apache-2.0
"""Another machine, as far as TCP can tell: a network namespace at the other end of a wire that can be cut. It has no
name and no process, so nothing is left of it when this process ends, whichever way it ends. Needs root, and Debian's
iproute2."""
import contextlib
import ctypes
import ipaddress
import os
import socket
import struct
import subprocess
import unittest

from waiting import PATIENCE, Background

_CLONE_NEWNET = 0x40000000
_NETWORKS = ipaddress.ip_network("198.18.0.0/15")  # for tests of networks, used nowhere else
_libc = ctypes.CDLL(None, use_errno=True)


def _must(result, what):
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def _ip(*words):
    ended = subprocess.run(["ip", *words], capture_output=True, text=True, timeout=PATIENCE, check=False)
    if ended.returncode != 0:
        raise OSError(f"ip {' '.join(words)}: {ended.stderr.strip()}")


def _new_namespace():
    """A descriptor of it; the thread that makes it ends at once."""
    def make():
        _must(_libc.unshare(_CLONE_NEWNET), "a network namespace can't be made")
        return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    return Background(make).result()


class FarSide:
    """`near` is this end's address. Skips the test where such a thing can't be made."""

    def __init__(self):
        four = int(_NETWORKS[0]) + 4 * (os.getpid() % (_NETWORKS.num_addresses // 4))
        self.near, self._far = (str(ipaddress.ip_address(four + place)) for place in (1, 2))
        self._device = f"pawl{os.getpid()}"
        self._namespace = None

    def __enter__(self):
        try:
            self._namespace = _new_namespace()
            _ip("link", "add", self._device, "type", "veth", "peer", "name", "wire", "netns",
                f"/proc/{os.getpid()}/fd/{self._namespace}")
            _ip("addr", "add", f"{self.near}/30", "dev", self._device)
            _ip("link", "set", self._device, "up")
            self._inside(_ip, "addr", "add", f"{self._far}/30", "dev", "wire")
            self.mend()
        except OSError as error:
            self.__exit__()
            raise unittest.SkipTest(f"no far side without root and iproute2: {error}") from None
        return self

    def __exit__(self, *_):
        if self._namespace is not None:
            with contextlib.suppress(OSError):
                _ip("link", "del", self._device)
            os.close(self._namespace)
            self._namespace = None

    def _inside(self, function, *args):
        """What it returns when it runs over there; a socket that it makes stays there."""
        def run():
            _must(_libc.setns(self._namespace, _CLONE_NEWNET), "the network namespace can't be entered")
            return function(*args)
        return Background(run).result()

    def connect(self, port):
        made = self._inside(lambda: socket.create_connection((self.near, port), timeout=PATIENCE))
        # Its end is not waited for: behind a wire that is cut it would keep the namespace for minutes.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return made

    def cut(self):
        """From now on nothing comes through: no FIN, no RST."""
        self._inside(_ip, "link", "set", "wire", "down")

    def mend(self):
        self._inside(_ip, "link", "set", "wire", "up")
