"""Our own table as a `Link`, in this process and in table time: a case takes a second."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.workshop.pace import Pace
from hw.source import SampleSource
from lab.bench.outside.deeds import DeedAnswer, asked
from lab.bench.outside.handled_tower import CAN, HandledTower
from lab.bench.outside.hands import LeftOut
from lab.bench.rig import RigLink
from lab.bench.table import BenchTable
from lab.bench.wire import TABLE, BenchWire
from lab.mock import living_parameters
from lab.twin.tower import Tower

STEP_S = 0.05

__all__ = ["TABLE", "IndoorHand", "IndoorLink"]


@dataclass
class IndoorHand:
    """A hand whose lines go straight to the simulated tower.

    Attributes:
        asked_for: verbs, in order.
        told: what the table was seen to see.
    """

    lines: deque[bytes] = field(default_factory=deque)
    answers: deque[DeedAnswer] = field(default_factory=deque)
    can: frozenset[str] = frozenset(CAN)
    asked_for: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def line(self) -> bytes | None:
        return self.lines.popleft() if self.lines else None

    def ask(self, verb: str, value: Any, progress: str = "") -> None:  # noqa: ARG002
        self.asked_for.append(verb)
        self.lines.append(asked(verb, value))

    def answer(self, *, told: bool) -> DeedAnswer | None:  # noqa: ARG002
        if not self.answers:
            return None
        found = self.answers.popleft()
        if not found.ok:
            raise LeftOut(found.why)
        return found

    def tell(self, words: str) -> None:
        self.told.append(words)

    def close(self) -> None:
        pass


class IndoorLink(RigLink):
    """A `Link` to a table on a simulated tower, moved by a hand; one case follows the other.

    `board` may stand between the two; it lets the tower go on `ahead_s` before the table.
    """

    def __init__(
        self,
        folder: Path,
        hand: IndoorHand,
        board: Callable[[HandledTower], SampleSource] = lambda tower: tower,
        ahead_s: float = 0.0,
    ) -> None:
        tower = HandledTower(Tower(living_parameters(), 1), 1, hand.line, hand.answers.append)
        tower.ahead_s = ahead_s
        table = BenchTable(board(tower), BenchWire(), folder)
        super().__init__(table, Pace(live=False, step_s=STEP_S))

    def close(self) -> None:
        pass
