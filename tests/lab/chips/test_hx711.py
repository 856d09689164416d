from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.chips.hx711 import (
    COUNT_MAX,
    COUNT_MIN,
    POWER_DOWN_US,
    UPDATE_US,
    Conversion,
    Hx711,
    MidRead,
)

PERIOD_US = 12_500.0


def chip(count: float = 1000.0, **switches: object) -> Hx711:
    made = Hx711("HX711 0", 80.0, lambda _conversion: count)
    for name, value in switches.items():
        assert hasattr(made, name)
        setattr(made, name, value)
    return made


def wait_ready(part: Hx711, longest_us: float = 10 * PERIOD_US) -> float:
    """The time at which DOUT falls, to 10 us."""
    t_us = part.now_us
    while part.dout(t_us):
        t_us += 10.0
        assert t_us < part.now_us + longest_us
    return t_us


def pulse(part: Hx711, t_us: float, high_us: float = 1.0) -> tuple[int, float]:
    """One pulse; the bit seen and the time after it."""
    part.sck(1, t_us)
    bit = part.dout(t_us + min(high_us, 1.0) / 2)
    part.sck(0, t_us + high_us)
    return bit, t_us + high_us + 1.0


def read(part: Hx711, t_us: float, pulses: int = 25) -> int:
    """Clock out a data word as the data sheet's timing diagram shows it."""
    word = 0
    for number in range(pulses):
        bit, t_us = pulse(part, t_us)
        word = word << 1 | bit if number < 24 else word
    return word - (1 << 24) if word >> 23 else word


def next_data_word(part: Hx711, pulses: int = 25) -> int:
    return read(part, wait_ready(part), pulses)


@given(count=st.integers(COUNT_MIN, COUNT_MAX))
def test_a_word_comes_out_highest_bit_first_in_twos_complement(count: int) -> None:
    part = chip(count)

    assert next_data_word(part) == count
    assert [given.data_word for given in part.given] == [count]
    assert part.violations == []


def test_dout_is_high_after_the_25th_pulse_until_the_next_conversion() -> None:
    part = chip()
    next_data_word(part)

    assert part.dout(part.now_us + 1)
    assert not part.dout(part.now_us + 1.1 * PERIOD_US)


@given(count=st.one_of(st.floats(COUNT_MAX, 1e12), st.floats(-1e12, COUNT_MIN)))
def test_it_saturates_at_both_ends(count: float) -> None:
    assert next_data_word(chip(count)) == (COUNT_MAX if count > 0 else COUNT_MIN)


def test_the_first_word_comes_four_and_a_half_periods_after_power_up() -> None:
    for seed in range(20):
        part = Hx711("", 80.0, lambda _conversion: 7, seed=seed)
        assert 4.3 * PERIOD_US < wait_ready(part) < 4.55 * PERIOD_US


def test_a_chip_that_does_not_settle_in_silence_gives_four_mixtures_first() -> None:
    part = chip(1000, settles_in_silence=False)
    # The switch holds from the next power-up on.
    part.sck(1, 10.0)
    part.sck(0, 100.0)

    assert [next_data_word(part) for _ in range(6)] == [200, 400, 600, 800, 1000, 1000]


def test_the_number_of_pulses_chooses_gain_and_channel_of_the_next_conversion() -> None:
    part = chip(1000)
    part.channel_b = lambda _conversion: -77
    assert next_data_word(part, 27) == 1000
    assert [next_data_word(part, 27) for _ in range(6)][-2:] == [500, 500]
    next_data_word(part, 26)
    assert [next_data_word(part, 26) for _ in range(6)][-2:] == [-77, -77]
    assert part.gain_pulses == 26
    assert part.violations == []


@pytest.mark.parametrize(("keeps_gain", "after"), [(True, 500), (False, 1000)])
def test_the_gain_after_a_power_cycle_is_a_switch(keeps_gain: bool, after: int) -> None:
    part = chip(1000, keeps_gain=keeps_gain)
    for _ in range(6):
        next_data_word(part, 27)
    t_us = part.now_us + 5
    part.sck(1, t_us)
    part.sck(0, t_us + 100)

    assert next_data_word(part, 27) == after
    assert part.power_downs == 1
    assert part.violations == []


def test_sixty_microseconds_high_powers_it_down_and_fifty_are_too_long() -> None:
    for high_us, powered_down, broken in ((50.0, 0, 0), (59.9, 0, 1), (60.1, 1, 0)):
        part = chip()
        pulse(part, wait_ready(part), high_us)
        assert (part.power_downs, len(part.violations)) == (powered_down, broken)


def test_while_powered_down_it_does_not_convert_and_dout_is_high() -> None:
    part = chip()
    t_us = wait_ready(part)
    part.sck(1, t_us)

    assert not part.dout(t_us + POWER_DOWN_US - 1)
    assert part.dout(t_us + POWER_DOWN_US + 1)
    assert part.dout(t_us + 20 * PERIOD_US)
    part.sck(0, t_us + 20 * PERIOD_US)
    assert 4.3 < (wait_ready(part) - t_us) / PERIOD_US - 20 < 4.55


def broken_by(part: Hx711) -> str:
    """What was broken after all that follows from it has come out."""
    part.advance(part.now_us + 2 * PERIOD_US)
    return "; ".join(part.violations)


def test_a_driver_that_clocks_wrongly_is_found_out() -> None:
    few = chip()
    read(few, wait_ready(few), 24)
    assert "after 24 pulses; 25 to 27" in broken_by(few)

    many = chip()
    read(many, wait_ready(many), 28)
    assert "more than 27 pulses" in broken_by(many)

    early = chip()
    read(early, 100.0)
    assert "although DOUT was high" in broken_by(early)

    short = chip()
    pulse(short, wait_ready(short), 0.1)
    assert "high for 0.10 us" in broken_by(short)

    hasty = chip()
    t_us = wait_ready(hasty)
    pulse(hasty, t_us)
    pulse(hasty, t_us + 1.1)
    assert "low for 0.10 us" in broken_by(hasty)

    cruel = chip()
    t_us = wait_ready(cruel)
    for _ in range(9):
        _, t_us = pulse(cruel, t_us)
    pulse(cruel, t_us, 80.0)
    assert "in the middle of a reading, after 10 pulses" in broken_by(cruel)


def test_a_disturbance_that_was_ordered_is_nobodys_fault() -> None:
    part = chip()
    t_us = wait_ready(part)
    part.excuse()
    for high_us in [1.0] * 9 + [200.0] + [1.0] * 15:
        _, t_us = pulse(part, t_us, high_us)

    assert part.violations == []
    assert len(part.disturbances) == 16
    for _ in range(2):
        next_data_word(part)
    assert part.violations == []
    read(part, part.now_us + 10)
    assert part.violations, "afterwards the rules hold again"


@pytest.mark.parametrize(
    ("mid_read", "word"),
    [
        (MidRead.HELD, 0x000000),
        (MidRead.MIXED, 0x000FFF),
        (MidRead.RESTART, 0x000FFF),
    ],
)
def test_a_conversion_that_ends_during_a_reading(mid_read: MidRead, word: int) -> None:
    counts = iter([0] * 5 + [-1] * 9)
    part = Hx711("", 80.0, lambda _conversion: next(counts))
    part.mid_read = mid_read
    t_us = wait_ready(part)
    bits = 0
    for number in range(24):
        if number == 12:
            t_us += 1.01 * PERIOD_US
        bit, t_us = pulse(part, t_us)
        bits = bits << 1 | bit

    assert bits == word
    assert "after 12 pulses" in part.violations[0]


def test_an_unread_word_makes_way_for_the_next_with_a_short_high() -> None:
    part = chip()
    t_us = wait_ready(part)
    part.advance(t_us + 0.5 * PERIOD_US)
    edge_us = part.next_change_us
    assert not part.dout(edge_us - 1)
    assert part.dout(edge_us + 1)
    assert part.next_change_us == pytest.approx(edge_us + UPDATE_US)
    assert not part.dout(edge_us + UPDATE_US + 1)
    assert part.unread == 1


def test_stuck_and_cut_wires() -> None:
    shorted = chip(shorted=True)
    assert [shorted.dout(t_us) for t_us in (1.0, 1e5)] == [0, 0]

    unplugged = chip(plugged=False)
    assert [unplugged.dout(t_us) for t_us in (1.0, 1e5)] == [1, 1]
    unplugged.plug(1e5)
    assert next_data_word(unplugged) == 1000

    deaf = chip(clock_wired=False)
    assert next_data_word(deaf) == 0
    assert not deaf.dout(deaf.now_us)
    assert (deaf.given, deaf.violations) == ([], [])


def test_it_converts_on_its_own_at_its_own_rate_with_jitter() -> None:
    ends: list[float] = []

    def note(conversion: Conversion) -> float:
        ends.append(conversion.t_us)
        return 0.0

    part = Hx711("", 93.4, note, seed=4)
    part.advance(10e6)
    gaps = [after - before for before, after in pairwise(ends)]

    assert len(ends) == pytest.approx(934, abs=2)
    assert len(set(gaps)) == len(gaps)
    assert max(gaps) / min(gaps) < 1.005


@given(cuts=st.lists(st.floats(0.0, 50_000.0), max_size=30))
def test_how_often_it_is_looked_at_changes_nothing(cuts: list[float]) -> None:
    def outcome(looks: list[float]) -> tuple[list[object], int]:
        part = Hx711("", 80.0, lambda conversion: conversion.t_us, seed=9)
        for t_us in sorted(looks):
            part.dout(100_000.0 + t_us)
        part.advance(200_000.0)
        part.dout(200_000.0)
        read(part, 200_200.0)
        return list(part.given), part.unread

    assert outcome(cuts) == outcome([])
