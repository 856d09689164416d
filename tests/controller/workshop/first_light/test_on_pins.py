"""First light where a Pi reads the amplifier itself: the drivers of a Pi on simulated pins."""

import io

from controller.workshop.first_light.command import Face, lead
from controller.workshop.pace import Pace
from controller.workshop.words import Words
from lab.on_pins import PinsSource
from lab.twin.parameters import preset_parameters


def test_a_press_is_felt_on_pins_and_no_wire_is_asked_for() -> None:
    table, out = PinsSource(preset_parameters("calm"), 3), io.StringIO()
    x_mm, y_mm = table.tower.parameters.scale.positions_mm[3]
    table.tower.at(7.0, lambda: table.tower.press_base(x_mm, y_mm, 400.0, 2.0))
    light = lead(table, Pace(live=False, step_s=0.125), Face(Words("en"), out), lambda: "")
    found = {each.code: each for each in light.results(None)}
    table.close()

    assert {each.verdict for each in found.values()} == {"ok"}
    assert found["light"].args["cell"] == "C3"
    # The plate carries a part of it to the other three.
    assert 0.5 < abs(light.pressed_counts / table.calibration.scale.counts_per_gram[3]) / 400 < 1
    assert "A1" not in out.getvalue()
