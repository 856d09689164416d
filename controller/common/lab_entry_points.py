"""What the lab offers: simulated tables, and commands that play on them.

A table works without `lab`, which pretends and learns, so nothing here imports it. It names what it
offers as entry points of the program (pyproject.toml), and an installation may lack it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from controller.common.errors import BadInput

PROGRAM = "topple-table"
COMMANDS, SIMULATED = "topple_table.commands", "topple_table.simulated"
"""Groups of entry points: functions with arguments of the command line; what pretends."""

Function = Callable[..., Any]


class NoLab(BadInput):
    """The lab was left out when the program was installed."""

    def __init__(self, what: str) -> None:
        """`what` would need it."""
        super().__init__(
            f"{what} is part of the lab (simulated tables, test bench), which is not installed "
            "here; install the whole program to have it"
        )


def simulated(name: str) -> Function:
    """What simulates something, by its name among the entry points.

    Raises:
        NoLab: it is not installed here.
    """
    for entry in _offered(SIMULATED):
        if entry.name == name:
            return _loaded(entry, "a simulated table")
    raise NoLab("a simulated table")


@dataclass(frozen=True, slots=True)
class LabCommand:
    """A command of the lab.

    Attributes:
        run: what it does; where the lab is not installed it says so.
        here: the lab is installed.
    """

    name: str
    run: Function
    here: bool = True


def commands() -> Iterator[LabCommand]:
    """The commands of the lab, by name."""
    for entry in sorted(_offered(COMMANDS), key=lambda entry: entry.name):
        try:
            yield LabCommand(entry.name, _loaded(entry, entry.name))
        except NoLab as missing:
            yield LabCommand(entry.name, _refusing(missing), here=False)


def _offered(group: str) -> metadata.EntryPoints:
    try:
        return metadata.distribution(PROGRAM).entry_points.select(group=group)
    except metadata.PackageNotFoundError:
        return metadata.EntryPoints()


def _loaded(entry: metadata.EntryPoint, what: str) -> Function:
    try:
        function: Function = entry.load()
    except ModuleNotFoundError as error:
        if error.name != entry.module.partition(".")[0]:
            raise
        raise NoLab(what) from None
    return function


def _refusing(missing: NoLab) -> Function:
    def refuse() -> int:
        raise missing

    refuse.__doc__ = "Not installed here; it is part of the lab."
    return refuse
