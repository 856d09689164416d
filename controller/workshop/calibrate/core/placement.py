"""The piece-placement step: three pieces on three named cells.

They give the board's moment and the orientation of the sensor.

A piece of mass m at p changes the board's moment by m p, and up leans by that over S_z. Where it
hangs is read from the swing that follows the hand, not from rest, which friction leaves open.
"""

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from controller.workshop.calibrate.core.pendulum import fit, hanging, track
from controller.workshop.calibrate.core.recent_samples import RecentSamples, level
from controller.workshop.calibrate.core.steps import (
    FreeSwing,
    Hang,
    Notes,
    PlacedPiece,
    StepLook,
    StepState,
)
from engine.samples import Floats
from engine.tabletop import CELLS, cell_xy_mm, piece_centre_mm
from hw.calibration import Calibration

PIECE_CELLS = ("e1", "a1", "a5")
"""Corners: the longest levers, in two directions; the board never tilts by more than 7 degrees."""

FELT_SHARE = 0.35
"""Of a piece: less is a hand that hovers, or wind."""

TOO_LIGHT, TOO_HEAVY = 0.5, 1.7
"""Shares of a piece as designed. Sets differ by a third; two pieces are twice."""

SETTLED_S = 0.2
"""A hand that lets go has gone so long after the weight became steady."""

LEAST_S, LONGEST_S = 1.6, 4.5
CALM_DPS, CALM_S = 1.5, 0.5

ROUGH_DEG, LIVELY_DPS = 0.2, 16.0
"""A pivot that sticks needs a swing of two degrees to be looked through."""

BIN_S = 0.1
WEIGH_S = 1.5
WANDER_G = 0.03
"""Weighed just before and just after: load cells wander by 0.01 to 0.02 g in a root second."""

INSIST_S = 9.0
"""Whoever leaves a doubted piece for that long means it; the misfit of all three judges."""

NEAR_CELLS = 0.75
"""A piece nearer to another cell than this share of the pitch from the wanted one is there."""

MOMENT_LIMITS = (0.35, 2.5)
"""Boards between a third and twice the moment of the design; others hang in another way."""

CELL_SD_MM = 1.8
"""How well people set a piece into the middle of a cell when they are asked to take care."""


@dataclass(slots=True)
class PlacementStep:
    """One piece on a named cell, after those on earlier ones."""

    notes: Notes
    start_s: float
    cell: str
    earlier: tuple[str, ...]
    _doubted_s: float | None = None

    @property
    def name(self) -> str:
        """Of the step."""
        return f"piece_{self.cell}"

    @property
    def title(self) -> str:
        """For people."""
        return f"Piece on {self.cell}"

    @property
    def asks(self) -> str:
        """What to do."""
        piece = "another piece" if self.earlier else "a piece"
        stay = "; leave the others" if self.earlier else ""
        return f"Lay {piece} into the middle of {self.cell} ({_where(self.cell)}){stay}."

    def look(self, signals: RecentSamples) -> StepLook:
        """Done when the board has swung with the piece on it."""
        now_s, base = signals.now_s, self.notes.level_counts
        assert base is not None  # noqa: S101 - the swing comes before
        t_s, counts = signals.counts(self.start_s, now_s)
        if now_s - self.start_s < 3 * BIN_S or len(t_s) < 10:
            return StepLook(StepState.WAITING, "Waiting for the piece.")
        total = (self.notes.grams(counts) - self.notes.grams(base)).sum(axis=1)
        piece_g = self.notes.design.piece.mass_mean_g
        now_g = _mean(total[t_s > now_s - 4 * BIN_S])
        if abs(now_g) < FELT_SHARE * piece_g:
            self._doubted_s = None
            return StepLook(StepState.WAITING, "Waiting for the piece.")
        steady_s = _steady_since(t_s, total, now_g, self._room_g(piece_g))
        free_s = max(steady_s + SETTLED_S, self.start_s)
        if now_s - free_s < LEAST_S or (now_s - free_s < LONGEST_S and not self._calm(signals)):
            share = min(max(now_s - free_s, 0.0) / LEAST_S, 0.95)
            return StepLook(StepState.MEASURING, "Hands off; it swings.", share)
        if self._sluggish(signals, free_s):
            return StepLook(
                StepState.WAITING,
                "Now nudge the board very lightly so that it swings a little.",
                0.5,
                nudge=True,
            )
        mass_g = _weighed(t_s, total, steady_s, free_s, FELT_SHARE * piece_g)
        trouble = _no_piece(mass_g / piece_g)
        if trouble:
            return StepLook(
                StepState.WRONG, f"{trouble} ({mass_g:.1f} g); take it off and try again."
            )
        return self._note(signals, free_s, mass_g)

    def _room_g(self, piece_g: float) -> float:
        return max(0.3 * piece_g, 5 * self.notes.noise_g / sqrt(80 * BIN_S))

    def _sluggish(self, signals: RecentSamples, free_s: float) -> bool:
        """Whether a rough pivot hardly swung: then its rest says too little."""
        swing = self.notes.swing
        assert swing is not None  # noqa: S101 - the swing comes before
        if swing.friction_rad < np.radians(ROUGH_DEG):
            return False
        _, raw = signals.motion(free_s, signals.now_s)
        turn = raw[:, 3:] / self.notes.design.imu.gyro_lsb_per_dps - self.notes.rested.bias_dps
        return float(np.linalg.norm(turn, axis=1).max(initial=0.0)) < LIVELY_DPS

    def _calm(self, signals: RecentSamples) -> bool:
        _, raw = signals.motion(signals.now_s - CALM_S, signals.now_s)
        turn = raw[:, 3:] / self.notes.design.imu.gyro_lsb_per_dps - self.notes.rested.bias_dps
        return len(turn) > 10 and float(np.linalg.norm(turn, axis=1).mean()) < CALM_DPS

    def _note(self, signals: RecentSamples, free_s: float, mass_g: float) -> StepLook:
        notes, now_s = self.notes, signals.now_s
        motion = track(notes, signals, free_s, now_s)
        swing = fit(motion, notes.swing) if motion is not None else None
        if motion is None or swing is None:
            return StepLook(
                StepState.WRONG, "The motion was not seen well; take the piece off, try again."
            )
        mass_sd_g = hypot(notes.noise_g / sqrt(80 * WEIGH_S), WANDER_G)
        hang = hanging(notes, signals, motion, now_s)
        placed = PlacedPiece(self.cell, mass_g, mass_sd_g, swing.centre, swing.centre_sd, hang)
        elsewhere = self._elsewhere(placed)
        if elsewhere and self._doubted_s is None:
            self._doubted_s = now_s
        if elsewhere and now_s - (self._doubted_s or 0.0) < INSIST_S:
            return StepLook(StepState.WRONG, elsewhere)
        notes.placed[self.cell] = placed
        notes.level_counts = level(signals.counts(now_s - 1.0, now_s)[1])
        return StepLook(StepState.DONE, f"It weighs {mass_g:.2f} g.", 1.0)

    def _elsewhere(self, placed: PlacedPiece) -> str:
        """What to say when the piece lies on another cell than the named one."""
        notes = self.notes
        assert notes.swing is not None  # noqa: S101 - the swing comes before
        before = notes.placed[self.earlier[-1]].centre if self.earlier else notes.swing.centre
        leaned = complex(*placed.centre) - complex(*before)
        there = leaned * self._whole_gmm() / placed.mass_g
        place = np.array([there.real, there.imag])
        wanted = np.array(cell_xy_mm(notes.design, self.cell))
        pitch = notes.design.cell_pitch_mm
        if not self.earlier:
            # The board's moment is only guessed yet: judge the direction, and its length widely.
            low, high = MOMENT_LIMITS
            ratio = float(np.linalg.norm(place)) / float(np.linalg.norm(wanted))
            apart = _angle_deg(place, wanted)
            if apart < 30 and 1 / high < ratio < 1 / low:
                return ""
        elif float(np.linalg.norm(place - wanted)) < NEAR_CELLS * pitch:
            return ""
        near = min(
            CELLS,
            key=lambda c: float(np.linalg.norm(np.array(cell_xy_mm(notes.design, c)) - place)),
        )
        seems = f"That looks like {near}" if near != self.cell else "That is beside the cell"
        return (
            f"{seems}; lay it on {self.cell} ({_where(self.cell)}). If it does lie there, "
            "leave it; if the sides were mixed up, the result will say so."
        )

    def _whole_gmm(self) -> complex:
        """Moment and turn of the sensor in one, as the first piece told them; guessed before."""
        notes = self.notes
        if not self.earlier or notes.swing is None:
            return complex(notes.design.empty_moment_gmm[2])
        first = notes.placed[self.earlier[0]]
        leaned = complex(*first.centre) - complex(*notes.swing.centre)
        return first.mass_g * complex(*cell_xy_mm(notes.design, first.cell)) / (leaned or 1e-6)


def _no_piece(share: float) -> str:
    if share < TOO_LIGHT:
        return "That is too light for a piece"
    if share > TOO_HEAVY:
        return "That is too heavy for one piece"
    return ""


def _mean(values: Floats) -> float:
    heard = values[np.isfinite(values)]
    return float(heard.mean()) if len(heard) else 0.0


def _weighed(t_s: Floats, total: Floats, steady_s: float, free_s: float, felt_g: float) -> float:
    """Weight just after the hand left, over the weight just before it came."""
    after_g = _mean(total[(t_s > free_s) & (t_s < free_s + WEIGH_S)])
    number = np.floor((t_s - t_s[-1]) / BIN_S).astype(int)
    bins = [(t_s[number == n][-1], _mean(total[number == n])) for n in np.unique(number)]
    first = next((i for i, (_, grams) in enumerate(bins) if abs(grams) > felt_g), len(bins))
    # The last bins before may already hold the hand's first touch.
    calm_s = bins[max(first - 2, 0)][0]
    before = total[(t_s <= min(calm_s, steady_s)) & (t_s > calm_s - WEIGH_S)]
    return after_g - (_mean(before) if first > 6 else 0.0)


def _steady_since(t_s: Floats, total: Floats, now_g: float, room_g: float) -> float:
    """Since when the weight, in means of 0.1 s, is what it is now."""
    number = np.floor((t_s - t_s[-1]) / BIN_S).astype(int)
    for back in np.unique(number)[::-1]:
        inside = number == back
        if abs(_mean(total[inside]) - now_g) > room_g:
            return float(t_s[inside][-1])
    return float(t_s[0])


def _where(cell: str) -> str:
    """Words for one of the four corners of the board.

    >>> _where("e1")
    'front right corner'
    """
    names = {"a1": "front left", "e1": "front right", "a5": "back left", "e5": "back right"}
    return f"{names[cell]} corner"


def _angle_deg(one: Floats, other: Floats) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.degrees(np.arccos(np.clip(one @ other / max(lengths, 1e-9), -1, 1))))


@dataclass(frozen=True, slots=True)
class BoardMoment:
    """What the pieces showed.

    Attributes:
        z_gmm: vertical first moment of the empty board, negative; its standard deviation.
        yaw_rad: turn of the board's axes against those the sides had told; its sd.
        misfit_mm: rms of how far the pieces seem to lie beside their cells.
        mirrored: the pieces fit a mirrored board better than this one.
    """

    z_gmm: float
    z_sd_gmm: float
    yaw_rad: float
    yaw_sd_rad: float
    misfit_mm: float
    mirrored: bool


def solve_moment(
    design: Calibration, swing: FreeSwing, hang: Hang, placed: tuple[PlacedPiece, ...]
) -> BoardMoment:
    """The board's moment and the sensor's turn from pieces placed one after another."""
    straight = _moment(design, swing, hang, placed, mirror=False)
    mirror = _moment(design, swing, hang, placed, mirror=True)
    z_gmm, yaw_rad, misfit_mm, centre_sd = straight
    mass_g = float(np.mean([each.mass_g for each in placed]))
    levers = np.array([np.linalg.norm(cell_xy_mm(design, each.cell)) for each in placed])
    beside_mm = max(hypot(CELL_SD_MM, centre_sd * abs(z_gmm) / mass_g), misfit_mm)
    share = beside_mm / float(np.sqrt((levers**2).sum()))
    weighed = float(np.mean([each.mass_sd_g for each in placed])) / mass_g / np.sqrt(len(placed))
    return BoardMoment(
        z_gmm=z_gmm,
        z_sd_gmm=abs(z_gmm) * hypot(share, weighed),
        yaw_rad=yaw_rad,
        yaw_sd_rad=share,
        misfit_mm=misfit_mm,
        mirrored=bool(mirror[2] < misfit_mm / 2 and misfit_mm > 10),
    )


STICKING_SHARE = 0.1
"""Share of the friction that its model misses."""
HANG_SD_GMM = 12.0
"""What the load cells' moment wanders between two pieces: 8 to 15 g mm on drawn tables."""


def _centres(
    swing: FreeSwing, hang: Hang, placed: tuple[PlacedPiece, ...], turn: complex, z_gmm: float
) -> tuple[Floats, Floats]:
    """Where the board would hang without friction, and how well it is known.

    Two ways are joined: the middle of the swing, and the tilt at rest put right by the load
    cells' moment, which friction passes on to them. Smooth pivots tell by the one, rough ones by
    the other.
    """
    centres, sds = [], []
    swings = [(swing.centre, swing.centre_sd, hang)]
    swings += [(each.centre, each.centre_sd, each.hang) for each in placed]
    for centre, centre_sd, rest in swings:
        swung_sd = hypot(centre_sd, STICKING_SHARE * swing.friction_rad)
        hung_sd = HANG_SD_GMM / abs(z_gmm)
        hung = complex(*rest.tilt) + complex(*rest.moment_gmm) / turn / z_gmm
        share = swung_sd**2 / (swung_sd**2 + hung_sd**2)
        centres.append((1 - share) * complex(*centre) + share * hung)
        sds.append(swung_sd * hung_sd / hypot(swung_sd, hung_sd))
    return np.array(centres), np.array(sds)


def _moment(
    design: Calibration,
    swing: FreeSwing,
    hang: Hang,
    placed: tuple[PlacedPiece, ...],
    *,
    mirror: bool,
) -> tuple[float, float, float, float]:
    """Vertical moment, yaw, misfit, error of a centre. Turns are products of complex numbers."""
    places = [piece_centre_mm(design, each.cell) for each in placed]
    levers = np.array([complex(x, -y if mirror else y) for x, y, _ in places])
    masses = np.array([each.mass_g for each in placed])
    heights = np.concatenate(([0.0], np.cumsum(masses * [place[2] for place in places])))
    wanted = masses * levers
    whole, turn = complex(design.empty_moment_gmm[2]), 1 + 0j
    for _ in range(6):
        # The load cells know the board's axes, the sensor not yet by how much it is turned.
        centres, sds = _centres(swing, hang, placed, turn, -abs(whole))
        leaned = np.diff(centres)
        raised = np.diff(heights * centres)
        whole = np.vdot(leaned, wanted - raised * turn) / np.vdot(leaned, leaned).real
        turn = -whole / abs(whole)
    left = (whole * leaned + raised * turn - wanted) / masses
    misfit_mm = float(np.sqrt(np.mean(np.abs(left) ** 2)))
    return -float(abs(whole)), float(np.angle(turn)), misfit_mm, float(sds.mean() * np.sqrt(2))
