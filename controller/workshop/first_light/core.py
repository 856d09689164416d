"""What is asked for, what it means, and what one load cell on a desk tells about its wiring. Pure.

Conversions and voltages go in with the time, a `Look` comes out for whoever sits in front of it.
Nothing is calibrated yet: grams are a guess by a usual bar of 1 kg.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isnan, nan
from typing import Literal

import numpy as np

from engine.samples import SensorReport
from engine.tabletop import CELL_COUNT, load_cell_name
from hw.building.design import PLAIN_GAIN
from hw.calibration import COUNTS_MAX, COUNTS_MIN
from hw.conversions import (
    NONE_OF_EACH,
    Conversions,
    OfEach,
    joined_conversions,
    period_s,
    strap_hz,
)
from hw.rate_watch import ALLOWED_RATE
from hw.signal_figures import robust_sd
from hw.source import LinkHealth, Voltages
from hw.troubles import CELL_LOW, CHIP_LOW, THE_CHIP_LOW

REST_S = 5.0
"""50 conversions of a slow chip: its noise to a tenth."""
PRESS_S = 60.0
"""To read what is asked for, look for the bar, and press."""
PROBE_S = 45.0
"""To find a wire."""

LEAST_HEARD = 8
"""Conversions in `REST_S` from which a chip counts as there: a slow one gives 50."""
SMOOTHED_S = 0.1
PRESS_SIGMAS, PRESS_COUNTS = 20.0, 20_000.0
"""A finger is 50 g and more: 20,000 counts and more, even of a bar of 5 kg. The drift of a bar that
was just taken into the hand is a tenth of that."""
RELEASED = 0.5
"""Of the press: it was let go."""

NOISE_MOST_COUNTS = 500.0
"""Three times the noisiest board on record (172 counts)."""
ZERO_MOST = 0.5
"""Of the range, which is 3.9 mV/V at gain 128: an unloaded bar is within 0.5 mV/V, one that was
bent beyond its limit is not."""
END_SHARE = 0.01
LOW_CODES = frozenset(kind.code for kind in (CELL_LOW, CHIP_LOW, THE_CHIP_LOW))
"""What drivers and bridge say of a DOUT that stays low."""

SUPPLY_LEAST_V = 4.4
"""What the regulator on an HX711 board needs to make 4.3 V (schematics/pins.yaml)."""
GROUND_MOST_V = 0.1
"""0.3 mA through any solder bridge is nothing; without one the bridge's current finds its way
through a diode in the chip: 0.8 and 0.96 V were measured (forum.arduino.cc 411774,
community.home-assistant.io 664236)."""
TOUCHED = 0.95
"""Of the supply: a free probe has it all, by its pull-up."""
HALF = 0.5
"""Of the supply: E- is under it, E+ over it."""
EXCITATION_V = (3.7, 4.8)
"""4.1 to 4.5 V, and the chip's reference may be a tenth off."""

Verdict = Literal["ok", "wrong", "note", "unknown"]


class Step(StrEnum):
    """What is asked for; also the key of its words (`first_<step>`)."""

    REST = "rest"
    PRESS = "press"
    E_MINUS = "e_minus"
    E_PLUS = "e_plus"
    DONE = "done"


ORDER = tuple(Step)
PATIENCE_S = {
    Step.REST: REST_S, Step.PRESS: PRESS_S, Step.E_MINUS: PROBE_S, Step.E_PLUS: PROBE_S
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """One thing that was looked at.

    Attributes:
        code: key of its words, without `first_`.
        verdict: `wrong` needs mending; `note` will do today.
        args: what is filled into the words.
    """

    code: str
    verdict: Verdict
    args: Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class CellSeen:
    """The one chip that answers, at rest.

    Attributes:
        cell: its number.
        rate_hz: NaN when unknown.
        noise_counts, zero_counts: of single conversions.
        ends: share of them at an end of the range.
        frozen: it gives the same count again and again.
    """

    cell: int
    rate_hz: float
    noise_counts: float
    zero_counts: float
    ends: float
    frozen: bool

    @property
    def alive(self) -> bool:
        """Whether a press could be seen."""
        return self.ends <= END_SHARE and not self.frozen


class FirstLight:
    """One visit to the desk.

    Attributes:
        step: what is asked for now.
        seen: the chip that answers; None before the rest is over, or if there is none.
        load_counts: of the present moment, over the rest.
        pressed_counts: the strongest press.
        heard: all conversions, for whoever is asked for help.
        voltages: all that were measured.
        low: sensors (`scale.0`) whose DOUT was said to stay low.
    """

    def __init__(self) -> None:
        self.step = Step.REST
        self.seen: CellSeen | None = None
        self.load_counts = self.pressed_counts = 0.0
        self.heard: OfEach = NONE_OF_EACH
        self.voltages: list[Voltages] = []
        self.low: list[str] = []
        self.e_minus_v = self.e_plus_v = nan
        self._since_s: float | None = None
        self._threshold = PRESS_COUNTS

    @property
    def share(self) -> float:
        """How far the bar on the screen is out: the finger while it is asked for, 0 to 1."""
        if self.step is not Step.PRESS:
            return 0.0
        return min(1.0, abs(self.load_counts) / (5 * self._threshold))

    def skip(self) -> None:
        """Leave the present step out."""
        if self.step is not Step.DONE:
            self._to(ORDER[ORDER.index(self.step) + 1], self._since_s or 0.0)

    def feed(
        self,
        now_s: float,
        cells: OfEach,
        voltages: Voltages | None = None,
        reports: Iterable[SensorReport] = (),
    ) -> None:
        """What has come since the last call; `voltages` is None when nothing new was measured."""
        self.low += [each.sensor for each in reports if each.code in LOW_CODES]
        if self._since_s is None:
            self._since_s = now_s
        if any(len(each) for each in cells):
            self.heard = joined_conversions([self.heard, cells])
        if voltages is not None:
            self.voltages.append(voltages)
        if self.step is Step.DONE:
            return
        over = now_s - self._since_s > PATIENCE_S[self.step]
        if self._fulfilled(voltages, over=over) or over:
            self._to(self._next(), now_s)

    def _fulfilled(self, voltages: Voltages | None, *, over: bool) -> bool:
        match self.step:
            case Step.REST:
                if over:
                    self.seen = seen_at_rest(self.heard)
                return False
            case Step.PRESS:
                return self._felt()
            case _:
                return voltages is not None and self._probed(voltages)

    def _next(self) -> Step:
        if self.step is Step.REST and (self.seen is None or not self.seen.alive):
            return Step.E_MINUS if self.voltages and self.seen else Step.DONE
        if self.step is Step.PRESS and not self.voltages:
            return Step.DONE
        return ORDER[ORDER.index(self.step) + 1]

    def _to(self, step: Step, now_s: float) -> None:
        self.step, self._since_s = step, now_s
        if step is Step.PRESS and self.seen is not None:
            self._threshold = max(PRESS_COUNTS, PRESS_SIGMAS * self.seen.noise_counts)

    def _felt(self) -> bool:
        """Whether somebody has pressed and let go."""
        if self.seen is None:
            return False
        given = self.heard[self.seen.cell]
        latest = given.since(given.t_s[-1] - SMOOTHED_S) if len(given) else given
        good = latest.counts[latest.good]
        if len(good):
            self.load_counts = float(np.median(good)) - self.seen.zero_counts
        if abs(self.load_counts) > abs(self.pressed_counts):
            self.pressed_counts = self.load_counts
        strongest = abs(self.pressed_counts)
        return strongest > self._threshold and abs(self.load_counts) < RELEASED * strongest

    def _probed(self, measured: Voltages) -> bool:
        share = measured.probe_v / measured.supply_v if measured.supply_v else 1.0
        if self.step is Step.E_MINUS and share < HALF:
            self.e_minus_v = measured.probe_v
            return True
        if self.step is Step.E_PLUS and HALF <= share < TOUCHED:
            self.e_plus_v = measured.probe_v
            return True
        return False

    def results(self, link: LinkHealth | None) -> list[Result]:
        """All that was looked at, in the order of the signal's way."""
        found: list[Result] = []
        if link is not None:
            found += _of_line(link)
        found += _of_supply(self.voltages)
        if self.seen is None:
            return [*found, _absent(self.low)]
        found += _of_cell(self.seen)
        if self.seen.alive:
            found += self._of_press()
        return found + (list(self._of_probe()) if self.voltages else [])

    def _of_press(self) -> Iterator[Result]:
        if abs(self.pressed_counts) <= self._threshold:
            yield Result("dark", "wrong", {"seconds": round(PRESS_S)})
            return
        cell = load_cell_name(self.seen.cell) if self.seen else ""
        yield Result("light", "ok", {"cell": cell, "grams": grams(self.pressed_counts)})

    def _of_probe(self) -> Iterator[Result]:
        for code, volts, low_v, high_v in (
            ("e_minus", self.e_minus_v, 0.0, GROUND_MOST_V),
            ("e_plus", self.e_plus_v, *EXCITATION_V),
        ):
            if isnan(volts):
                yield Result(f"{code}_unknown", "unknown", {})
            elif low_v <= volts <= high_v:
                yield Result(f"{code}_ok", "ok", {"volts": round(volts, 2)})
            else:
                yield Result(f"{code}_off", "wrong", {"volts": round(volts, 2)})


def grams(counts: float) -> int:
    """Roughly, to two digits: nobody knows the bar yet.

    >>> grams(-123_456)
    120
    """
    roughly = abs(counts) / PLAIN_GAIN
    return int(float(f"{roughly:.2g}"))


def seen_at_rest(heard: OfEach) -> CellSeen | None:
    """The chip with the most conversions, if any is there."""
    cell = max(range(CELL_COUNT), key=lambda each: len(heard[each]))
    given = _spoken(heard[cell])
    if len(given) < LEAST_HEARD:
        return None
    counts = given.counts.astype(np.float64)
    period = period_s(given.t_s, given.steps)
    return CellSeen(
        cell=cell,
        rate_hz=nan if isnan(period) else 1 / period,
        noise_counts=robust_sd(counts),
        zero_counts=float(np.median(counts)),
        ends=float(np.mean((counts >= COUNTS_MAX) | (counts <= COUNTS_MIN))),
        frozen=bool((counts == counts[0]).all()),
    )


def _spoken(given: Conversions) -> Conversions:
    """The good ones; and of a chip at the end of its range, whose words are condemned, those."""
    ends = (given.counts >= COUNTS_MAX) | (given.counts <= COUNTS_MIN)
    return given.only(given.good | ends)


def _of_line(link: LinkHealth) -> Iterator[Result]:
    lost = link.bad_crc + link.bad_form + link.lost_on_line + link.dropped_by_device
    yield Result("line", "note", {"n": lost}) if lost else Result("line_ok", "ok", {})


def _of_supply(voltages: Sequence[Voltages]) -> Iterator[Result]:
    known = [each.supply_v for each in voltages if each.supply_v]
    if known:
        volts = float(np.median(known))
        low = volts < SUPPLY_LEAST_V
        args = {"volts": round(volts, 2)}
        yield Result("supply", "wrong", args) if low else Result("supply_ok", "ok", args)


def _absent(low: Sequence[str]) -> Result:
    """Nobody answers: DOUT stays high on all pins, or low on one."""
    if not low:
        return Result("silent", "wrong", {})
    return Result("low", "wrong", {"cell": f"C{low[0].removeprefix('scale.')}"})


def _of_cell(seen: CellSeen) -> Iterator[Result]:
    cell = load_cell_name(seen.cell)
    if seen.ends > END_SHARE:
        yield Result("end", "wrong", {"cell": cell})
        return
    if seen.frozen:
        yield Result("frozen", "wrong", {"cell": cell, "counts": round(seen.zero_counts)})
        return
    yield from _of_rate(seen)
    noisy = seen.noise_counts > NOISE_MOST_COUNTS
    noise = {"counts": round(seen.noise_counts), "limit": round(NOISE_MOST_COUNTS)}
    yield Result("noise", "wrong", noise) if noisy else Result("noise_ok", "ok", noise)
    share = abs(seen.zero_counts) / COUNTS_MAX
    if share > ZERO_MOST:
        yield Result("zero", "wrong", {"percent": round(100 * share)})


def _of_rate(seen: CellSeen) -> Iterator[Result]:
    if isnan(seen.rate_hz):
        return
    strap = strap_hz(seen.rate_hz)
    args = {"rate": round(seen.rate_hz, 1)}
    if abs(seen.rate_hz / strap - 1) > ALLOWED_RATE:
        yield Result("rate_odd", "wrong", args)
    elif strap < 40:
        yield Result("rate_slow", "note", args)
    else:
        yield Result("rate_ok", "ok", args)
