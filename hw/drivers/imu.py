"""Operates the inertial sensor: samples with their times, and a message when something is wrong.

The chip samples at 200 Hz by its own oscillator and puts the samples into its FIFO; the bus is
asked about every 20 ms how many there are, and they are read in one burst. So nothing is lost
while the Pi is busy for up to a third of a second, and no interrupt wire is needed. Each sample
bears the time at which it was taken, from the chip's own rate, never from when Linux came round
to reading. A chip that was unplugged, or lost its supply for a moment, is set up again.

No real Pi has confirmed this: how long a burst holds the bus and how evenly Linux comes round.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.samples import Floats, SensorReport
from engine.trouble import Trouble
from firmware_bridge.clock import NOMINAL_S_PER_US, DeviceClock, RoundTrip
from firmware_bridge.troubles import LinkTrouble
from hw.calibration import Calibration
from hw.drivers.chips_known import present
from hw.drivers.inertial_chip import PERIOD_US, InertialChip, ranges_of
from hw.errors import BadSensor
from hw.source import ImuService, Item
from hw.troubles import IMU_LOST_POWER, IMU_NO_SAMPLES, of_link

PERIOD_S = PERIOD_US * 1e-6

POLL_S = 0.02
"""Four samples a burst: a quarter of a 100 kHz bus, and a fifth of what the detector waits for."""
GOLDEN_SECTION = 0.618
RETRY_S = 0.5
SILENT_S = 0.06
"""Twelve samples late: the chip has stopped, for it does not skip any."""
TOLERATED_ERRORS = 2
"""Failures in a row that are not worth a report: a spark on the wires, mended 20 ms later."""


class SampleTimes:
    """When each sample was taken, from their number and the times at which one looked.

    At a look at T the newest sample is between nothing and one period old. A straight line
    through many looks is the chip's clock.
    """

    def __init__(self) -> None:
        self._clock = DeviceClock()
        self._number = 0
        self._last_s = float("-inf")

    @property
    def rate_hz(self) -> float:
        """The chip's true rate, as far as it is known."""
        line = self._clock.line
        return 1e6 / PERIOD_US * NOMINAL_S_PER_US / (line.s_per_us if line else NOMINAL_S_PER_US)

    def came(self, count: int, before_s: float, after_s: float) -> Floats:
        """Times of the `count` samples that had come at a look between two times."""
        first = self._number + 1
        self._number += count
        device_us = self._number * PERIOD_US
        self._clock.learn(RoundTrip(device_us, before_s - PERIOD_S, after_s))
        line = self._clock.line
        if line is None:
            return np.full(count, after_s)
        exact = [line.at(number * PERIOD_US) for number in range(first, self._number + 1)]
        return self._possible(np.array(exact), after_s)

    def skip_to(self, now_s: float) -> None:
        """Samples were thrown away: count those that must have been taken meanwhile."""
        line = self._clock.line
        if line is not None:
            passed_us = (now_s - line.host_s) / line.s_per_us
            self._number = max(self._number, int((line.device_us + passed_us) / PERIOD_US))

    def _possible(self, exact_s: Floats, now_s: float) -> Floats:
        """Later than the sample before, and not after it was read.

        While the line is being learnt it moves by up to a millisecond from look to look.
        """
        count = len(exact_s)
        earliest = self._last_s + 1e-4 * np.arange(1, count + 1)
        t_s: Floats = np.maximum(
            np.minimum(exact_s, now_s - 1e-4 * np.arange(count)[::-1]), earliest
        )
        if count:
            self._last_s = float(t_s[-1])
        return t_s


@dataclass(frozen=True, slots=True)
class ImuStatus:
    """How the sensor is, for health.

    Attributes:
        who: its answer to WHO_AM_I; 0 before the first.
        name: which chip that is.
        remark: what to tell its owner, when it is a substitute.
        rate_hz: measured.
        temperature_c: None before the first sample.
        bus_errors: transfers that failed.
        overflows: times the FIFO ran over because nobody came to read it.
        starts: times it was taken into service.
    """

    who: int
    name: str
    remark: LinkTrouble | Trouble | None
    rate_hz: float
    temperature_c: float | None
    bus_errors: int
    overflows: int
    starts: int


class ImuReader:
    """Reads the sensor and keeps it in service; `step` never raises and never waits.

    Attributes:
        name: of the sensor.
        heard_s: nothing taken before this time will come any more.
    """

    name = "imu"

    def __init__(
        self,
        chips: Sequence[InertialChip],
        calibration: Calibration,
        clock: Callable[[], float],
    ) -> None:
        """Read the chips that may be there, not yet set up, by a steady clock in seconds.

        Raises:
            BadCalibration: made for a full scale that the chip does not have.
        """
        self._chips, self._calibration, self._clock = chips, calibration, clock
        self._chip = chips[-1]
        self._ranges = ranges_of(calibration.imu)
        self._act = self._identify
        self._not_before_s = float("-inf")
        self._delivered_s = 0.0
        self.heard_s = float("-inf")
        self._times = SampleTimes()
        self._temperature_c: float | None = None
        self._failures = self._ragged = 0
        self._bus_errors = self._overflows = self._starts = 0
        self._trouble: Trouble | None = None
        self._phase = 0.0

    @property
    def status(self) -> ImuStatus:
        """How the sensor is."""
        chip = self._chip
        return ImuStatus(
            chip.who, chip.name if chip.who else "", chip.remark if chip.who else None,
            self._times.rate_hz, self._temperature_c, self._bus_errors, self._overflows,
            self._starts,
        )  # fmt: skip

    @property
    def service(self) -> ImuService:
        """How it is read, for a diagnosis."""
        chip = self._chip
        warning = None if chip.warning is None else of_link(chip.warning)
        return ImuService(self._bus_errors, who=chip.who, warning=warning)

    @property
    def pause_s(self) -> float:
        """Time to leave before the next step; never quite the same.

        Looks in step with the chip would always find its newest sample equally old, and the
        times would be wrong by up to half a period. Steps of the golden section fall evenly.
        """
        self._phase = (self._phase + GOLDEN_SECTION) % 1.0
        return POLL_S + PERIOD_S * (self._phase - 0.5)

    def step(self) -> list[Item]:
        """Samples that have come, and what became of the sensor."""
        now_s = self._clock()
        # A sample that comes later may seem to be a little earlier while its clock is learnt.
        self.heard_s = now_s - PERIOD_S
        if now_s < self._not_before_s:
            return []
        try:
            items = self._act()
        except BadSensor as bad:
            return self._failed(now_s, bad.trouble)
        self._failures = 0
        return items

    def close(self) -> None:
        """Nothing to close: the bus belongs to the caller."""

    # --- one state each -----------------------------------------------------------------------

    def _identify(self) -> list[Item]:
        self._chip = present(self._chips)
        self._chip.reset()
        self._not_before_s = self._clock() + self._chip.reset_s
        self._act = self._configure
        return []

    def _configure(self) -> list[Item]:
        self._chip.configure(self._ranges)
        self._starts += 1
        self._times = SampleTimes()
        return self._begin()

    def _begin(self) -> list[Item]:
        """From here on the FIFO holds whole samples."""
        self._chip.empty_fifo()
        self._delivered_s = self._clock()
        self._times.skip_to(self._delivered_s)
        self._ragged = 0
        self._act = self._look
        return []

    def _look(self) -> list[Item]:
        before_s = self._clock()
        count, lost = self._chip.waiting()
        after_s = self._clock()
        if lost:
            self._overflows += 1
            return self._begin()
        whole, rest = divmod(count, self._chip.sample_bytes)
        self._ragged = self._ragged + 1 if rest else 0
        if self._ragged > TOLERATED_ERRORS:
            return self._begin()
        if not whole:
            return self._silent(after_s)
        raw = self._chip.read_samples(whole)
        self._delivered_s = after_s
        t_s = self._times.came(whole, before_s, after_s)
        self._temperature_c = self._chip.celsius(int(raw[-1, 3]))
        samples = self._calibration.imu_samples(t_s, raw[:, [0, 1, 2, 4, 5, 6]])
        return [*self._well(float(t_s[0])), samples]

    def _mend(self) -> list[Item]:
        """After a failed transfer: go on if it kept its settings, else set it up again."""
        if self._chip.awake():
            return self._begin()
        return self._identify()

    # --- what is said -------------------------------------------------------------------------

    def _silent(self, now_s: float) -> list[Item]:
        """Nothing has come: after a while the chip must have lost its settings."""
        if now_s - self._delivered_s < SILENT_S:
            return []
        if self._chip.awake():
            raise BadSensor(IMU_NO_SAMPLES())
        self._act = self._identify
        return self._say(now_s, IMU_LOST_POWER())

    def _failed(self, now_s: float, trouble: Trouble) -> list[Item]:
        self._bus_errors += 1
        self._failures += 1
        self._act = (
            self._mend if self._act in (self._look, self._begin, self._mend) else self._identify
        )
        if self._failures <= TOLERATED_ERRORS and not self._trouble and self._starts:
            return []
        self._act = self._identify
        self._not_before_s = now_s + RETRY_S
        return self._say(now_s, trouble)

    def _say(self, now_s: float, trouble: Trouble) -> list[Item]:
        if trouble == self._trouble:
            return []
        self._trouble = trouble
        return [SensorReport.of(now_s, self.name, trouble)]

    def _well(self, now_s: float) -> list[Item]:
        """Samples come: report it if the sensor was lost before."""
        if not self._trouble:
            return []
        self._trouble = None
        return [SensorReport(now_s, self.name, ok=True)]
