"""The pieces on the board: where each lies, when it slides, where it falls.

A piece slides when the sideways part of gravity (and of the table's acceleration), seen from
the board, exceeds what friction holds; a stack tips when it exceeds the width of the stack over
its height. What loses its support falls, perhaps onto another cell, perhaps over the edge. The
paths of falling pieces are drawn at random: nobody can predict a tumbling disc either.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import hypot, sqrt

import numpy as np

from engine.tabletop import (
    CELLS,
    FILES,
    RANKS,
    STANDARD_GRAVITY_MM_S2,
    Vector,
    cell_xy_mm,
    surface_mm,
)
from hw.errors import BadTwin
from lab.twin.parameters import TwinParameters

SLIDING_SHARE = 0.8
"""Friction of a moving piece over that of a resting one: usual for smooth plastics."""

OVERHANG = 0.48
"""Share of its diameter by which a piece may stick out over the one below; half is the limit."""

SETTLES = 0.42
"""Chance that a piece that falls onto another cell stays there; the rest go on down. In the public
traces two thirds of the fallen left the board."""

KNOCKS = 0.12
"""Chance that a falling piece strikes the top of the stack it lands on."""

ROLL_MM = 70.0
"""Mean way a piece rolls or bounces after it hit base or table."""


@dataclass(slots=True, eq=False)
class TwinPiece:
    """One playing piece.

    Attributes:
        number: unique within one tower.
        grip: its own coefficient of friction.
        x_mm, y_mm: centre, board frame.
        cell: the stack it belongs to, or None while it is not on the board.
        speed: (x, y) in mm/s while it slides.
    """

    number: int
    colour: str
    mass_g: float
    grip: float
    x_mm: float = 0.0
    y_mm: float = 0.0
    cell: str | None = None
    speed: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True, eq=False)
class Flight:
    """A piece in the air: where and when it comes down. `cell` None means beside the board."""

    piece: TwinPiece
    lands_s: float
    fall_mm: float
    x_mm: float
    y_mm: float
    cell: str | None


@dataclass(slots=True)
class Pieces:
    """All pieces on the board, in the air, and on the base plate."""

    parameters: TwinParameters
    rng: np.random.Generator
    stacks: dict[str, list[TwinPiece]] = field(default_factory=lambda: {cell: [] for cell in CELLS})
    flights: list[Flight] = field(default_factory=list)
    on_base: list[TwinPiece] = field(default_factory=list)
    sliding: bool = False

    def __iter__(self) -> Iterator[TwinPiece]:
        """Every piece on the board."""
        return (piece for stack in self.stacks.values() for piece in stack)

    @property
    def count(self) -> int:
        """Pieces on the board."""
        return sum(map(len, self.stacks.values()))

    def centre_mm(self, cell: str) -> tuple[float, float]:
        """Centre of a cell.

        Raises:
            BadTwin: no such cell.
        """
        if cell not in self.stacks:
            raise BadTwin(f"{cell!r} is not a cell; cells are a1 to e5")
        return cell_xy_mm(self.parameters, cell)

    def floor_mm(self, cell: str) -> float:
        """Height of a cell's surface over the tip: the middle of the board is the highest."""
        return surface_mm(self.parameters, cell)

    def top_mm(self, cell: str) -> float:
        """Height of the top of a stack."""
        return self.floor_mm(cell) + len(self.stacks[cell]) * self.parameters.piece.height_mm

    def position(self, piece: TwinPiece) -> Vector:
        """Centre of a piece on the board."""
        assert piece.cell is not None  # noqa: S101 - callers iterate over the board
        storey = self.stacks[piece.cell].index(piece) + 0.5
        height = self.floor_mm(piece.cell) + storey * self.parameters.piece.height_mm
        return piece.x_mm, piece.y_mm, height

    def loads(self) -> list[tuple[float, Vector]]:
        """Mass and place of every piece on the board."""
        return [(piece.mass_g, self.position(piece)) for piece in self]

    def put(self, piece: TwinPiece, cell: str, x_mm: float, y_mm: float) -> None:
        """Lay a piece on top of a stack."""
        piece.cell, piece.x_mm, piece.y_mm, piece.speed = cell, x_mm, y_mm, (0.0, 0.0)
        self.stacks[cell].append(piece)

    def lift(self, cell: str, count: int = 1) -> list[TwinPiece]:
        """Take pieces off the top of a stack."""
        taken = self.stacks[cell][-count:]
        del self.stacks[cell][-count:]
        for piece in taken:
            piece.cell = None
        return taken

    def pick_from_base(self) -> TwinPiece | None:
        """Take a piece off the base plate."""
        return self.on_base.pop() if self.on_base else None

    def cell_at(self, x_mm: float, y_mm: float) -> str | None:
        """The cell a point of the board belongs to; None beyond the edge."""
        pitch = self.parameters.cell_pitch_mm
        column, row = round(x_mm / pitch) + 2, round(y_mm / pitch) + 2
        inside = 0 <= column < len(FILES) and 0 <= row < len(RANKS)
        return FILES[column] + RANKS[row] if inside else None

    # --- sliding --------------------------------------------------------------------------

    def step(self, now_s: float, span_s: float, push: Vector) -> list[TwinPiece]:
        """Let pieces slide for `span_s` and say which begin to fall.

        Args:
            now_s: table time.
            span_s: how long the push has lasted, a few milliseconds.
            push: acceleration the pieces feel, board frame, mm/s2; at rest (0, 0, -g).
        """
        px, py, pz = push
        pressing = max(-pz, 1.0)
        steep = hypot(px, py) / pressing
        fallen: list[TwinPiece] = []
        self.sliding = False
        for cell, stack in self.stacks.items():
            if stack and (steep > self._slope_held(stack) or any(p.speed != (0, 0) for p in stack)):
                fallen += self._slide_stack(cell, stack, span_s, (px, py), pressing)
        self.let_fall(now_s, fallen, (px, py))
        return fallen

    def tip_over(self, now_s: float, push: Vector) -> list[TwinPiece]:
        """Let stacks tip that are too high for a push that lasts; say which pieces fall."""
        steep = hypot(push[0], push[1]) / max(-push[2], 1.0)
        fallen: list[TwinPiece] = []
        piece = self.parameters.piece
        for stack in self.stacks.values():
            for storey in range(1, len(stack)):
                lean_mm = self._overhang(stack, storey)
                height_mm = (len(stack) - storey) * piece.height_mm
                if steep > (piece.diameter_mm / 2 - lean_mm) / (height_mm / 2):
                    fallen += stack[storey:]
                    del stack[storey:]
                    break
        self.let_fall(now_s, fallen, (push[0], push[1]))
        return fallen

    def drop_unsupported(self, now_s: float) -> list[TwinPiece]:
        """Let pieces fall that lie too far over an edge, at rest or not."""
        fallen: list[TwinPiece] = []
        for cell, stack in self.stacks.items():
            for storey in range(len(stack)):
                if not self._supported(cell, stack, storey):
                    fallen += stack[storey:]
                    del stack[storey:]
                    break
        self.let_fall(now_s, fallen, (0.0, 0.0))
        return fallen

    def _slope_held(self, stack: list[TwinPiece]) -> float:
        return min(piece.grip for piece in stack)

    def _slide_stack(
        self,
        cell: str,
        stack: list[TwinPiece],
        span_s: float,
        push: tuple[float, float],
        pressing: float,
    ) -> list[TwinPiece]:
        """Move the part of a stack over its weakest joint; return it if it loses its support."""
        steep = hypot(*push) / pressing
        joint = next(
            (i for i, piece in enumerate(stack) if piece.speed != (0, 0) or steep > piece.grip),
            None,
        )
        if joint is None:
            return []
        lowest = stack[joint]
        vx, vy = lowest.speed
        vx, vy = vx + push[0] * span_s, vy + push[1] * span_s
        speed = hypot(vx, vy)
        slowing = SLIDING_SHARE * lowest.grip * pressing * span_s
        keep = 1 - slowing / speed if speed > slowing else 0.0
        vx, vy = keep * vx, keep * vy
        for piece in stack[joint:]:
            piece.x_mm, piece.y_mm = piece.x_mm + vx * span_s, piece.y_mm + vy * span_s
        lowest.speed = (vx, vy)
        self.sliding = self.sliding or keep > 0
        if joint == 0 and self._walled(cell, lowest):
            lowest.speed = (0.0, 0.0)
        if self._supported(cell, stack, joint):
            return []
        falling = stack[joint:]
        del stack[joint:]
        return falling

    def _walled(self, cell: str, piece: TwinPiece) -> bool:
        """Stop a piece at the step up to a higher neighbour."""
        onto = self.cell_at(piece.x_mm, piece.y_mm)
        if onto is None or onto == cell or self.floor_mm(onto) < self.floor_mm(cell):
            return False
        x_mm, y_mm = self.centre_mm(cell)
        half = self.parameters.cell_pitch_mm / 2 - 0.1
        piece.x_mm = min(max(piece.x_mm, x_mm - half), x_mm + half)
        piece.y_mm = min(max(piece.y_mm, y_mm - half), y_mm + half)
        return True

    def _supported(self, cell: str, stack: list[TwinPiece], storey: int) -> bool:
        if storey == 0:
            return self.cell_at(stack[0].x_mm, stack[0].y_mm) == cell
        return self._overhang(stack, storey) < OVERHANG * self.parameters.piece.diameter_mm

    @staticmethod
    def _overhang(stack: list[TwinPiece], storey: int) -> float:
        above, below = stack[storey], stack[storey - 1]
        return hypot(above.x_mm - below.x_mm, above.y_mm - below.y_mm)

    # --- falling --------------------------------------------------------------------------

    def push_to_edge(
        self, cell: str, pushed: Iterable[TwinPiece], push: tuple[float, float]
    ) -> None:
        """Lay pieces over the edge of their cell, on the side towards which they are pushed."""
        (x_mm, y_mm), half_mm = self.centre_mm(cell), self.parameters.cell_pitch_mm / 2
        reach_mm = half_mm / max(abs(push[0]), abs(push[1]))
        for piece in pushed:
            piece.x_mm, piece.y_mm = x_mm + push[0] * reach_mm, y_mm + push[1] * reach_mm

    def let_fall(
        self, now_s: float, fallen: Iterable[TwinPiece], push: tuple[float, float]
    ) -> None:
        """Send pieces that have left their stacks on their way down, along `push` at first."""
        for piece in fallen:
            piece.cell, speed = None, hypot(*piece.speed)
            away = self._direction(piece, push)
            # A piece tips over its edge in about 50 ms before it falls freely.
            reach_mm = speed * 0.08 + float(self.rng.exponential(14.0)) + 8.0
            x_mm, y_mm = piece.x_mm + away[0] * reach_mm, piece.y_mm + away[1] * reach_mm
            self._fly(now_s + float(self.rng.uniform(0.03, 0.09)), piece, x_mm, y_mm)

    def _direction(self, piece: TwinPiece, push: tuple[float, float]) -> tuple[float, float]:
        """Where a piece falls to: the way it slides, or downhill, with some chance."""
        x, y = piece.speed if hypot(*piece.speed) > 1 else push
        if hypot(x, y) < 1:
            x, y = self._off_support(piece)
        length = hypot(x, y) or 1.0
        turn = self.rng.normal(0, 0.45)
        cos, sin = np.cos(turn), np.sin(turn)
        return float((x * cos - y * sin) / length), float((x * sin + y * cos) / length)

    def _off_support(self, piece: TwinPiece) -> tuple[float, float]:
        """Out from the nearest cell's centre."""
        pitch = self.parameters.cell_pitch_mm
        x = piece.x_mm - pitch * max(-2, min(2, round(piece.x_mm / pitch)))
        y = piece.y_mm - pitch * max(-2, min(2, round(piece.y_mm / pitch)))
        return x, y

    def _fly(self, leaves_s: float, piece: TwinPiece, x_mm: float, y_mm: float) -> None:
        cell = self.cell_at(x_mm, y_mm)
        # From the middle of a 70 mm fall; the exact height matters little for the blow.
        fall_mm = 70.0 if cell is None else self.parameters.level_step_mm
        time_s = sqrt(2 * fall_mm / STANDARD_GRAVITY_MM_S2)
        self.flights.append(Flight(piece, leaves_s + time_s, fall_mm, x_mm, y_mm, cell))

    def landed(self, now_s: float) -> list[Flight]:
        """Bring down what lands by now; some pieces go on falling.

        Pieces that come down on the base plate stay there (`on_base`) or roll off it.
        """
        down = [flight for flight in self.flights if flight.lands_s <= now_s]
        self.flights = [flight for flight in self.flights if flight.lands_s > now_s]
        for flight in down:
            if flight.cell is None:
                self._come_down_beside(flight)
            else:
                self._come_down_on(flight.cell, flight)
        return down

    def _come_down_beside(self, flight: Flight) -> None:
        piece, distance = flight.piece, hypot(flight.x_mm, flight.y_mm) or 1.0
        roll_mm = float(self.rng.exponential(ROLL_MM))
        piece.x_mm = flight.x_mm * (1 + roll_mm / distance)
        piece.y_mm = flight.y_mm * (1 + roll_mm / distance)
        half = self.parameters.body.base_half_mm
        if abs(piece.x_mm) < half and abs(piece.y_mm) < half:
            self.on_base.append(piece)

    def _come_down_on(self, cell: str, flight: Flight) -> None:
        piece = flight.piece
        if self.rng.random() < SETTLES:
            self.put(piece, cell, *self._resting_place(cell, flight))
            return
        out = 1.0 if hypot(flight.x_mm, flight.y_mm) > 0 else 0.0
        distance = hypot(flight.x_mm, flight.y_mm) or 1.0
        step_mm = out * (12.0 + float(self.rng.exponential(18.0)))
        piece.x_mm, piece.y_mm = flight.x_mm, flight.y_mm
        x_mm = flight.x_mm * (1 + step_mm / distance)
        y_mm = flight.y_mm * (1 + step_mm / distance)
        if self.stacks[cell] and self.rng.random() < KNOCKS:
            struck = self.lift(cell)
            self.let_fall(flight.lands_s, struck, (flight.x_mm, flight.y_mm))
        self._fly(flight.lands_s, piece, x_mm, y_mm)

    def _resting_place(self, cell: str, flight: Flight) -> tuple[float, float]:
        """Where on the cell or stack a fallen piece comes to lie: it must be held there."""
        stack, half = self.stacks[cell], self.parameters.cell_pitch_mm / 2 - 1.0
        x_mm, y_mm = self.centre_mm(cell)
        if stack:
            x_mm, y_mm = stack[-1].x_mm, stack[-1].y_mm
            half = 0.3 * self.parameters.piece.diameter_mm
        return (
            x_mm + min(max(flight.x_mm - x_mm, -half), half),
            y_mm + min(max(flight.y_mm - y_mm, -half), half),
        )
