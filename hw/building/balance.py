"""Whether a game can balance and be told cell from cell, and what to change if not.

Before anything is built: the empty board must hang under its tip, answer to a piece clearly more
than its pivot rubs, and not tip over under the first. Board frame: origin at the tip, z up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import atan, degrees, hypot, pi, sqrt

from engine.tabletop import STANDARD_GRAVITY_MM_S2, piece_centre_mm, surface_mm
from hw.building.design import designed
from hw.building.measures import CORNER, STANDARD, Measures
from hw.building.objection import Objection
from hw.building.shell import Hanging, hanging

USUAL_FRICTION_DEG = 0.14
"""Half width of the band of tilts at which the assumed board stays put: the middle of what the
public recordings of an ordinary pivot show (0.11 to 0.14 by the decay of swings, 0.10 to 0.19 by
where it rests)."""
FRICTION_SHARE = 0.2
"""Two rests, before and after a piece, may each be off by the friction, and a piece lies off the
middle of its cell by a tenth of a cell: together less than half of what tells two cells apart."""
LEAST_CELL_TILT_DEG = 0.34
"""The sensor's noise, 2.75 mg a sample in the public recordings, is 0.04 degrees after 0.3 s of
rest (neighbouring samples are alike), 0.054 between two rests; 2.5 times that is 0.4 of a cell."""
STOP_SHARE = 0.5
"""One piece in the corner of the empty board may take half of the way to the stop, so that the
second does not end the game."""
SLOW_S = 2.0
"""A board is read when it rests, after some swings; slower ones keep the game waiting."""
LEAST_PIECE_G = 0.5
"""Four load cells of 1 kg tell 0.1 g apart in half a second (noise of 45 to 172 counts, 430 counts
and more a gram); a piece is known as one by some five times that."""
FEWEST_STACKED = 6
"""A board that falls over under a stack this low in its middle ends most games there."""
MOST_STACKED = 99
"""Higher stacks fall by themselves."""
HIGHER_MOST_MM = 40.0
"""No cup reaches higher into a board."""
AIM_TILT_DEG = 1.4
"""By so much the assumed board tells two cells apart; what to change is computed for it."""


@dataclass(frozen=True, slots=True)
class BoardBalance:
    """How a board answers to pieces.

    Attributes:
        hangs: mass and moment of the empty board.
        swing_s: period of its swing.
        cell_tilt_deg: by how much its tilt changes when a piece lies one cell further out.
        corner_tilt_deg: its tilt under one piece in a corner.
        friction_usual_deg: what the pivot as drawn has on this board.
        friction_most_deg: with how much the cells can still be told apart.
        stacked_most: pieces on the middle cell that it can carry.
        stop_deg: tilt at which the stem stops it, in the direction in which that is soonest.
    """

    hangs: Hanging
    swing_s: float
    cell_tilt_deg: float
    corner_tilt_deg: float
    friction_usual_deg: float
    friction_most_deg: float
    stacked_most: int
    stop_deg: float


def balance(measures: Measures) -> BoardBalance | None:
    """How the board answers; None when it does not hang at all."""
    hangs = hanging(measures)
    if not _hangs(measures, hangs):
        return None
    mass_g, moment_gmm = measures.piece.mass_mean_g, -hangs.moment_z_gmm
    x, y, z = piece_centre_mm(measures, CORNER)
    swing_s = 2 * pi * sqrt(hangs.mass_g * hangs.gyration_mm**2 / moment_gmm / _GRAVITY)
    cell_tilt_deg = degrees(atan(mass_g * measures.cell_pitch_mm / moment_gmm))
    return BoardBalance(
        hangs=hangs,
        swing_s=swing_s,
        cell_tilt_deg=cell_tilt_deg,
        corner_tilt_deg=degrees(atan(mass_g * hypot(x, y) / (moment_gmm - mass_g * z))),
        friction_usual_deg=friction_deg(hangs),
        friction_most_deg=FRICTION_SHARE * cell_tilt_deg,
        stacked_most=_stacked_most(measures, moment_gmm),
        stop_deg=designed(measures).stop_deg,
    )


def friction_deg(hangs: Hanging) -> float:
    """Half width of the band of tilts at which a usual pivot holds this board.

    The torque of friction grows with the weight on the tip, what pulls the board upright with its
    moment.
    """
    known = hanging(STANDARD)
    steeper = hangs.centre_of_gravity_mm / known.centre_of_gravity_mm
    return USUAL_FRICTION_DEG / steeper


_GRAVITY = STANDARD_GRAVITY_MM_S2


def _hangs(measures: Measures, hangs: Hanging) -> bool:
    """Whether the board is upright again after a piece in the corner; a piece there helps."""
    _x, _y, z = piece_centre_mm(measures, CORNER)
    return hangs.moment_z_gmm < 0 and hangs.moment_z_gmm + measures.piece.mass_mean_g * z < 0


def _stacked_most(measures: Measures, moment_gmm: float) -> int:
    held, count = moment_gmm, 0
    while count < MOST_STACKED:
        _x, _y, z = piece_centre_mm(measures, "c3", count)
        held -= measures.piece.mass_mean_g * z
        if held <= 0:
            return count
        count += 1
    return count


def objections(measures: Measures) -> list[Objection]:
    """Everything about the balance that cannot be. `hw.building.verdict` asks for more."""
    found = balance(measures)
    return list(_all(measures, found) if found else _upside_down(measures))


def _upside_down(measures: Measures) -> Iterator[Objection]:
    hangs = hanging(measures)
    over_mm = hangs.centre_of_gravity_mm
    yield Objection(
        f"the empty board does not hang: its centre of gravity is {abs(over_mm):.1f} mm "
        f"{'over' if over_mm > 0 else 'under'} the tip, and a piece makes it fall over",
        _ballast(measures, hangs),
    )


def _all(measures: Measures, found: BoardBalance) -> Iterator[Objection]:
    hangs = found.hangs
    if found.friction_usual_deg > found.friction_most_deg:
        yield Objection(
            f"a usual pivot holds this board within {found.friction_usual_deg:.2f} degrees, too "
            f"much where {found.cell_tilt_deg:.2f} degrees tell a cell from the next: "
            f"{found.friction_most_deg:.2f} is the most",
            "make the board lighter, the pieces heavier, or the pivot finer: a sharper needle in a "
            "harder cup (docs/assembly.md, step 10)",
        )
    if found.cell_tilt_deg < LEAST_CELL_TILT_DEG:
        yield Objection(
            f"one cell further out tilts the board by {found.cell_tilt_deg:.2f} degrees only; the "
            f"sensor needs {LEAST_CELL_TILT_DEG:g}",
            _higher(measures, hangs),
        )
    if found.corner_tilt_deg > STOP_SHARE * found.stop_deg:
        yield Objection(
            f"one piece in a corner tilts the empty board by {found.corner_tilt_deg:.0f} degrees, "
            f"and at {found.stop_deg:.0f} the stem stops it",
            _ballast(measures, hangs),
        )
    if found.stacked_most < FEWEST_STACKED:
        yield Objection(
            f"{found.stacked_most + 1} pieces on the middle cell make the board fall over",
            _ballast(measures, hangs),
        )
    if found.swing_s > SLOW_S:
        yield Objection(
            f"the empty board swings once in {found.swing_s:.1f} s, so each piece takes long "
            "to be seen",
            _ballast(measures, hangs),
        )
    if measures.piece.mass_mean_g < LEAST_PIECE_G:
        yield Objection(
            f"a piece has {measures.piece.mass_mean_g:g} g, too little to be weighed as one",
            f"make them heavier, to {LEAST_PIECE_G:g} g at least: a washer glued under each",
        )


def _aimed_moment_gmm(measures: Measures) -> float:
    """The moment with which two cells are as far apart as on the assumed board."""
    return measures.piece.mass_mean_g * measures.cell_pitch_mm / (AIM_TILT_DEG * pi / 180)


def _ballast(measures: Measures, hangs: Hanging) -> str:
    """How to bring the centre of gravity down."""
    lacks_gmm = hangs.moment_z_gmm + _aimed_moment_gmm(measures)
    deep_mm = measures.board.wall_mm - surface_mm(measures, CORNER)
    if deep_mm <= 0 or lacks_gmm <= 0:
        return "set the tip higher: a deeper cup, or a lower board"
    each_g = lacks_gmm / deep_mm / 4
    higher_mm = lacks_gmm / hangs.mass_g
    or_higher = f", or let the tip reach {higher_mm:.0f} mm higher into the board"
    return (
        f"glue {each_g:.0f} g under each of the four corner cells (a stack of washers)"
        f"{or_higher if higher_mm <= HIGHER_MOST_MM else ''}; then weigh and measure again"
    )


def _higher(measures: Measures, hangs: Hanging) -> str:
    """How to bring the centre of gravity up, nearer to the tip."""
    higher_mm = (-hangs.moment_z_gmm - _aimed_moment_gmm(measures)) / hangs.mass_g
    return f"raise the board on its tip by {higher_mm:.0f} mm (a spacer under the cup)"
