"""A game played by simulated people, once as samples and once through the drivers of a Pi.

In the second the tower ends in wires: four HX711 on pins, an MPU-6050 on I2C, switch and buttons on
`gpiozero`. Both must come to the same decisions and the same score.
"""

import pytest

from controller.app import wiring
from controller.table.panel import face
from controller.table.pipeline import Output, Pipeline
from engine.events import Fault, HumanInput, Placed, Toppled
from engine.scoreboard import Scoreboard, document
from hw.drivers.panel import Button, Light
from hw.drivers.pins import Pins
from hw.source import Item
from lab.on_pins import WiredTable
from lab.people.players import People
from lab.people.simulation import SimulatedEvening
from lab.twin.parameters import Preset, preset_parameters
from lab.twin.tower import Tower

SEED = 30
PRESET: Preset = "normal"
"""A round in which the tower falls, and the next one begins."""
SECONDS = 60.0
WITH_BUTTON = ("pass", "cleared")


def evening() -> SimulatedEvening:
    tower = Tower(preset_parameters(PRESET), SEED)
    people = People(tower, PRESET, SEED + 1_000_003, players=2, two_colours=False)
    return SimulatedEvening(tower, people)


class Judge:
    """Detector and referee, and what they decided."""

    def __init__(self, table: WiredTable | None, tower: Tower) -> None:
        self.table = table
        self.pipeline: Pipeline = wiring.pipeline(tower.tabletop)
        self.outputs: list[Output] = []

    def feed(self, items: list[Item]) -> None:
        for item in items:
            self.outputs += self.pipeline.feed(item)
        if self.table is not None:
            self.table.source.show(face(self.board))

    @property
    def board(self) -> Scoreboard:
        return document(self.pipeline.state, table="t1", boot="b")

    @property
    def decisions(self) -> list[tuple[str, ...]]:
        return [said(output) for output in self.outputs if output.remembered]


def said(output: Output) -> tuple[str, ...]:
    match output.cause:
        case Placed() as placed:
            return "placed", str(placed.cell)
        case Toppled() as fall:
            return "toppled", fall.cause
        case HumanInput() as human:
            return "said", human.type, str(human.data.get("value", ""))
        case other:
            return (type(other).__name__,)


def played_as_samples() -> Judge:
    simulated = evening()
    judge = Judge(None, simulated.tower)
    for second in range(round(SECONDS)):
        judge.feed(simulated.poll(second + 1.0))
    return judge


def played_on_pins() -> Judge:
    simulated = evening()
    table = WiredTable(simulated.tower)
    judge = Judge(table, simulated.tower)
    table.source.poll(0.0)
    for tenth in range(round(10 * SECONDS)):
        sampled = simulated.poll(tenth / 10 + 0.1)
        heard = [item for item in sampled if isinstance(item, HumanInput)]
        table.people.say(item for item in heard if item.type not in WITH_BUTTON)
        for item in heard:
            if item.type in WITH_BUTTON:
                table.press(Button.PASS, item.t_s)
        table.run(sampled)
        judge.feed(table.poll())
    return judge


@pytest.mark.slow
def test_a_round_through_real_drivers_is_the_round_without_them() -> None:
    plain, wired = played_as_samples(), played_on_pins()
    table = wired.table
    assert table is not None

    assert wired.decisions == plain.decisions
    assert ("toppled", "placing") in plain.decisions
    assert len(plain.decisions) > 20
    assert wired.pipeline.state.position.scores == plain.pipeline.state.position.scores
    assert wired.board.board == plain.board.board
    assert not [output for output in wired.outputs if isinstance(output.cause, Fault)]

    assert table.violations == []
    assert [cell.unread for cell in table.cells] == [0] * 4
    assert (table.source.lost, table.source.late) == (0, 0)
    assert lights_follow(table, wired.board)


def lights_follow(table: WiredTable, board: Scoreboard) -> bool:
    """Whether each light was seen as the face wants it: on, off, or both while it blinks."""
    seen = []
    for _ in range(60):
        table.tower.advance(table.tower.now_s + 0.02)
        table.run()
        seen.append([bool(table.factory.pin(pin).state) for pin in Pins().lights])
    wanted = {Light.ON: {True}, Light.OFF: {False}, Light.BLINKING: {True, False}}
    lights = face(board).lights
    return [set(column) for column in zip(*seen, strict=True)][: len(lights)] == [
        wanted[light] for light in lights
    ]
