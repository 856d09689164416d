"""A table for tests, moved by hand: verbs of the bench in, the usual blocks of samples out.

It is the simulated tower with everything left out that is not asked for: no noise, no drift, a
steady hand, a good pivot, exact clocks. Time passes only in `wait` (and while a verb takes its
time), never by itself.

    table = MockTable()
    table.place(grams=3.0, cell="c4")
    table.settle()
    items = table.take()
"""

from dataclasses import replace
from math import hypot, radians, sqrt, tan
from typing import Any

from engine.events import HumanInput
from hw.source import Item
from lab.twin.faults import FaultKind, InjectedFault
from lab.twin.parameters import TwinParameters, preset_parameters
from lab.twin.source import OverTower
from lab.twin.tower import Tower

STILL = (0.0, 0.0, 0.0, 0.0)
LIVING_COUNTS = (30.0, 30.0, 30.0, 30.0)
AT_REST_RAD_S = 1e-3
"""A twentieth of a degree a second: nothing the sensors could see."""


def quiet_parameters() -> TwinParameters:
    """The plain table without noise, drift, mishaps or clumsiness."""
    plain = preset_parameters("calm")
    return replace(
        plain,
        body=replace(plain.body, friction_band_deg=0.02, seat_step_mm=0.0),
        piece=replace(plain.piece, mass_std_g=0.0),
        scale=replace(
            plain.scale,
            noise_counts=STILL,
            drift_g=0.0,
            creep=0.0,
            jitter_s=0.0,
            missing=0.0,
            glitch=0.0,
            reset=0.0,
            stray=0.0,
        ),
        imu=replace(plain.imu, accel_noise_g=0.0, gyro_noise_dps=0.0, jitter_s=0.0, missing=0.0),
        manners=replace(
            plain.manners,
            offset_mm=0.0,
            press_mm=(0.05, 0.05),
            approach_mm_s=(40.0, 40.0),
            slip=0.0,
        ),
    )


def living_parameters() -> TwinParameters:
    """The quiet table with sensors that flicker: one that repeats itself is taken for dead."""
    quiet, living = quiet_parameters(), preset_parameters("calm").imu
    imu = replace(
        quiet.imu, accel_noise_g=living.accel_noise_g, gyro_noise_dps=living.gyro_noise_dps
    )
    return replace(quiet, scale=replace(quiet.scale, noise_counts=LIVING_COUNTS), imu=imu)


class MockTable(OverTower):
    """A `SampleSource` driven by verbs.

    Attributes:
        tower: the simulated tower underneath, for whatever has no verb here.
    """

    def __init__(self, parameters: TwinParameters | None = None, *, seed: int = 0) -> None:
        """An empty table at rest, quiet unless `parameters` say otherwise."""
        super().__init__(Tower(parameters or quiet_parameters(), seed))

    # --- SampleSource ---------------------------------------------------------------------

    def poll(self, until_s: float) -> list[Item]:
        """Samples up to `until_s`; lets time pass if it has not come so far yet."""
        return self.tower.poll(until_s)

    def take(self) -> list[Item]:
        """All samples up to now that were not taken before."""
        return self.tower.collect(self.tower.now_s)

    # --- verbs ----------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        """Table time."""
        return self.tower.now_s

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.tower.advance(self.now_s + seconds)

    def settle(self, longest_s: float = 30.0) -> None:
        """Wait until the board has hung still for half a second."""
        end_s, looks = self.now_s + longest_s, 0
        # Ten looks in a row: at the turning points of a swing the board stands still as well.
        while self.now_s < end_s and looks < 10:
            self.wait(0.05)
            looks = looks + 1 if hypot(*self.tower.board.rate[:2]) < AT_REST_RAD_S else 0

    def place(
        self,
        grams: float = 3.0,
        cell: str = "c3",
        *,
        hold_s: float = 0.3,
        offset_mm: tuple[float, float] = (0.0, 0.0),
    ) -> float:
        """Put a piece down, let it go, and say when that was."""
        deed = self.tower.place(cell, grams=grams, hold_s=hold_s, offset_mm=offset_mm)
        while not deed.done:
            self.wait(0.01)
        return deed.release_s

    def lift(self, cell: str, count: int = 1) -> int:
        """Take pieces off a cell; says how many there were."""
        return self.tower.remove(cell, count)

    def put_back(self, grams: float, cell: str) -> None:
        """A piece taken back within a second: put down and lifted again."""
        self.place(grams, cell)
        self.wait(0.4)
        self.lift(cell)

    def touch(self, cell: str, seconds: float = 0.5, depth_mm: float = 1.5) -> None:
        """Rest a hand on the board and take it away."""
        self.tower.touch(cell, seconds, depth_mm)
        self.wait(seconds + 0.1)

    def tap(self, count: int = 3, amplitude_m_s2: float = 0.8) -> None:
        """Drum on the table."""
        self.tower.tap(count, amplitude_m_s2)

    def bump(self, amplitude_m_s2: float = 2.0, frequency_hz: float = 7.0) -> None:
        """Walk into the table."""
        self.tower.bump(amplitude_m_s2, frequency_hz)

    def lean(self, tilt_deg: float = 0.3, seconds: float = 3.0) -> None:
        """Lean on the table."""
        self.tower.lean(tilt_deg, seconds)

    def knock_off(self, cell: str, count: int = 1) -> None:
        """Let the top pieces of a cell fall."""
        self.tower.knock_off(cell, count)

    def tilt_to(self, x_deg: float, y_deg: float) -> None:
        """Clamp the board: file e lower by `x_deg` than level, rank 5 lower by `y_deg`."""
        up = (-tan(radians(x_deg)), -tan(radians(y_deg)), 1.0)
        length = sqrt(sum(part * part for part in up))
        self.tower.board.up = (up[0] / length, up[1] / length, up[2] / length)
        self.tower.board.clamped = True

    def let_swing(self) -> None:
        """Release the clamp of `tilt_to`."""
        self.tower.board.clamped = False

    def say(self, verb: str, **data: Any) -> None:
        """What a player says to the table now."""
        self.tower.put_events([HumanInput(self.now_s, verb, data)])

    def break_sensor(self, kind: FaultKind, *, cell: int = 0, size: float = 1.0) -> None:
        """From now on something is wrong with a sensor."""
        self.tower.faults.append(InjectedFault(kind, self.now_s, cell=cell, size=size))

    def mend_sensors(self) -> None:
        """From now on all sensors are well again."""
        self.tower.faults[:] = [
            replace(fault, end_s=min(fault.end_s, self.now_s)) for fault in self.tower.faults
        ]
