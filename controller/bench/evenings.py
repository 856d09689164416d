"""Random evenings for the soak test: people, table, faults, kills and an unreliable broker.

One seed is one evening. Nine in ten are short, half a minute to a minute and a half of table time
from an empty board, with 6 to 18 placements, because most bugs appear at a fault and short evenings
have many. One in ten is five minutes long, so that towers grow high, topple, and rounds end.
"""

from random import Random
from typing import Literal

from controller.bench.scenario import Case, EveningSetup, Scenario
from controller.bench.steps import FaultOrder, ScenarioStep

FAULTS = (
    "unplugged cell C{cell}",
    "stuck cell C{cell}",
    "saturated cell C{cell}",
    "stuck dout cell C{cell}",
    "stuck dout low cell C{cell}",
    "resetting cell C{cell}",
    "corrupt words",
    "slow clock",
    "no scale",
    "imu missing",
    "imu asleep",
    "switch closed",
    "loose usb",
)
"""Faults a table can notice. One that leaves no trace (swapped plugs) is for `diagnose`."""

MISHAPS = (
    "fault",
    "fault",
    "fault",
    "kill",
    "kill",
    "broker",
    "duplicate",
    "slow",
    "clock",
    "disk",
)
MOST_MISHAPS = 4

SHORT_S = (30.0, 90.0)
LONG_S = 300.0
LONG_SHARE = 0.1

Table = Literal["calm", "normal", "rough"]
TABLES: tuple[Table, ...] = ("calm", "calm", "normal", "rough")
"""Half of the tables are built as well as the instructions ask."""


def evening_case(seed: int) -> Case:
    """The evening of a seed."""
    chance = Random(seed)
    seconds = LONG_S if chance.random() < LONG_SHARE else round(chance.uniform(*SHORT_S), 1)
    steps: list[ScenarioStep] = []
    at_s = 8.0
    for _ in range(chance.randint(0, MOST_MISHAPS)):
        at_s += chance.uniform(0.05, 0.3) * seconds
        if at_s < seconds:
            steps += _mishap(chance, round(at_s, 1))
    scenario = Scenario(
        about=f"Evening {seed} of a soak",
        name=f"soak_{seed}",
        table=chance.choice(TABLES),
        drawn=chance.choice((0.0, 0.5, 1.0)),
        evening=EveningSetup(players=chance.randint(2, 4), target=20, seconds=seconds),
        steps=tuple(steps),
        unexpected="allow",
        measure={"silent_errors": "at most 0"},
        seeds=(seed,),
    )
    return Case(scenario, seed)


def _mishap(chance: Random, at_s: float) -> list[ScenarioStep]:
    kind = chance.choice(MISHAPS)
    back_s = round(at_s + chance.uniform(1, 8), 1)
    match kind:
        case "fault":
            order = chance.choice(FAULTS).format(cell=chance.randrange(4))
            return [ScenarioStep(at=at_s, fault=FaultOrder(order, round(chance.uniform(1, 8), 1)))]
        case "kill":
            return [ScenarioStep(at=at_s, kill=True)]
        case "broker":
            return [ScenarioStep(at=at_s, broker="down"), ScenarioStep(at=back_s, broker="up")]
        case "duplicate" | "slow":
            word: Literal["duplicate", "slow"] = "duplicate" if kind == "duplicate" else "slow"
            return [ScenarioStep(at=at_s, broker=word), ScenarioStep(at=back_s, broker="steady")]
        case "disk":
            return [ScenarioStep(at=at_s, disk="full"), ScenarioStep(at=back_s, disk="free")]
        case _:
            return [ScenarioStep(at=at_s, clock=round(chance.uniform(-90000, 90000)))]
