"""Ends a process cleanly on a signal, at any moment and however often Ctrl-C is pressed.

`threading.Event` is not enough: `set` and `wait` hold its lock for an instant, and a signal handler
that runs in that instant in the same thread would wait for the lock for ever.
"""

import contextlib
import queue
import signal


class Stopping:
    """A request to end that may be made inside a signal handler, and inside another one.

    >>> stopping = Stopping()
    >>> stopping.wait(0.0)
    False
    >>> stopping.set()
    >>> stopping.wait()
    True
    """

    def __init__(self) -> None:
        self._asked = False
        # Its `put` is documented as re-entrant, for this very use.
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()

    def set(self) -> None:
        """Ask for the end."""
        self._asked = True
        self._wake.put(None)

    def is_set(self) -> bool:
        """Whether the end was asked for."""
        return self._asked

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the end is asked for; one thread only. Whether it was, within the time."""
        if not self._asked:
            with contextlib.suppress(queue.Empty):
                self._wake.get(timeout=timeout_s)
        return self._asked


def stop_on_signals(stopping: Stopping) -> None:
    """SIGTERM and SIGINT end the run cleanly; a second one does no harm."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
