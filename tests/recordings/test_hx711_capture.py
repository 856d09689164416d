"""A real HX711 at 80 SPS, captured by a logic analyser, against the model of chip and driver."""

import numpy as np
import pytest

from hw.conversions import HasConversions, period_s
from lab.chips.hx711 import DATA_BITS, PULSES_A128
from tests.planted_tables import PATHS
from tests.recordings.signals import (
    CAPTURE_HZ,
    COFFEE_COUNTS_PER_GRAM,
    capture,
    wires,
)
from tests.recordings.tables import RealCell, diagnosed, live, recorded_table

pytestmark = pytest.mark.recordings_apart
WORDS = 17


def test_its_bits_read_after_each_clock_pulse_are_the_words_that_were_decoded() -> None:
    clock, data = wires()
    fell = np.flatnonzero(np.diff(clock) == -1) + 1
    pulses = fell.reshape(WORDS, PULSES_A128)
    bits = data[pulses[:, :DATA_BITS]]
    words = bits @ (1 << np.arange(DATA_BITS - 1, -1, -1))

    assert (words == capture()[1]).all()


def test_its_rate_and_noise_are_those_of_the_notes() -> None:
    t_s, counts = capture()

    assert 1 / period_s(t_s) == pytest.approx(CAPTURE_HZ, abs=0.02)
    assert np.diff(t_s).std() < 2e-6
    assert counts.std(ddof=1) == pytest.approx(109, abs=3)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_its_counts_come_through_pins_or_firmware_one_by_one(path: str) -> None:
    _, counts = capture()
    cell = RealCell(counts, CAPTURE_HZ, COFFEE_COUNTS_PER_GRAM)
    under = recorded_table(path, (cell, None, None, None))
    # A microcontroller has to start and be found first.
    chip, began = under.site.chips[0], 160
    chip.load_cell = lambda c: float(counts[min(max(c.number - began, 0), WORDS - 1)])
    for now_s in np.arange(0.25, 3.0, 0.25).tolist():
        under.source.poll(now_s)
    assert isinstance(under.source, HasConversions)
    given = under.source.conversions()[0]
    under.source.close()
    first = int(np.flatnonzero(given.counts != counts[0])[0]) - 1

    assert given.counts[first : first + WORDS].tolist() == counts.tolist()
    assert 1 / period_s(given.t_s, given.steps) == pytest.approx(CAPTURE_HZ, rel=0.002)


def redrawn(seed: int, seconds: float) -> RealCell:
    """A cell with the noise of the capture: its seventeen counts, again in any order."""
    chance = np.random.default_rng(seed)
    drawn = chance.choice(capture()[1], int(seconds * CAPTURE_HZ) + 100)
    return RealCell(drawn, CAPTURE_HZ, COFFEE_COUNTS_PER_GRAM)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_table_of_four_with_its_noise_is_well(path: str) -> None:
    cells = [redrawn(seed, 25.0) for seed in range(4)]
    said = live(recorded_table(path, cells), 24.0)

    assert (said.troubles, said.events) == (set(), ())
    for number in range(4):
        figures = said.healths[-1]["sensors"][f"scale.{number}"]
        assert figures["rate_hz"] == pytest.approx(CAPTURE_HZ, abs=0.5)
        assert figures["noise_counts"] == pytest.approx(capture()[1].std(), rel=0.15)
        assert figures["missed"] == figures["resets"] == figures["saturated"] == 0
    assert diagnosed(recorded_table(path, cells), 12.0) == ()
