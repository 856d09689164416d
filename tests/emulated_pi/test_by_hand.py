"""The round that is played on the emulated Pi, on the table in this process."""

import pytest

from lab.twin import pieces
from tests.emulated_pi import by_hand
from tests.emulated_pi.by_hand import HereTable, until_the_topple


def test_a_round_may_end_without_the_phase_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    stays = HereTable()
    by_hand.whole(stays)
    # None of the pieces is held by a lower cell or by the base plate.
    monkeypatch.setattr(pieces, "SETTLES", 0.0)
    monkeypatch.setattr(pieces, "ROLL_MM", 1e5)
    table = HereTable()

    assert by_hand.whole(table)["board"] == {}

    assert until_the_topple(table) == until_the_topple(stays)
    told = {event["type"]: event["t"] for event in table.events}
    assert told["cleared"] == told["toppled"]
    assert "clear" not in {state["phase"] for state in table.states}
    assert "clear" in {state["phase"] for state in stays.states}
