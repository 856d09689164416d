"""A short game of Topple as the table publishes it, for what is called in it."""

from collections.abc import Iterator
from typing import Any

from engine.events import (
    Corrected,
    HumanInput,
    Placed,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.referee import RefereeState, handle_input, observe
from engine.scoreboard import Scoreboard, document

HANDS = [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]
SCRIPT = (
    "start", "roll 6", "placed 1 c3", "roll 6", "placed 2 c2", "roll 6", "placed 3 c4",
    # The sensors see better before anything is confirmed.
    "roll 6", "placed 4 d1", "corrected 4 c1", "roll 6", "placed 5 c5", "roll 6", "pass", "roll 6",
    # Somebody says where it lies once its points were called, and takes that back.
    "placed 6 c3", "roll 6", "correct 15 e5", "undo", "pass", "roll 6", "placed 7 c3",
    # Toppled by Bob, as the sensors believe; play goes on, so it was he. Then Ann has won.
    "roll 6", "toppled", "cleared", "roll 6", "placed 10 c3", "roll 6", "placed 11 c3", "roll 6",
    "placed 12 c3", "roll 6", "toppled",
)  # fmt: skip


def boards() -> Iterator[tuple[str, Scoreboard]]:
    """What is done, and the document after it."""
    state = RefereeState()
    yield "", document(state, table="t1", boot="boot-1")
    for number, step in enumerate(SCRIPT):
        state = done(state, step, 3.0 * number + 1.0)
        yield step, document(state, table="t1", boot="boot-1")


def done(state: RefereeState, step: str, t_s: float) -> RefereeState:
    """The state after one step of the script."""
    what, *more = step.split()
    event = seen(what, more, t_s)
    if event is not None:
        ruling = observe(state, event)
    else:
        ruling = handle_input(state, HumanInput(t_s, what, said(what, more)))
    assert ruling.refused is None, (step, ruling.refused)
    return ruling.state


def seen(what: str, more: list[str], t_s: float) -> TableEvent | None:
    """What the sensors say, if it is they who do."""
    if what == "placed":
        return Placed(int(more[0]), t_s, t_s, more[1], 0.99)
    if what == "corrected":
        return Corrected(int(more[0]), t_s, more[1], 0.99)
    if what == "toppled":
        how = (ToppleKind.OFF_BOARD, ToppleCause.PLACING)
        return Toppled(round(t_s), t_s, t_s, *how, 0.99)
    return None


def said(what: str, more: list[str]) -> dict[str, Any]:
    """The data of what people say."""
    if what == "start":
        return {"players": HANDS, "first": 0, "target": 16}
    if what == "roll":
        return {"value": int(more[0])}
    return {"ref": int(more[0]), "cell": more[1]} if what == "correct" else {}
