"""The tower of a case, and what the table listens to: the tower itself, or a board that reads it.

`rig` is in `lab.bench.rig`: there a person does what the scenario says.
"""

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from controller.common.errors import BadScenario
from hw.calibration import Calibration
from hw.source import SampleSource
from lab.bench.board_account import Heard
from lab.bench.boards import Board, Where, board_target
from lab.bench.scenario import Case
from lab.bench.tapped import TappedSource
from lab.bench.world import World, world_of
from lab.people.simulation import SimulatedEvening
from lab.people.ways import ways_of
from lab.twin.parameters import TwinParameters
from lab.twin.tower import Tower


@dataclass(slots=True)
class Played:
    """The tower of a case and the source the table listens to.

    Attributes:
        world: what chance decided about them.
        board: between them, when there is one.
        felt: what the board's sensors felt.
    """

    tower: Tower
    source: SampleSource
    world: World
    evening: SimulatedEvening | None = None
    board: Board | None = None
    felt: Heard = field(default_factory=Heard)

    @property
    def calibration(self) -> Calibration:
        """The owner's calibration of the tower."""
        return self.tower.calibration

    def truth(self) -> list[dict[str, Any]]:
        """What really happened."""
        return self.tower.truth.in_order()

    def counters(self) -> dict[str, float]:
        """What only the board counts."""
        return {} if self.board is None else self.board.counters()


def prepared(case: Case, where: Where) -> Played:
    """Tower and source of a case.

    Raises:
        BadScenario: the numbers of its tower cannot be.
        BadTarget: the target cannot be had here.
    """
    played, target = _simulated(case), board_target(where)
    if target is None:
        return played
    tapped = TappedSource(played.source, played.felt.take)
    board = target.board(tapped, played.calibration, case.id)
    return replace(played, source=board.source, board=board)


def _simulated(case: Case) -> Played:
    scenario = case.scenario
    world = world_of(case)
    parameters = _changed(world.parameters, scenario.tower, scenario.name)
    setup = scenario.evening
    if setup is None:
        tower = Tower(parameters, case.seed)
        return Played(tower, tower, world)
    evening = SimulatedEvening.begin(
        case.seed,
        "calm" if scenario.table == "quiet" else scenario.table,
        parameters=parameters,
        players=setup.players,
        two_colours=False,
        tell_dice=setup.tell_dice,
        target=setup.target,
        ways=ways_of(scenario.people, case.seed),
        pieces=setup.pieces,
    )
    return Played(evening.tower, evening, world, evening)


def _changed(
    parameters: TwinParameters, wanted: dict[str, dict[str, Any]], name: str
) -> TwinParameters:
    for part, values in wanted.items():
        known = [field.name for field in fields(TwinParameters)]
        inner = getattr(parameters, part, None) if part in known else None
        if not is_dataclass(inner) or isinstance(inner, type):
            raise BadScenario(f"{name}: tower.{part}: a tower has {', '.join(known)}")
        unknown = [key for key in values if key not in {field.name for field in fields(inner)}]
        if unknown:
            named = ", ".join(field.name for field in fields(inner))
            raise BadScenario(f"{name}: tower.{part}.{unknown[0]}: there is {named}")
        tuples = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        changed: dict[str, Any] = {part: replace(inner, **tuples)}
        parameters = replace(parameters, **changed)
    return parameters
