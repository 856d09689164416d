"""Runs all checks in order and returns the exit code."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from controller.app import wiring
from controller.common.config import Config, load
from controller.common.errors import BadConfig, BadInput
from controller.common.installed import CONFIG, USER
from controller.workshop.doctor.broker_rights import look_at_rights
from controller.workshop.doctor.computer import Computer, look_at_computer
from controller.workshop.doctor.people import UnixUser, myself, person
from controller.workshop.doctor.results import CheckResult, ok, print_results, wrong
from controller.workshop.doctor.services import (
    look_at_broker,
    look_at_pages,
    look_at_table,
    read_retained,
)
from controller.workshop.doctor.services import look_at_units as units
from controller.workshop.doctor.stored_files import look_at_stored_files
from controller.workshop.doctor.wires import look_at_wires

HEALTHY, ILL = 0, 1
"""Exit codes; 2 is wrong use."""

LOOKS = ("computer", "config", "keeping", "wires", "broker", "rights", "table", "pages", "services")


def run(
    config: Path | None,
    *,
    only: Sequence[str] = (),
    as_json: bool = False,
    computer: Computer | None = None,
    out: TextIO | None = None,
) -> int:
    """Run all checks, or only some of `LOOKS`, and print one line for each.

    Returns:
        Exit code: 0 nothing is wrong, 1 something is.

    Raises:
        BadInput: there is no such configuration or look.
    """
    here = computer or Computer()
    unknown = [look for look in only if look not in LOOKS]
    if unknown:
        raise BadInput(f"--only {unknown[0]}: it can be {', '.join(LOOKS)}")
    path = config or here.path(str(CONFIG))
    if not path.is_file():
        missing = "no table is installed here" if config is None else f"there is no file {path}"
        raise BadInput(f"{missing}; name a configuration: --config FILE")
    found = look(path, here, only or LOOKS)
    return HEALTHY if print_results(found, out or sys.stdout, as_json=as_json) else ILL


def look(path: Path, computer: Computer, looks: Sequence[str]) -> Iterator[CheckResult]:
    """All results, one after the other, as they come."""
    if "computer" in looks:
        yield from look_at_computer(computer)
    try:
        config = load(path)
    except BadConfig as error:
        yield wrong("config", str(error), "the table does not start with it")
    else:
        if "config" in looks:
            yield ok("config", f"{path}: table {config.table.id}, source {config.source.kind}")
        yield from _of_configured(config, path, computer, looks)
    if "services" in looks:
        yield from units(computer)


def _of_configured(
    config: Config, path: Path, computer: Computer, looks: Sequence[str]
) -> Iterator[CheckResult]:
    service = _service(computer)
    if "keeping" in looks:
        places = wiring.places(config, path, computer.root)
        known = wiring.known(config, path, places) if config.table.journal else None
        yield from look_at_stored_files(config, service, places, known)
    if "broker" in looks:
        yield from look_at_broker(config, computer)
    if "rights" in looks:
        yield from look_at_rights(config, computer)
    if {"wires", "table"} & set(looks):
        heard = read_retained(config, computer)
        if "wires" in looks:
            yield from look_at_wires(config, computer, service, heard)
        if "table" in looks:
            yield from look_at_table(heard)
    if "pages" in looks:
        yield from look_at_pages(config, computer)


def _service(computer: Computer) -> UnixUser:
    """The user who runs the table: the service's if it is installed, else the caller."""
    installed = computer.path("/etc/systemd/system/topple-table.service").exists()
    return (person(USER) if installed else None) or myself()
