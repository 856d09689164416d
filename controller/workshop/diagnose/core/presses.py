"""Finds exchanged or reversed cells and sensor axes from how the table reacts to presses.

At rest a count says little about sign and place. A finger on the base plate above one load cell
says both; a known weight says the scale as well; a board pushed down at one side must tilt to
that side for the inertial sensor and lean to that side on the load cells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from controller.workshop.diagnose.core.findings import CellFigures, Finding, Severity, cell_name
from controller.workshop.diagnose.core.identity import swapped_cells, swapped_wires, wrong_gain
from engine.samples import Floats, ScaleSamples
from engine.tabletop import CELL_COUNT, load_cell_name
from hw.calibration import Calibration
from hw.signal_figures import angle_deg
from hw.stretch import Stretch

FELT_G = 15.0
"""A press weaker than five pieces is no press."""
OTHER_CELL = 2.0
"""A rigid plate passes 3/4 of a load above one cell to that cell, 1/4 to each neighbour and -1/4
to the opposite one: an exchanged cell answers thrice as much."""
OWN_SHARE = 0.75
DEAF_SHARE = 0.12
"""A cell that answers less than a third of that, a neighbour's share, answers nothing."""
WEIGHT_TOLERANCE = 0.1
"""Plates bend and weights are set down beside the cell: a tenth. Wrong gains are off by two."""
SMOOTH = 9
"""Conversions in a running mean: a tenth of a second, far shorter than a press."""

TILT_FELT_DEG = 2.0
DIRECTION_LIMIT_DEG = 40.0
"""People push beside the middle of a side by up to 20 degrees; axes that are exchanged or of the
wrong sign are off by 90 or 180."""
TURN_RATIO = (0.7, 1.4)
"""Angle by the gyroscope over that by gravity; a wrong range is off by two."""


@dataclass(frozen=True, slots=True)
class CellPress:
    """Somebody pressed above load cell 0 to 3, or set a known weight there."""

    cell: int
    stretch: Stretch
    weight_g: float | None = None


@dataclass(frozen=True, slots=True)
class Tilt:
    """Somebody pushed the board down at one side and held it there for a moment.

    The side is a direction, x and y in the board's frame; the stretch begins at rest.
    """

    side: tuple[float, float]
    stretch: Stretch


@dataclass(frozen=True, slots=True)
class CellResponse:
    """How the cells answered a press, in grams by the calibration."""

    cell: int
    change_g: tuple[float, ...]
    weight_g: float | None

    @property
    def felt(self) -> bool:
        """Whether any cell reacted."""
        return max(map(abs, self.change_g)) > FELT_G

    @property
    def strongest(self) -> int:
        """The cell that answered most."""
        return max(range(CELL_COUNT), key=lambda cell: abs(self.change_g[cell]))

    @property
    def deaf(self) -> bool:
        """Whether the others answered, and the cell that was pressed did not."""
        return abs(self.change_g[self.cell]) < DEAF_SHARE * abs(self.change_g[self.strongest])

    @property
    def other(self) -> int | None:
        """The cell that answered instead of the one that was pressed, if one did."""
        here, there = abs(self.change_g[self.cell]), abs(self.change_g[self.strongest])
        return self.strongest if there > OTHER_CELL * here else None


def answer(press: CellPress, calibration: Calibration, rest: Sequence[CellFigures]) -> CellResponse:
    """How far each cell went from its rest, where all together went furthest."""
    away = _loads_g(press.stretch.scale, calibration) - [figures.load_g for figures in rest]
    away = np.nan_to_num(away)
    if len(away) < SMOOTH:
        return CellResponse(press.cell, (0.0,) * CELL_COUNT, press.weight_g)
    kernel = np.ones(SMOOTH) / SMOOTH
    smooth = np.column_stack([np.convolve(_unspoilt(c), kernel, mode="valid") for c in away.T])
    furthest = smooth[int(np.abs(smooth).max(axis=1).argmax())]
    return CellResponse(press.cell, tuple(float(value) for value in furthest), press.weight_g)


def _loads_g(scale: ScaleSamples, calibration: Calibration) -> Floats:
    return calibration.scale.mass_g(scale.raw, scale.valid)


def _unspoilt(values: Floats) -> Floats:
    """A signal without its single corrupt data words."""
    padded = np.pad(values, 2, mode="edge")
    middle: Floats = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    return middle


def press_findings(
    presses: Sequence[CellPress], calibration: Calibration, rest: Sequence[CellFigures]
) -> list[Finding]:
    """What presses on all corners tell. A cell that is known to be dead should be left out."""
    answers = [answer(press, calibration, rest) for press in presses]
    if answers and not any(each.felt for each in answers):
        return [_nothing_felt(answers)]
    found: list[Finding] = []
    exchanged = {
        each.cell: each.other
        for each in answers
        if each.felt and not each.deaf and each.other is not None
    }
    for each in answers:
        if not each.felt or each.deaf:
            found.append(_deaf(each))
        elif each.other is not None:
            found.append(_instead(each, each.other, exchanged))
        elif each.change_g[each.cell] < 0:
            figure = f"pressed: {each.change_g[each.cell]:+.0f} g"
            found.append(swapped_wires(each.cell, figure, "a positive weight"))
    if not found:
        found += _scales(answers)
    return [finding for number, finding in enumerate(found) if finding not in found[:number]]


def _nothing_felt(answers: Sequence[CellResponse]) -> Finding:
    strongest = max(abs(change) for each in answers for change in each.change_g)
    return Finding(
        Severity.NOTE,
        "scale",
        "no_press_felt",
        "No press was felt.",
        "Press harder (a finger's weight, 100 g or more) on the base plate, and try again.",
        f"{strongest:.1f} g",
        f"at least {FELT_G:.0f} g",
    )


def _deaf(each: CellResponse) -> Finding:
    return Finding(
        Severity.FAULT,
        f"scale.{each.cell}",
        "cell_deaf",
        f"{cell_name(each.cell)} does not answer a press.",
        "Check its plug, and that base plate and screws rest on the cell's free end.",
        f"{each.change_g[each.cell]:+.1f} g",
        f"at least {FELT_G:.0f} g",
    )


def _instead(each: CellResponse, other: int, exchanged: Mapping[int, int]) -> Finding:
    grams = ", ".join(f"{change:+.0f}" for change in each.change_g)
    figure = f"pressed {load_cell_name(each.cell)}: {grams} g"
    if exchanged.get(other) == each.cell:
        one, two = sorted((each.cell, other))
        return swapped_cells(one, two, "pressing one, the other answers")
    return Finding(
        Severity.FAULT,
        f"scale.{each.cell}",
        "wrong_cell_answers",
        f"{cell_name(other)} answers when you press above load cell {load_cell_name(each.cell)}.",
        "Check which plug belongs to which corner; if all answer wrongly, the plate is turned.",
        figure,
        f"load cell {load_cell_name(each.cell)} most",
    )


def _scales(answers: Sequence[CellResponse]) -> list[Finding]:
    """A cell of which the scale is wrong, by a known weight on each corner.

    Wherever it lies, what the four cells say must add up to the weight. A plate on four feet has
    three unknowns, so four weighings cannot tell four scales apart; they can tell one culprit.
    """
    weighings = [each for each in answers if each.weight_g is not None]
    if len(weighings) < CELL_COUNT:
        return []
    weights_g = np.array([each.weight_g for each in weighings], dtype=np.float64)
    said_g = np.array([each.change_g for each in weighings])
    share = said_g.sum(axis=1) / weights_g
    if np.abs(share - 1).max() <= WEIGHT_TOLERANCE * OWN_SHARE:
        return []
    figure = f"{share.min():.2f} to {share.max():.2f} times the known weight"
    trials = [_without(cell, said_g, weights_g) for cell in range(CELL_COUNT)]
    culprit = min(range(CELL_COUNT), key=lambda cell: trials[cell][1])
    correction, left = trials[culprit]
    if correction > 0 and left <= WEIGHT_TOLERANCE / 2:
        return [wrong_gain(culprit, 1 / correction, figure)]
    return [
        Finding(
            Severity.FAULT,
            "scale",
            "wrong_scale",
            "The table does not show the known weight, and no single cell explains it.",
            "Check that the weight is what you said; then calibrate the table again.",
            figure,
            f"1 within {WEIGHT_TOLERANCE * OWN_SHARE:.1%}",
        )
    ]


def _without(cell: int, said_g: Floats, weights_g: Floats) -> tuple[float, float]:
    """Correction of a cell with which the sums fit best, and what is left, of the weight."""
    others_g = said_g.sum(axis=1) - said_g[:, cell]
    own_g = said_g[:, cell]
    correction = float(own_g @ (weights_g - others_g) / max(float(own_g @ own_g), 1e-9))
    left = others_g + correction * own_g - weights_g
    return correction, float(np.abs(left / weights_g).max())


# --- tilts --------------------------------------------------------------------------------


def tilt_findings(
    tilts: Sequence[Tilt], calibration: Calibration, rest: Sequence[CellFigures]
) -> list[Finding]:
    """Whether inertial sensor, gyroscope and load cells agree on the way the board went."""
    for tilt in tilts:
        finding = _disagreement(tilt, calibration, rest)
        if finding is not None:
            return [finding]
    return []


def _disagreement(
    tilt: Tilt, calibration: Calibration, rest: Sequence[CellFigures]
) -> Finding | None:
    imu = tilt.stretch.imu
    if len(imu.t_s) < 3 * SMOOTH:
        return None
    leant = _leant(imu.accel_g)
    # A held board is quiet: where it leans furthest, gravity is most of what is felt.
    top = int(np.linalg.norm(leant, axis=1).argmax())
    lean_rad = leant[top]
    if not np.degrees(np.linalg.norm(lean_rad)) > TILT_FELT_DEG:
        return None
    side = np.asarray(tilt.side, dtype=np.float64)
    off = angle_deg(lean_rad, side)
    if off > DIRECTION_LIMIT_DEG:
        return _wrong_way(off, _cells_agree(tilt, calibration, rest))
    return _gyro_finding(tilt, lean_rad, top)


def _leant(accel_g: Floats) -> Floats:
    """Lean since the first moments, x and y in radians: the side that goes down is positive.

    The board's vertical tells: where a side goes down, gravity pulls towards it.
    """
    kernel = np.ones(3 * SMOOTH) / (3 * SMOOTH)
    smooth = np.column_stack([np.convolve(axis, kernel, mode="valid") for axis in accel_g.T])
    leans: Floats = -np.arctan2(smooth[:, :2], smooth[:, 2:3])
    change: Floats = leans - np.median(leans[:SMOOTH], axis=0)
    return change


def _cells_agree(tilt: Tilt, calibration: Calibration, rest: Sequence[CellFigures]) -> bool:
    """Whether the load cells say that the push came where it was asked for."""
    away = _loads_g(tilt.stretch.scale, calibration) - [figures.load_g for figures in rest]
    if len(away) < SMOOTH:
        return False
    pushed = np.column_stack([_unspoilt(column) for column in np.nan_to_num(away).T])
    moments = pushed @ np.asarray(calibration.scale.positions_mm)
    furthest = moments[int(np.linalg.norm(moments, axis=1).argmax())]
    side = np.asarray(tilt.side, dtype=np.float64)
    return angle_deg(furthest, side) <= DIRECTION_LIMIT_DEG


def _wrong_way(off_deg: float, cells_agree: bool) -> Finding:
    if cells_agree:
        sentence = "Inertial sensor and load cells disagree about the side to which the board went."
        check = "The load cells are right: mount the inertial sensor as drawn, or calibrate it."
    else:
        sentence = "The inertial sensor saw the board go down at another side than you were asked."
        check = "Check that you pushed at the side that was named; then the sensor's mounting."
    return Finding(
        Severity.FAULT,
        "imu",
        "imu_disagrees",
        sentence,
        check,
        f"{off_deg:.0f} degrees apart",
        f"at most {DIRECTION_LIMIT_DEG:.0f} degrees",
    )


def _gyro_finding(tilt: Tilt, lean_rad: Floats, top: int) -> Finding | None:
    """Whether the gyroscope turned as far as gravity says."""
    imu = tilt.stretch.imu
    steps_s = np.array([after - before for before, after in pairwise(imu.t_s)])
    still = np.median(imu.rate_rad_s[: 3 * SMOOTH], axis=0)
    turned = np.cumsum((imu.rate_rad_s[1:] - still) * steps_s[:, None], axis=0)
    end = min(top + 3 * SMOOTH // 2, len(turned) - 1)
    # Turning about +y puts the side of +x down; about -x, that of +y.
    by_gyro = np.array([turned[end, 1], -turned[end, 0]])
    direction = lean_rad / np.linalg.norm(lean_rad)
    ratio = float(by_gyro @ direction / np.linalg.norm(lean_rad))
    if TURN_RATIO[0] <= ratio <= TURN_RATIO[1]:
        return None
    return Finding(
        Severity.FAULT,
        "imu",
        "gyro_scale",
        f"The gyroscope turns {ratio:.1f} times as far as gravity says.",
        "Check its range (+-250 degrees a second) and that all axes are those of the drawing.",
        f"ratio {ratio:.2f}",
        f"{TURN_RATIO[0]} to {TURN_RATIO[1]}",
    )
