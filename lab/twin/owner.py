"""A simulated owner who does what a calibration asks for, as well as people do.

Knows the names of the steps of a calibration and the tower, nothing of what is measured. Sets
weights beside the mark, presses beside the middle of a side, trembles, takes time.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from engine.tabletop import PIECES_PER_COLOUR
from hw.building.design import drawn_table
from hw.calibration import Calibration
from lab.twin.parameters import TwinParameters
from lab.twin.tower import Tower


@dataclass(frozen=True, slots=True)
class OwnerManners:
    """How well an owner does things.

    Attributes:
        reads_s: shortest and longest time for reading a request.
        weight_mm: spread of a weight about its corner, each axis.
        piece_mm: spread of a piece about the middle of its cell when asked to take care.
        push_mm: least and most that a finger goes down at a side.
        tremor_mm: spread of a held finger, ten times a second.
        beside: probability of pressing a cell beside the middle of a side.
        nudge_n: least and most force of a nudge, lasting 70 ms.
    """

    reads_s: tuple[float, float] = (1.2, 2.6)
    weight_mm: float = 4.0
    piece_mm: float = 1.5
    push_mm: tuple[float, float] = (18.0, 30.0)
    tremor_mm: float = 0.4
    beside: float = 0.3
    nudge_n: tuple[float, float] = (0.18, 0.4)


CAREFUL = OwnerManners()
CLUMSY = OwnerManners(
    weight_mm=9.0, piece_mm=2.6, push_mm=(15.0, 34.0), tremor_mm=1.0, beside=0.6, nudge_n=(0.1, 0.6)
)

SIDE_CELLS = (("e2", "e3", "e4"), ("b5", "c5", "d5"), ("a2", "a3", "a4"), ("b1", "c1", "d1"))
NUDGED = ("a1", "e1", "a5", "e5", "b4", "d4")

HOLD_S = 2.2
IMPATIENT_S = 14.0
"""Whoever has done something and is still waited for tries again; sooner when told so."""

NUDGE_AGAIN_S = 6.0
LIGHTLY = 0.35
"""People see the pieces on the board and do not want to pick them up again."""

CRUMB_G, CRUMB_EVERY_S = 0.06, 2.0
"""What somebody who adds putty adds at a time, and how often."""

FINGERS_G = 60.0
"""A hand that sets something down leans on the plate for a moment."""


def ruled(parameters: TwinParameters) -> Calibration:
    """What an owner knows before calibrating: lengths by a ruler, guesses for all else."""
    plain, own = drawn_table(), parameters.calibration
    piece = replace(plain.piece, diameter_mm=own.piece.diameter_mm, height_mm=own.piece.height_mm)
    return replace(
        plain,
        cell_pitch_mm=own.cell_pitch_mm,
        level_step_mm=own.level_step_mm,
        centre_height_mm=own.centre_height_mm,
        piece=piece,
        scale=replace(plain.scale, positions_mm=own.scale.positions_mm),
        imu=replace(plain.imu, position_mm=own.imu.position_mm),
    )


class Owner:
    """Somebody at the simulated table."""

    def __init__(
        self,
        tower: Tower,
        rng: np.random.Generator,
        things_g: tuple[float, ...],
        manners: OwnerManners = CAREFUL,
    ) -> None:
        """Somebody who can reach this tower and has things of these weights."""
        self._tower, self._rng, self._manners = tower, rng, manners
        self._things_g = things_g
        self._busy_with, self._began_s = "", 0.0
        self._nudged_s = 0.0
        self._masses_g: dict[str, list[float]] = {}

    def attend(self, step: str, now_s: float, *, wrong: bool, nudge: bool = False) -> None:
        """Do what a step asks when it is new; again when it is not content for long.

        Args:
            step: its name.
            now_s: table time.
            wrong: the table says that something is wrong.
            nudge: the table asks for a nudge besides.
        """
        if nudge and now_s > self._nudged_s + NUDGE_AGAIN_S:
            self._nudged_s = now_s
            self._soon(float(self._rng.uniform(0.8, 1.5)), self._nudge)
        if step == self._busy_with:
            if step.startswith("putty"):
                return
            patience_s = IMPATIENT_S / 2 if wrong else IMPATIENT_S
            if now_s - self._began_s < patience_s:
                return
        self._busy_with, self._began_s = step, now_s
        self.do(step)

    def do(self, step: str) -> None:
        """Begin to do what a step asks, by its name."""
        kind, _, rest = step.partition("_")
        wait_s = float(self._rng.uniform(*self._manners.reads_s))
        match kind:
            case "off" | "secondoff" | "empty":
                self._soon(wait_s, self._tower.take_weights)
            case "middle":
                self._set_down(wait_s, 0.0, 0.0, self._things_g[0])
            case "second":
                self._set_down(wait_s, 0.0, 0.0, self._things_g[1])
            case "swing":
                self._soon(wait_s, self._nudge)
            case "piece":
                self._soon(wait_s, lambda: self._lay(rest))
            case "close":
                self._soon(wait_s, self.clear)
                self._soon(wait_s, self._tower.take_weights)
            case _ if kind.startswith("corner"):
                corner = self._tower.parameters.scale.positions_mm[int(kind[-1])]
                self._set_down(wait_s, *corner, self._things_g[0])
            case _ if kind.startswith("side"):
                self._soon(wait_s, lambda: self._press(int(kind[-1])))
            case _:
                self._do_with_pieces(step, wait_s)

    def _do_with_pieces(self, step: str, wait_s: float) -> None:
        """What is asked while pieces are weighed."""
        kind, _, rest = step.partition("_")
        match kind:
            case "heap":
                self._lay_down(wait_s, sum(self.masses_g(rest)))
            case "one":
                colour, number = rest.rsplit("_", 1)
                self._lay_down(wait_s, self.masses_g(colour)[int(number) - 1])
            case "putty":
                colour, number = rest.rsplit("_", 1)
                self._lay_down(wait_s, self.masses_g(colour)[int(number) - 1])
                self._soon(wait_s + CRUMB_EVERY_S, lambda: self._add_putty(step))
            case "clear":
                again = rest.startswith("one_") and not rest.endswith("_1")
                tower = self._tower
                self._soon(wait_s, tower.take_weight if again else tower.take_weights)
            case _:
                pass

    def masses_g(self, colour: str) -> list[float]:
        """What the twelve pieces of a colour weigh, one after the other."""
        if colour not in self._masses_g:
            box = self._tower.box
            pieces = [box.take(colour) for _ in range(PIECES_PER_COLOUR)]
            box.give_back(pieces)
            self._masses_g[colour] = [piece.mass_g for piece in pieces]
        return self._masses_g[colour]

    def clear(self) -> None:
        """Take all pieces off the board, one after the other."""
        for number, piece in enumerate(list(self._tower.pieces)):
            cell = piece.cell
            assert cell is not None  # noqa: S101 - it lies on the board
            self._soon(0.4 * number, partial(self._take, cell))

    def _take(self, cell: str) -> None:
        self._tower.remove(cell)

    def _soon(self, wait_s: float, act: Callable[[], None]) -> None:
        self._tower.at(self._tower.now_s + wait_s, act)

    def _set_down(self, wait_s: float, x_mm: float, y_mm: float, grams: float) -> None:
        dx, dy = (float(value) for value in self._rng.normal(0, self._manners.weight_mm, 2))
        tower = self._tower
        self._soon(wait_s, tower.take_weights)
        self._soon(wait_s + 0.9, lambda: tower.press_base(x_mm + dx, y_mm + dy, FINGERS_G, 0.5))
        self._soon(wait_s + 1.1, lambda: tower.put_weight(grams, x_mm + dx, y_mm + dy))

    def _lay_down(self, wait_s: float, grams: float) -> None:
        """Lay pieces beside those that lie on the plate, front left."""
        dx, dy = (float(value) for value in self._rng.normal(0, 2 * self._manners.weight_mm, 2))
        x_mm, y_mm = self._tower.parameters.scale.positions_mm[0]
        tower = self._tower
        self._soon(wait_s, lambda: tower.press_base(x_mm + dx, y_mm + dy, FINGERS_G, 0.5))
        self._soon(wait_s + 0.2, lambda: tower.put_weight(grams, x_mm + dx, y_mm + dy))

    def _add_putty(self, step: str) -> None:
        """Add a crumb, and another, until something else is asked for."""
        if self._busy_with == step:
            self._lay_down(0.0, CRUMB_G)
            self._soon(CRUMB_EVERY_S, lambda: self._add_putty(step))

    def _press(self, side: int) -> None:
        rng, manners = self._rng, self._manners
        left, middle, right = SIDE_CELLS[side]
        cell = str(rng.choice([left, right])) if rng.random() < manners.beside else middle
        depth_mm = float(rng.uniform(*manners.push_mm))
        hand = self._tower.touch(cell, HOLD_S, depth_mm).contact
        assert hand is not None  # noqa: S101 - a touch has one
        times = np.arange(0.35, HOLD_S - 0.2, 0.1)
        depths = depth_mm + rng.normal(0, manners.tremor_mm, len(times))
        shaking = tuple(zip(times.tolist(), depths.tolist(), strict=True))
        hand.path = ((0.0, -2.0), *shaking, (HOLD_S, -4.0))

    def _nudge(self) -> None:
        cell = str(self._rng.choice(NUDGED))
        force_n = float(self._rng.uniform(*self._manners.nudge_n))
        if self._tower.pieces.count:
            force_n *= LIGHTLY
        self._tower.knock(cell, force_n)

    def _lay(self, cell: str) -> None:
        if self._tower.pieces.stacks[cell]:
            self._take(cell)
        dx, dy = (float(value) for value in self._rng.normal(0, self._manners.piece_mm, 2))
        self._tower.place(cell, offset_mm=(dx, dy))
