"""A desk: the real firmware on the simulated processor, one HX711, one bar, a finger and a wire."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from firmware_bridge.link import SerialLink
from hw.building.design import drawn_table
from hw.conversions import OfEach
from hw.serial.bridge import BridgeSource
from hw.source import Item, LinkHealth, TableSource, Voltages
from lab.avr.played import LabReader
from lab.avr.table import LabTable
from lab.avr.wires import MemoryWire

GAIN = 700.0
"""Counts a gram of this bar; nobody else knows it."""


@dataclass
class Bar:
    """What one HX711 feels: a bar that rests somewhere, with noise, and whoever leans on it.

    Attributes:
        load_g: at a time in seconds.
        counts: instead of a bar, something else (a wire that is off).
    """

    rest_counts: float = 41_000.0
    noise_counts: float = 60.0
    load_g: Callable[[float], float] = lambda _t_s: 0.0
    counts: Callable[[float], int] | None = None
    _chance: random.Random = field(default_factory=lambda: random.Random(3))

    def count(self, _cell: int, t_s: float) -> int:
        if self.counts is not None:
            return self.counts(t_s)
        noise = self._chance.gauss(0, self.noise_counts)
        return round(self.rest_counts + GAIN * self.load_g(t_s) + noise)

    def motion(self, _t_s: float) -> tuple[int, ...]:
        return (0,) * 7


class Desk(TableSource):
    """The desk as a source; time goes on when it is polled.

    Attributes:
        deeds: what somebody will do at it, and when.
    """

    def __init__(
        self, elf: Path, bar: Bar, *, rate_hz: float = 82.0, cell: int = 0,
        at: tuple[tuple[float, Callable[[LabTable], None]], ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(drawn_table(), simulated=True)
        self.lab = LabTable(elf, rates_hz=(rate_hz,) * 4, signals=bar)
        for number, chip in enumerate(self.lab.cells):
            if number != cell:
                chip.unplug()
        self.lab.imu.plugged = False
        self.deeds = sorted(at, key=lambda deed: deed[0])
        self._wire = MemoryWire(self.lab.avr)
        self._reader = LabReader(lambda: SerialLink("the desk", self._clock, self._wire.open))
        self._bridge = BridgeSource(self._reader, self.calibration, self._clock, simulated=True)

    ended = False

    def _clock(self) -> float:
        return self.lab.now_s

    def poll(self, until_s: float) -> list[Item]:
        while self.lab.elapsed_us * 1e-6 < until_s:
            while self.deeds and self.deeds[0][0] <= self.lab.elapsed_us * 1e-6:
                self.deeds.pop(0)[1](self.lab)
            self.lab.pass_time()
            self._wire.carry()
            self._reader.listen()
        return self._bridge.poll(until_s)

    def conversions(self) -> OfEach:
        return self._bridge.conversions()

    def voltages(self) -> Voltages | None:
        return self._bridge.voltages()

    def link_health(self) -> LinkHealth:
        return self._bridge.link_health()

    def close(self) -> None:
        self._bridge.close()
