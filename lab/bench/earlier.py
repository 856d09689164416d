"""The evening before: a short game of days ago, in the journal that the table opens.

No table but a new one begins with an empty journal. What it numbers goes on from there: events of
the sensors, moves, revisions, messages, and table time itself.
"""

from dataclasses import replace
from pathlib import Path

from controller.journal.journal import Journal
from controller.table.pipeline import Cause, Output
from engine.events import HumanInput, Placed
from engine.referee import RefereeState, handle_input, observe
from lab.bench.world import Earlier

PLAYERS = ({"name": "Cleo", "colours": ["red"]}, {"name": "Dan", "colours": ["blue"]})
MOVE_S = 5.0


def play_earlier(path: Path, earlier: Earlier) -> None:
    """Play the game of the evening before, and write it into a journal.

    Args:
        path: of the journal.
        earlier: when it ended, and the numbers it had come to.
    """
    counters = ("next_ref", "rev", "seq", "games")
    state = replace(RefereeState(), **{name: getattr(earlier, name) for name in counters})
    with Journal(path) as journal:
        for cause in _causes(earlier):
            ruled = (
                handle_input(state, cause)
                if isinstance(cause, HumanInput)
                else observe(state, cause)
            )
            journal.write(Output(cause, state, ruled.state, ruled.outcomes))
            state = ruled.state


def _causes(earlier: Earlier) -> list[Cause]:
    placed_s = earlier.ended_s - MOVE_S
    return [
        HumanInput(placed_s - 2 * MOVE_S, "start", {"id": "earlier", "players": PLAYERS}),
        HumanInput(placed_s - MOVE_S, "roll", {"value": 3}),
        Placed(earlier.last_id, placed_s, placed_s + 0.2, "d4", 0.99),
        HumanInput(earlier.ended_s, "end"),
    ]
