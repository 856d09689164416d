from functools import partial

import pytest

from hw.rate_watch import RateWatch

GOOD = (82.0, 78.5, 80.6, 93.4)


def looked(watch: RateWatch, rates_hz: tuple[float | None, ...], start_s: float = 0.0) -> str:
    """What is said after ten seconds at such rates."""
    for tenth in range(100):
        watch.look(start_s + tenth / 10, lambda: rates_hz)
    return watch.trouble.sentence if watch.trouble else ""


def test_rates_of_real_chips_are_not_worth_a_word() -> None:
    assert not looked(RateWatch(80.4), GOOD)
    assert not looked(RateWatch(10.7), (10.5, 11.68, 8.6, 10.0))
    assert not looked(RateWatch(80.0), (None, 82.0, None, None))


@pytest.mark.parametrize(
    ("rate_hz", "wanted_hz", "code", "words"),
    [
        (10.6, 80.0, "rate_slow", "RATE to VCC"),
        (82.0, 10.6, "rate_fast", "RATE to ground"),
        (62.0, 80.0, "rate_odd", "the supply of that board"),
        (97.0, 80.0, "rate_odd", "take another one"),
    ],
)
def test_a_rate_that_is_off_is_said_with_the_remedy_of_the_board(
    rate_hz: float, wanted_hz: float, code: str, words: str
) -> None:
    watch = RateWatch(wanted_hz)
    others = GOOD if wanted_hz > 40 else (10.2, 10.4, 11.0, 10.6)
    said = looked(watch, (*others[:2], rate_hz, others[3]))

    assert watch.trouble is not None
    assert watch.trouble.code == code
    assert f"Load cell C2 converts {rate_hz:.0f} times a second" in said
    assert words in said
    assert "goes on" in said


def test_all_boards_with_the_same_strap_are_named_together() -> None:
    assert "C0, C1, C2, C3 converts 11 times" in looked(RateWatch(80.0), (10.6, 10.7, 10.5, 11.0))


def test_a_moment_says_nothing_and_a_rate_that_is_right_again_ends_it() -> None:
    watch = RateWatch(80.0)
    for second, rate_hz in enumerate((82.0, 82.0, 30.0, 30.0, 82.0)):
        rates_hz = (rate_hz, *GOOD[1:])
        assert watch.look(float(second), partial(tuple, rates_hz)) is None
    assert looked(watch, (10.6, *GOOD[1:]), 10.0)
    assert not looked(watch, GOOD, 20.0)


def test_rates_are_measured_once_a_second_however_often_pins_are_looked_at() -> None:
    watch, measured = RateWatch(80.0), list[float]()

    def rates_hz() -> tuple[float, ...]:
        measured.append(1.0)
        return GOOD

    for step in range(5000):
        watch.look(step * 0.002, rates_hz)

    assert len(measured) == 10


def test_the_same_trouble_is_not_said_anew_with_each_conversion() -> None:
    watch = RateWatch(80.0)
    looked(watch, (10.4, *GOOD[1:]))
    before = watch.trouble
    looked(watch, (10.6, *GOOD[1:]), 10.0)

    assert watch.trouble is before
