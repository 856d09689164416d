"""A chip at the wrong rate, from its RATE pin up to what is said and played, on both ways."""

import pytest

from controller.workshop.calibrate.core.recent_samples import RecentSamples
from engine.detect.detector import Detector
from engine.events import Fault, HumanInput, Placed, Restored
from engine.samples import ScaleSamples, SensorReport
from hw.conversions import HasConversions
from hw.errors import BadTwin
from hw.source import Item
from lab.planted import PLANTED, planted_fault
from tests.planted_tables import PlantedTable, at_rate, drawn, table

PATHS = ("pins", "bridge")
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
    assert [e.sensor for e in events if isinstance(e, Fault) and e.t_s > 1.0] == ["rates"]
    assert [e.sensor for e in events if isinstance(e, Restored)] == ["scale.2"]


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


def test_a_fault_that_is_not_there_on_a_way_is_refused() -> None:
    with pytest.raises(BadTwin, match="no such fault"):
        planted_fault("loose usb", "pins")
    assert planted_fault("noisy cell C3 12") == (PLANTED["noisy"], 3, 12.0)
    assert planted_fault("noisy", "bridge") == (PLANTED["noisy"], 0, 8.0)
