"""Corrections end to end: on every display, once, over restarts, and scored by another judge."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt.client import BrokerAddress
from engine.games.registry import GAMES
from tests.controller.conftest import wait_until
from tests.controller.evening_online import START, Display, OnlineTable, Phone

MOVES = [(2, "d3"), (3, "e3"), (3, "d4"), (1, "c3"), (2, "b3"), (1, "c3")]
"""Die and cell, Ann and Bob by turns."""

WRONG, RIGHT = 2, "a3"
"""The third placement was not on d4, as the table had it, but on a3."""


def oracle(moves: list[tuple[int, str]]) -> dict[str, int]:
    """Scores of these moves by the rules alone: no referee, no ledger, no corrections."""
    rules = GAMES["topple"].rules
    state = rules.start({"type": "start", "variant": "standard", **START, "first": "Ann"})
    for turn, (die, cell) in enumerate(moves):
        colour = ("red", "blue")[turn % 2]
        state = rules.apply(state, {"type": "roll", "value": die})
        state = rules.apply(state, {"type": "place", "cell": cell, "colour": colour})
    points = rules.view(state)["colour_scores"]
    return {"Ann": points["red"], "Bob": points["blue"]}


class House:
    """A table with its journal, two displays and a phone."""

    def __init__(self, address: BrokerAddress, journal: Path, wait_until: Any) -> None:
        self.address, self.journal, self.wait_until = address, journal, wait_until
        self.table = OnlineTable(address, journal)
        wait_until(lambda: self.table.edge.connection.up, "the table")
        self.displays = [Display(address, name) for name in ("hall", "bar")]
        self.phone = Phone(address, "phone")

    def play(self) -> None:
        """The whole game, entered by the phone."""
        assert self.phone.ask("start", START)["ok"]
        for die, cell in MOVES:
            assert self.phone.ask("roll", {"value": die})["ok"]
            assert self.phone.ask("place", {"cell": cell})["ok"]
        self.everybody_is_up_to_date()

    def ref(self, turn: int) -> int:
        """Number of the placement of a turn, as a display knows it: pieces are numbered."""
        board = self.displays[0].board
        assert board is not None
        pieces = [piece for stack in board.board.values() for piece in stack]
        return sorted(piece.ref for piece in pieces if piece.ref is not None)[turn]

    def everybody_is_up_to_date(self) -> None:
        for display in self.displays:
            self.wait_until(lambda d=display: d.board == self.table.board, "a display to follow")

    def scores(self) -> dict[str, int | None]:
        """What every display shows; they must agree."""
        self.everybody_is_up_to_date()
        shown = [{p.name: p.score for p in d.board.players} for d in self.displays if d.board]
        assert shown[0] == shown[1]
        return shown[0]

    def restart(self) -> None:
        """Pull the plug and start again."""
        self.table.kill()
        for display in self.displays:
            self.wait_until(lambda d=display: "offline" in d.notices, "the last will")
        self.table = OnlineTable(self.address, self.journal)
        for display in self.displays:
            self.wait_until(lambda d=display: "offline" not in d.notices, "the birth")

    def stop(self) -> None:
        self.phone.stop()
        for display in self.displays:
            display.stop()
        self.table.stop()


@pytest.fixture
def house(broker: Any, tmp_path: Path) -> Iterator[House]:
    opened = House(broker.address(), tmp_path / "games.journal", wait_until)
    yield opened
    opened.stop()


def corrected(moves: list[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(die, RIGHT if at == WRONG else cell) for at, (die, cell) in enumerate(moves)]


def told_since(display: Display, seq: int) -> list[Any]:
    return [event for event in display.payloads("event") if event["seq"] > seq]


def both_told(display: Display, seq: int) -> bool:
    return len(told_since(display, seq)) >= 2


def test_a_correction_scores_everything_after_it_anew_and_is_told_once_with_the_totals(
    house: House,
) -> None:
    house.play()
    assert house.scores() == oracle(MOVES)
    before = house.displays[0].board
    assert before is not None
    reply = house.phone.ask("correct", {"ref": house.ref(WRONG), "cell": RIGHT}, rev=before.rev)
    right = oracle(corrected(MOVES))

    # Or this would prove nothing.
    assert all(right[name] != points for name, points in oracle(MOVES).items())
    assert (reply["ok"], reply["rev"]) == (True, before.rev + 1)
    assert house.scores() == right
    changes = {name: right[name] - points for name, points in oracle(MOVES).items()}
    changes = {name: change for name, change in changes.items() if change}
    for display in house.displays:
        wait_until(partial(both_told, display, before.seq), "the events")
        told = told_since(display, before.seq)
        assert [event["type"] for event in told] == ["corrected", "score"]
        assert (told[0]["data"]["was"], told[0]["data"]["cell"]) == ("d4", RIGHT)
        assert told[0]["data"]["changes"] == changes == told[1]["data"]["changes"]
        assert told[1]["data"]["scores"] == right
        assert {event["rev"] for event in told} == {before.rev + 1}


def test_a_correction_and_its_undo_survive_a_pulled_plug(house: House) -> None:
    house.play()
    assert house.phone.ask("correct", {"ref": house.ref(WRONG), "cell": RIGHT})["ok"]
    shown = house.scores()
    revision = house.table.board.rev
    house.restart()

    assert house.scores() == shown == oracle(corrected(MOVES))
    assert house.table.board.rev == revision
    assert house.phone.ask("undo", rev=revision)["ok"]
    assert house.scores() == oracle(MOVES)
    house.restart()
    assert house.scores() == oracle(MOVES)
    assert house.phone.ask("redo")["ok"]
    assert house.scores() == oracle(corrected(MOVES))
    # What had been undone before the restart is no score that anybody may still see.
    late = Display(house.address, "late")
    try:
        house.wait_until(lambda: late.board == house.table.board, "the late joiner")
        assert len(late.payloads("state")) == 1
    finally:
        late.stop()


def test_a_command_is_obeyed_once_also_when_the_table_is_killed_before_it_answers(
    house: House,
) -> None:
    house.play()
    house.phone.send("undo", id="press-7")
    wait_until(lambda: len(house.phone.answers("press-7")) == 1, "the undo")
    revision = house.table.board.rev
    house.restart()
    house.phone.send("undo", id="press-7")
    wait_until(lambda: len(house.phone.answers("press-7")) == 2, "the repeated answer")

    first, again = house.phone.answers("press-7")
    assert (first["ok"], again["ok"]) == (True, True)
    assert again["rev"] == first["rev"] == house.table.board.rev == revision
    assert house.phone.ask("undo", rev=revision)["ok"], "a new press is a new command"
