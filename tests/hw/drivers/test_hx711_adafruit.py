import sys

import pytest

from hw.drivers.hx711_adafruit import AdafruitReader
from hw.errors import HardwareError, MissingDriver
from lab.chips.hx711 import Hx711
from lab.chips.pins import SimulatedTime, pins
from tests.hw.cells import SimulatedCell


def test_it_is_the_real_library_on_blinka() -> None:
    import adafruit_hx711.hx711
    import microcontroller

    assert "site-packages" in str(adafruit_hx711.hx711.__file__)
    assert not hasattr(microcontroller, "disable_interrupts"), "Blinka is left as it is"
    SimulatedCell(AdafruitReader).run(0.1)
    assert not hasattr(microcontroller, "disable_interrupts")


def test_a_chip_that_vanishes_at_the_last_moment_is_not_waited_for_for_ever() -> None:
    time = SimulatedTime()
    chip = Hx711("", 80.0, lambda _conversion: 0)
    data, clock = pins(chip, time)
    reader = AdafruitReader(data, clock, time)
    chip.unplug()

    assert reader.read() is None


def test_an_update_of_an_unread_word_is_waited_out() -> None:
    table = SimulatedCell(AdafruitReader)
    table.run(0.5)
    while table.data.value:
        table.time.sleep(0.0001)
    table.time.now_us = table.chip.next_change_us + 10.0
    assert table.data.value, "it is high for 75 us"
    word = table.cell._data_word_reader.read()

    assert word is not None
    assert word.count == table.chip.given[-1].data_word


def test_a_missing_library_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adafruit_hx711", None)
    time = SimulatedTime()

    with pytest.raises(MissingDriver, match="pip install") as caught:
        AdafruitReader(*pins(Hx711("", 80.0, lambda _conversion: 0), time), time)
    assert isinstance(caught.value, HardwareError)
    assert isinstance(caught.value, ImportError)
