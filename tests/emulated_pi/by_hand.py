"""A game moved by hand, with the same words and pieces for a table wherever it runs.

The people look at the scoreboard as people do: they go on when it shows what they have done. So a
slow computer makes the game longer and changes nothing else.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from controller.app.wiring import pipeline
from controller.mqtt.client import Message
from controller.table.keepers import NullJournal
from controller.table.loop import LiveTable
from controller.table.publisher import Announcer, Identity
from engine.events import PASSING
from lab.avr.played import LabSource
from lab.mock import MockTable, living_parameters
from tests.controller.evenings import Wire

NAMES = ("Ann", "Bob")
START = {
    "players": [{"name": NAMES[0], "colours": ["red"]}, {"name": NAMES[1], "colours": ["blue"]}],
    "target": 40,
    "first": 0,
    "replace": True,
}
FIRST, SECOND = ("c3", "b3", "d3"), ("c2", "c4")
"""Cells of the placements before and after what the tests do to the machine."""

ANY_CELL = 6
"""A die that allows every cell (rule 1 of Topple)."""

STEP_S = 0.1
LONGEST_WAIT_S = 60.0
BREATH_S = 2.5
"""Between looking at the scoreboard and moving; longer than a fall is charged to the last mover."""


def living_table() -> MockTable:
    """Quiet, but its cells flicker as live ones do."""
    return MockTable(living_parameters())


class Table(Protocol):
    """A table, people who move it by hand, and what it has said."""

    @property
    def events(self) -> list[dict[str, Any]]:
        """What it has published as events."""

    def move(self, deed: Callable[[MockTable], object]) -> None:
        """Do something at the tower now."""

    def say(self, verb: str, **data: Any) -> None:
        """Tell the table something."""

    def rest(self, seconds: float) -> None:
        """Let table time pass."""

    def wait_until(self, true: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """The first state of which this is true."""


def start(table: Table) -> dict[str, Any]:
    """Begin a game on an empty board, whatever was before."""
    table.move(empty_the_board)
    table.rest(BREATH_S)
    table.move(gather_from_the_base_plate)
    table.rest(BREATH_S)
    table.say("start", **START)
    return table.wait_until(lambda state: state["phase"] == "roll" and not state["board"], "a game")


def place(table: Table, cells: tuple[str, ...]) -> dict[str, Any]:
    """Roll and place, one player after the other."""
    for cell in cells:
        table.say("roll", value=ANY_CELL)
        table.wait_until(lambda state: state["phase"] == "act", "the die")
        table.rest(BREATH_S)
        table.move(putting(cell))
        shown = table.wait_until(_stands_on(cell), f"a piece on {cell}")
        table.rest(BREATH_S)
    return shown


def putting(cell: str) -> Callable[[MockTable], object]:
    """A piece is put down and let go."""
    return lambda hand: hand.tower.place(cell, grams=3.0, hold_s=0.3)


def knocking_off(cell: str) -> Callable[[MockTable], object]:
    """All pieces of a cell fall."""
    return lambda hand: hand.tower.knock_off(cell, 9)


def empty_the_board(hand: MockTable) -> None:
    """Nothing stands on it any more."""
    for cell, stack in hand.tower.pieces.stacks.items():
        if stack:
            hand.tower.knock_off(cell, len(stack))


def gather_from_the_base_plate(hand: MockTable) -> None:
    """What has fallen there is taken up."""
    while hand.tower.remove_from_base():
        pass


def _stands_on(cell: str) -> Callable[[dict[str, Any]], bool]:
    return lambda state: cell in state["board"] and state["phase"] == "roll"


def topple(table: Table) -> dict[str, Any]:
    """Everything falls off, and is cleared away."""
    table.say("roll", value=ANY_CELL)
    table.wait_until(lambda state: state["phase"] == "act", "the die")
    table.rest(BREATH_S)
    for cell in (*FIRST, *SECOND):
        table.move(knocking_off(cell))
    table.wait_until(_is_over, "a topple")
    table.rest(BREATH_S)
    table.move(gather_from_the_base_plate)
    table.rest(BREATH_S)
    if table.wait_until(_is_over, "a topple")["round"] == 1:
        table.say("cleared")
    return table.wait_until(lambda state: state["round"] == 2, "the second round")


def _is_over(state: dict[str, Any]) -> bool:
    """Whether the first round is; when all has rolled off the plate, the board is clear at once."""
    return state["phase"] == "clear" or state["round"] == 2


def whole(table: Table) -> dict[str, Any]:
    """All of it, without mishaps."""
    start(table)
    place(table, FIRST + SECOND)
    return topple(table)


def outcomes(events: list[dict[str, Any]]) -> list[tuple[object, ...]]:
    """Type, cell and points of what happened; suspicions come and go with the noise."""
    return [
        (event["type"], event.get("data", {}).get("cell"), event.get("data", {}).get("points"))
        for event in events
        if event["type"] not in PASSING
    ]


def until_the_topple(table: Table) -> list[tuple[object, ...]]:
    """What happened in the first round. Later a table may think better of whose fault it was."""
    since_start = outcomes(table.events)
    # That a table came up may be heard late.
    all_of_it = since_start[[outcome[0] for outcome in since_start].index("started") :]
    ended = next(number for number, outcome in enumerate(all_of_it) if outcome[0] == "round")
    return all_of_it[: ended + 1]


class HereTable:
    """A table in this process, in simulated time.

    Args:
        elf: the firmware it is played through; None takes the samples straight from the tower.
    """

    def __init__(self, elf: Path | None = None) -> None:
        self._hand, self._wire, self._t_s = living_table(), Wire(), 0.0
        source: LabSource | MockTable = self._hand
        if elf is not None:
            source = LabSource(self._hand, self._hand.calibration, elf)
        identity = Identity("t1", "here", simulated=True)
        self._table = LiveTable(
            source, pipeline(source.tabletop), NullJournal(), Announcer(self._wire, identity),
            identity,
        )  # fmt: skip
        self._table.open(0.0)
        self._pass_time()

    @property
    def events(self) -> list[dict[str, Any]]:
        return self._sent("event")

    @property
    def states(self) -> list[dict[str, Any]]:
        """Every document that was published."""
        return self._sent("state")

    def _sent(self, row: str) -> list[dict[str, Any]]:
        sent = (item for item in self._wire.sent if item.topic.endswith(f"/{row}"))
        return [json.loads(item.payload) for item in sent]

    def move(self, deed: Callable[[MockTable], object]) -> None:
        deed(self._hand)

    def say(self, verb: str, **data: Any) -> None:
        payload = json.dumps({"v": 1, "client": "phone", "data": data}).encode()
        self._table.receive(Message(f"topple/1/t1/cmd/{verb}", payload, retained=False))

    def rest(self, seconds: float) -> None:
        end_s = self._t_s + seconds
        while self._t_s < end_s:
            self._pass_time()

    def wait_until(self, true: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        end_s = self._t_s + LONGEST_WAIT_S
        while self._t_s < end_s:
            state: dict[str, Any] = self._wire.last("state")
            if true(state):
                return state
            self._pass_time()
        raise AssertionError(f"no {what} within {LONGEST_WAIT_S:.0f} s of table time")

    def _pass_time(self) -> None:
        self._t_s += STEP_S
        self._table.step(self._t_s, self._t_s)
