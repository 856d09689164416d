"""The hardware-in-the-loop bench: plays scenarios on a table, checks the results, reports them.

    scenario file -> cases (seeds, sweeps) -> stage (what happens) -> run (what was seen and said)
                  -> verdict (checks, measurements) -> report (HTML, JUnit)

pytest runs it (`lab.bench.plugin`). Values and judgement (`scenario`, `observed`, `verdict`,
`invariants`, `figures`, the accounts) are pure; the stage, the targets and the reports hold the
input and output. What others use of it can be imported from here: see docs/bench.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.bench.boards import Board, BoardTarget
    from lab.bench.foreign_client import heard
    from lab.bench.observed import Order, Run, Sent
    from lab.bench.rules_oracle import Oracle
    from lab.bench.running import Result, as_result, play, play_and_judge
    from lab.bench.scenario_files import find, load, read

__all__ = [
    "Board", "BoardTarget", "Oracle", "Order", "Result", "Run", "Sent", "as_result", "find",
    "heard", "load", "play", "play_and_judge", "read",
]  # fmt: skip

_ROOMS = {
    "boards": ("Board", "BoardTarget"),
    "foreign_client": ("heard",),
    "observed": ("Order", "Run", "Sent"),
    "rules_oracle": ("Oracle",),
    "running": ("Result", "as_result", "play", "play_and_judge"),
    "scenario_files": ("find", "load", "read"),
}


def __getattr__(name: str) -> Any:
    """Imported when it is asked for: the plugin lies here, too, and pytest loads it always."""
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{room}"), name)
    raise AttributeError(f"lab.bench has no {name}; there are {', '.join(__all__)}")
