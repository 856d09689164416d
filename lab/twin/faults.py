"""Simulated faults of sensors, to test that the table notices them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.samples import Flags, Floats, Ints
from hw.calibration import COUNTS_MAX, COUNTS_MIN
from hw.errors import BadTwin

LINK_GAP_S = (0.15, 0.8)
"""A loose plug: shorter than a read-out nobody notices, longer it opens the port again."""

MAINS_HZ = 50.0

GYRO_LSB_PER_DPS = 131.0
"""MPU-6050 at +-250 degrees a second."""


class FaultKind(StrEnum):
    """What breaks."""

    DEAD_CELL = "dead_cell"
    """The load cell's wire is off: the count stays where the amplifier's offset puts it."""
    STUCK = "stuck"
    """The count freezes at its last value."""
    SATURATED = "saturated"
    """The bridge is broken: full scale."""
    NOISY = "noisy"
    """A bad joint: noise `size` times as strong."""
    DRIFTING = "drifting"
    """The cell creeps by `size` grams a second."""
    SLOW_CLOCK = "slow_clock"
    """Conversions come `size` times as seldom."""
    CHIP_RESET = "chip_reset"
    """Power cycles: a bad word, then 50 ms of silence, `size` times a second."""
    GLITCHES = "glitches"
    """A share `size` of the data words is corrupt."""
    NO_SCALE = "no_scale"
    """All conversions stop."""
    IMU_DEAD = "imu_dead"
    """The inertial sensor answers with zeros."""
    IMU_NACK = "imu_nack"
    """The inertial sensor does not answer: no samples."""
    SWAPPED_WIRES = "swapped_wires"
    """A+ and A- of the cell are exchanged: every count has the opposite sign."""
    SWAPPED_CELLS = "swapped_cells"
    """The plugs of the cell and of the next one (4 and 1) are exchanged."""
    WRONG_RATE = "wrong_rate"
    """The strap of the cell's HX711 is wrong: only every `size`-th conversion is a new one."""
    WRONG_GAIN = "wrong_gain"
    """The HX711 amplifies `size` times as much: 0.5 is the input A/64."""
    NOISY_SUPPLY = "noisy_supply"
    """The supply ripples: noise `size` times as strong as a cell's own, the same on all cells."""
    MAINS_HUM = "mains_hum"
    """50 Hz on the cell, `size` times as strong as its noise."""
    DOUT_HIGH = "dout_high"
    """The data wire is stuck high: never ready, every bit a one; the reader condemns it."""
    DOUT_LOW = "dout_low"
    """The data wire is stuck low: always ready, every bit a zero; the reader condemns it."""
    IMU_WRONG_SCALE = "imu_wrong_scale"
    """The ranges are set wrongly: counts `size` times as large."""
    IMU_TURNED = "imu_turned"
    """The inertial sensor sits turned by `size` degrees about x; 180 is upside down."""
    IMU_YAWED = "imu_yawed"
    """The same about z: gravity is felt where it should be, and every tilt at another side."""
    GYRO_BIAS = "gyro_bias"
    """The gyroscope is off by `size` degrees a second on all axes."""
    SWITCH_CLOSED = "switch_closed"
    """The tilt switch is stuck: closed all the time."""
    LOOSE_USB = "loose_usb"
    """The plug wobbles: everything is silent for up to a second, `size` times a minute."""


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """One fault during a span of table time. `cell` 0 to 3 for faults of one load cell."""

    kind: FaultKind
    start_s: float = 0.0
    end_s: float = float("inf")
    cell: int = 0
    size: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.cell <= 3:
            raise BadTwin(f"fault {self.kind}: cell is {self.cell}; it must be 0 to 3")
        if not self.start_s <= self.end_s:
            raise BadTwin(f"fault {self.kind}: it ends ({self.end_s} s) before it begins")
        if not self.size >= 0:
            raise BadTwin(f"fault {self.kind}: size is {self.size}; it must be 0 or more")

    def during(self, t_s: Floats) -> np.typing.NDArray[np.bool_]:
        """Which of the times fall into the fault."""
        within: np.typing.NDArray[np.bool_] = (t_s >= self.start_s) & (t_s < self.end_s)
        return within


def of_kind(faults: Sequence[InjectedFault], kind: FaultKind) -> Iterator[InjectedFault]:
    """The faults of one kind."""
    return (fault for fault in faults if fault.kind is kind)


def silent_link(faults: Sequence[InjectedFault], t_s: Floats) -> Flags:
    """Which times fall into a gap of the link; the same for every sensor on it."""
    silent: Flags = np.zeros(len(t_s), dtype=bool)
    for fault in of_kind(faults, FaultKind.LOOSE_USB):
        for second in np.unique(np.floor(t_s[fault.during(t_s)])):
            # A gap depends on its second alone, so that all sensors and all polls see the same.
            chance = np.random.default_rng([int(second), int(1000 * fault.start_s)])
            if chance.random() < fault.size / 60:
                begin_s = second + chance.uniform(0.0, 0.2)
                silent |= (t_s >= begin_s) & (t_s < begin_s + chance.uniform(*LINK_GAP_S))
    return silent


def trusted(faults: Sequence[InjectedFault], t_s: Floats) -> Flags:
    """Which counts a driver would trust, shape (n, 4): not those of a stuck data wire."""
    believed: Flags = np.ones((len(t_s), 4), dtype=bool)
    for kind in (FaultKind.DOUT_HIGH, FaultKind.DOUT_LOW):
        for fault in of_kind(faults, kind):
            believed[fault.during(t_s), fault.cell] = False
    return believed


def spoil_grams(
    faults: Sequence[InjectedFault], t_s: Floats, grams: Floats, noise_g: Floats
) -> None:
    """Faults that act before the amplifier: noise (given as drawn for each cell) and drift."""
    for fault in of_kind(faults, FaultKind.NOISY):
        grams[:, fault.cell] += (fault.size - 1) * noise_g[:, fault.cell] * fault.during(t_s)
    for fault in of_kind(faults, FaultKind.DRIFTING):
        # Once it is mended it creeps no more, from where it has got to.
        crept_s = np.minimum(t_s, fault.end_s) - fault.start_s
        grams[:, fault.cell] += fault.size * np.clip(crept_s, 0, None)


def spoil_counts(  # noqa: PLR0917, C901, PLR0912 - one case for each fault
    faults: Sequence[InjectedFault],
    t_s: Floats,
    counts: Ints,
    held: dict[int, int],
    rng: np.random.Generator,
    noise_counts: Sequence[float] = (100.0,) * 4,
) -> None:
    """Faults that act on the count.

    Args:
        faults: of which those that strike now are applied, in this order.
        t_s: of the conversions.
        counts: spoilt in place.
        held: keeps the frozen counts between blocks.
        rng: chance of the faults.
        noise_counts: a healthy cell's noise, the measure of hum and ripple.
    """
    for fault in faults:
        hit = fault.during(t_s)
        if not hit.any():
            continue
        column = counts[:, fault.cell]
        match fault.kind:
            case FaultKind.SATURATED:
                column[hit] = COUNTS_MAX
            case FaultKind.DEAD_CELL:
                column[hit] = (rng.normal(-1200, 40, hit.sum())).astype(np.int32)
            case FaultKind.STUCK:
                column[hit] = held.setdefault(fault.cell, int(column[hit][0]))
            case FaultKind.DOUT_HIGH | FaultKind.DOUT_LOW:
                column[hit] = -1 if fault.kind is FaultKind.DOUT_HIGH else 0
            case FaultKind.SWAPPED_WIRES:
                column[hit] = -column[hit]
            case FaultKind.WRONG_GAIN:
                column[hit] = _rounded(fault.size * column[hit].astype(np.float64))
            case FaultKind.SWAPPED_CELLS:
                other = (fault.cell + 1) % 4
                counts[hit, fault.cell], counts[hit, other] = counts[hit, other], column[hit]
            case FaultKind.NOISY_SUPPLY:
                ripple = rng.normal(0, fault.size * float(np.mean(noise_counts)), len(t_s))
                # The bridge is fed by it: a count with a minus sign ripples the other way.
                counts[hit] = _rounded(counts[hit] + np.outer(ripple, np.sign(counts[-1]))[hit])
            case FaultKind.MAINS_HUM:
                swing = fault.size * noise_counts[fault.cell] * np.sqrt(2)
                column[hit] = _rounded(column + swing * np.sin(2 * np.pi * MAINS_HZ * t_s))[hit]
            case FaultKind.WRONG_RATE:
                column[hit] = _seldom(column, t_s, fault, held)[hit]
            case _:
                pass


def _rounded(counts: npt.NDArray[Any]) -> Ints:
    rounded: Ints = np.clip(np.rint(counts), COUNTS_MIN, COUNTS_MAX).astype(np.int32)
    return rounded


def _seldom(column: Ints, t_s: Floats, fault: InjectedFault, held: dict[int, int]) -> Ints:
    """The counts of a chip of which most reads find the conversion of before."""
    slow = column.copy()
    phase_key = fault.cell - 100
    phase, last = held.get(phase_key, 0), held.get(fault.cell, int(column[0]))
    for index in range(len(t_s)):
        if phase % max(1, round(fault.size)) == 0:
            last = int(column[index])
        slow[index], phase = last, phase + 1
    held[phase_key], held[fault.cell] = phase, last
    return slow


def _turn(axis: int, angle_rad: float) -> Floats:
    """A rotation about one of the axes."""
    turn = np.eye(3)
    one, two = (axis + 1) % 3, (axis + 2) % 3
    turn[one, one] = turn[two, two] = np.cos(angle_rad)
    turn[one, two], turn[two, one] = -np.sin(angle_rad), np.sin(angle_rad)
    return turn


def spoil_motion(faults: Sequence[InjectedFault], t_s: Floats, motion: Floats) -> Floats:
    """What a sensor that is mounted otherwise feels, shape (n, 6), still in the board's axes."""
    felt = motion.copy()
    for fault in faults:
        axis = {FaultKind.IMU_TURNED: 0, FaultKind.IMU_YAWED: 2}.get(fault.kind)
        if axis is not None:
            hit, turn = fault.during(t_s), _turn(axis, float(np.radians(fault.size)))
            felt[hit] = np.hstack([felt[hit, :3] @ turn, felt[hit, 3:] @ turn])
    return felt


def spoil_imu_counts(faults: Sequence[InjectedFault], t_s: Floats, counts: Floats) -> None:
    """Counts of the inertial sensor, shape (n, 6), with a wrong range and a bias; in place."""
    for fault in of_kind(faults, FaultKind.IMU_WRONG_SCALE):
        counts[fault.during(t_s)] *= fault.size
    for fault in of_kind(faults, FaultKind.GYRO_BIAS):
        counts[fault.during(t_s), 3:] += fault.size * GYRO_LSB_PER_DPS
