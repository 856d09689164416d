"""Faults, each planted at the lowest place where it happens: load cell, wire, chip, register, line.

Nothing above knows of them: real drivers, or the real firmware and the bridge, carry them up to
whoever judges. A `Site` is a simulated table whose sensors are read on one of the two ways.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import cos, pi, radians, sin
from typing import Any

import numpy as np

from hw.calibration import COUNTS_MAX, Calibration
from hw.conversions import strap_hz
from lab.chips.hx711 import Conversion, Hx711
from lab.chips.mpu6050 import Mpu6050
from lab.twin.fault_words import ordered
from lab.twin.parameters import TwinParameters

OPEN_INPUT_COUNTS = -1200.0
"""Of an amplifier without a bridge: its own offset."""
RIPPLE_S = 0.03
"""How long a sag of the supply lasts: a motor's or a light's, slower than a conversion."""
HUM_HZ = 50.0
BOARD_HZ = {10.0: 82.0, 80.0: 10.6}
"""What a chip does when its RATE pin is the other way."""
MPU_ONE_G, MPU_ONE_DPS = 16384, 131


@dataclass
class Site:
    """A simulated table, as far as faults can be planted in it.

    Attributes:
        chips: the four HX711.
        plugs: where each can be pulled out and shorted: the chip itself, or its wires.
        imu: the inertial sensor.
        calibration: what a healthy table's counts mean.
        noise_counts: of a healthy conversion of each cell.
        switch: closes the tilt switch, or opens it.
        line: the serial line, where there is one: has `unplug`, `plug_in` and `spoil`.
        reset: of the microcontroller, where there is one.
        away: keeps the computer that reads the pins from doing so for some seconds.
        later: does something every so many seconds.
    """

    chips: Sequence[Hx711]
    plugs: Sequence[Any]
    imu: Mpu6050
    calibration: Calibration
    noise_counts: Sequence[float]
    switch: Callable[[bool], None]
    line: Any = None
    reset: Callable[[], None] | None = None
    away: Callable[[float], None] | None = None
    later: Callable[[float, Callable[[], None]], None] = lambda _s, _deed: None


def without_chips(parameters: TwinParameters) -> TwinParameters:
    """The same table as its load cells feel it: what chips and wires do is left to them."""
    scale = parameters.scale
    return replace(
        parameters,
        scale=replace(scale, noise_counts=(0.0, 0.0, 0.0, 0.0), missing=0.0, glitch=0.0, reset=0.0),
    )


def give_noise(site: Site) -> None:
    """Each conversion its own noise, as the amplifiers of the table have it."""
    for number, chip in enumerate(site.chips):
        _noise(chip, site.noise_counts[number], number)


class Repeated:
    """Deeds that come again and again, by whatever time somebody tells it."""

    def __init__(self) -> None:
        self._deeds: list[tuple[float, float, Callable[[], None]]] = []
        self._now_s = 0.0

    def every(self, seconds: float, deed: Callable[[], None]) -> None:
        """Do something every so many seconds."""
        self._deeds.append((self._now_s + seconds, seconds, deed))

    def due(self, now_s: float) -> None:
        """It is so late."""
        self._now_s = now_s
        late = [each for each in self._deeds if each[0] <= now_s]
        self._deeds = [each for each in self._deeds if each[0] > now_s]
        for due_s, seconds, deed in late:
            self._deeds.append((due_s + seconds, seconds, deed))
            deed()


Planting = Callable[[Site, int, float], None]
"""Plants a fault: where, at which cell, how badly."""


@dataclass(frozen=True, slots=True)
class PlantedFault:
    """One fault.

    Attributes:
        place: the lowest place where it happens.
        kinds: of the findings that name it, on pins and behind the bridge.
        where: the sensor that they speak of: `cell`, `scale`, `imu`, `link`, `tilt_switch`.
        plant: plants it.
        size: how badly, when nobody says.
        paths: on which it can happen.
    """

    place: str
    kinds: tuple[str, ...]
    where: str
    plant: Planting
    size: float = 1.0
    paths: tuple[str, ...] = ("pins", "bridge")


# --- what a chip converts -----------------------------------------------------------------


def _wrap(chip: Hx711, change: Callable[[float, Conversion], float]) -> None:
    felt = chip.load_cell
    chip.load_cell = lambda conversion: change(felt(conversion), conversion)


def _noise(chip: Hx711, counts: float, seed: int) -> None:
    chance = random.Random(seed + 0.25)
    _wrap(chip, lambda felt, _c: felt + chance.gauss(0.0, counts))


def _open(site: Site, cell: int, _size: float) -> None:
    chance = random.Random(cell)
    _wrap(site.chips[cell], lambda _felt, _c: chance.gauss(OPEN_INPUT_COUNTS, 40))


def _factor(site: Site, cell: int, size: float) -> None:
    _wrap(site.chips[cell], lambda felt, _c: size * felt)


def _broken(site: Site, cell: int, _size: float) -> None:
    _wrap(site.chips[cell], lambda _felt, _c: 2.0 * COUNTS_MAX)


def _frozen(site: Site, cell: int, _size: float) -> None:
    held: list[float] = []

    def once(felt: float, _c: Conversion) -> float:
        held[:] = held or [round(felt)]
        return held[0]

    _wrap(site.chips[cell], once)


def _exchanged(site: Site, cell: int, _size: float) -> None:
    one, other = site.chips[cell], site.chips[(cell + 1) % len(site.chips)]
    one.load_cell, other.load_cell = other.load_cell, one.load_cell


def _noisy(site: Site, cell: int, size: float) -> None:
    _noise(site.chips[cell], size * site.noise_counts[cell], cell + 10)


def _drifting(site: Site, cell: int, size: float) -> None:
    per_s = size * site.calibration.scale.counts_per_gram[cell] * 1e-6
    _wrap(site.chips[cell], lambda felt, c: felt + per_s * c.t_us)


def _loaded(site: Site, cell: int, size: float) -> None:
    counts = size * site.calibration.scale.counts_per_gram[cell]
    _wrap(site.chips[cell], lambda felt, _c: felt + counts)


def _hum(site: Site, cell: int, size: float) -> None:
    swing = size * site.noise_counts[cell] * 2**0.5
    _wrap(
        site.chips[cell],
        lambda felt, c: felt + swing * sin(2 * pi * HUM_HZ * c.t_us * 1e-6),
    )


def _ripple(site: Site, _cell: int, size: float) -> None:
    counts = size * sum(site.noise_counts) / len(site.noise_counts)

    def sag(t_us: float) -> float:
        """The same for all chips at one time, along straight lines between its turns."""
        at = t_us * 1e-6 / RIPPLE_S
        turn = int(at)
        before, after = (random.Random(n).gauss(0.0, counts) for n in (turn, turn + 1))
        return before + (at - turn) * (after - before)

    for chip in site.chips:
        # The bridge is fed by it: a count with a minus sign ripples the other way.
        _wrap(chip, lambda felt, c: felt + sag(c.t_us) * (1 if felt >= 0 else -1))


# --- chips and their wires ----------------------------------------------------------------


def _strapped(site: Site, cell: int, size: float) -> None:
    chip = site.chips[cell]
    chip.period_us = 1e6 / (size or BOARD_HZ[strap_hz(1e6 / chip.period_us)])


def _unplugged(site: Site, cell: int, _size: float) -> None:
    site.plugs[cell].unplug()


def _all_unplugged(site: Site, _cell: int, _size: float) -> None:
    for plug in site.plugs:
        plug.unplug()


def _shorted(site: Site, cell: int, _size: float) -> None:
    site.plugs[cell].shorted = True


def _unclocked(site: Site, cell: int, _size: float) -> None:
    site.chips[cell].clock_wired = False


def _bits(site: Site, cell: int, size: float) -> None:
    site.chips[cell].data_noise = size


def _spikes(site: Site, cell: int, size: float) -> None:
    site.chips[cell].clock_spikes = size


def _stalling(site: Site, _cell: int, size: float) -> None:
    if site.away is not None:
        away = site.away
        site.later(2.0, lambda: away(size))


def _weak(site: Site, cell: int, size: float) -> None:
    site.chips[cell].lost_pulses = size


def _busy(site: Site, _cell: int, size: float) -> None:
    if site.away is not None:
        away = site.away
        site.later(0.4, lambda: away(size))


# --- the inertial sensor ------------------------------------------------------------------


def _felt(site: Site, change: Callable[[Sequence[int]], Sequence[float]]) -> None:
    sample = site.imu.sample
    site.imu.sample = lambda number: [round(value) for value in change(sample(number))]


def _scaled(site: Site, _cell: int, size: float) -> None:
    _felt(site, lambda s: [size * s[0], size * s[1], size * s[2], s[3], *(size * g for g in s[4:])])


def _mounted(site: Site, turn: Callable[[float, float, float], Sequence[float]]) -> None:
    """Turn the chip, in the axes of the board; its own offsets stay on its own axes."""
    known, mounted = site.calibration.imu, np.asarray(site.calibration.imu.rotation)
    off = [g * known.accel_lsb_per_g for g in known.accel_bias_g]
    off += [0.0, *(dps * known.gyro_lsb_per_dps for dps in known.gyro_bias_dps)]

    def felt(values: Sequence[int]) -> Sequence[float]:
        true = [value - offset for value, offset in zip(values, off, strict=True)]
        accel, gyro = (mounted.T @ turn(*(mounted @ part)) for part in (true[:3], true[4:]))
        turned = [*accel, true[3], *gyro]
        return [value + offset for value, offset in zip(turned, off, strict=True)]

    _felt(site, felt)


def _turned(site: Site, _cell: int, size: float) -> None:
    c, s = cos(radians(size)), sin(radians(size))

    _mounted(site, lambda x, y, z: (x, c * y + s * z, c * z - s * y))


def _yawed(site: Site, _cell: int, _size: float) -> None:
    _mounted(site, lambda x, y, z: (y, -x, z))


def _biased(site: Site, _cell: int, size: float) -> None:
    off = size * MPU_ONE_DPS
    _felt(site, lambda v: [*v[:4], *(g + off for g in v[4:])])


def _shaking(site: Site, _cell: int, size: float) -> None:
    chance = random.Random(5)
    _felt(site, lambda v: [a + chance.gauss(0, size * MPU_ONE_G) for a in v[:3]] + list(v[3:]))


def _hot(site: Site, _cell: int, size: float) -> None:
    _felt(site, lambda v: [*v[:3], (size - 36.53) * 340, *v[4:]])


def _imu_frozen(site: Site, _cell: int, _size: float) -> None:
    held: list[Sequence[int]] = []

    def once(values: Sequence[int]) -> Sequence[int]:
        held[:] = held or [values]
        return held[0]

    _felt(site, once)


def _zeros(site: Site, _cell: int, _size: float) -> None:
    _felt(site, lambda _v: (0,) * 7)


def _imu_unplugged(site: Site, _cell: int, _size: float) -> None:
    site.imu.unplug()


def _loose(site: Site, _cell: int, size: float) -> None:
    chance = random.Random(6)
    site.imu.contact = lambda: chance.random() >= size


def _skipping(site: Site, _cell: int, size: float) -> None:
    chance = random.Random(7)
    site.imu.skips = lambda: chance.random() < size


def _paced(site: Site, _cell: int, size: float) -> None:
    site.imu.pace = size


def _stranger(site: Site, _cell: int, _size: float) -> None:
    site.imu.who = 0xEA


def _int_open(site: Site, _cell: int, _size: float) -> None:
    site.imu.int_open = True  # type: ignore[attr-defined]  # only behind a microcontroller


# --- switch and line ----------------------------------------------------------------------


def _closed(site: Site, _cell: int, _size: float) -> None:
    site.switch(True)


FOUND_S = 1.5
"""A board that opening does not reset greets within a second."""


def _wobbling(site: Site, _cell: int, size: float) -> None:
    """The plug is out for a moment every second and a half, once the board has been found."""
    waits = count()

    def out() -> None:
        if next(waits) * size < FOUND_S:
            return
        if plugged := getattr(site.line, "wobbles", True):
            site.line.unplug()
        else:
            site.line.plug_in()
        site.line.wobbles = not plugged

    site.later(size, out)


def _spoilt(site: Site, _cell: int, size: float) -> None:
    chance = random.Random(8)

    def flip(data: bytes) -> bytes:
        return bytes(b ^ 1 << chance.randrange(8) if chance.random() < size else b for b in data)

    site.line.spoil = flip


def _rebooting(site: Site, _cell: int, size: float) -> None:
    if site.reset is not None:
        site.later(size, site.reset)


BRIDGE, PINS = ("bridge",), ("pins",)

PLANTED: dict[str, PlantedFault] = {
    "unplugged": PlantedFault("load cell's wires", ("cell_unplugged",), "cell", _open),
    "swapped wires": PlantedFault("load cell's wires", ("wires_swapped",), "cell", _factor, -1.0),
    "swapped cells": PlantedFault("load cells' plugs", ("cells_swapped",), "cell", _exchanged),
    "saturated": PlantedFault("bridge in the load cell", ("cell_saturated",), "cell", _broken),
    "noisy": PlantedFault("solder joint", ("cell_noisy",), "cell", _noisy, 8.0),
    "drifting": PlantedFault("load cell", ("cell_drifts",), "cell", _drifting, 0.1),
    "loaded": PlantedFault("plate on a load cell", ("far_from_tare",), "cell", _loaded, 60.0),
    "mains hum": PlantedFault("load cell's cable", ("mains_hum",), "cell", _hum, 2.0),
    "noisy supply": PlantedFault("supply of the HX711s", ("noisy_supply",), "scale", _ripple, 4.0),
    "wrong gain": PlantedFault("amplifier of the HX711", ("wrong_gain",), "cell", _factor, 0.5),
    "stuck": PlantedFault("converter of the HX711", ("cell_stuck",), "cell", _frozen),
    "wrong rate": PlantedFault("RATE pin of the HX711", ("wrong_rate",), "cell", _strapped, 0.0),
    "slow clock": PlantedFault("oscillator", ("wrong_rate",), "cell", _strapped, 62.0),
    "no supply": PlantedFault("VCC of the HX711", ("cell_silent",), "cell", _unplugged),
    "no scale": PlantedFault("VCC of all HX711s", ("scale_silent",), "scale", _all_unplugged),
    "stuck dout": PlantedFault("DOUT wire off", ("cell_silent",), "cell", _unplugged),
    "stuck dout low": PlantedFault("DOUT to ground", ("dout_stuck_low",), "cell", _shorted),
    "clock wire off": PlantedFault("PD_SCK", ("dout_stuck_low",), "cell", _unclocked),
    "corrupt words": PlantedFault("noise on DOUT", ("corrupt_words",), "cell", _bits, 0.004),
    "resetting": PlantedFault("spikes on PD_SCK", ("chip_resets",), "cell", _spikes, 0.01),
    "bad wires": PlantedFault("PD_SCK without ground", ("chip_resets",), "cell", _spikes, 0.45),
    "weak clock": PlantedFault(
        "level of PD_SCK", ("chip_resets", "corrupt_words"), "cell", _weak, 0.01
    ),
    "busy computer": PlantedFault(
        "the kernel's scheduler", ("conversions_missed",), "any", _busy, 0.03, PINS
    ),
    "stalling computer": PlantedFault(
        "the kernel's scheduler", ("computer_stalls",), "scale", _stalling, 0.45, PINS
    ),
    "imu missing": PlantedFault("I2C plug", ("imu_missing",), "imu", _imu_unplugged),
    "imu asleep": PlantedFault("data registers", ("imu_asleep",), "imu", _zeros),
    "imu stuck": PlantedFault("data registers", ("imu_stuck",), "imu", _imu_frozen),
    "imu wrong scale": PlantedFault("range registers", ("imu_wrong_scale",), "imu", _scaled, 0.5),
    "imu upside down": PlantedFault("mounting", ("imu_upside_down",), "imu", _turned, 180.0),
    "imu turned": PlantedFault("mounting", ("imu_axes",), "imu", _turned, 90.0),
    "imu yawed": PlantedFault("mounting", ("imu_disagrees",), "imu", _yawed),
    "gyro bias": PlantedFault("gyroscope", ("gyro_bias",), "imu", _biased, 5.0),
    "imu noisy": PlantedFault("accelerometer", ("imu_noisy",), "imu", _shaking, 0.05),
    "imu hot": PlantedFault("thermometer", ("imu_temperature",), "imu", _hot, 90.0),
    "imu loose": PlantedFault("SDA", ("imu_bus_errors",), "imu", _loose, 0.01),
    "imu skipping": PlantedFault(
        "sampler", ("imu_samples_missed",), "imu", _skipping, 0.05, BRIDGE
    ),
    "imu wrong rate": PlantedFault("oscillator", ("imu_wrong_rate",), "imu", _paced, 1.2),
    "imu unknown": PlantedFault("WHO_AM_I", ("imu_unknown_chip",), "imu", _stranger),
    "int open": PlantedFault("INT wire", ("imu_int_open",), "imu", _int_open, 1.0, BRIDGE),
    "switch closed": PlantedFault("tilt switch", ("switch_stuck",), "tilt_switch", _closed),
    "loose usb": PlantedFault("USB plug", ("loose_link",), "link", _wobbling, 0.75, BRIDGE),
    "bad cable": PlantedFault("serial line", ("damaged_messages",), "link", _spoilt, 5e-4, BRIDGE),
    "rebooting": PlantedFault("RESET pin", ("mcu_reboots",), "link", _rebooting, 3.0, BRIDGE),
}
"""What people say, and where that happens."""


def path_of(orders: Iterable[str]) -> str:
    """The way on which all of the ordered faults can happen: pins, if they can."""
    words = tuple(words for words, fault in PLANTED.items() if fault.paths == BRIDGE)
    bridge = any(" ".join(order.lower().split()).startswith(words) for order in orders)
    return "bridge" if bridge else "pins"


def planted_fault(order: str, path: str = "pins") -> tuple[PlantedFault, int, float]:
    """The fault somebody ordered for a table read on a path, its cell and its size.

    Raises:
        BadTwin: no such fault there, or no such cell.
    """
    known = [words for words, fault in PLANTED.items() if path in fault.paths]
    words, cell, size = ordered(order, known)
    fault = PLANTED[words]
    return fault, cell, fault.size if size is None else size
