"""A live table with everything around it in memory: the wire is a list, time is passed in."""

import json
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from controller.common.errors import JournalError
from controller.mqtt.client import Message
from controller.mqtt.topics import Publication
from controller.table.loop import LiveTable
from controller.table.pipeline import Output, Pipeline
from controller.table.publisher import Announcer, Identity
from engine.events import HumanInput, Placed, TableEvent
from engine.samples import ImuSamples, Samples, ScaleSamples
from engine.tabletop import Piece, Tabletop
from engine.trouble import Trouble
from hw.building.design import drawn_table
from hw.source import Item, item_time_s
from tests.controller.scripted import ScriptedDetector

START = HumanInput(
    0.5,
    "start",
    {
        "players": [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}],
        "target": 20,
        "first": 0,
    },
)
TABLETOP = Tabletop(
    32.0, 12.0, 5.8, Piece(22.0, 9.0, 3.0, 0.1), ((-70, -70), (70, -70), (70, 70), (-70, 70)),
    (0.0, 0.0, -17.0), (0.0, 0.0, -4000.0), 180.0,
)  # fmt: skip


class Wire:
    """Keeps what is published."""

    def __init__(self) -> None:
        self.sent: list[Publication] = []
        self.dropped = 0
        self.too_large: dict[str, int] = {}

    def publish(self, publication: Publication) -> None:
        self.sent.append(publication)

    def on_message(self, handler: Callable[[Message], None]) -> None:
        """Nothing arrives here."""

    def rows(self) -> list[str]:
        return [publication.topic.split("/", 3)[3] for publication in self.sent]

    def last(self, row: str) -> Any:
        return json.loads(next(p.payload for p in reversed(self.sent) if p.topic.endswith(row)))


class Source:
    """Gives the items it was made with when their time has come."""

    calibration = drawn_table()
    tabletop = TABLETOP
    simulated = True
    notices: tuple[str, ...] = ()

    def __init__(self, *items: Item) -> None:
        self._items = sorted(items, key=item_time_s)
        self.closed = False

    @property
    def ended(self) -> bool:
        return self.closed

    def poll(self, until_s: float) -> list[Item]:
        due = [item for item in self._items if item_time_s(item) <= until_s]
        self._items = self._items[len(due) :]
        return due

    def close(self) -> None:
        self.closed = True


class Detector(ScriptedDetector):
    """The same for samples of every kind."""

    def feed(self, samples: Samples) -> None:
        self.now_s = item_time_s(samples)


class Kept:
    """A journal in memory that knows what had been published when it was written."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.outputs: list[Output] = []
        self.published_before: list[int] = []
        self.tended = 0
        self.trouble: Trouble | None = None
        self.room = inf  # how many more it takes

    def write(self, output: Output) -> None:
        if not self.room:
            raise JournalError("table.journal: the disk is full")
        self.room -= 1
        self.published_before.append(sum(row == "event" for row in self._wire.rows()))
        self.outputs.append(output)

    def tend(self) -> None:
        """It is kept already; only counted."""
        self.tended += 1


class Shelf:
    """Where the files of a table lie, in memory."""

    def __init__(self) -> None:
        self.wrong: dict[str, Trouble] = {}

    def watched(self, now_s: float) -> dict[str, Trouble]:
        assert now_s >= 0.0
        return self.wrong


class Deck:
    """A tape in memory."""

    def __init__(self) -> None:
        self.on = False
        self.trouble: Trouble | None = None
        self.written: list[Item] = []

    def write(self, items: Sequence[Item]) -> None:
        self.written += items

    def switch(self, on: bool) -> None:
        self.on = on


class Evening:
    """A table with everything around it in memory."""

    def __init__(
        self, *items: Item, events: tuple[TableEvent, ...] = (), doubt: Trouble | None = None
    ) -> None:
        self.wire = Wire()
        self.journal, self.tape, self.places = Kept(self.wire), Deck(), Shelf()
        self.source = Source(*items)
        self.heard: list[str] = []
        identity = Identity("t1", "boot-1", simulated=True)
        self.announcer = Announcer(self.wire, identity)
        self.identity, self.pipeline = identity, Pipeline(Detector(*events))
        self.table = LiveTable(
            self.source, self.pipeline, self.journal, self.announcer, identity,
            doubt=doubt, tape=self.tape, places=self.places,
            listener=lambda outcome, _board: self.heard.append(outcome.type),
        )  # fmt: skip
        self.table.open(0.0)

    def step(self, t_s: float, unix_s: float = 1000.0) -> None:
        self.table.step(t_s, unix_s)

    def command(self, verb: str, **fields: Any) -> None:
        payload = json.dumps({"v": 1, "client": "phone", **fields}).encode()
        self.table.receive(Message(f"topple/1/t1/cmd/{verb}", payload, retained=False))


def samples(t_s: float) -> ScaleSamples:
    return ScaleSamples(
        np.array([t_s]), np.zeros((1, 4)), np.zeros((1, 4), dtype=np.int32), np.ones((1, 4), bool)
    )


def still(begin_s: float, end_s: float) -> ImuSamples:
    """An inertial sensor at rest, 200 times a second."""
    times = np.arange(begin_s, end_s, 0.005)
    count = len(times)
    return ImuSamples(
        times, np.tile([0.0, 0.0, 1.0], (count, 1)), np.zeros((count, 3)),
        np.zeros((count, 6), np.int32),
    )  # fmt: skip


PLACED = Placed(1, 3.0, 3.4, "c3", 0.999, (), 3.0)
