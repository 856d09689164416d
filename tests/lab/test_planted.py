"""A chip at the wrong rate, from its RATE pin up to what is said and played, on both ways."""

from typing import Any

import numpy as np
import pytest

from controller.workshop.calibrate.core.recent_samples import RecentSamples
from engine.detect.detector import Detector
from engine.events import Fault, HumanInput, Placed, Restored
from engine.samples import ScaleSamples, SensorReport
from hw.conversions import HasConversions
from hw.errors import BadTwin
from hw.signal_figures import believed, own_rate_hz
from hw.source import Item
from lab.planted import PLANTED, planted_fault
from tests.planted_tables import PATHS, TEN_HZ, PlantedTable, at_rate, drawn, table

RATES_HZ = (82.02, 78.5, 80.6, 84.1)


def strapped(path: str, words: str = "wrong rate cell C2") -> PlantedTable:
    under = table(path, drawn(0), 3, RATES_HZ)
    fault, cell, size = planted_fault(words, path)
    fault.plant(under.site, cell, size)
    return under


def polled(under: PlantedTable, until_s: float, begin_s: float = 0.0) -> list[Item]:
    items, now_s = [], begin_s
    while now_s < until_s:
        now_s += 0.25
        items += under.source.poll(now_s)
    return items


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_slow_cell_is_told_and_waited_for_and_the_table_plays_on(path: str) -> None:
    under = strapped(path)
    detector, events = Detector(under.source.tabletop), []
    under.tower.at(7.0, lambda: under.tower.place("c3"))
    items = polled(under, 12.0)
    under.source.close()
    for item in items:
        if not isinstance(item, HumanInput):
            detector.feed(item)
        while (event := detector.next_event()) is not None:
            events.append(event)

    (said,) = [i for i in items if isinstance(i, SensorReport) and not i.ok]
    assert (said.sensor, said.code, said.args["n"]) == ("rates", "rate_slow", "C2")
    assert said.t_s < 9.0
    rows = [item for item in items if isinstance(item, ScaleSamples) and item.t_s[0] > 3.0]
    assert all(block.valid.all() for block in rows)
    assert [event.cell for event in events if isinstance(event, Placed)] == ["c3"]
    # Until its settling is over and its rate is known, nobody can tell it from a dead one.
    lost = [event for event in events if isinstance(event, Fault)]
    assert [event.sensor for event in lost if event.t_s > 1.0] == ["rates"]
    early = [event.sensor for event in lost if event.t_s <= 1.0]
    assert early in ([], ["scale.2"])
    assert [event.sensor for event in events if isinstance(event, Restored)] == early


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("rates_hz", [(10.6, 11.4, 8.9, 10.2), RATES_HZ])
def test_calibration_measures_the_rate_of_the_chips_and_not_of_the_grid(
    path: str, rates_hz: tuple[float, ...]
) -> None:
    """Drawn, and so resampled, at 80; the rate that is kept is that of the middle chips."""
    under, signals = table(path, at_rate(drawn(0), 80.0), 3, rates_hz), RecentSamples()
    for item in polled(under, 6.0):
        if isinstance(item, ScaleSamples):
            signals.add(item)
    assert isinstance(under.source, HasConversions)
    signals.add_conversions(under.source.conversions())
    t_s, _ = signals.counts(2.0, 6.0)
    under.source.close()
    middle_hz = sum(sorted(rates_hz)[1:3]) / 2

    assert signals.scale_hz(t_s) == pytest.approx(middle_hz, rel=0.01)


def worst(path: str, fault: str, size: float, seconds: float, rates_hz: tuple[float, ...]) -> Any:
    """What the worst chip gives: all its words, and the intervals of those that are believed."""
    under = table(path, at_rate(drawn(4), rates_hz[1]), 4, rates_hz)
    PLANTED[fault].plant(under.site, 1, size)
    polled(under, seconds)
    assert isinstance(under.source, HasConversions)
    given = under.source.conversions()[1]
    under.source.close()
    return given, np.diff(believed(given).t_s) * rates_hz[1]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_wires_like_those_on_record_give_their_gaps_and_lose_their_words(path: str) -> None:
    """rocket-buds, two HX711 on a Pi: gaps of 5.40 periods after words far off, 2/3 lost.

    The spoilt word and the 4.4 periods in which the chip comes back.
    """
    given, periods = worst(path, "bad wires", 0.45, 30.0, TEN_HZ)
    far = np.abs(given.counts - np.median(given.counts)) > 2000
    late = np.append(np.diff(given.t_s) * TEN_HZ[1] > 1.5, False)

    gaps = periods[(periods > 4.9) & (periods < 5.9)]
    assert len(gaps) > 10
    assert np.median(gaps) == pytest.approx(5.40, abs=0.08)
    assert (far & late).sum() > 0.9 * far.sum() > 10
    assert 1 - (len(periods) + 1) / (30.0 * TEN_HZ[1]) == pytest.approx(2 / 3, abs=0.15)


@pytest.mark.slow
def test_a_single_word_that_is_condemned_leaves_a_gap_of_two_periods() -> None:
    """As on record too; it is no silence, and the chip's rate stays what it is."""
    given, periods = worst("bridge", "weak clock", 0.02, 30.0, TEN_HZ)

    assert ((periods > 1.9) & (periods < 2.1)).sum() > 5
    assert own_rate_hz(given) == pytest.approx(TEN_HZ[1], rel=0.01)


@pytest.mark.slow
def test_what_is_left_of_a_word_after_a_lost_pulse_is_no_conversion() -> None:
    """The firmware tries a low DOUT again before a slow chip is done, and reads ones: -1."""
    given, _ = worst("bridge", "weak clock", 0.02, 15.0, TEN_HZ)

    assert (~given.good).sum() > 5
    assert -1 not in given.counts[given.good]


def test_a_fault_that_is_not_there_on_a_way_is_refused() -> None:
    with pytest.raises(BadTwin, match="no such fault"):
        planted_fault("loose usb", "pins")
    assert planted_fault("noisy cell C3 12") == (PLANTED["noisy"], 3, 12.0)
    assert planted_fault("noisy", "bridge") == (PLANTED["noisy"], 0, 8.0)
