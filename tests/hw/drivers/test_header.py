"""The header's pins as Blinka gives them; real libraries are in test_pi_pins.py."""

import pickle
import sys
from contextlib import ExitStack
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from hw.drivers.cells import Untaken
from hw.drivers.header import HeaderWires
from hw.errors import NoPins
from hw.troubles import PIN_REFUSED

WIRES = HeaderWires((5, 6), (12, 16))


class Digital:
    """One pin of Blinka."""

    held: str = ""
    taken: dict[str, "Digital"]

    def __init__(self, name: str) -> None:
        if name == self.held:
            raise PermissionError(13, "Permission denied")
        self.direction: Any = None
        self._name = name
        self.taken[name] = self

    def switch_to_input(self, pull: str) -> None:
        self.direction = f"in, {pull}"

    def deinit(self) -> None:
        del self.taken[self._name]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> dict[str, Digital]:
    monkeypatch.setattr(Digital, "taken", {}, raising=False)
    board = SimpleNamespace(**{f"D{number}": f"D{number}" for number in range(28)})
    digital = SimpleNamespace(
        DigitalInOut=Digital, Direction=SimpleNamespace(OUTPUT="out"), Pull=SimpleNamespace(UP="up")
    )
    for name, module in {
        "gpiod": ModuleType("gpiod"), "board": board, "digitalio": digital,
    }.items():  # fmt: skip
        monkeypatch.setitem(sys.modules, name, module)
    return Digital.taken


def test_data_is_pulled_up_and_clock_an_output_also_in_another_process(
    taken: dict[str, Digital],
) -> None:
    with ExitStack() as stack:
        pairs = pickle.loads(pickle.dumps(WIRES))(stack)  # noqa: S301 - our own
        directions = {name: pin.direction for name, pin in taken.items()}
        assert pairs == [(taken["D5"], taken["D12"]), (taken["D6"], taken["D16"])]

    assert directions == {"D5": "in, up", "D6": "in, up", "D12": "out", "D16": "out"}
    assert taken == {}


def test_a_pin_that_another_holds_takes_only_its_own_cell_and_can_be_had_later(
    taken: dict[str, Digital], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Digital, "held", "D16")
    with ExitStack() as stack:
        first, second = WIRES(stack)
        assert set(taken) == {"D5", "D12"}
        assert isinstance(second, Untaken)
        still = second.again()
        monkeypatch.setattr(Digital, "held", "")
        later = second.again()
        assert (taken["D6"].direction, taken["D16"].direction) == ("in, up", "out")

    assert not isinstance(first, Untaken)
    assert not isinstance(later, Untaken)
    assert second.trouble == PIN_REFUSED(
        pin=16, key="source.pi.hx711_clock[1]", error="[Errno 13] Permission denied"
    )
    assert isinstance(still, Untaken)
    assert taken == {}


def test_pins_none_of_which_is_for_us_are_a_sentence(
    taken: dict[str, Digital], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Digital, "held", "D5")
    with ExitStack() as stack, pytest.raises(NoPins, match=r"GPIO5.*Permission denied"):
        HeaderWires((5,), (12,))(stack)

    assert taken == {}


def test_without_its_library_it_says_how_to_get_it(
    taken: dict[str, Digital], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", None)
    with ExitStack() as stack, pytest.raises(NoPins, match=r"gpiod.*pip install"):
        WIRES(stack)

    assert taken == {}
