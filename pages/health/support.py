"""The support bundle: one ZIP with what a bug report needs, without secrets.

Settings are left out if their name sounds like a secret. Of the inputs of people only fields known
to be harmless are included, because the journal also holds dealt cards and racks.
"""

import io
import json
import platform
import re
import shutil
import sqlite3
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import msgspec

from controller.common.config import Config
from controller.common.foreign_database import check_data_only
from controller.mqtt.topics import TableStatus
from controller.table.publisher import software
from engine.errors import UNREADABLE
from engine.events import HumanInput
from engine.plainly import plainly
from engine.scoreboard import Scoreboard
from hw.errors import HardwareError
from hw.traces.cutting import last_part
from hw.traces.folder import recordings

JOURNAL_TAIL = 400
"""Causes from the end of the journal: more than two games of Topple."""

LARGEST_RECORDING_BYTES = 64 * 1024 * 1024
"""An evening is about 30 MB. More would not fit the memory of a small Pi beside everything."""

_SECRET = re.compile(r"pass|secret|token|pin$|credential|private|(^|_)key$", re.IGNORECASE)

_HARMLESS = frozenset(
    ("t_s", "decided_s", "type", "data", "id", "cell", "confidence", "alternatives", "mass_g",
     "ref", "reason", "kind", "cause", "cause_confidence", "fallen", "sensor", "value",
     "question", "nothing", "player", "colour", "colours", "name", "players", "target", "first",
     "game", "options", "dice", "points", "was", "of", "status", "seq")
)  # fmt: skip
"""Fields of causes and outcomes that hold nothing hidden, in Topple and in the other games."""


class Documents(msgspec.Struct, frozen=True):
    """What the table last said of itself."""

    status: TableStatus | None = None
    state: Scoreboard | None = None
    health: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SupportDesk:
    """What there is to tell about a table that runs in this process; not about others.

    A demo has no configuration, `recording` is a trace being played; of the table's own
    `recordings` the last minutes are taken.
    """

    table: str
    config: Config | None = None
    recording: Path | None = None
    recordings: Path | None = None

    def bundle(self, documents: Documents) -> bytes:
        """The ZIP, with what the table last said; `about.txt` names what cannot be read."""
        missing: list[str] = []
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, document in self._documents(documents).items():
                archive.writestr(name, json.dumps(document, indent=1, ensure_ascii=False))
            self._add_journal(archive, missing)
            self._add_recording(archive, missing)
            archive.writestr("about.txt", self._about(missing))
        return packed.getvalue()

    def _documents(self, documents: Documents) -> dict[str, Any]:
        config = {} if self.config is None else msgspec.to_builtins(self.config)
        return {
            "config.json": without_secrets(config),
            "versions.json": versions(),
            "status.json": msgspec.to_builtins(documents.status),
            "state.json": msgspec.to_builtins(documents.state),
            "health.json": without_secrets(dict(documents.health or {})),
        }

    def _add_journal(self, archive: zipfile.ZipFile, missing: list[str]) -> None:
        name = self.config.table.journal if self.config else ""
        if not name:
            missing.append("journal: this table keeps none")
            return
        try:
            lines = [json.dumps(entry, ensure_ascii=False) for entry in journal_tail(Path(name))]
        except (sqlite3.Error, OSError) as error:
            missing.append(f"journal: it cannot be read ({error})")
            return
        archive.writestr("journal.jsonl", "\n".join(lines) + "\n")

    def _add_recording(self, archive: zipfile.ZipFile, missing: list[str]) -> None:
        if self.recording is None:
            self._add_last_minutes(archive, missing)
            return
        try:
            size = self.recording.stat().st_size
            if size > LARGEST_RECORDING_BYTES:
                missing.append(
                    f"recording: {self.recording.name} has {size >> 20} MB; send it by itself"
                )
                return
            archive.write(self.recording, f"recording{self.recording.suffix}")
        except OSError as error:
            missing.append(f"recording: {self.recording.name} cannot be read ({error.strerror})")

    def _add_last_minutes(self, archive: zipfile.ZipFile, missing: list[str]) -> None:
        made = recordings(self.recordings) if self.recordings else []
        if not made:
            missing.append("recording: none is being made")
            return
        try:
            archive.writestr("recording.mcap", last_part(made[-1], shown=_shown))
        except HardwareError as error:
            missing.append(f"recording: {error}")

    def _about(self, missing: list[str]) -> str:
        lines = [
            f"Support bundle of table {self.table}, Topple Table {software()}.",
            "Passwords and dealt cards are left out. It holds names of players and scores.",
            *(f"Not here - {text}." for text in missing),
        ]
        return "\n".join(lines) + "\n"


def without_secrets(document: Any) -> Any:
    """A copy without what sounds like a secret; of paths only the last part."""
    match document:
        case Mapping():
            return {
                name: without_secrets(value)
                for name, value in document.items()
                if not _SECRET.search(str(name))
            }
        case list() | tuple():
            return [without_secrets(value) for value in document]
        case str() if "/" in document and Path(document).is_absolute():
            return Path(document).name
        case _:
            return document


def harmless(document: Any) -> Any:
    """A copy with only the fields that are known to hold nothing hidden."""
    match document:
        case Mapping():
            return {name: harmless(value) for name, value in document.items() if name in _HARMLESS}
        case list():
            return [harmless(value) for value in document]
        case _:
            return document


def _shown(said: HumanInput) -> HumanInput:
    return replace(said, data=harmless(said.data))


def journal_tail(path: Path) -> Iterator[dict[str, Any]]:
    """The last causes in a journal, oldest first, without what is hidden.

    The table that writes a journal keeps it locked, so a copy is read: the file and its
    write-ahead log. Every entry in them is whole, or not there.

    Raises:
        sqlite3.Error: it cannot be read.
        OSError: it cannot be copied.
    """
    if not path.is_file():
        raise FileNotFoundError("there is no such file")
    with tempfile.TemporaryDirectory(prefix="topple-table-") as folder:
        for name in (f"{path.name}-wal", path.name):
            if path.with_name(name).is_file():
                shutil.copyfile(path.with_name(name), Path(folder) / name)
        with closing(sqlite3.connect(Path(folder) / path.name)) as database:
            check_data_only(database)
            rows = database.execute(
                "SELECT entry, kind, t_s, cause, outcomes FROM entries ORDER BY entry DESC LIMIT ?",
                (JOURNAL_TAIL,),
            ).fetchall()
    yield from map(_told, reversed(rows))


def _told(row: tuple[Any, ...]) -> dict[str, Any]:
    try:
        entry, kind, t_s, *texts = msgspec.convert(row, tuple[int, str, float, str, str])
        cause, outcomes = (harmless(msgspec.json.decode(text)) for text in texts)
    except UNREADABLE as error:
        raise sqlite3.DataError(f"an entry is none of a table: {plainly(error)}") from None
    return {"entry": entry, "kind": kind, "t_s": t_s, "cause": cause, "outcomes": outcomes}


def versions() -> dict[str, Any]:
    """Software, Python, machine and packages."""
    return {
        "topple-table": software(),
        "python": sys.version.split()[0],
        "machine": f"{platform.system()} {platform.release()} {platform.machine()}",
        "packages": {d.metadata["Name"]: d.version for d in distributions()},
    }
