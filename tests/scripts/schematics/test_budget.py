"""The current budget: added up as by hand, and refused when a supply cannot give it."""

import pytest

from scripts.schematics import budget, plan

TEXT = plan.PINS_FILE.read_text()


def rails(variant: str) -> dict[str, float]:
    found = plan.load()
    return {b.rail: b.current_ma for b in budget.budgets(found, found.variants[variant])}


@pytest.mark.parametrize("variant", ["bridge", "direct", "starter"])
def test_no_supply_gives_too_much(variant: str) -> None:
    assert budget.problems(plan.load(), variant) == []


def test_the_bridge_adds_up_by_hand() -> None:
    # four boards of 1.6 mA with 4.3 V over 1000 ohm; sensor 7.3; shifter 2.0 and 1.0; Nano 19
    boards = 4 * (1.6 + 4.3)

    assert rails("bridge")["nano.3V3"] == pytest.approx(7.3 + 1.0)
    assert rails("bridge")["nano.5V"] == pytest.approx(boards + 2.0 + 7.3 + 1.0)
    # The Nano and all behind it hang on the header; so does the buzzer of 30 mA.
    assert rails("bridge")["pi.5V"] == pytest.approx(boards + 2.0 + 7.3 + 1.0 + 19.0 + 30)
    assert "pi.USB" not in rails("bridge")


def test_the_direct_table_adds_up_by_hand() -> None:
    # Only logic and sensor on 3.3 V; lights 4 x 3.2 mA and the buzzer's base come out of the pins.
    assert rails("direct")["pi.3V3"] == pytest.approx(4 * 0.1 + 7.3 + 4 * 3.2 + 2.6)
    # Each board takes 1.5 mA and gives 4.3 V to a bridge of 1 kohm; the buzzer takes 30 mA.
    assert rails("direct")["pi.5V"] == pytest.approx(4 * (1.5 + 4.3) + 30)


def test_cells_of_350_ohm_are_no_trouble_since_they_hang_on_five_volts() -> None:
    stronger = plan.parse(TEXT.replace("bridge_ohm: 1000", "bridge_ohm: 350"))

    for variant in stronger.variants:
        assert budget.problems(stronger, variant) == []


def test_a_light_with_too_small_a_resistor_is_refused() -> None:
    brighter = plan.parse(TEXT.replace("from_pin_mA: 3.2", "from_pin_mA: 15.0"))

    said = budget.problems(brighter, "direct")

    assert "direct: D1.A takes 15 mA from its pin, which may give 4 mA" in said
    assert any("pins of the pi must give 62.6 mA together" in words for words in said)
