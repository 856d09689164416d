from itertools import pairwise
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from hw.drivers.hx711_bits import BitReader, signed
from tests.hw.cells import SimulatedCell


@given(count=st.integers(-(2**23), 2**23 - 1))
def test_two_s_complement_is_undone(count: int) -> None:
    assert signed(count & 0xFFFFFF) == count


def test_no_pulse_is_longer_than_two_accesses_to_a_pin() -> None:
    table = SimulatedCell(BitReader)
    levels: list[tuple[bool, float]] = []
    sck = table.chip.sck

    def noted(level: int, t_us: float) -> None:
        levels.append((bool(level), t_us))
        sck(level, t_us)

    with patch.object(table.chip, "sck", noted):
        table.run(0.2)
    highs = [t_us for level, t_us in levels if level]
    lows = [t_us for (was, _), (level, t_us) in pairwise(levels) if was and not level]

    assert len(highs) % 25 == 0
    assert max(low - high for high, low in zip(highs, lows, strict=True)) < 2.0


def test_a_word_is_given_up_at_the_first_stretched_pulse() -> None:
    table = SimulatedCell(BitReader)
    table.run(0.2)
    away = iter([0.0, 0.0, 200.0])
    table.clock.away_us = lambda: next(away, 0.0)
    table.run(0.03)

    assert table.cell.tally.stretched == 1
    assert table.chip.power_downs == 3, "at the start, by the disturbance, and for a defined start"
    assert table.chip.violations == []
