"""A table that runs in a thread, with sensors told what to see: for pages that act on it."""

import queue
import random
import threading
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

from controller.app.run import connected
from controller.journal.journal import Journal
from controller.mqtt.client import BrokerAddress
from controller.table.film import Film
from controller.table.pipeline import Pipeline
from controller.table.publisher import Identity
from controller.table.resultbook import MOST_GAMES, ResultBook
from controller.table.shelf import GameShelf
from engine.detect.front.health import TableHealth
from engine.events import (
    Cleared,
    Dismissed,
    Expectation,
    HumanInput,
    Placed,
    Suspected,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.samples import Samples
from hw.building.design import drawn_table
from hw.source import Item, item_time_s
from tests.controller.conftest import PATIENCE_S
from tests.controller.evenings import TABLETOP, Deck, samples
from tests.controller.scripted import QUIET_TABLE

HALF_SURE = (("b4", 0.21), ("c2", 0.05))


class Sensors:
    """Source and detector in one: what is pushed has happened."""

    calibration = drawn_table()
    tabletop = TABLETOP
    simulated = True
    notices: tuple[str, ...] = ()
    ended = False

    def __init__(self, begin_s: float) -> None:
        self.now_s = begin_s
        self._seen: queue.Queue[Callable[[float], TableEvent | HumanInput]] = queue.Queue()
        self._events: list[TableEvent] = []

    def push(self, event: Callable[[float], TableEvent | HumanInput]) -> None:
        self._seen.put(event)

    def poll(self, until_s: float) -> list[Item]:
        if self._seen.empty():
            return []
        event = self._seen.get()(until_s)
        if isinstance(event, HumanInput):
            return [event]
        self._events.append(event)
        return [samples(until_s)]

    def close(self) -> None: ...

    def feed(self, fed: Samples) -> None:
        self.now_s = item_time_s(fed)

    def next_event(self, until_s: float = inf) -> TableEvent | None:  # noqa: ARG002
        return self._events.pop(0) if self._events else None

    def expect(self, expectation: Expectation) -> None: ...
    def amend(self, ref: int, cell: str | None) -> None: ...
    def press_cleared(self, t_s: float) -> bool:
        del t_s
        return True

    def press_blame(self, t_s: float) -> None: ...
    def restore(self, placements: tuple[tuple[int, str], ...]) -> None: ...
    def health(self) -> TableHealth:
        return QUIET_TABLE


HAND_S = 1.0
"""From a roll to a hand at the board, which takes no time in a test."""


class RunningTable:
    """A table on a broker, with its journal."""

    def __init__(self, address: BrokerAddress, journal: Path, boot: str = "boot-1") -> None:
        self._address, self._path, self._boot = address, journal, boot
        self._number = 100 * int(boot[-1])
        self._later_s = 0.0
        self._filmed: queue.Queue[Film] = queue.Queue()
        self._stopping, self._ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE_S)

    @property
    def board(self) -> Any:
        return self.live.board

    def place(self, cell: str, confidence: float = 0.999, others: Any = ()) -> None:
        """The sensors see a piece."""
        self._number += 1
        number = self._number
        self.sensors.push(lambda t_s: Placed(number, t_s, t_s, cell, confidence, others, 3.0))

    def suspect(self, probability: float = 0.6) -> int:
        """Pieces may have fallen; gives the number of the suspicion."""
        self._number += 1
        number = self._number
        self.sensors.push(
            lambda t_s: Suspected(number, t_s, t_s, probability, ToppleKind.OFF_STACK)
        )
        return number

    def dismiss(self, number: int) -> None:
        """They had not."""
        self.sensors.push(lambda t_s: Dismissed(number, t_s))

    def topple(
        self, cause: str = "placing", sure: float = 0.99, rested: float | None = None
    ) -> None:
        """The sensors see pieces fall, as soon as a hand can be there.

        Args:
            cause: of the fall.
            sure: how surely.
            rested: probability that the board was at rest before.
        """
        self._number += 1
        self._later_s += HAND_S
        number, kind, why = self._number, ToppleKind.OFF_STACK, ToppleCause(cause)
        self.sensors.push(lambda t_s: Toppled(number, t_s, t_s, kind, why, 0.99, sure, 2, rested))

    def press(self, verb: str) -> None:
        """Somebody presses a button of the table itself."""
        self.sensors.push(lambda t_s: HumanInput(t_s, verb))

    def film(self, film: Film) -> None:
        """The samples of a fall have made this film."""
        self._filmed.put(film)

    def cleared(self) -> None:
        """The sensors see the board empty."""
        self.sensors.push(lambda t_s: Cleared(t_s, t_s))

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        # SQLite wants one thread, so all is made and ended here.
        self.tape = Deck()
        journal = Journal(self._path)
        resumed = journal.resume()
        began_s = time.monotonic() - resumed.resume_s - 1.0
        self.sensors = Sensors(resumed.resume_s + 1.0)
        self.pipeline = Pipeline(
            self.sensors, resumed.state, resume_s=resumed.resume_s, chance=random.Random(5).random
        )
        identity = Identity("t1", self._boot)
        with connected(
            self.sensors, self.pipeline, journal, identity, self._address,
            begin_s=resumed.resume_s + 1.0, tape=self.tape, client="table-t1",
            listener=lambda _outcome, _board: None,
            results=ResultBook(journal.results(MOST_GAMES), journal.keep, journal),
            shelf=GameShelf(journal, journal.heard()),
        ) as (self.live, _edge):  # fmt: skip
            self._ready.set()
            while not self._stopping.is_set():
                if not self._filmed.empty():
                    film = self._filmed.get()
                    self.live._announcer.film(film)
                    self.live._shelf.keep_film(film)
                self.live.step(time.monotonic() - began_s + self._later_s, time.time())
                self.live.wait(0.02)
        journal.close()
