"""The score in few bytes: it fits, whatever the names."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.referee import RefereeState
from engine.scoreboard import PlayerShown, TurnShown, document
from engine.summary import SUMMARY_LIMIT_BYTES, summary
from tests.engine.referee.script import begin


@pytest.mark.parametrize("name", ["Ann", "A" * 40, "é" * 40, "\U0001f3b2" * 30])
def test_the_summary_fits_small_displays(name: str) -> None:
    players = [{"name": f"{name}{seat}", "colours": [f"c{seat}"]} for seat in range(4)]
    table = begin(players)
    table.say("roll", value=6)
    encoded = summary(document(table.state, table="t1", boot="b1"))

    assert len(encoded) <= SUMMARY_LIMIT_BYTES
    short = json.loads(encoded)
    assert len(short["p"]) == 4
    assert (short["d"], short["ph"], short["r"]) == (6, "act", 2)


names = st.lists(st.text(min_size=1, max_size=40), min_size=2, max_size=4, unique=True)


@given(
    names,
    st.lists(st.none() | st.integers(-(10**6), 10**6), min_size=4, max_size=4),
    st.integers(0, 10**9),
    st.none() | st.integers(1, 6),
    st.sampled_from([0, 1, 4]),
    st.sampled_from(["idle", "roll", "act", "clear", "over", "question", "round_over"]),
)
def test_whatever_the_names_and_scores_the_summary_fits(  # noqa: PLR0917
    names: list[str],
    scores: list[int | None],
    rev: int,
    die: int | None,
    winning: int,
    phase: str,
) -> None:
    players = tuple(
        PlayerShown(name=name, colours=(), mark="●", score=score)
        for name, score in zip(names, scores, strict=False)
    )
    board = document(RefereeState(), table="t1", boot="b1")
    board = msgspec.structs.replace(
        board, players=players, phase=phase, rev=rev, winners=tuple(names[:winning]),
        turn=TurnShown(names[0], die) if phase == "act" else None,
    )  # fmt: skip
    encoded = summary(board)

    assert len(encoded) <= SUMMARY_LIMIT_BYTES
    short = json.loads(encoded)
    assert (short["ph"], short["r"]) == (phase, rev)
    # Only names of control characters, six bytes each in JSON, can crowd out the players.
    if all(char.isprintable() for name in names for char in name):
        assert list(short["p"].values()) == scores[: len(names)]
