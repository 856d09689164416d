"""Checks of the files that a table keeps: its passwords, its games, its calibration."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from controller.common.config import Config
from controller.common.files import CALIBRATION_BYTES, read_bytes
from controller.common.foreign_database import check_data_only
from controller.common.places import Places
from controller.common.sqlite_errors import IN_USE, primary_code
from controller.common.troubles import STORAGE_WORN
from controller.journal.journal import SCHEMA
from controller.journal.known import KnownJournals
from controller.workshop.doctor.computer import space
from controller.workshop.doctor.people import ENTER, READ, WRITE, UnixUser, owner
from controller.workshop.doctor.results import CheckResult, note, ok, wrong
from engine.pieces import PieceSet
from engine.separation import WANTED, certainty, verdict_words
from hw.calibration import parse_calibration
from hw.errors import BadCalibration

LARGE_JOURNAL_MB = 100
"""Two hundred games take some ten; somebody else writes into it."""


def look_at_stored_files(
    config: Config, service: UnixUser, places: Places, known: KnownJournals | None
) -> Iterator[CheckResult]:
    """All files that a configured table has, for the user who runs it, and where they lie.

    `known` is what other folders know of its journal.
    """
    yield from storage(places)
    yield from secrets(config, service)
    yield from journal(config.table.journal, service, known)
    yield from pieces(config.source.calibration_file)


def storage(places: Places) -> Iterator[CheckResult]:
    """Whether the disks of these files keep what is written there; nothing where all do."""
    for trouble in places.troubles().values():
        words, _, advice = trouble.sentence.partition("; ")
        verdict = note if trouble.code == STORAGE_WORN.code else wrong
        yield verdict("storage", words, advice)


def pieces(calibration: Path | None) -> Iterator[CheckResult]:
    """How surely the weight of a piece says whose it is; nothing where there is no calibration.

    What is wrong with the file is said elsewhere.
    """
    if calibration is None:
        return
    try:
        known = parse_calibration(read_bytes(calibration, CALIBRATION_BYTES)).piece.masses
    except (BadCalibration, OSError):
        return
    colours = PieceSet.of(known).colours
    if len(colours) < 2:
        text = "not weighed by colour, so whose piece it is cannot be told by weight"
        yield ok("pieces", f"{text} (topple-table calibrate --pieces)")
    elif certainty(list(colours.values())) >= WANTED:
        yield ok("pieces", verdict_words(colours))
    else:
        yield note("pieces", verdict_words(colours))


def secrets(config: Config, service: UnixUser) -> Iterator[CheckResult]:
    """The table's password: there, readable by the table, and by nobody else."""
    if not config.broker.password_file:
        return
    file = Path(config.broker.password_file)
    try:
        mode = file.stat().st_mode & 0o777
    except OSError as error:
        yield wrong("password", f"{file}: {error.strerror}", "run install.sh again; it makes one")
        return
    if mode & 0o077:
        yield wrong("password", f"others may read {file} ({mode:03o})", f"chmod 600 {file}")
    elif not service.may(READ, file):
        advice = f"chown {service.name} {file}"
        yield wrong("password", f"{file} belongs to {owner(file)}, not {service.name}", advice)
    else:
        yield ok("password", f"{file}, for {service.name} only")


def journal(
    name: str, service: UnixUser, known: KnownJournals | None = None
) -> Iterator[CheckResult]:
    """Whether games can be stored, and whether the stored ones are there and intact."""
    if not name:
        advice = "a pulled plug ends the game; set table.journal"
        yield note("journal", "none is kept", advice)
        return
    file = Path(name)
    if known is not None and not file.exists() and (line := known.read()) is not None:
        text = f"{file} is gone; {line.entry} entries of games were in it, on {line.point}"
        yield wrong("journal", text, "plug in the right card or stick, and mount it")
        return
    if file.exists() and not file.is_file():
        # A pipe would be waited for, for ever.
        yield wrong("journal", f"{file} is no file", "move it away")
        return
    if not file.parent.is_dir():
        yield wrong("journal", f"there is no folder {file.parent}", f"mkdir {file.parent}")
        return
    yield from space(file.parent)
    places = [file.parent, *([file] if file.exists() else [])]
    for place, needed in zip(places, (WRITE | ENTER, READ | WRITE), strict=False):
        if not service.may(needed, place):
            text = f"{service.name} may not write {place}, which belongs to {owner(place)}"
            yield wrong("journal", text, f"chown {service.name} {place}")
            return
    yield _contents(file) if file.exists() else ok("journal", f"{file}: no game yet")
    if damaged := sorted(file.parent.glob(f"{file.name}.damaged-*")):
        advice = "back up this card, and put in another one soon"
        yield note("journal", f"it was damaged once, see {damaged[-1]}", advice)


def _contents(file: Path) -> CheckResult:
    """Look into the journal, without writing to it: a running table may have it open."""
    try:
        address = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=0.5)) as opened:
            schema = opened.execute("PRAGMA user_version").fetchone()[0]
            check_data_only(opened)
            whole = opened.execute("PRAGMA quick_check(1)").fetchone()[0]
            games = opened.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.DatabaseError as error:
        code = primary_code(error)
        if code in IN_USE:
            return ok("journal", f"{file} is in use by a running table, which has read it")
        if code == sqlite3.SQLITE_CANTOPEN:
            return note("journal", f"{file} cannot be looked into", "sudo topple-table doctor")
        return wrong("journal", f"{file}: {error}", "move it away, and report it")
    if schema > SCHEMA:
        text = f"{file} was written by a newer version"
        return wrong("journal", text, "install that version again, or move the file away")
    if whole != "ok":
        return wrong("journal", f"{file} is damaged: {whole}", "move it away, and report it")
    size_mb = file.stat().st_size / 1e6
    text = f"{file}, {games} games, {size_mb:.1f} MB, whole"
    return note("journal", text, "unusually large") if size_mb > LARGE_JOURNAL_MB else ok(
        "journal", text
    )  # fmt: skip
