"""Boards between the tower of a case and the table: the firmware of this project, or yours.

The bench plays a case on a simulated tower, and the table listens to a `SampleSource`. A board
stands between them: it measures what the tower's sensors would feel, with whatever processor,
protocol and host program it has, and gives samples again. `BoardTarget` is all that the bench wants
of it; docs/bench.md goes through it step by step, and `tests/lab/bench/second_firmware` is
a whole one.
"""

import sys
from collections.abc import Mapping
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from controller.common.errors import BadInput
from hw.calibration import Calibration
from hw.source import SampleSource
from lab.bench.scenario import TARGETS, Scenario, Target
from lab.bench.steps import Line

ENTRY_POINTS = "topple_table.targets"
"""Group under which an installed package names its targets."""


class Board(Protocol):
    """A board that runs, in the time of the case."""

    @property
    def source(self) -> SampleSource:
        """What the table listens to; polling it lets tower and board go on."""
        ...

    @property
    def rates_hz(self) -> Mapping[str, float]:
        """Samples a second it is built to give: `scale_hz`, or `scale.0_hz` of each; `imu_hz`.

        Health is held against them; one that is left out is not looked at.
        """
        ...

    def counters(self) -> dict[str, float]:
        """Measurements only it can make, by their names in `lab.bench.figures`."""
        ...

    def disturb(self, line: Line, seed: int) -> None:
        """Disturb its line, or reset it: the step `line`.

        Args:
            line: how.
            seed: of the chance.
        """
        ...

    def handle_chip(self, order: str) -> None:
        """Unplug a chip and the like: the step `chip`, in the words of `steps.ChipWords`."""
        ...


@runtime_checkable
class BoardTarget(Protocol):
    """A kind of board that cases can be played on; `--target` and `topple_bench` take one.

    It is made once and travels to the processes that play, so it can be pickled.
    """

    @property
    def name(self) -> str:
        """Its name in reports."""
        ...

    @property
    def like(self) -> Target:
        """The target whose scenarios it plays, `sim` or `lab`.

        Those of the lab do things to a line and to chips.
        """
        ...

    @property
    def known(self) -> Mapping[str, str]:
        """Scenario or case -> why it fails with this board.

        Such a case must fail, and the run passes with it; once it does not, the run says so. The
        name of one of `lab.bench.figures.BOARD_FIGURES` -> why it is beyond its limit in whatever
        case; then it is measured and not judged.
        """
        ...

    def left_out(self, scenario: Scenario) -> str:
        """Why this board cannot play a scenario; empty when it can."""
        ...

    def need(self) -> None:
        """Build it, and look for its tools, once before everything.

        Raises:
            BadTarget: it cannot be had here; the message says what to install.
        """
        ...

    def board(self, tower: SampleSource, calibration: Calibration, case_id: str) -> Board:
        """A board whose sensors feel a tower.

        Args:
            tower: gives in order what ideal sensors would measure at it, in counts and in units.
            calibration: of that tower: what its counts mean.
            case_id: of the case; all that the board leaves to chance follows from it.
        """
        ...


Where = str | BoardTarget
"""`sim`, `lab`, `rig`, the name of an installed target, `module:attribute`, or a target."""


def board_target(where: Where) -> BoardTarget | None:
    """The target somebody named; None where no board is between tower and table.

    Raises:
        BadInput: there is no such target, or it lacks something.
    """
    if not isinstance(where, str):
        return _whole(where, type(where).__name__)
    if where == "sim":
        return None
    if where == "lab":
        from lab.bench.laboratory import Lab  # noqa: PLC0415 - GPL library inside

        return Lab()
    if where == "rig" or where.startswith("mqtt://"):
        raise BadInput(f"--target {where.rsplit('@', 1)[-1]}: topple-table bench plays there")
    if ":" in where:
        return _whole(_imported(where), where)
    installed = metadata.entry_points(group=ENTRY_POINTS)
    if where in installed.names:
        return _whole(installed[where].load(), where)
    names = ", ".join([*TARGETS, *sorted(installed.names)])
    raise BadInput(f"--target {where}: there are {names}; or name your own as module:attribute")


def name_of(where: Where) -> str:
    """Its name in reports."""
    target = board_target(where)
    return str(where) if target is None else target.name


def left_out(scenario: Scenario, where: Where) -> str:
    """Why a target cannot play a scenario; empty when it can."""
    target = board_target(where)
    if target is None:
        return scenario.left_out("sim")
    return scenario.left_out(target.like) or target.left_out(scenario)


def _imported(where: str) -> Any:
    module, _, attribute = where.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as problem:
        raise BadInput(f"--target {where}: {problem}; say module:attribute") from None


def _whole(found: Any, where: str) -> BoardTarget:
    target = found() if isinstance(found, type) else found
    if isinstance(target, BoardTarget):
        return target
    wanted = ("name", "like", "known", "left_out", "need", "board")
    missing = [name for name in wanted if not hasattr(target, name)]
    raise BadInput(f"target {where}: it has no {', '.join(missing)}; see boards.BoardTarget")
