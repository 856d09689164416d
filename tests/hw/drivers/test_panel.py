"""Buttons, switch, lights and buzzer on real gpiozero devices over mock pins."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from gpiozero import DigitalOutputDevice
from gpiozero.pins.mock import MockFactory

from engine.events import HumanInput
from engine.samples import SensorReport, SwitchSample
from hw.drivers.panel import LOOK_S, Button, Face, Light, Panel, Sound
from hw.drivers.pin_holders import AGAIN_S
from hw.drivers.pins import Pins
from hw.source import Item

PINS = Pins()
FACE = Face(presses={
    Button.PASS: ("pass", {}),
    Button.BUMPED: ("blame", {"player": "Bob"}),
})  # fmt: skip


class Bench:
    def __init__(self, *, buzzing: bool = True, pins: Pins = PINS) -> None:
        self.now_s = 50.0
        self.factory = MockFactory()
        self.panel = Panel(pins, lambda: self.now_s, factory=self.factory, buzzing=buzzing)
        self.panel.show(FACE)
        self.run(0.1)

    def run(self, seconds: float) -> list[Item]:
        items = []
        for _ in range(round(seconds / LOOK_S)):
            self.now_s += LOOK_S
            items += self.panel.step()
        return items

    def press(self, pin: int, seconds: float = 0.1) -> list[Item]:
        self.factory.pin(pin).drive_low()
        items = self.run(seconds)
        self.factory.pin(pin).drive_high()
        return items + self.run(0.1)

    def lit(self, pin: int, seconds: float) -> float:
        """Share of the time in which an output is on."""
        looks = 0
        for _ in range(round(seconds / LOOK_S)):
            self.run(LOOK_S)
            looks += self.factory.pin(pin).state
        return looks * LOOK_S / seconds


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.panel.close()


def test_a_press_is_what_its_button_means_at_the_time_it_began(bench: Bench) -> None:
    began_s = bench.now_s + LOOK_S

    (passed,) = bench.press(PINS.pass_button)
    assert isinstance(passed, HumanInput)
    assert (passed.type, passed.data) == ("pass", {})
    assert passed.t_s == pytest.approx(began_s)
    (bumped,) = bench.press(PINS.bumped_button)
    assert isinstance(bumped, HumanInput)
    assert (bumped.type, bumped.data) == ("blame", {"player": "Bob"})
    assert bench.press(PINS.undo_button) == []  # means nothing now


def test_a_button_held_down_is_one_press(bench: Bench) -> None:
    assert len(bench.press(PINS.pass_button, 5.0)) == 1
    assert len(bench.press(PINS.pass_button)) == 1


def test_a_spark_is_no_press_and_a_bouncing_button_is_one(bench: Bench) -> None:
    assert bench.press(PINS.pass_button, LOOK_S) == []
    items: list[Item] = []
    pin = bench.factory.pin(PINS.pass_button)
    for level in (0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1):
        (pin.drive_high if level else pin.drive_low)()
        items += bench.run(LOOK_S)

    assert [item.type for item in items if isinstance(item, HumanInput)] == ["pass"]
    assert len(items) == 1


def test_a_stuck_button_is_said_and_taken_back_when_it_is_free(bench: Bench) -> None:
    items = bench.press(PINS.undo_button, 25.0)
    said = [item for item in items if isinstance(item, SensorReport)]

    assert [(report.sensor, report.ok) for report in said] == [
        ("button.undo", False), ("button.undo", True),
    ]  # fmt: skip
    assert "GPIO23" in said[0].reason
    assert "jammed" in said[0].reason


def test_a_button_that_is_down_at_the_start_is_not_pressed_but_noticed() -> None:
    factory = MockFactory()
    now = [0.0]
    panel = Panel(PINS, lambda: now[0], factory=factory)
    factory.pin(PINS.pass_button).drive_low()
    panel.show(FACE)
    items = []
    for _ in range(2500):
        now[0] += LOOK_S
        items += panel.step()
    panel.close()

    assert [type(item) for item in items] == [SensorReport]


def test_the_tilt_switch_gives_its_edges(bench: Bench) -> None:
    pin = bench.factory.pin(PINS.tilt_switch)
    pin.drive_low()
    closed = bench.run(0.1)
    pin.drive_high()
    opened = bench.run(0.1)

    assert [item.closed for item in closed + opened if isinstance(item, SwitchSample)] == [
        True, False,
    ]  # fmt: skip


def test_lights_are_on_off_or_blinking_by_seat(bench: Bench) -> None:
    bench.panel.show(Face(lights=(Light.ON, Light.OFF, Light.BLINKING)))

    assert bench.lit(PINS.lights[0], 2.0) == 1.0
    assert bench.lit(PINS.lights[1], 2.0) == 0.0
    assert bench.lit(PINS.lights[2], 2.0) == pytest.approx(0.5, abs=0.1)
    assert bench.lit(PINS.lights[3], 2.0) == 0.0


def test_the_buzzer_sounds_once_for_each_occasion_and_not_for_long(bench: Bench) -> None:
    bench.panel.show(Face(sound=Sound.TOPPLE, occasion="7"))
    assert bench.lit(PINS.buzzer, 1.0) == pytest.approx(0.54, abs=0.05)
    assert bench.lit(PINS.buzzer, 3.0) == 0.0
    bench.panel.show(Face(sound=Sound.QUESTION, occasion="8"))
    assert 0 < bench.lit(PINS.buzzer, 1.0) < 0.15


def test_what_was_there_when_the_table_was_switched_on_does_not_sound() -> None:
    bench, factory = Bench(), MockFactory()
    again = Panel(PINS, lambda: bench.now_s, factory=factory)
    bench.panel.close()
    bench.panel, bench.factory = again, factory
    bench.run(0.5)
    again.show(Face(sound=Sound.TOPPLE, occasion="7"))

    assert bench.lit(PINS.buzzer, 1.0) == 0.0


def test_the_buzzer_can_be_off() -> None:
    bench = Bench(buzzing=False)
    bench.panel.show(Face(sound=Sound.TOPPLE, occasion="7"))

    assert bench.lit(PINS.buzzer, 1.0) == 0.0


def test_what_is_not_fitted_is_not_missed() -> None:
    bare = Pins(
        tilt_switch=0, pass_button=0, undo_button=0, bumped_button=0, buzzer=0, lights=(0, 25)
    )
    bench = Bench(pins=bare)
    bench.panel.show(Face(lights=(Light.ON, Light.ON), sound=Sound.TOPPLE, occasion="1"))

    assert bench.lit(25, 0.5) == 1.0
    assert bench.run(1.0) == []


def test_a_lamp_whose_pin_is_held_takes_neither_switch_nor_buttons_and_shines_later() -> None:
    bench, factory = Bench(), MockFactory()
    held = DigitalOutputDevice(PINS.lights[1], pin_factory=factory)
    bench.panel.close()
    bench.panel, bench.factory = Panel(PINS, lambda: bench.now_s, factory=factory), factory
    bench.panel.show(replace(FACE, lights=(Light.ON, Light.ON)))
    (report,) = bench.run(1.0)
    pressed = bench.press(PINS.pass_button)
    factory.pin(PINS.tilt_switch).drive_low()
    tilted = bench.run(0.1)
    lit_before = bench.lit(PINS.lights[0], 0.1)
    held.close()
    (back,) = bench.run(AGAIN_S)

    assert isinstance(report, SensorReport)
    assert (report.sensor, report.ok) == (f"light.GPIO{PINS.lights[1]}", False)
    assert "source.pi.lights[1] needs" in report.reason
    assert "The other pins are used" in report.reason
    assert [item.type for item in pressed if isinstance(item, HumanInput)] == ["pass"]
    assert [type(item) for item in tilted] == [SwitchSample]
    assert lit_before == 1.0
    assert isinstance(back, SensorReport)
    assert (back.sensor, back.ok) == (report.sensor, True)
    assert bench.lit(PINS.lights[1], 0.1) == 1.0
    bench.panel.close()
