from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.resampling import Conversion, Resampler, Rows
from tests.soaked import examples

RATES_HZ = (82.02, 78.5, 80.6, 93.4)


def slope(cell: int, t_s: float) -> int:
    """A load that grows evenly, another on each cell."""
    return round(100_000 + 1000 * cell + 20_000 * (cell + 1) * t_s)


def conversions(seconds: float, rates_hz: tuple[float, ...] = RATES_HZ) -> list:
    """(cell, conversion) in order of time."""
    found = []
    for cell, rate_hz in enumerate(rates_hz):
        times = np.arange(0.013 + 0.002 * cell, seconds, 1 / rate_hz)
        found += [
            (cell, Conversion(float(t_s), n % 256, slope(cell, t_s), good=True))
            for n, t_s in enumerate(times)
        ]
    return sorted(found, key=lambda pair: pair[1].t_s)


def resampled(found: list, resampler: Resampler | None = None, lag_s: float = 0.02) -> Rows:
    """Rows as a live table gets them: conversion by conversion."""
    resampler = resampler or Resampler(80.0)
    pieces = []
    for cell, conversion in found:
        resampler.add(cell, conversion)
        pieces.append(resampler.take(conversion.t_s + lag_s))
    return Rows(
        np.concatenate([rows.t_s for rows in pieces]),
        np.concatenate([rows.counts for rows in pieces]),
        np.concatenate([rows.trusted for rows in pieces]),
    )


def test_rows_lie_on_an_even_grid_and_on_the_straight_line_of_each_cell() -> None:
    rows = resampled(conversions(3.0))

    assert np.allclose(np.diff(rows.t_s), 1 / 80)
    assert rows.trusted.all()
    expected = [[slope(cell, t_s) for cell in range(4)] for t_s in rows.t_s]
    assert np.abs(rows.counts - expected).max() <= 1


def test_a_row_comes_two_conversions_after_its_moment_at_most() -> None:
    resampler, latest = Resampler(80.0), []
    for cell, conversion in conversions(3.0):
        resampler.add(cell, conversion)
        latest += [conversion.t_s - t_s for t_s in resampler.take(conversion.t_s).t_s]

    assert max(latest) < 2.2 / 78.5


def test_a_condemned_conversion_is_bridged_by_its_neighbours() -> None:
    found = conversions(2.0)
    spoilt = next(n for n, (cell, c) in enumerate(found) if cell == 2 and c.t_s > 1.0)
    cell, conversion = found[spoilt]
    found[spoilt] = (cell, replace(conversion, count=-1, good=False))
    rows = resampled(found)

    assert rows.trusted.all()
    assert np.abs(rows.counts[:, 2] - [slope(2, t_s) for t_s in rows.t_s]).max() <= 1


@pytest.mark.parametrize("last_number", [80, 255])
def test_the_word_before_a_silence_is_not_believed_though_its_reader_had_no_doubt(
    last_number: int,
) -> None:
    """A power cycle: one wrong word, then the settling time without any; numbers go on."""
    found = [pair for pair in conversions(2.0) if pair[0] != 1 or not 1.0 < pair[1].t_s < 1.06]
    last = max(n for n, (cell, c) in enumerate(found) if cell == 1 and c.t_s <= 1.0)
    cell, conversion = found[last]
    found[last] = (cell, replace(conversion, count=-8_000_000))
    renumbered, number = [], last_number - sum(cell == 1 for cell, _ in found[:last])
    for cell, conversion in found:
        renumbered.append((cell, conversion))
        if cell == 1:
            renumbered[-1] = (cell, replace(conversion, index=number % 256))
            number += 1
    resampler = Resampler(80.0)
    rows = resampled(renumbered, resampler)

    truth = np.array([slope(1, t_s) for t_s in rows.t_s])
    assert np.abs(rows.counts[:, 1] - truth)[rows.trusted[:, 1]].max() <= 1
    assert 3 <= (~rows.trusted[:, 1]).sum() <= 8
    assert resampler.condemned == (0, 1, 0, 0)


def test_frames_lost_on_the_line_condemn_nothing() -> None:
    found = [pair for pair in conversions(2.0) if pair[0] != 1 or not 1.0 < pair[1].t_s < 1.02]
    resampler = Resampler(80.0)
    rows = resampled(found, resampler)

    assert resampler.condemned == (0, 0, 0, 0)
    assert rows.trusted.all()


def test_a_dead_cell_is_waited_for_once_and_the_others_go_on() -> None:
    found = [pair for pair in conversions(3.0) if pair[0] != 3 or pair[1].t_s < 1.0]
    resampler, delays = Resampler(80.0), []
    for cell, conversion in found:
        resampler.add(cell, conversion)
        rows = resampler.take(conversion.t_s)
        delays += [(t_s, conversion.t_s - t_s) for t_s in rows.t_s]
        assert rows.trusted[:, :3].all()
        assert not rows.trusted[rows.t_s > 1.0, 3].any()

    assert max(delay for t_s, delay in delays if t_s > 1.2) < 0.03
    assert max(delay for _, delay in delays) < 0.13


def test_a_cell_that_is_back_is_believed_again() -> None:
    found = [pair for pair in conversions(3.0) if pair[0] != 3 or not 1.0 < pair[1].t_s < 2.0]
    rows = resampled(found)
    later = rows.t_s > 2.1

    assert rows.trusted[later].all()
    assert np.abs(rows.counts[later, 3] - [slope(3, t_s) for t_s in rows.t_s[later]]).max() <= 1


def test_without_any_cell_there_are_no_rows() -> None:
    resampler = Resampler(80.0)

    assert not len(resampler.take(10.0).t_s)


def test_three_cells_begin_without_the_fourth() -> None:
    rows = resampled([pair for pair in conversions(1.0) if pair[0] != 0])

    assert len(rows.t_s) > 60
    assert rows.trusted[:, 1:].all()
    assert not rows.trusted[:, 0].any()


def test_after_an_interruption_no_line_is_drawn_across() -> None:
    resampler = Resampler(80.0)
    before = resampled([pair for pair in conversions(3.0) if pair[1].t_s < 1.0], resampler)
    resampler.interrupt()
    after = resampled([pair for pair in conversions(3.0) if pair[1].t_s > 1.03], resampler)

    assert before.t_s[-1] < 1.0
    assert after.t_s[0] > 1.03
    assert after.trusted.all()


def test_after_an_interruption_a_cell_that_was_dead_is_waited_for_again() -> None:
    for back_s in np.arange(1.1, 1.2, 0.002):
        resampler = Resampler(80.0)
        found = [(cell, c) for cell, c in conversions(2.0) if cell != 1 or c.t_s > 1.0]
        resampled([pair for pair in found if pair[1].t_s < 1.0], resampler)
        resampler.interrupt()
        after = resampled([pair for pair in found if pair[1].t_s > back_s], resampler, 0.0)

        assert after.trusted.all()


def test_chips_wired_for_ten_samples_a_second_are_slow_and_not_dead() -> None:
    rows = resampled(conversions(8.0, (10.0, 8.6, 10.6, 11.68)))
    later = rows.t_s > 3.0

    assert later.sum() > 350
    assert rows.trusted[later].all()


@pytest.mark.parametrize("slow_hz", [8.6, 10.6, 31.0])
def test_one_slow_cell_among_three_is_waited_for_at_each_row(slow_hz: float) -> None:
    found = conversions(6.0, (82.02, 78.5, slow_hz, 93.4))
    resampler, delays = Resampler(80.0), []
    trusted, counted = [], []
    for cell, conversion in found:
        resampler.add(cell, conversion)
        rows = resampler.take(conversion.t_s)
        delays += [conversion.t_s - t_s for t_s in rows.t_s if t_s > 1.5]
        trusted += rows.trusted[rows.t_s > 1.0].tolist()
        counted += [rows.counts[n, 2] - slope(2, t_s) for n, t_s in enumerate(rows.t_s) if t_s > 1]

    assert len(trusted) > 370
    assert np.all(trusted)
    assert np.abs(counted).max() <= 1
    assert max(delays) < 2.5 / slow_hz


@examples(30)
@given(st.integers(0, 2**31), st.floats(0.0, 0.3))
def test_rows_are_in_order_and_never_wrong_whatever_is_lost(seed: int, share: float) -> None:
    chance = np.random.default_rng(seed)
    found = [pair for pair in conversions(1.0) if chance.random() >= share]
    rows = resampled(found)

    assert (np.diff(rows.t_s) > 0).all()
    truth = np.array([[slope(cell, t_s) for cell in range(4)] for t_s in rows.t_s]).reshape(-1, 4)
    assert np.abs(rows.counts - truth)[rows.trusted].max(initial=0) <= 1


@pytest.mark.parametrize("backwards_s", [0.0, 0.001])
def test_a_conversion_that_steps_back_in_time_is_dropped(backwards_s: float) -> None:
    found = conversions(1.0)
    again = [(cell, replace(c, t_s=c.t_s - backwards_s, count=0)) for cell, c in found[100:108]]
    rows = resampled([*found[:108], *again, *found[108:]])

    truth = np.array([[slope(cell, t_s) for cell in range(4)] for t_s in rows.t_s])
    assert np.abs(rows.counts - truth)[rows.trusted].max() <= 1
