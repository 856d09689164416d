import pytest

from tests.benchmarks import hx711
from tests.benchmarks.hx711 import RATE_HZ, measure_apart

SECONDS = 12.0
CONVERSIONS = SECONDS * RATE_HZ


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["ours", "adapter"])
def test_on_a_busy_computer_our_drivers_are_never_silently_wrong(driver: str) -> None:
    outcomes = measure_apart(driver, SECONDS)
    assert not isinstance(outcomes, str), outcomes
    clean, stretched = outcomes["clean"], outcomes["stretched"]

    assert (clean.wrong, stretched.wrong) == (0, 0)
    assert clean.right > CONVERSIONS - 20
    assert stretched.refused > 0.1 * CONVERSIONS, "more than one data word in five is hit"
    assert stretched.right > 0.38 * CONVERSIONS
    assert all(outcome.broken == 0 for outcome in outcomes.values())
    assert all(outcomes[fault].right == 0 for fault in hx711.FAULTS)
    assert "end of its range" in outcomes["saturated"].said
    assert "Unplugged?" in outcomes["unplugged"].said
    assert "stays low" in outcomes["stuck low"].said


@pytest.mark.slow
def test_the_library_with_shims_only_is_silently_wrong_and_waits_for_ever() -> None:
    outcomes = measure_apart("shimmed", 3.0)
    assert not isinstance(outcomes, str), outcomes

    assert outcomes["stretched"].wrong > 15
    assert outcomes["unplugged"].said == "waits for ever"
