import pytest

from lab.chips.hx711 import HIGH_MAX_US, Hx711
from lab.chips.pins import SimulatedTime, pins, preempted


def test_time_passes_with_each_access_and_in_sleep() -> None:
    time = SimulatedTime()
    data, clock = pins(Hx711("", 80.0, lambda _conversion: 0), time)
    stamps = [time()]
    for access in (lambda: data.value, lambda: clock.value, lambda: time.sleep(0.5)):
        access()
        stamps.append(time())

    assert stamps == sorted(set(stamps))
    assert stamps[-1] == pytest.approx(0.5, abs=1e-4)


def test_dout_cannot_be_driven() -> None:
    data, _ = pins(Hx711("", 80.0, lambda _conversion: 0), SimulatedTime())

    with pytest.raises(AttributeError):
        data.value = True  # type: ignore[misc]  # that is the test


def test_the_chip_feels_the_clock_and_the_clock_keeps_its_level() -> None:
    time = SimulatedTime()
    chip = Hx711("", 80.0, lambda _conversion: 0)
    data, clock = pins(chip, time)
    time.sleep(0.1)
    assert not data.value
    for _ in range(25):
        clock.value = True
        assert clock.value
        clock.value = False
    assert data.value
    assert [given.data_word for given in chip.given] == [0]
    assert chip.violations == []


@pytest.mark.parametrize("seed", range(10))
def test_a_computer_called_away_stretches_the_pulse_and_not_the_time_after_it(seed: int) -> None:
    time = SimulatedTime()
    chip = Hx711("", 80.0, lambda _conversion: 0, seed=seed)
    data, clock = pins(chip, time)
    time.sleep(0.1)
    away = iter([0.0] * seed + [200.0])
    clock.away_us = lambda: next(away, 0.0)
    highs_us = []
    for _ in range(24):
        clock.value = True
        begun_us = time.now_us
        assert data.value in {True, False}
        clock.value = False
        highs_us.append(time.now_us - begun_us)

    # It may be called away right after the edge, before anybody can look at the time.
    assert sum(high_us > HIGH_MAX_US for high_us in highs_us) <= 1
    assert chip.power_downs == 1
    assert chip.violations == []


def test_the_share_of_disturbed_pulses_is_as_ordered() -> None:
    away_us = preempted(0.01, seed=5)
    drawn = [away_us() for _ in range(100_000)]

    assert set(drawn) == {0.0, 200.0}
    assert drawn.count(200.0) == pytest.approx(1000, abs=100)
