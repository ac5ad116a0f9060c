# SPDX-License-Identifier: Apache-2.0
"""Waiting for what comes when it comes: with a deadline that only a hang reaches, never a sleep for luck."""
import threading
import time

PATIENCE = 60.0


def wait_until(true, what, patience=PATIENCE):
    """Returns the first true answer of `true()`."""
    deadline = time.monotonic() + patience
    while True:
        found = true()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"this has not come in {patience} s: {what}")
        time.sleep(0.01)


class Background:
    """A call in a thread of its own; result() gives what it returned, or raises what it raised."""

    def __init__(self, function, *args, **named):
        self._function = lambda: function(*args, **named)
        self._value = None
        self._error = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            self._value = self._function()
        except BaseException as error:  # pylint: disable=broad-except; result() raises it again
            self._error = error

    def done(self):
        return not self._thread.is_alive()

    def result(self, patience=PATIENCE):
        self._thread.join(patience)
        if self._thread.is_alive():
            raise AssertionError(f"this is still not answered after {patience} s")
        if self._error is not None:
            raise self._error
        return self._value
