"""What the figures of one chip on a desk mean."""

import numpy as np
import pytest

from controller.workshop.first_light.core import FirstLight, Result, Step, grams
from hw.conversions import NO_CONVERSIONS, Conversions, OfEach


def given(start_s: float, end_s: float, level: float, rate_hz: float = 82.0) -> OfEach:
    """Conversions of C1 at a level, with a noise of some 50 counts."""
    t_s = np.arange(start_s, end_s, 1 / rate_hz)
    counts = np.random.default_rng(7).normal(level, 50, len(t_s)).round().astype(np.int32)
    good, steps = np.ones(len(t_s), dtype=np.bool_), np.ones(len(t_s), dtype=np.int32)
    return (NO_CONVERSIONS, Conversions(t_s, counts, good, steps), NO_CONVERSIONS, NO_CONVERSIONS)


def watched(*, level: float = 20_000.0, rate_hz: float = 82.0, press: float = 0.0) -> FirstLight:
    """A visit without a probe: rest until 6 s, and a second in which somebody may press."""
    light = FirstLight()
    for second in range(70):
        now_level = level + (press if second == 10 else 0.0)
        light.feed(second, given(second - 1, second, now_level, rate_hz))
    return light


def verdicts(light: FirstLight) -> dict[str, str]:
    return {each.code: each.verdict for each in light.results(None)}


def test_without_a_press_it_stays_dark_after_a_minute() -> None:
    light = watched()

    assert light.step is Step.DONE
    assert Result("dark", "wrong", {"seconds": 60}) in light.results(None)


@pytest.mark.parametrize("press", [150_000.0, -150_000.0])
def test_a_press_is_felt_whichever_way_round_the_cell_is_wired(press: float) -> None:
    light = watched(press=press)

    assert light.pressed_counts == pytest.approx(press, rel=0.01)
    assert Result("light", "ok", {"cell": "C1", "grams": 150}) in light.results(None)


def test_a_drift_of_a_bar_that_was_just_held_is_no_press() -> None:
    assert verdicts(watched(press=15_000.0))["dark"] == "wrong"


@pytest.mark.parametrize(
    ("level", "rate_hz", "code", "verdict"),
    [
        (20_000.0, 93.7, "rate_ok", "ok"),
        (20_000.0, 11.0, "rate_slow", "note"),
        (20_000.0, 40.0, "rate_odd", "wrong"),
        (6_000_000.0, 82.0, "zero", "wrong"),
        (-6_000_000.0, 82.0, "zero", "wrong"),
    ],
)
def test_rates_and_a_bent_bar_are_named(
    level: float, rate_hz: float, code: str, verdict: str
) -> None:
    assert verdicts(watched(level=level, rate_hz=rate_hz))[code] == verdict


def test_a_starter_on_pins_has_no_probe_and_is_not_asked_for_one() -> None:
    assert not {code for code in verdicts(watched(press=150_000.0)) if code.startswith("e_")}


def test_what_is_left_out_is_not_waited_for() -> None:
    light = FirstLight()
    steps = []
    while light.step is not Step.DONE:
        steps.append(light.step)
        light.skip()

    assert steps == [Step.REST, Step.PRESS, Step.E_MINUS, Step.E_PLUS]


@pytest.mark.parametrize(("counts", "shown"), [(0.0, 0), (1_499.0, 1), (183_700.0, 180)])
def test_grams_are_told_no_more_exactly_than_they_are_known(counts: float, shown: int) -> None:
    assert grams(counts) == shown
