"""Which sensors can be trusted, and what this table is like.

A real load cell is never silent: its last bits always flicker. One that repeats itself while the
others live, or gives nothing valid, or jumps alone, is broken or unplugged. The load on a plate
with four feet has three unknowns, so three cells can carry on, and say what the fourth should
show. A dead sensor must never become a removal or a topple.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from operator import sub

import numpy as np

from engine import troubles
from engine.detect.front.ailing import AilingCells
from engine.detect.front.mounting import Mounting
from engine.detect.front.ticks import STALE_S, TICK_S, CellSolver, Tick
from engine.events import Fault, Restored
from engine.tabletop import load_cell_name
from engine.trouble import Trouble

SILENT_TICKS = 20
"""Half a second: ten times the HX711's settling after a reset (50 ms at 80 SPS)."""

DOUBTED_TICKS = 2
"""So often an inertial sensor may repeat itself until it is not listened to."""

GYRO = "gyro"
"""The sensor's name in reports: the inertial sensor as a whole is trusted, and corrected."""

RATES = "rates"
"""As sources name a rate that is not the calibrated one: how late a conversion is, nobody knows."""

JUMPS_WITHIN_S, JUMPS_APART_S = 120.0, 5.0
"""Two jumps of the gyroscope's bias in two minutes: a good one is put right once, when its
calibration is old. What comes within seconds of a jump is the rest of it."""

STUCK_TICKS = 12
"""0.3 s of equal means: shorter than a hand, and no live converter repeats itself twice."""

ALIVE_G = 0.01
"""The noise of a live cell moves its means by ten times as much from tick to tick."""

SAME_G = 1e-9
"""Means of one repeated value differ by rounding only."""

BACK_TICKS = 120
"""Three seconds of plausible values before a sensor is trusted again."""

AGAIN_S = 300.0
OF_ONE_CELL = ("cell_jumped", "cell_unloaded")
"""A cell that did so is taken back only when it has followed the load for long: one with a wire
that rubs agrees with the others as long as nothing changes. One that then fell still, or was far
off, was unplugged and is believed when it is back; not a second time within that time. What falls
silent at once may be all cells behind a loose plug."""

PLAUSIBLE_G = 1.0
"""A cell that agrees with the other three to a gram works."""

REMEMBERED_RESTS = 40
FEWEST_RESTS = 3
"""Between them pieces came and went; fewer could have been laid where a cell feels nothing."""

FLAT = 0.2
"""A cell that moved less than this share of what the other three say follows no load."""

FAR_G = 80.0
"""Half of all the pieces there are; with nothing told, a cell that is so far from the tare alone
is not carrying a load."""

ROUGH_DEG = 0.25
"""The target for the pivot's friction band (docs/traces.md: beyond it accuracy suffers)."""


@dataclass(frozen=True, slots=True)
class TableHealth:
    """What the signals say about this table; for `health` and the table page.

    Attributes:
        friction_deg: tilt band in which the pivot sticks, with its standard deviation.
        period_s: of the empty board's swing. damping_s: time to fall to 1/e.
        noise_g, cop_noise_gmm: per tick of 25 ms. zero_drift_g: since the start.
        scale_hz, imu_hz: measured rates.
        faults: sensor -> words, for the sensors that are not trusted now.
        verdict: on the pivot, for the owner.
    """

    friction_deg: float
    friction_sd_deg: float
    period_s: float
    damping_s: float
    noise_g: float
    cop_noise_gmm: float
    zero_drift_g: float
    scale_hz: float
    imu_hz: float
    gyro_bias_dps: tuple[float, float]
    faults: dict[str, str]
    verdict: Trouble


def pivot_verdict(friction_deg: float, friction_sd_deg: float) -> Trouble:
    """How good the pivot is, for the owner."""
    if friction_sd_deg > friction_deg / 2 + 0.05:
        return troubles.PIVOT_UNKNOWN()
    degrees = round(friction_deg, 2)
    if friction_deg <= ROUGH_DEG:
        return troubles.PIVOT_GOOD(degrees=degrees)
    return troubles.PIVOT_ROUGH(degrees=degrees, aim=ROUGH_DEG)


class LineWatch:
    """Times in which the source had no line to any sensor.

    Then nothing is known about the single sensors, and what the board did is nobody's doing. A
    gap so short that the samples around it are joined anyway is no matter.
    """

    def __init__(self) -> None:
        self._gaps: list[tuple[float, float]] = []
        self._cut = False

    def report(self, t_s: float, *, ok: bool) -> None:
        """The source says that the line is cut, or back."""
        is_cut = bool(self._gaps) and self._gaps[-1][1] == inf
        if ok and is_cut:
            began_s, _ = self._gaps.pop()
            if t_s - began_s > STALE_S:
                self._gaps.append((began_s, t_s))
        elif not ok and not is_cut:
            self._gaps.append((t_s, inf))

    def was_cut(self, tick: Tick) -> bool:
        """Whether a tick falls into such a time."""
        while self._gaps and self._gaps[0][1] + TICK_S < tick.t_s:
            del self._gaps[0]
        here = bool(self._gaps) and self._gaps[0][0] - TICK_S < tick.t_s
        self._cut = self._cut or here
        return here

    def is_back(self) -> bool:
        """True once, after such a time."""
        was, self._cut = self._cut, False
        return was


def _differ(now: float, before: float) -> bool:
    return abs(now - before) > SAME_G


def _agree(now: float, before: float) -> bool:
    """Whether two means are those of the same value; NaN agrees and differs with nothing."""
    return abs(now - before) < SAME_G


class Rests:
    """How the load lay on the cells whenever nobody touched the board.

    Four cells and three unknowns leave one equation. When it breaks, it alone cannot say which
    cell broke it; but one that is unplugged has not moved while the others took up the load.
    """

    def __init__(self, solver: CellSolver) -> None:
        self._solver = solver
        self._rests: deque[tuple[float, ...]] = deque(maxlen=REMEMBERED_RESTS)

    @property
    def loads_g(self) -> tuple[tuple[float, ...], ...]:
        """Of each cell at each rest, oldest first."""
        return tuple(self._rests)

    def note(self, cells_g: tuple[float, ...]) -> None:
        """The board is touched again; so much was on the cells before."""
        if not self._solver.dead and all(map(isfinite, cells_g)):
            self._rests.append(cells_g)

    def forget(self) -> None:
        """A cell is lost or back: what was before is no measure, but for how the zeros lie."""
        if self._rests:
            excess_g = self._solver.excess(np.array(self._rests))
            # What changes with the load is a cell that is ill, and not its zero.
            if np.ptp(excess_g) < PLAUSIBLE_G:
                self._solver.warp_g = float(np.median(excess_g))
        self._rests.clear()

    def suspect(self, piece_g: float) -> int | None:
        """The cell that has carried no load; None when each has, or no load came.

        Args:
            piece_g: mass of a piece; half of it is a load that counts.
        """
        far = [cell for rest in list(self._rests)[-1:] for cell in range(4)
               if abs(rest[cell]) > FAR_G]  # fmt: skip
        if len(far) == 1:
            return far[0]
        if len(self._rests) < FEWEST_RESTS:
            return None
        own_g = [_range(column) for column in zip(*self._rests, strict=True)]
        if sum(moved > piece_g / 2 for moved in own_g) < 2:
            return None  # what moves alone is no load
        loads = np.array(self._rests)
        due_g = [float(np.ptp(self._solver.due_g(loads, cell))) for cell in range(4)]
        cell = min(range(4), key=lambda cell: own_g[cell] / max(due_g[cell], SAME_G))
        return cell if due_g[cell] > piece_g / 2 and own_g[cell] < FLAT * due_g[cell] else None


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)


class SensorWatch:
    """Watches every tick for sensors that died, ail, or came back.

    Attributes:
        faults: sensor -> words, for those that are not trusted now.
        ailing: running estimates of the load cells; feed it what they give.
        mounting: whether the inertial sensor lies as it did.
    """

    def __init__(self, solver: CellSolver, *, weight_only: bool = False) -> None:
        self._solver, self._weight_only = solver, weight_only
        self.ailing = AilingCells(solver)
        self.mounting = Mounting()
        self._left_out = set[int]()
        self._perhaps_unplugged = set[int]()
        self._condemned_s = [-inf] * 4
        self.faults: dict[str, str] = {}
        self._last: tuple[float, ...] = (nan,) * 4
        self._stuck = [0] * 4
        self._silent = [0] * 4
        self._back = [0] * 4
        self._imu_silent = 0
        self._imu_back = 0
        self._imu_lost_s = -inf
        self._last_felt: tuple[float, ...] = (nan,) * 10
        self._gyro_jumped_s = -inf

    def update(self, tick: Tick, *, touched: bool = False) -> list[Fault | Restored]:
        """Faults that begin or end with this tick.

        Args:
            tick: the newest.
            touched: somebody touches the board; a load cell is not taken back meanwhile, since
                the weight must be measured anew then.
        """
        if self._weight_only:
            return self._watch_the_one(tick)
        changes = tuple(map(abs, map(sub, tick.cells_g, self._last)))
        moving = sum([change > ALIVE_G for change in changes]) > 1
        out: list[Fault | Restored] = []
        if not self.faults and isfinite(sum(changes)) and min(changes) > SAME_G:
            self._silent, self._stuck = [0] * 4, [0] * 4
        else:
            out = self._watch_each(tick, moving=moving, touched=touched)
        self._last = tick.cells_g
        change = self._judge_imu(tick, alive=moving)
        return [*out, change] if change is not None else out

    def _watch_each(self, tick: Tick, *, moving: bool, touched: bool) -> list[Fault | Restored]:
        """Not every load cell is trusted, heard and flickering: look at one after the other."""
        out: list[Fault | Restored] = []
        for cell in range(4):
            self._watch_cell(cell, tick.cells_g, moving=moving)
            change = self._judge_cell(cell, tick, touched=touched)
            if change is not None:
                out.append(change)
        return out

    def _watch_the_one(self, tick: Tick) -> list[Fault | Restored]:
        """A table with one load cell has nothing to compare it with; alive, it always flickers."""
        value, name = tick.cells_g[0], "scale"
        silent = not isfinite(value)
        same = not silent and not _differ(value, self._last[0])
        self._last = tick.cells_g
        self._silent[0] = self._silent[0] + 1 if silent else 0
        self._stuck[0] = self._stuck[0] + 1 if same else 0
        self._back[0] = 0 if silent or same else self._back[0] + 1
        if name in self.faults:
            return self._absolved(tick.t_s, name) if self._back[0] >= BACK_TICKS else []
        ticks = self._broken(0)
        if not ticks:
            return []
        found = troubles.THE_CELL_NO_VALUES() if silent else troubles.THE_CELL_REPEATS()
        return [self.report(Fault.of(tick.t_s - ticks * TICK_S, name, found))]

    def _broken(self, cell: int) -> int:
        """For how many ticks a load cell has been broken: silent, or else stuck."""
        if self._silent[cell] >= SILENT_TICKS:
            return self._silent[cell]
        return self._stuck[cell] if self._stuck[cell] >= STUCK_TICKS else 0

    def _absolved(self, t_s: float, name: str) -> list[Fault | Restored]:
        restored = self.absolve(t_s, name)
        return [restored] if restored is not None else []

    @property
    def imu_trusted(self) -> bool:
        """Whether the inertial sensor lives: no living one gives the same twice."""
        return "imu" not in self.faults and self._imu_silent < DOUBTED_TICKS

    def condemn(self, cell: int, fault: Fault) -> Fault:
        """Stop trusting a load cell."""
        self.faults[fault.sensor] = fault.reason
        self._solver.dead = self._solver.dead | {cell}
        self._back[cell] = 0
        if fault.code in OF_ONE_CELL:
            self._left_out.add(cell)
            if fault.t_s - self._condemned_s[cell] > AGAIN_S:
                self._perhaps_unplugged.add(cell)
            self._condemned_s[cell] = fault.t_s
        return fault

    def leave_out(self, until_s: float, rests: Rests) -> Fault | None:
        """Stop trusting the load cell that is found to ail by what was heard until `until_s`."""
        if not self.ailing.advance(until_s):
            return None
        found = self.ailing.verdict(rests.loads_g)
        if found is None:
            return None
        self._left_out.add(found.cell)
        kind = found.kind(n=load_cell_name(found.cell))
        return self.condemn(found.cell, Fault.of(until_s, f"scale.{found.cell}", kind))

    def compare(self, tick: Tick, scale_hz: float) -> None:
        """Compare the inertial sensor, trusted or not, with the load cells at their rate."""
        if not self._weight_only and RATES not in self.faults:
            self.mounting.update(tick, scale_hz)

    def judge_gyro(self, t_s: float, *, jumped: bool) -> Fault | Restored | None:
        """Whether the gyroscope is said to be ill, or well again; `jumped`: its bias did now."""
        ago_s = t_s - self._gyro_jumped_s
        if not jumped:
            well = GYRO in self.faults and ago_s > JUMPS_WITHIN_S
            return self.absolve(t_s, GYRO) if well else None
        if ago_s < JUMPS_APART_S:
            return None
        self._gyro_jumped_s = t_s
        if ago_s > JUMPS_WITHIN_S or GYRO in self.faults:
            return None
        return self.report(Fault.of(t_s, GYRO, troubles.GYRO_JUMPS()))

    def report(self, fault: Fault) -> Fault:
        """A sensor is lost that is not one of the four load cells."""
        if fault.sensor == "imu":
            self._imu_back, self._imu_lost_s = 0, fault.t_s
        self.faults[fault.sensor] = fault.reason
        return fault

    def absolve(self, t_s: float, sensor: str) -> Restored | None:
        """A source says itself that a sensor is back."""
        if self.faults.pop(sensor, None) is None:
            return None
        return Restored(t_s, sensor)

    def _watch_cell(self, cell: int, cells: tuple[float, ...], *, moving: bool) -> None:
        value = cells[cell]
        silent = not isfinite(value)
        self._silent[cell] = self._silent[cell] + 1 if silent else 0
        stuck = moving and not silent and not _differ(value, self._last[cell])
        self._stuck[cell] = self._stuck[cell] + 1 if stuck else 0
        if f"scale.{cell}" in self.faults:
            alive = _differ(value, self._last[cell]) and self._plausible(cell, cells)
            self._back[cell] = self._back[cell] + 1 if alive else 0
            far = abs(self._solver.off_g(np.asarray(cells), cell)) > FAR_G
            if cell in self._perhaps_unplugged and (far or self._broken(cell)):
                self._perhaps_unplugged.discard(cell)
                self._left_out.discard(cell)

    def _plausible(self, cell: int, cells: tuple[float, ...]) -> bool:
        # One that is not heard makes this NaN, which is never less.
        return abs(self._solver.off_g(np.asarray(cells), cell)) < PLAUSIBLE_G

    def _judge_cell(self, cell: int, tick: Tick, *, touched: bool) -> Fault | Restored | None:
        name = f"scale.{cell}"
        if name in self.faults:
            if touched or self._back[cell] < BACK_TICKS or cell not in self._solver.dead:
                return None
            if cell in self._left_out and not self.ailing.is_well():
                return None
            self._left_out.discard(cell)
            self._perhaps_unplugged.discard(cell)
            del self.faults[name]
            self._solver.dead = self._solver.dead - {cell}
            return Restored(tick.t_s, name)
        ticks = self._broken(cell)
        if not ticks:
            return None
        kind = troubles.CELL_NO_VALUES if self._silent[cell] else troubles.CELL_REPEATS
        found = kind(n=load_cell_name(cell))
        return self.condemn(cell, Fault.of(tick.t_s - ticks * TICK_S, name, found))

    def _judge_imu(self, tick: Tick, *, alive: bool) -> Fault | Restored | None:
        felt = tick[5:15]
        same = all(map(_agree, felt, self._last_felt))
        frozen = alive and same
        self._last_felt = felt
        if not tick.imu_ok or frozen:
            self._imu_silent += 1
            self._imu_back = 0
        elif not same:
            self._imu_silent = 0
            # A source may tell of the loss before the last ticks of the living sensor are made.
            self._imu_back += alive and tick.t_s > self._imu_lost_s
        named, turned = self.faults.get("imu"), self.mounting.turned
        if named is not None:
            alive = self._imu_back >= SILENT_TICKS
            well = not turned if named == troubles.IMU_TURNED.english else alive
            return self.absolve(tick.t_s, "imu") if well else None
        if turned:
            return self.report(Fault.of(tick.t_s, "imu", troubles.IMU_TURNED()))
        if self._imu_silent < SILENT_TICKS:
            return None
        found = troubles.IMU_REPEATS() if frozen else troubles.IMU_SILENT()
        return self.report(Fault.of(tick.t_s - self._imu_silent * TICK_S, "imu", found))
