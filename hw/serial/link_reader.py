"""Reads from the microcontroller in a thread of its own.

The clock of the microcontroller is learnt from round trips, so the answer to a ping must be
noticed at once and not when the table's loop comes round. On a real table a thread therefore
does nothing but move bytes; it hands over events through a bounded queue. Tests, whose time is
simulated, listen by themselves.
"""

import queue
import threading
from dataclasses import dataclass, field
from typing import Protocol

from firmware_bridge.connection import ConversationState
from firmware_bridge.events import Event
from firmware_bridge.framing import ReceiveTally
from firmware_bridge.link import NOT_OPENED, SerialLink
from firmware_bridge.losses import Losses
from firmware_bridge.messages import Hello
from firmware_bridge.troubles import LinkTrouble

QUEUE_SIZE = 8192
"""Events: twenty seconds of samples. The loop takes them fifty times a second; who is that far
behind wants new samples more than old ones."""

CLOSED_PAUSE_S = 0.05
"""A closed port is looked at so often; trying to open it has a pace of its own."""

JOIN_S = 2.0


@dataclass(frozen=True, slots=True)
class LinkState:
    """How the line is, frozen at one moment.

    Attributes:
        outage: why the port is not open; None while it is.
        greeted: the microcontroller said who it is, and we can work with it.
        hello: what it said last.
        tally: what the receiver made of the bytes.
        losses: what was lost since the microcontroller started.
        periods_us: measured period of each cell and, last, of the inertial sensor.
        rate_ppm: how much too slow the microcontroller's clock is; None until it is known.
        overflowed: events that nobody took in time.
    """

    outage: LinkTrouble | None = NOT_OPENED
    greeted: bool = False
    hello: Hello | None = None
    tally: ReceiveTally = field(default_factory=ReceiveTally)
    losses: Losses = field(default_factory=Losses)
    periods_us: tuple[float | None, ...] = (None,) * 5
    rate_ppm: float | None = None
    overflowed: int = 0


def state_of(link: SerialLink, overflowed: int = 0) -> LinkState:
    """The state of a link; to be called by its owner only."""
    connection = link.connection
    line = connection.clock.line
    return LinkState(
        link.outage,
        connection.state is ConversationState.READY,
        connection.hello,
        connection.tally,
        connection.losses,
        connection.periods_us,
        None if line is None else line.rate_ppm,
        overflowed,
    )


class LinkReader(Protocol):
    """What a source wants of a link."""

    @property
    def state(self) -> LinkState:
        """How the line is, or was a moment ago."""
        ...

    def read(self) -> list[Event]:
        """What has happened since the last call; at once."""
        ...

    def close(self) -> None:
        """Give the port back."""
        ...


class ThreadReader:
    """Listens all the time, in a thread that starts with the first `read`."""

    def __init__(self, link: SerialLink, size: int = QUEUE_SIZE) -> None:
        self._link = link
        self._events: queue.Queue[Event] = queue.Queue(size)
        self._stopping = threading.Event()
        self._overflowed = 0
        self._state = LinkState()
        self._thread = threading.Thread(target=self._listen, name="link", daemon=True)

    @property
    def state(self) -> LinkState:
        """How the line was when something last came, or a moment ago."""
        return self._state

    def read(self) -> list[Event]:
        """What has come since the last call."""
        if self._thread.ident is None and not self._stopping.is_set():
            self._thread.start()
        events: list[Event] = []
        while True:
            try:
                events.append(self._events.get_nowait())
            except queue.Empty:
                return events

    def close(self) -> None:
        """Stop the thread and give the port back; more calls do nothing."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(JOIN_S)

    def _listen(self) -> None:
        while not self._stopping.is_set():
            self._put(self._link.poll())
            self._state = state_of(self._link, self._overflowed)
            if self._state.outage:
                self._stopping.wait(CLOSED_PAUSE_S)
        self._link.close()

    def _put(self, events: list[Event]) -> None:
        for event in events:
            try:
                self._events.put_nowait(event)
            except queue.Full:
                self._overflowed += 1
