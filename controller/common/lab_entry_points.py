"""What the lab offers: simulated tables, and commands that play on them.

A table works without `lab`, which pretends and learns, so nothing here imports it. The lab is a
distribution of its own (`lab/pyproject.toml`) and names what it offers as entry points; an
installation may lack it.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from controller.common.errors import BadInput
from controller.common.installed import PROGRAMS
from hw.drivers.libraries import NEEDED, not_installed

PROGRAM, LAB = "topple-table", "topple-table-lab"
"""Distributions: the program, and what it can do without."""
LAB_PACKAGE = "lab"

COMMANDS, SIMULATED = "topple_table.commands", "topple_table.simulated"
"""Groups of the lab's entry points: functions with arguments of the command line; what pretends."""

NAMES = ("bench", "demo", "fit", "replay-mqtt")
"""The lab's commands, so that the program can say what one of them needs."""

Function = Callable[..., Any]


class NoLab(BadInput):
    """The lab was left out when the program was installed."""

    def __init__(self, what: str) -> None:
        """`what` would need it."""
        super().__init__(
            f"{what} is part of the lab (simulated tables, test bench), which is not installed "
            f"here; in the folder of the release type: {how_to_install()}"
        )


def how_to_install(prefix: Path | None = None) -> str:
    """The command that adds the lab to the program, of this process unless told otherwise."""
    place = prefix or Path(sys.prefix)
    if place.is_relative_to(PROGRAMS):
        return "sudo sh deploy/install.sh --lab"
    # The name is asked of no package index: there it is nobody's.
    return f"{place / 'bin' / 'pip'} install --no-index --find-links dist {LAB}"


def simulated(name: str) -> Function:
    """What simulates something, by its name among the entry points.

    Raises:
        NoLab: the lab is not installed here.
        BadInput: what it simulates is read through libraries of a Pi that are not installed.
    """
    for entry in _offered(SIMULATED):
        if entry.name == name:
            return _loaded(entry)
    raise NoLab("a simulated table")


def how_to_read_pins(prefix: Path | None = None) -> str:
    """The command that adds what a simulated table's pins are read by, on any computer."""
    place = prefix or Path(sys.prefix)
    if place.is_relative_to(PROGRAMS):
        return how_to_install(place)
    return f"{place / 'bin' / 'pip'} install gpiozero smbus2"


def _loaded(entry: metadata.EntryPoint) -> Function:
    try:
        function: Function = entry.load()
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if missing in _top_levels("pi"):
            raise BadInput(
                "a simulated table is read through the libraries of a Raspberry Pi, and "
                f"{missing} is not installed; type: {how_to_read_pins()}"
            ) from None
        if missing in _top_levels("bridge"):
            raise BadInput(
                "a simulated table is read through the libraries of the serial line, and "
                f"{not_installed(error, 'bridge')}"
            ) from None
        if missing == LAB_PACKAGE:
            raise NoLab("a simulated table") from None
        raise
    return function


def _top_levels(extra: str) -> set[str]:
    return {module.split(".")[0] for module in NEEDED[extra]}


@dataclass(frozen=True, slots=True)
class LabCommand:
    """A command of the lab; where that is not installed (`here`), it says so."""

    name: str
    run: Function
    here: bool = True


def commands() -> Iterator[LabCommand]:
    """The commands of the lab, by name."""
    offered = {entry.name: entry for entry in _offered(COMMANDS)}
    for name in NAMES:
        run = _command(offered[name]) if name in offered else None
        yield LabCommand(name, run or _refusing(name), here=run is not None)


def _command(entry: metadata.EntryPoint) -> Function | None:
    """What runs a command; None where only the record of the lab's installation is left."""
    try:
        function: Function = entry.load()
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != LAB_PACKAGE:
            raise
        return None
    return function


def _offered(group: str) -> metadata.EntryPoints:
    try:
        return metadata.distribution(LAB).entry_points.select(group=group)
    except metadata.PackageNotFoundError:
        return metadata.EntryPoints()


def _refusing(name: str) -> Function:
    def refuse() -> int:
        raise NoLab(name)

    refuse.__doc__ = "Not installed here; it is part of the lab."
    return refuse
