"""Who holds a pin, as the kernel's lines tell it; `gpiod.Chip`, which asks it, is a model."""

from pathlib import Path
from types import SimpleNamespace

import gpiod
import pytest

from hw.drivers import pin_holders
from hw.drivers.pin_holders import holder_of_pin, pin_trouble
from hw.troubles import PIN_HELD, PIN_REFUSED

BUSY = OSError(16, "Device or resource busy")


class Chip:
    """One of two chips of a Pi; only the second has the header."""

    def __init__(self, path: str) -> None:
        self._label = "pinctrl-bcm2711" if path.endswith("1") else "raspberrypi-exp-gpio"
        self._there = not path.endswith("2")

    def get_info(self) -> SimpleNamespace:
        if not self._there:
            raise OSError(13, "Permission denied")
        return SimpleNamespace(label=self._label)

    def get_line_info(self, pin: int) -> SimpleNamespace:
        consumer = "spi0 CS0" if self._label.startswith("pinctrl") else "cam1_regulator"
        return SimpleNamespace(used=pin == 8, consumer=consumer if pin == 8 else "")

    def close(self) -> None:
        """Nothing is kept."""


@pytest.fixture(autouse=True)
def chips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        (tmp_path / f"gpiochip{number}").touch()
    monkeypatch.setattr(pin_holders, "DEVICES", tmp_path)
    monkeypatch.setattr(gpiod, "Chip", Chip)


def test_a_driver_of_the_kernel_that_holds_a_pin_of_the_header_is_named() -> None:
    said = pin_trouble(8, "source.pi.buzzer", BUSY)

    assert said == PIN_HELD(pin=8, key="source.pi.buzzer", holder="spi0 CS0")
    assert "config.txt" in said.sentence


def test_of_a_pin_that_nobody_seems_to_hold_the_error_is_told() -> None:
    assert holder_of_pin(9) == ""
    assert pin_trouble(9, "source.pi.buzzer", BUSY) == PIN_REFUSED(
        pin=9, key="source.pi.buzzer", error="[Errno 16] Device or resource busy"
    )
