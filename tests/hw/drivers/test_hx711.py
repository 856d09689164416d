from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.messages import CellState, ScaleFlag
from hw.drivers.hx711 import (
    DATA_WORDS_TO_FORGET,
    SATURATED_READINGS,
    CountFlag,
    Hx711Reading,
    read_in_turn,
)
from hw.troubles import CHIP_END, CHIP_LOW, CHIP_SILENT
from lab.chips.hx711 import Hx711, LoadCell, MidRead
from lab.chips.pins import SimulatedTime, preempted
from tests.hw.cells import DRIVERS, Driver, SimulatedCell, different
from tests.soaked import examples

both_drivers = pytest.mark.parametrize("driver", DRIVERS)


@both_drivers
def test_every_conversion_is_read_right_and_by_the_rules(driver: Driver) -> None:
    table = SimulatedCell(driver)
    seen = table.run(3.0)

    assert len(seen) > 230
    assert all(one.reading.valid for one in seen[DATA_WORDS_TO_FORGET:])
    assert not any(one.silently_wrong for one in seen)
    assert table.chip.unread == 0
    assert table.chip.violations == []


@both_drivers
@examples(30)
@given(count=st.integers(-0x7FFFFF, 0x7FFFFE))
def test_any_count_comes_back_with_its_sign(driver: Driver, count: int) -> None:
    seen = SimulatedCell(driver, load_cell=lambda _conversion: count).run(0.15)

    assert seen[-1].reading.valid
    assert seen[-1].reading.count == count


@both_drivers
@examples(50)
@given(
    pulse=st.integers(0, 24),
    away_us=st.floats(10.0, 20_000.0),
    switches=st.tuples(st.booleans(), st.booleans()),
    seed=st.integers(0, 1000),
)
def test_no_single_disturbed_pulse_is_ever_silently_wrong(
    driver: Driver, pulse: int, away_us: float, switches: tuple[bool, bool], seed: int
) -> None:
    table = SimulatedCell(driver, seed=seed)
    table.run(0.15)
    table.chip.keeps_gain, table.chip.settles_in_silence = switches
    pulses = iter([*[0.0] * pulse, away_us])
    table.clock.away_us = lambda: next(pulses, 0.0)
    seen = table.run(0.15)

    assert not any(one.silently_wrong for one in seen)
    assert seen[0].reading.valid or away_us > 45
    assert not seen[0].reading.valid or away_us < 50 or pulse == 24
    assert seen[-1].reading.valid
    assert table.chip.violations == []


@both_drivers
@examples(50)
@given(
    pulse=st.integers(0, 24),
    away_us=st.floats(10.0, 40_000.0),
    mid_read=st.sampled_from(MidRead),
    seed=st.integers(0, 1000),
)
def test_a_reading_that_takes_too_long_is_never_silently_wrong(
    driver: Driver, pulse: int, away_us: float, mid_read: MidRead, seed: int
) -> None:
    table = SimulatedCell(driver, seed=seed)
    table.run(0.15)
    table.chip.mid_read = mid_read
    pauses = iter([*[0.0] * pulse, away_us])
    table.clock.away_low_us = lambda: next(pauses, 0.0)
    seen = table.run(0.2)

    assert not any(one.silently_wrong for one in seen)
    assert seen[-1].reading.valid
    assert table.chip.violations == []


@both_drivers
@examples(40)
@given(
    gaps_s=st.lists(st.floats(1e-5, 0.03), min_size=5, max_size=40),
    mid_read=st.sampled_from(MidRead),
    seed=st.integers(0, 1000),
)
def test_however_unevenly_it_is_polled_nothing_is_silently_wrong(
    driver: Driver, gaps_s: list[float], mid_read: MidRead, seed: int
) -> None:
    table = SimulatedCell(driver, seed=seed)
    table.chip.mid_read = mid_read
    table.run(0.12)
    for gap_s in gaps_s:
        table.time.sleep(gap_s)
        seen = table.poll()
        assert seen is None or not seen.silently_wrong


class AwayTwice(SimulatedTime):
    """Away for 20 ms some accesses after the bits of a data word were out, and for 5 ms later."""

    def __init__(self, accesses: int, more: int) -> None:
        self.chip: Hx711 | None = None
        self._accesses, self._now_us = 0, 0.0
        self._away_us = {accesses: 20_000.0, accesses + more: 5_000.0}

    @property
    def now_us(self) -> float:
        return self._now_us

    @now_us.setter
    def now_us(self, now_us: float) -> None:
        self._now_us = now_us
        if self.chip is not None and self.chip.given:
            self._accesses += 1
            self._now_us += self._away_us.get(self._accesses, 0.0)


@both_drivers
@pytest.mark.parametrize("accesses", range(1, 9))
def test_away_after_one_word_and_in_the_next_nothing_is_silently_wrong(
    driver: Driver, accesses: int
) -> None:
    seen = []
    for more in range(1, 41):
        time = AwayTwice(accesses, more)
        table = SimulatedCell(driver, time=time)
        table.run(0.15)
        table.chip.given.clear()
        time.chip = table.chip
        seen += table.run(0.05)

    assert not any(one.silently_wrong for one in seen)


def test_a_conversion_that_ends_under_a_late_reading_is_condemned() -> None:
    table = SimulatedCell(rate_hz=82.0)
    table.run(0.5)
    table.chip.mid_read = MidRead.MIXED
    while table.chip.dout(table.time.now_us):
        table.time.sleep(1e-4)
    table.time.now_us = table.chip.next_change_us - 30.0
    seen = table.poll()

    assert seen is not None
    assert seen.reading.flags & CountFlag.LATE
    assert "a conversion ended after" in table.chip.violations[0]


@both_drivers
def test_a_stretched_pulse_is_told_and_what_comes_before_it_settled_is_not_used(
    driver: Driver,
) -> None:
    table = SimulatedCell(driver)
    table.run(0.5)
    table.chip.settles_in_silence = False
    pulses = iter([0.0] * 7 + [200.0])
    table.clock.away_us = lambda: next(pulses, 0.0)
    flags = [one.reading.flags for one in table.run(0.2)]

    assert flags[0] == CountFlag.STRETCHED | CountFlag.RESETTLES
    assert flags[1:5] == [CountFlag.SETTLING] * 4
    assert set(flags[5:]) == {CountFlag(0)}
    assert table.cell.tally.stretched == 1


def test_a_chip_that_settles_in_silence_loses_no_reading_more_than_it_must() -> None:
    table = SimulatedCell()
    table.run(0.5)
    pulses = iter([200.0])
    table.clock.away_us = lambda: next(pulses, 0.0)
    seen = table.run(0.2)

    assert seen[0].reading.flags == CountFlag.STRETCHED | CountFlag.RESETTLES
    assert all(one.reading.valid for one in seen[1:])


@both_drivers
def test_a_word_whose_bits_were_all_out_is_kept_and_its_power_cycle_condemns_nothing(
    driver: Driver,
) -> None:
    table = SimulatedCell(driver)
    table.run(0.5)
    pulses = iter([0.0] * 24 + [200.0])
    table.clock.away_us = lambda: next(pulses, 0.0)
    kept, following = table.run(0.2)[:2]

    assert kept.reading.flags == CountFlag.RESETTLES
    assert kept.reading.count == kept.data_word
    assert following.reading.flags == CountFlag(0)
    assert table.chip.violations == []


@both_drivers
def test_one_pulse_in_a_hundred_stretched_gives_nothing_wrong(driver: Driver) -> None:
    table = SimulatedCell(driver)
    table.clock.away_us = preempted(0.01, seed=3)
    seen = table.run(20.0)

    assert not any(one.silently_wrong for one in seen)
    assert sum(one.reading.valid for one in seen) > 20 * 30
    assert table.chip.power_downs > 200
    assert table.chip.violations == []


@both_drivers
def test_an_unplugged_chip_is_silent_in_words_and_comes_back(driver: Driver) -> None:
    table = SimulatedCell(driver)
    table.run(0.5)
    table.chip.unplug()
    assert table.run(0.2) == []
    assert table.cell.state is CellState.SILENT
    assert table.cell.problem == CHIP_SILENT(n="C1")

    table.chip.plug(table.time.now_us)
    seen = table.run(1.0)
    assert seen[-1].reading.valid
    assert not any(one.silently_wrong for one in seen)
    assert table.cell.problem is None


@both_drivers
def test_a_chip_that_was_never_there_is_told_within_a_second(driver: Driver) -> None:
    table = SimulatedCell(driver, ready_chip=Hx711.unplug)
    assert table.run(1.0) == []
    assert table.cell.state is CellState.SILENT


def test_a_chip_may_come_back_at_another_rate() -> None:
    table = SimulatedCell(rate_hz=93.4)
    table.run(0.5)
    table.chip.unplug()
    table.run(1.0)
    table.chip.period_us = 1e6 / 10.6
    table.chip.plug(table.time.now_us)
    seen = table.run(3.0)

    assert len(seen) > 20
    assert not any(one.silently_wrong for one in seen)
    assert table.cell.state is CellState.OK
    assert table.cell.period_s == pytest.approx(1 / 10.6, rel=0.01)


def _short(chip: Hx711) -> None:
    chip.shorted = True


def _cut_the_clock(chip: Hx711) -> None:
    chip.clock_wired = False


@both_drivers
@pytest.mark.parametrize("broken", [_short, _cut_the_clock])
def test_a_dout_stuck_low_is_told_from_an_unplugged_one(
    driver: Driver, broken: Callable[[Hx711], None]
) -> None:
    table = SimulatedCell(driver)
    table.run(0.5)
    broken(table.chip)
    seen = table.run(1.0)

    assert all(not one.reading.valid for one in seen)
    assert len(seen) < 14, "a stuck chip is looked at ten times a second, not all the time"
    assert table.cell.state is CellState.STUCK_LOW
    assert table.cell.problem == CHIP_LOW(n="C1")

    table.chip.shorted, table.chip.clock_wired = False, True
    assert table.run(0.5)[-1].reading.valid
    assert table.cell.problem is None


def always(count: float) -> LoadCell:
    return lambda _conversion: count


@both_drivers
def test_a_saturated_count_is_condemned_and_explained(driver: Driver) -> None:
    table = SimulatedCell(driver)
    table.run(0.5)
    for count in (1e9, -1e9):
        table.chip.load_cell = always(count)
        seen = table.run(0.5)
        assert all(one.reading.flags == CountFlag.SATURATED for one in seen)
        assert len(seen) >= SATURATED_READINGS
        assert table.cell.problem == CHIP_END(n="C1")
    table.chip.load_cell = different
    assert table.run(0.1)[-1].reading.valid
    assert table.cell.problem is None


def test_readings_bear_the_time_of_the_fall() -> None:
    table = SimulatedCell()
    off_s = [one.reading.t_s - one.fell_s for one in table.run(5.0) if one.fell_s]

    assert max(off_s) - min(off_s) < 0.002
    assert abs(sum(off_s) / len(off_s)) < 0.0002


def test_after_a_long_absence_the_time_is_said_to_be_unsure_and_the_count_condemned() -> None:
    table = SimulatedCell()
    table.run(0.5)
    table.time.sleep(0.1)
    table.chip.excuse()
    reading = table.run(0.05)[0].reading

    assert reading.flags == CountFlag.TIME_UNSURE | CountFlag.LATE


def test_the_true_rate_is_measured() -> None:
    for rate_hz in (69.3, 82.0, 93.4):
        table = SimulatedCell(rate_hz=rate_hz)
        table.run(1.0)
        assert table.cell.period_s == pytest.approx(1 / rate_hz, rel=0.01)


@pytest.mark.parametrize("nominal_hz", [10.0, 80.0])
def test_a_chip_wired_for_ten_samples_a_second_is_not_taken_for_silent(nominal_hz: float) -> None:
    table = SimulatedCell(rate_hz=8.6, nominal_hz=nominal_hz)
    seen = table.run(4.0)

    assert len(seen) > 28
    assert not any(one.silently_wrong for one in seen)
    assert table.cell.state is CellState.OK
    assert table.cell.period_s == pytest.approx(1 / 8.6, rel=0.02)


@both_drivers
@pytest.mark.parametrize("keeps_gain", [True, False])
@pytest.mark.parametrize("silence", [True, False])
def test_a_chip_left_at_another_gain_gives_nothing_wrong(
    driver: Driver, keeps_gain: bool, silence: bool
) -> None:
    def left_at_gain_64(chip: Hx711) -> None:
        chip.settles_in_silence = silence
        chip.advance(100_000.0)
        t_us = 100_000.0
        for _ in range(27):
            chip.sck(1, t_us + 1)
            chip.sck(0, t_us + 2)
            t_us += 2
        chip.keeps_gain = keeps_gain

    time = SimulatedTime()
    time.now_us = 0.0
    table = SimulatedCell(
        driver, time=time, ready_chip=left_at_gain_64, load_cell=lambda _conversion: 1_000_000.0
    )
    time.now_us = max(time.now_us, 150_000.0)
    good = [one.reading.count for one in table.run(1.0) if one.reading.valid]

    assert len(good) > 50
    assert set(good) == {1_000_000}


@both_drivers
def test_four_cells_are_read_in_turn_and_dead_ones_hold_up_nobody(driver: Driver) -> None:
    time = SimulatedTime()
    table = [
        SimulatedCell(driver, time=time, rate_hz=rate_hz, seed=seed)
        for seed, rate_hz in enumerate((82.0, 78.5, 80.6, 93.4))
    ]
    table[1].chip.unplug()
    table[2].chip.shorted = True
    good = [0, 0, 0, 0]
    longest_us = 0.0
    while time.now_us < 5e6:
        begun_us = time.now_us
        for number, reading in read_in_turn([one.cell for one in table]):
            good[number] += reading.valid
        longest_us = max(longest_us, time.now_us - begun_us)
        time.sleep(0.001)

    assert good[1] == good[2] == 0
    assert good[0] == pytest.approx(5 * 82.0, abs=12)
    assert good[3] == pytest.approx(5 * 93.4, abs=12)
    assert (table[0].chip.unread, table[3].chip.unread) == (0, 0)
    assert longest_us < 1000
    assert [one.chip.violations for one in table] == [[], [], [], []]


def test_flags_have_the_bits_of_the_firmware() -> None:
    assert {flag.name: flag.value for flag in ScaleFlag}.items() <= {
        flag.name: flag.value for flag in CountFlag
    }.items()


def test_remarks_do_not_condemn() -> None:
    assert Hx711Reading(0.0, 1, CountFlag.TIME_UNSURE).valid
    assert not Hx711Reading(0.0, 1, CountFlag.LATE).valid
