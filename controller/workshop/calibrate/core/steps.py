"""Types that all steps of a calibration use: what they report, and what is measured so far."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np

from controller.workshop.calibrate.core.recent_samples import RecentSamples
from controller.workshop.calibrate.core.reference_mass import ReferenceMass
from engine.samples import Floats
from hw.calibration import Calibration

STILL_DPS = 1.0
"""Means of 50 ms: the noise of a MPU-6050 makes 0.1, a swing of a hundredth of a degree 0.1 too;
a tilt that changes by a degree in a second is not at rest."""

DRIFT_SD_G = 0.05
"""What a load cell wanders while people move a weight (0.01-0.02 g in a root second, in 10 s)."""


class StepState(StrEnum):
    """How far a step is."""

    WAITING = "waiting"
    """For the person."""
    MEASURING = "measuring"
    """Hands off."""
    WRONG = "wrong"
    """Something must be put right; the step goes on by itself when it is."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class StepLook:
    """What a step sees now, in one sentence, and how much of the measuring is done, 0 to 1.

    `nudge`: the person is to nudge the board.
    """

    state: StepState
    text: str
    share: float = 0.0
    nudge: bool = False


@dataclass(frozen=True, slots=True)
class RestCounts:
    """The table at rest with nothing on it, in raw counts, about a time.

    The noise is that of one conversion. `up_g` (in g, biases and all) and `bias_dps` are along the
    inertial sensor's own axes. Rates are measured.
    """

    t_s: float
    counts: Floats
    noise_counts: Floats
    up_g: Floats
    bias_dps: Floats
    scale_hz: float
    imu_hz: float


@dataclass(frozen=True, slots=True)
class KnownLoad:
    """A known weight at a corner 0 to 3 of the base plate, or (None) taken away again.

    Counts of the four load cells, about a time.
    """

    t_s: float
    counts: Floats
    corner: int | None


@dataclass(frozen=True, slots=True)
class Side:
    """The board held down at one side; `up_g` is along the accelerometer's own axes."""

    up_g: Floats


@dataclass(frozen=True, slots=True)
class FreeSwing:
    """A free swing, fitted; angles in the board's frame as far as it is known by then.

    Attributes:
        centre: where it would hang without friction: x and y of the upward vector over its z.
        stiffness_s2: square of the angular frequency.
        damping_s: viscous slowing, 1/s.
        friction_rad: half width of the band in which it sticks.
        friction_sd_rad: standard deviation of that.
        misfit: rms of what the model does not explain, rad/s.
        centre_sd: standard deviation of each coordinate of `centre`.
    """

    centre: tuple[float, float]
    stiffness_s2: float
    damping_s: float
    friction_rad: float
    friction_sd_rad: float
    misfit: float
    centre_sd: float


@dataclass(frozen=True, slots=True)
class Hang:
    """How the board hangs, on the mean of some time, with a load over the tare.

    `tilt` is x and y of the upward vector over its z, friction and all; the moment of the load
    cells holds what friction keeps from it.
    """

    tilt: tuple[float, float]
    moment_gmm: tuple[float, float]
    load_g: float


@dataclass(frozen=True, slots=True)
class PlacedPiece:
    """A piece that was placed on a named cell, weighed by the fresh calibration.

    The centre of the swing is as in `FreeSwing`, `hang` is where it came to hang; `sd` are standard
    deviations, of the centre of each coordinate.
    """

    cell: str
    mass_g: float
    mass_sd_g: float
    centre: tuple[float, float]
    centre_sd: float
    hang: Hang


@dataclass(slots=True)
class Notes:
    """Everything measured so far. A step that is repeated writes over what it wrote before.

    Attributes:
        design: what a ruler says (lengths, the chips' scales) and guesses for all else.
        references: one or two of known weight.
        loads: by corner; the key -1 is the plate without the weight again, -2 the second mass.
        inverse_gains: grams per count of each cell, with
        inverse_sd: their standard deviations.
        cell_of_corner: which channel answered at each corner.
        level_counts: of the load cells when the board last came to rest.
        rotation: of the inertial sensor, by the sides alone; accel_bias_g: along its own axes.
        swing: of the empty board; hang: where it came to hang.
        placed: pieces by cell, in the order they were placed.
    """

    design: Calibration
    references: tuple[ReferenceMass, ...]
    rest: RestCounts | None = None
    loads: dict[int, KnownLoad] = field(default_factory=dict)
    cell_of_corner: dict[int, int] = field(default_factory=dict)
    inverse_gains: Floats | None = None
    inverse_sd: Floats | None = None
    level_counts: Floats | None = None
    sides: dict[int, Side] = field(default_factory=dict)
    rotation: Floats | None = None
    accel_bias_g: Floats = field(default_factory=lambda: np.zeros(3))
    swing: FreeSwing | None = None
    hang: Hang | None = None
    placed: dict[str, PlacedPiece] = field(default_factory=dict)
    last_rest: RestCounts | None = None

    @property
    def rested(self) -> RestCounts:
        """The first rest; steps after the tare rely on it."""
        assert self.rest is not None  # noqa: S101 - the wizard keeps the order
        return self.rest

    @property
    def noise_g(self) -> float:
        """Noise of the whole weight, of one conversion."""
        assert self.inverse_gains is not None  # noqa: S101 - as above
        return float(np.linalg.norm(self.rested.noise_counts * self.inverse_gains))

    def places_mm(self) -> Floats:
        """Where each cell is, shape (4, 2), after exchanged plugs."""
        places = np.asarray(self.design.scale.positions_mm, dtype=np.float64)
        by_cell = np.empty_like(places)
        by_cell[[self.cell_of_corner[corner] for corner in range(len(places))]] = places
        return by_cell

    def grams(self, counts: Floats) -> Floats:
        """Weight on each cell over the tare, for rows of counts."""
        assert self.inverse_gains is not None  # noqa: S101 - as above
        weights: Floats = (counts - self.rested.counts) * self.inverse_gains
        return weights


class CalibrationStep(Protocol):
    """One step: what is asked, and whether it was done.

    Attributes:
        name: unique; title: two or three words; asks: what to do, in one sentence.
    """

    @property
    def name(self) -> str:
        """Unique."""

    @property
    def title(self) -> str:
        """Two or three words."""

    @property
    def asks(self) -> str:
        """What to do, in one sentence."""

    def look(self, signals: RecentSamples) -> StepLook:
        """What is seen now; `StepState.DONE` once, after it has been noted."""
