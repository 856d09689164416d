"""A game in a test: scripted events and words, told to the referee one after the other."""

from math import nan
from typing import Any

from engine.events import (
    Cleared,
    HumanInput,
    Placed,
    Retracted,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.referee import RefereeState, Ruling, handle_input, observe

ANN_AND_BOB = [{"name": "Ann", "colours": ["blue"]}, {"name": "Bob", "colours": ["red"]}]
TWO_COLOURS = [
    {"name": "Ann", "colours": ["blue", "green"]},
    {"name": "Bob", "colours": ["red", "yellow"]},
]


class Script:
    """What happens at a table: time goes on by itself, the last ruling is kept."""

    def __init__(self) -> None:
        self.state = RefereeState()
        self.t_s = 0.0
        self.events = 0
        self.ruling = Ruling(self.state)

    def start(self, players: Any = None, **start: Any) -> "Script":
        self.say("start", players=players or ANN_AND_BOB, **{"target": 100, "first": 0, **start})
        return self

    def say(self, verb: str, **data: Any) -> Ruling:
        self.t_s += 2.0
        return self._take(handle_input(self.state, HumanInput(self.t_s, verb, data)))

    def see(self, event: TableEvent) -> Ruling:
        return self._take(observe(self.state, event))

    def _take(self, ruling: Ruling) -> Ruling:
        self.ruling, self.state = ruling, ruling.state
        return ruling

    def placed(
        self, cell: str | None, p: float = 0.99, at: float | None = None, **more: Any
    ) -> int:
        self.t_s += 2.0
        self.events += 1
        released_s = self.t_s if at is None else at
        alternatives = more.get("alternatives", ())
        rest = (
            more.get("mass_g", nan),
            more.get("mass_sd_g", 0.08),
            more.get("stands", p if cell is None else 1.0),
        )
        self.see(Placed(self.events, released_s, self.t_s + 0.3, cell, p, alternatives, *rest))
        return self.events

    def toppled(
        self,
        cause: str = "placing",
        sure: float = 0.99,
        after_s: float = 1.0,
        at: float | None = None,
        p: float = 0.99,
        **more: Any,
    ) -> int:
        self.t_s += after_s
        self.events += 1
        self.see(
            Toppled(
                self.events,
                self.t_s if at is None else at,
                self.t_s + 1.0,
                ToppleKind(more.pop("kind", "off_board")),
                ToppleCause(cause),
                p,
                sure,
                **more,
            )
        )
        return self.events

    def retracted(self, event: int, reason: str = "taken back") -> None:
        self.see(Retracted(event, self.t_s + 0.5, reason))

    def cleared(self) -> None:
        self.t_s += 5.0
        self.see(Cleared(self.t_s, self.t_s + 0.5))

    def turn(self, die: int, cell: str) -> int:
        self.say("roll", value=die)
        return self.placed(cell)

    @property
    def scores(self) -> dict[str, int]:
        return dict(self.state.position.scores)

    @property
    def board(self) -> dict[str, Any]:
        position = self.state.position
        board: dict[str, Any] = position.rules.view(position.game_state)["board"]
        return board

    @property
    def questions(self) -> list[str]:
        return [question.id for question in self.state.questions()]

    @property
    def doubts(self) -> list[str]:
        return [question.id for question in self.state.doubts()]

    @property
    def types(self) -> list[str]:
        return [outcome.type for outcome in self.ruling.outcomes]


def begin(players: Any = None, **start: Any) -> Script:
    """A game that has just begun."""
    return Script().start(players, **start)
