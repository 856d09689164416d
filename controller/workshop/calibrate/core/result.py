"""The result of a calibration: the values, their uncertainties, and a verdict."""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import degrees, hypot, sqrt

import numpy as np

from controller.workshop.calibrate.core.placement import PIECE_CELLS, BoardMoment, solve_moment
from controller.workshop.calibrate.core.steps import Notes, RestCounts
from engine.samples import Floats
from engine.tabletop import CELL_COUNT, STANDARD_GRAVITY_MM_S2, Piece, load_cell_name
from hw.calibration import Calibration, Matrix3, Row3


class CalibrationVerdict(StrEnum):
    """Whether the table can be played on."""

    GOOD = "good"
    USABLE = "usable"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Limit:
    """The values from which a quantity is doubtful, and from which it is refused."""

    doubt: float
    refuse: float


GAIN_SHARE = Limit(0.03, 0.05)
"""A piece of 3 g is told from two at any of these; 5 % would bend the load cells' moment."""
MOMENT_SHARE = Limit(0.035, 0.06)
"""At a corner (90 mm) 6 % are 5 mm, a third of the way to the next cell."""
YAW_DEG = Limit(2.0, 4.0)
"""At a corner 4 degrees are 6 mm."""
FRICTION_DEG = Limit(0.25, 0.8)
"""docs/traces.md: the limit of a tilt at rest is 100 % at 0.15, 97.9 % at 0.3, 77.5 % at 0.5."""
BESIDE_MM = Limit(6.0, 12.0)
"""How far the three pieces seem beside their cells: 12 mm is hardly in the cell any more."""
NOISE_SHARE = Limit(0.1, 0.25)
"""Noise of a weight averaged over 0.1 s, as a share of a piece. A detector waits for 4 sigma."""
DRIFT_G_MIN = Limit(0.6, 3.0)
"""A piece a minute cannot be told from a piece."""
SECOND_SHARE = Limit(0.03, 0.08)
"""How far the second mass weighs from what it should."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the result, judged on its own; without advice when good, or without an `sd`."""

    name: str
    value: float
    sd: float | None
    unit: str
    verdict: CalibrationVerdict
    advice: str = ""


@dataclass(frozen=True, slots=True)
class CalibrationResult:
    """The result of a calibration, to be saved; kept when refused, for whoever wants to look.

    `notices` say what was found and taken into account, `words` the verdict, where it has its own.
    """

    calibration: Calibration
    figures: tuple[Figure, ...]
    notices: tuple[str, ...]
    seconds: float
    words: str = ""

    @property
    def verdict(self) -> CalibrationVerdict:
        """The worst of its figures."""
        worst = {figure.verdict for figure in self.figures}
        for verdict in (CalibrationVerdict.REFUSED, CalibrationVerdict.USABLE):
            if verdict in worst:
                return verdict
        return CalibrationVerdict.GOOD

    @property
    def text(self) -> str:
        """The verdict in a sentence or two."""
        if self.words:
            return self.words
        if self.verdict is CalibrationVerdict.GOOD:
            well = "weigh every piece" if self.calibration.weight_only else "see every cell"
            return f"The calibration is good: the table will {well} well."
        troubles = [f.advice for f in self.figures if f.verdict is self.verdict]
        if self.verdict is CalibrationVerdict.USABLE:
            return "The table can be used, and will ask now and then. " + " ".join(troubles)
        return "This calibration cannot be good and is not saved. " + " ".join(troubles)


def conclude(notes: Notes, seconds: float) -> CalibrationResult:
    """The result of all that was measured."""
    assert notes.swing is not None  # noqa: S101 - the wizard keeps the order
    assert notes.last_rest is not None  # noqa: S101 - as above
    assert notes.hang is not None  # noqa: S101 - as above
    placed = tuple(notes.placed[cell] for cell in PIECE_CELLS)
    moment = solve_moment(notes.design, notes.swing, notes.hang, placed)
    calibration = _calibration(notes, moment, notes.last_rest)
    figures = (
        *_cell_figures(notes),
        *_second(notes),
        *_board_figures(notes, moment),
        _drift(notes, notes.last_rest),
    )
    return CalibrationResult(calibration, figures, tuple(_notices(notes)), seconds)


def _calibration(notes: Notes, moment: BoardMoment, rest: RestCounts) -> Calibration:
    assert notes.inverse_gains is not None  # noqa: S101 - the wizard keeps the order
    assert notes.rotation is not None  # noqa: S101 - as above
    assert notes.swing is not None  # noqa: S101 - as above
    design, piece = notes.design, notes.design.piece
    masses = [placed.mass_g for placed in notes.placed.values()]
    turn = about_z(moment.yaw_rad)
    centre = turn[:2, :2] @ np.asarray(notes.swing.centre)
    positions = [(0.0, 0.0)] * CELL_COUNT
    for corner, cell in notes.cell_of_corner.items():
        x_mm, y_mm = design.scale.positions_mm[corner]
        positions[cell] = (float(x_mm), float(y_mm))
    return replace(
        design,
        piece=_piece(piece, masses),
        scale=replace(
            design.scale,
            positions_mm=tuple(positions),
            counts_per_gram=tuple(round(float(1 / a), 4) for a in notes.inverse_gains),
            tare_counts=tuple(round(float(count), 1) for count in rest.counts),
            rate_hz=round(rest.scale_hz, 3),
        ),
        imu=replace(
            design.imu,
            accel_bias_g=_row(notes.accel_bias_g, 6),
            gyro_bias_dps=_row(notes.rested.bias_dps, 5),
            rotation=_matrix(turn @ notes.rotation),
            rate_hz=round(rest.imu_hz, 3),
        ),
        empty_moment_gmm=(
            round(float(centre[0]) * moment.z_gmm, 2),
            round(float(centre[1]) * moment.z_gmm, 2),
            round(moment.z_gmm, 2),
        ),
    )


def _piece(piece: Piece, masses: list[float]) -> Piece:
    """A piece as it weighs; where all were weighed by colour, three say nothing new."""
    if piece.colours:
        return piece
    mass_g = round(float(np.mean(masses)), 4)
    return replace(piece, mass_mean_g=mass_g, mass_std_g=_spread_g(piece, masses))


def _spread_g(piece: Piece, masses: list[float]) -> float:
    """Spread from piece to piece: that of the design, and what three pieces leave open."""
    share = piece.mass_std_g / piece.mass_mean_g
    return round(float(np.mean(masses)) * share * sqrt(1 + 1 / len(masses)), 4)


def about_z(angle_rad: float) -> Floats:
    """Rotation about the vertical."""
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _row(values: Floats, digits: int) -> Row3:
    a, b, c = (round(float(value), digits) for value in values)
    return a, b, c


def _matrix(values: Floats) -> Matrix3:
    a, b, c = (_row(row, 7) for row in values)
    return a, b, c


# --- judging ------------------------------------------------------------------------------


def judged(  # noqa: PLR0917 - a line of the table, from left to right
    name: str,
    value: float,
    sd: float | None,
    unit: str,
    measure: float,
    limit: Limit,
    advice: str,
) -> Figure:
    """A figure with the verdict that `measure` deserves."""
    if not measure <= limit.refuse:
        return Figure(name, value, sd, unit, CalibrationVerdict.REFUSED, advice)
    if measure > limit.doubt:
        return Figure(name, value, sd, unit, CalibrationVerdict.USABLE, advice)
    return Figure(name, value, sd, unit, CalibrationVerdict.GOOD)


def _cell_figures(notes: Notes) -> list[Figure]:
    assert notes.inverse_gains is not None  # noqa: S101 - the wizard keeps the order
    assert notes.inverse_sd is not None  # noqa: S101 - as above
    figures = []
    for cell in range(CELL_COUNT):
        gain = 1 / notes.inverse_gains[cell]
        share = float(notes.inverse_sd[cell] / abs(notes.inverse_gains[cell]))
        advice = (
            f"Load cell {load_cell_name(cell)} is known to {share:.1%} only: take something "
            "heavier (100 g or more), set it right above each cell."
        )
        figures.append(
            judged(
                f"load cell {load_cell_name(cell)}",
                float(gain),
                abs(float(gain)) * share,
                "counts/g",
                share,
                GAIN_SHARE,
                advice,
            )
        )
    return [*figures, _noise(notes)]


def _noise(notes: Notes) -> Figure:
    tenth_g = notes.noise_g / sqrt(max(0.1 * notes.rested.scale_hz, 1.0))
    share = tenth_g / notes.design.piece.mass_mean_g
    advice = (
        f"The weight is noisy ({tenth_g:.2f} g in a tenth of a second): check joints and supply, "
        "keep the cable away from the power supply."
    )
    return judged("noise of the weight in 0.1 s", tenth_g, None, "g", share, NOISE_SHARE, advice)


def _second(notes: Notes) -> list[Figure]:
    load = notes.loads.get(-2)
    if load is None:
        return []
    reference = notes.references[1]
    weighs_g = float(notes.grams(load.counts).sum())
    off = abs(weighs_g - reference.mass_g) / reference.mass_g
    advice = (
        f"{reference.name} weighs {weighs_g:.2f} g here, not {reference.mass_g:.2f}: is one of the "
        "two weights not what you said, or does a plate rub?"
    )
    name = f"second weight ({reference.name})"
    return [judged(name, weighs_g, reference.sd_g, "g", off, SECOND_SHARE, advice)]


def _board_figures(notes: Notes, moment: BoardMoment) -> list[Figure]:
    swing = notes.swing
    assert swing is not None  # noqa: S101 - the wizard keeps the order
    stiffness = swing.stiffness_s2
    inertia = STANDARD_GRAVITY_MM_S2 * abs(moment.z_gmm) / stiffness
    friction = degrees(swing.friction_rad)
    share = moment.z_sd_gmm / abs(moment.z_gmm)
    masses = [placed.mass_g for placed in notes.placed.values()]
    weighed = float(np.mean([placed.mass_sd_g for placed in notes.placed.values()]))
    known_g = hypot(float(np.std(masses)) / sqrt(len(masses)), weighed / sqrt(len(masses)))
    again = "Lay the three pieces again, each into the middle of its cell."
    return [
        Figure("period", 2 * np.pi / sqrt(stiffness), None, "s", CalibrationVerdict.GOOD),
        Figure("damping", swing.damping_s, None, "1/s", CalibrationVerdict.GOOD),
        judged(
            "friction of the pivot",
            friction,
            degrees(swing.friction_sd_rad),
            "deg",
            friction,
            FRICTION_DEG,
            f"The pivot sticks within {friction:.2f} degrees (aim: 0.25): tune it, step 10 of the "
            "assembly guide.",
        ),
        judged(
            "board's moment",
            moment.z_gmm,
            moment.z_sd_gmm,
            "g mm",
            share,
            MOMENT_SHARE,
            f"The board's moment is known to {share:.1%} only. {again}",
        ),
        Figure(
            "board's inertia",
            inertia / 1e5,
            inertia * share / 1e5,
            "1e5 g mm2",
            CalibrationVerdict.GOOD,
        ),
        judged(
            "turn of the sensor",
            degrees(moment.yaw_rad),
            degrees(moment.yaw_sd_rad),
            "deg",
            degrees(moment.yaw_sd_rad),
            YAW_DEG,
            f"Where the sensor looks is known to {degrees(moment.yaw_sd_rad):.1f} degrees. {again}",
        ),
        judged(
            "pieces beside their cells",
            moment.misfit_mm,
            None,
            "mm",
            float("inf") if moment.mirrored else moment.misfit_mm,
            BESIDE_MM,
            _beside_words(moment, again),
        ),
        Figure("mass of a piece", float(np.mean(masses)), known_g, "g", CalibrationVerdict.GOOD),
    ]


def _beside_words(moment: BoardMoment, again: str) -> str:
    if moment.mirrored:
        return (
            "The pieces fit a mirrored board: left and right, or front and back, were mixed up at "
            "the sides or the cells."
        )
    return f"The pieces seem to lie {moment.misfit_mm:.0f} mm beside their cells. {again}"


def _drift(notes: Notes, rest: RestCounts) -> Figure:
    minutes = max((rest.t_s - notes.rested.t_s) / 60, 1e-3)
    drift = float(notes.grams(rest.counts).sum()) / minutes
    advice = (
        f"The empty table drifted by {drift:+.1f} g a minute: let it warm up for ten minutes; "
        "look for a plate that rubs."
    )
    return judged("drift", drift, None, "g/min", abs(drift), DRIFT_G_MIN, advice)


def _notices(notes: Notes) -> list[str]:
    notices = []
    swapped = [
        load_cell_name(c) for corner, c in sorted(notes.cell_of_corner.items()) if c != corner
    ]
    if swapped:
        names = ", ".join(sorted(swapped))
        notices.append(f"Plugs of load cells {names} are exchanged; taken into account.")
    inverse = notes.inverse_gains if notes.inverse_gains is not None else np.ones(CELL_COUNT)
    turned = [load_cell_name(cell) for cell in range(CELL_COUNT) if inverse[cell] < 0]
    if turned:
        names = ", ".join(turned)
        which = f"Load cell {names} counts" if len(turned) == 1 else f"Load cells {names} count"
        notices.append(f"{which} the wrong way round; taken into account.")
    return notices
