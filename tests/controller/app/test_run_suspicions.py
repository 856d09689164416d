"""A suspicion end to end: on real brokers, beside displays that do not know it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.journal.journal import Journal
from tests.controller.evening_online import START, Display, Phone
from tests.pages.running import RunningTable


class House:
    """A table whose sensors are told what to see, a phone, and a display."""

    def __init__(self, address: Any, journal: Path, wait_until: Any) -> None:
        self.wait_until = wait_until
        self.table = RunningTable(address, journal)
        self.phone, self.display = Phone(address, "phone"), Display(address, "hall")
        self.display.edge.await_hearing()
        assert self.phone.ask("start", START)["ok"]
        assert self.phone.ask("roll", {"value": 1})["ok"]
        self.table.place("c3")
        self.until_shown(self.until_heard("placed"))

    def heard(self, *types: str) -> list[Any]:
        return [event for event in self.display.payloads("event") if event["type"] in types]

    def until_heard(self, kind: str) -> Any:
        self.wait_until(lambda: self.heard(kind), kind)
        return self.heard(kind)[-1]

    def until_shown(self, event: Any) -> None:
        """The state follows its event; both boards may still agree on the one before."""
        self.wait_until(
            lambda: self.table.board.seq >= event["seq"] and self.display.board == self.table.board,
            "the display",
        )


@pytest.fixture
def house(broker: Any, tmp_path: Path, wait_until: Any) -> Iterator[House]:
    opened = House(broker.address(), tmp_path / "games.journal", wait_until)
    yield opened
    for thing in (opened.phone, opened.display, opened.table):
        thing.stop()


def test_a_suspicion_that_goes_away_leaves_state_and_journal_as_they_were(
    house: House, tmp_path: Path
) -> None:
    before, states = house.table.board, len(house.display.payloads("state"))
    number = house.table.suspect(0.61)
    told = house.until_heard("suspected")
    house.table.dismiss(number)
    ended = house.until_heard("dismissed")

    assert told["data"]["id"] == ended["data"]["id"] == number
    assert (told["data"]["kind"], told["data"]["probability"]) == ("off_stack", 0.61)
    assert {(e["seq"], e["rev"]) for e in (told, ended)} == {(before.seq, before.rev)}
    # What was on the screen before the suspicion may still be pressed on.
    assert house.phone.ask("roll", {"value": 2}, rev=before.rev)["ok"]
    house.wait_until(lambda: house.display.rev > before.rev, "the roll")
    between = house.display.payloads("state")[states:]
    assert {state["rev"] for state in between} <= {before.rev, before.rev + 1}
    house.table.stop()
    with Journal(tmp_path / "games.journal") as kept:
        state = kept.resume().state
    assert (state.seq, state.rev) == (house.table.board.seq, house.table.board.rev)


def test_a_suspicion_comes_before_the_topple_that_it_becomes(house: House) -> None:
    before = house.table.board
    house.table.suspect()
    told = house.until_heard("suspected")
    house.table.topple()
    fell = house.until_heard("toppled")
    house.until_shown(fell)

    assert [e["type"] for e in house.heard("suspected", "dismissed", "toppled")] == [
        "suspected",
        "toppled",
    ]
    assert told["seq"] == before.seq < fell["seq"]
    assert house.table.board.phase == "clear"


def test_a_suspicion_is_not_kept_for_who_joins_late(house: House, broker: Any) -> None:
    house.table.suspect()
    house.until_heard("suspected")
    late = Display(broker.address(), "late")
    house.wait_until(lambda: late.board is not None, "the state")

    assert late.payloads("event") == []
    assert "suspected" not in json.dumps(late.payloads("state"))
    late.stop()
