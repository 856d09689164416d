import msgspec
import pytest

from hw.drivers.pins import Pins


def test_the_drawn_wiring_has_no_problem() -> None:
    assert Pins().problem == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"buzzer": 5}, "GPIO5 is used by hx711_data[0] and buzzer"),
        ({"lights": (2,)}, "GPIO2 is used by lights[0] and the I2C bus"),
        ({"hx711_data": (5, 6, 0, 19)}, "every load cell must be wired"),
        ({"hx711_data": (5,)}, "four pins each, or one on a starter table"),
        ({"hx711_data": (5, 6), "hx711_clock": (12, 16)}, "four pins each, or one"),
    ],
)
def test_two_uses_of_one_pin_and_missing_cells_are_named(changes: dict, words: str) -> None:
    assert words in Pins(**changes).problem


def test_what_is_not_fitted_shares_no_pin() -> None:
    assert Pins(buzzer=0, tilt_switch=0, lights=()).problem == ""
    assert Pins(i2c_bus=3, lights=(2, 3)).problem == ""


def test_a_starter_has_one_cell_and_no_bus() -> None:
    starter = Pins(hx711_data=(5,), hx711_clock=(12,), lights=(2, 3))

    assert starter.starter
    assert starter.problem == ""
    assert not Pins().starter


def test_limits_are_checked_when_it_is_read() -> None:
    with pytest.raises(msgspec.ValidationError, match="27"):
        msgspec.convert({"buzzer": 28}, Pins)


def test_a_panel_alone_may_use_the_pins_of_load_cells_that_are_elsewhere() -> None:
    pins = Pins(buzzer=5)

    assert pins.problem
    assert pins.panel_problem == ""
    assert "lights[0] and buzzer" in Pins(buzzer=25).panel_problem
    assert pins.of_panel.tilt_switch == 0
