"""The whole table on simulated pins: tower, chips, and the drivers of a Pi that read them.

The chips feel what the tower's own sensors have sampled (`lab.twin.sampled_signals`), noise and
faults of the cells included; faults of chips and wires are the chips' business.

Everything above the pins is what a real table runs: `Hx711Cell`, `smbus2` messages, `gpiozero`
devices on its mock pins, `PiSource`. Nothing waits: `run` lets simulated time pass, and each
access to a pin takes a little of it. Used by tests and for simulated faults.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gpiozero.pins.mock import MockFactory

from engine.events import HumanInput
from engine.samples import SwitchSample
from hw.conversions import OfEach, strap_hz
from hw.drivers.cells import CellsHere, DataWordReaderFactory, cells_on
from hw.drivers.chips_known import chips_on
from hw.drivers.hx711_bits import BitReader
from hw.drivers.imu import ImuReader
from hw.drivers.panel import Button, Panel
from hw.drivers.pi import PiSource
from hw.drivers.pins import Pins
from hw.drivers.pins_health import PinsHealth, health_of
from hw.drivers.scale import ScaleReader
from hw.source import ImuService, Item
from lab.chips.hx711 import Conversion, Hx711
from lab.chips.i2c import I2cWires, WiredBus
from lab.chips.mpu6050 import Mpu6050 as Mpu6050Chip
from lab.chips.pins import SimulatedTime, pins
from lab.planted import Repeated, Site, give_noise, without_chips
from lab.twin.parameters import TwinParameters
from lab.twin.sampled_signals import SampledSignals
from lab.twin.source import OverTower
from lab.twin.tower import Tower
from lab.twin.truth import Span

if TYPE_CHECKING:
    from hw.drivers.sensor_thread import Reader

RATES_HZ = (82.02, 78.5, 80.6, 93.4)
"""As real chips were found: 15 % apart."""

IMU_RATE_ERROR = 0.0085
"""Share by which the inertial sensor's oscillator is too slow; docs/traces.md: up to 1.5 %."""

STEP_S = 0.002
"""As often as the load cells are looked at."""

PRESS_S = 0.08
"""How long a finger stays on a button."""


class Said:
    """A `Reader` for what people say by other ways than the buttons.

    Attributes:
        heard_s: what was said before this time has been given.
    """

    name = "people"
    pause_s = 0.01

    def __init__(self) -> None:
        self.heard_s = float("inf")
        self._waiting: list[Item] = []

    def say(self, inputs: Iterable[HumanInput]) -> None:
        """Have something said."""
        self._waiting += inputs

    def step(self) -> list[Item]:
        """Everything."""
        said, self._waiting = self._waiting, []
        return said

    def close(self) -> None:
        """Nothing to close."""


class WiredTable:
    """A simulated tower whose every wire ends on a simulated pin.

    Attributes:
        tower: what stands on the table.
        cells: the four HX711.
        clocks: their PD_SCK, where pulses can be stretched.
        imu: the MPU-6050, on
        wires: the I2C bus.
        factory: of the mock pins for switch, buttons, lights and buzzer.
        people: says what people say.
        end_s: table time up to which the chips can feel what happens.
        source: the drivers' end.
    """

    def __init__(
        self,
        tower: Tower,
        *,
        rates_hz: Sequence[float] = RATES_HZ,
        queue_steps: int = 4096,
        make_reader: DataWordReaderFactory = BitReader,
    ) -> None:
        """Wire a tower up.

        Args:
            tower: not yet advanced.
            rates_hz: of the four HX711.
            queue_steps: how much may wait between two polls.
            make_reader: makes what clocks data words out of the HX711.
        """
        self.tower, self.time = tower, SimulatedTime()
        self._signals, self.end_s = SampledSignals(), 0.0
        tower.witnesses.append(self._witness)
        self.wiring = Pins()
        self.cells = [self._cell(number, rate) for number, rate in enumerate(rates_hz)]
        self.wires = I2cWires(self._now)
        self.imu = Mpu6050Chip(lambda _number: self._signals.motion(self._imu_time.t_s))
        self._imu_time = self.wires.attach(self.imu, self.wiring.imu_address, IMU_RATE_ERROR)
        self.factory = MockFactory()
        self.people = Said()
        self.panel = Panel(self.wiring, self._now, factory=self.factory)
        scale, imu = self._scale(make_reader), self._inertial()
        readers: list[Reader] = [scale, imu, self.panel, self.people]
        self._due = [(0.0, reader) for reader in readers]
        self.source = PiSource(
            readers,
            tower.calibration,
            self._now,
            health=lambda: health_of(scale, imu),
            service=lambda: imu.service,
            conversions=scale.conversions,
            simulated=True,
            threads=False,
            queue_steps=queue_steps,
        )
        self.source.show = self.panel.show
        self._held: list[tuple[float, int, bool]] = []
        self.repeated = Repeated()

    @property
    def site(self) -> Site:
        """Where faults can be planted."""
        return Site(
            self.cells,
            self.cells,
            self.imu,
            self.tower.calibration,
            self.tower.parameters.scale.noise_counts,
            lambda closed: self._held.append((0.0, self.wiring.tilt_switch, closed)),
            away=self.time.sleep,
            later=self.repeated.every,
        )

    @property
    def violations(self) -> list[str]:
        """Rules of the data sheets that the drivers broke so far."""
        broken = [rule for cell in self.cells for rule in cell.violations]
        return broken + self.imu.violations

    def press(self, button: Button, t_s: float) -> None:
        """Have a button pressed at a table time."""
        pin = {
            Button.PASS: self.wiring.pass_button,
            Button.UNDO: self.wiring.undo_button,
            Button.BUMPED: self.wiring.bumped_button,
        }[button]
        self._held += [(t_s, pin, True), (t_s + PRESS_S, pin, False)]

    def run(self, sampled: Iterable[Item] | None = None) -> None:
        """Let the drivers work as far as the tower has come.

        Args:
            sampled: by the tower since the last call, where somebody else has collected it.
        """
        for item in self.tower.collect(self.tower.now_s) if sampled is None else sampled:
            self._signals.put(item)
            if isinstance(item, SwitchSample):
                self._held.append((item.t_s, self.wiring.tilt_switch, item.closed))
        while self._now() < self.end_s:
            self._touch_pins(self._now())
            self.repeated.due(self._now())
            for number, thread in enumerate(self.source.sensor_threads):
                due_s, reader = self._due[number]
                if self._now() >= due_s:
                    thread.step()
                    self._due[number] = (self._now() + reader.pause_s, reader)
            self.time.sleep(STEP_S / 2)

    def poll(self) -> list[Item]:
        """What the source gives now."""
        return self.source.poll(self._now())

    # --- wires ----------------------------------------------------------------------------

    def _witness(self, span: Span) -> None:
        self.end_s = float(span.t_s[-1])

    def _now(self) -> float:
        """Looking at this clock takes no time."""
        return self.time.now_us * 1e-6

    def _cell(self, number: int, rate_hz: float) -> Hx711:
        def count(conversion: Conversion) -> float:
            return self._signals.count(number, conversion.t_us * 1e-6)

        return Hx711(f"HX711 {number}", rate_hz, count, seed=number)

    def _scale(self, make_reader: DataWordReaderFactory) -> ScaleReader:
        wires = [pins(chip, self.time) for chip in self.cells]
        self.clocks = [clock for _, clock in wires]
        nominal_hz = strap_hz(self.tower.calibration.scale.rate_hz)
        cells = cells_on(wires, self.time, nominal_hz, make_reader)
        return ScaleReader(CellsHere(cells, self._now), self.tower.calibration)

    def _inertial(self) -> ImuReader:
        chips = chips_on(WiredBus(self.wires), self.wiring.imu_address)
        return ImuReader(chips, self.tower.calibration, self._now)

    def _touch_pins(self, now_s: float) -> None:
        """Fingers on buttons, and the ball in the tilt switch."""
        for due in sorted(held for held in self._held if held[0] <= now_s):
            self._held.remove(due)
            _, number, low = due
            pin = self.factory.pin(number)
            (pin.drive_low if low else pin.drive_high)()


LOOK_S = 0.1
"""Table time that the tower is let go on at a time."""


class PinsSource(OverTower):
    """A tower whose sensors are read on pins, as a `SampleSource`: faults can be planted in it.

    Attributes:
        table: chips, wires and drivers.
    """

    def __init__(
        self, parameters: TwinParameters, seed: int, rates_hz: Sequence[float] = RATES_HZ
    ) -> None:
        """A new tower on a table of these parameters."""
        super().__init__(Tower(without_chips(parameters), seed))
        self.table = WiredTable(self.tower, rates_hz=rates_hz)
        self.site = replace(self.table.site, noise_counts=parameters.scale.noise_counts)
        give_noise(self.site)
        self._begun = False

    @property
    def notices(self) -> tuple[str, ...]:
        """Of the drivers."""
        return self.table.source.notices

    @property
    def imu_temperature_c(self) -> float | None:
        """Degrees Celsius of the inertial sensor's chip; None before the first reading."""
        return self.table.source.imu_temperature_c

    def imu_service(self) -> ImuService:
        """How the inertial sensor is read."""
        return self.table.source.imu_service()

    def pins_health(self) -> PinsHealth:
        """How the sensors are now."""
        return self.table.source.pins_health()

    def conversions(self) -> OfEach:
        """What each chip has converted since the last call."""
        return self.table.source.conversions()

    def poll(self, until_s: float) -> list[Item]:
        """Let tower, chips and drivers go on up to `until_s`."""
        items: list[Item] = []
        if not self._begun:
            self._begun, items = True, self.table.source.poll(0.0)
        while self.tower.now_s < until_s and not self.ended:
            self.tower.advance(min(until_s, self.tower.now_s + LOOK_S))
            self.table.run()
            items += self.table.source.poll(self.tower.now_s)
        return items

    def close(self) -> None:
        """Let go of the pins."""
        super().close()
        self.table.source.close()
