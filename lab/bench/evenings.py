"""Random evenings for the soak test: people of all ways, table, faults, and what people tell it.

One seed is one evening. Nine in ten are short, half a minute to a minute and a half of table time
from an empty board, with 6 to 18 placements, because most bugs appear at a fault and short evenings
have many. One in ten is five minutes long, so that towers grow high, topple, and rounds end.
"""

from collections.abc import Mapping
from random import Random
from typing import Literal

from lab.bench.scenario import Case, EveningSetup, Scenario
from lab.bench.steps import BrokerWord, FaultOrder, ScenarioStep
from lab.people.ways import Wanted, drawn_names

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
    "undo",
    "undo",
    "correct",
    "correct",
    "button",
)
"""What goes wrong, as often as it is named here. The last three are people beside the table: they
take the last move back and do it again, or deny the last piece and take that back."""

BROKER: Mapping[str, tuple[BrokerWord, BrokerWord]] = {
    "broker": ("down", "up"),
    "duplicate": ("duplicate", "steady"),
    "slow": ("slow", "steady"),
}
"""Mishap -> what becomes of the broker, and how it is well again."""

MOST_MISHAPS = 4

USUAL_SHARE = 0.4
"""Evenings of usual people; the others have two to four of the ways of `WAYS`."""

AT_ONCE_S = 0.1
"""Most who undo by mistake see it at once; before anything else has happened."""
LATER_S = (0.5, 3.0)
LATER_SHARE = 0.2

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
        people=_people(chance),
        evening=EveningSetup(players=chance.randint(2, 4), target=20, seconds=seconds),
        steps=tuple(steps),
        unexpected="allow",
        measure={"silent_errors": "at most 0"},
        seeds=(seed,),
    )
    return Case(scenario, seed)


def _people(chance: Random) -> Wanted:
    return "usual" if chance.random() < USUAL_SHARE else drawn_names(chance)


def _mishap(chance: Random, at_s: float) -> list[ScenarioStep]:
    kind = chance.choice(MISHAPS)
    back_s = round(at_s + chance.uniform(1, 8), 1)
    match kind:
        case "fault":
            order = chance.choice(FAULTS).format(cell=chance.randrange(4))
            return [ScenarioStep(at=at_s, fault=FaultOrder(order, round(chance.uniform(1, 8), 1)))]
        case "kill":
            return [ScenarioStep(at=at_s, kill=True)]
        case "broker" | "duplicate" | "slow":
            word, well = BROKER[kind]
            return [ScenarioStep(at=at_s, broker=word), ScenarioStep(at=back_s, broker=well)]
        case "disk":
            return [ScenarioStep(at=at_s, disk="full"), ScenarioStep(at=back_s, disk="free")]
        case "undo" | "button" | "correct":
            return _taken_back(chance, kind, at_s)
        case _:
            return [ScenarioStep(at=at_s, clock=round(chance.uniform(-90000, 90000)))]


def _taken_back(chance: Random, kind: str, at_s: float) -> list[ScenarioStep]:
    """Somebody beside the table does something by mistake, and takes it back."""
    later = chance.random() < LATER_SHARE
    pause_s = round(chance.uniform(*LATER_S), 1) if later else AT_ONCE_S
    if kind == "correct":
        denied = {"ref": "last", "nothing": True}
        mistake = ScenarioStep(at=at_s, correct=denied, pause=pause_s)
        return [mistake, ScenarioStep(undo=True)]
    if kind == "button":
        return [ScenarioStep(at=at_s, button="undo", pause=pause_s), ScenarioStep(redo=True)]
    return [ScenarioStep(at=at_s, undo=True, pause=pause_s), ScenarioStep(redo=True)]
