"""Calibration files: the one in use, and every one before it.

Beside `calibration.json` lies the folder `calibration.d` with one numbered, dated file for each
calibration ever saved. The file in use is a copy of one of them. Both are written to a temporary
name, flushed to the disk and renamed, the kept one first, so that after a power cut either the old
or the new calibration is in use. They are ordered by number, not by date, because the clock of a
Raspberry Pi may be wrong after a start.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from controller.common.errors import BadInput
from controller.common.files import CALIBRATION_BYTES, flush, read_bytes, write_whole
from engine.errors import UNREADABLE
from hw.calibration import Calibration, calibration_document, parse_calibration
from hw.errors import BadCalibration

_NAME = re.compile(r"^(?P<number>\d{4,})-(?P<date>[\dT-]+Z)\.json(?P<back>\.taken-back)?$")
TAKEN_BACK = ".taken-back"


@dataclass(frozen=True, slots=True)
class Kept:
    """One saved calibration.

    Attributes:
        number: counts up; date: when it was saved, by the computer's clock.
        how: `calibrate`, `zero`, `pieces`, `found` (it was there before); words: its verdict.
        in_use: whether the table uses it. taken_back: whether somebody took it back.
        readable: false when the file is damaged; it is left where it is.
    """

    number: int
    date: str
    path: Path
    how: str
    words: str
    in_use: bool
    taken_back: bool
    readable: bool


class _Made(msgspec.Struct):
    how: str = ""
    words: str = ""


class _Header(msgspec.Struct):
    made: _Made = msgspec.field(default_factory=_Made)


class Calibrations:
    """The calibration in use and those before it."""

    def __init__(self, path: Path | str) -> None:
        """Look after `path`, the file that `source.calibration` names."""
        self.path = Path(path)
        self.folder = self.path.with_suffix(".d")

    def current(self) -> Calibration | None:
        """The one in use; None when there is none.

        Raises:
            BadCalibration: the file is damaged.
            OSError: it cannot be read.
        """
        if not self.path.exists():
            return None
        try:
            return parse_calibration(read_bytes(self.path, CALIBRATION_BYTES))
        except BadCalibration as problem:
            raise BadCalibration(
                f"{self.path}: {problem}; topple-table calibrate --take-back brings back the one "
                "before",
                problem.key,
            ) from problem

    def save(
        self, calibration: Calibration, now: datetime, how: str, words: str, **more: Any
    ) -> Path:
        """Keep a calibration and put it into use; returns the path of the file that is kept.

        `how` is `calibrate`, `zero` or `pieces`, `words` the verdict; `more` goes into the file as
        JSON.

        Raises:
            OSError: it cannot be written; the one in use stays.
        """
        self._keep_found(now)
        document = calibration_document(calibration)
        document["made"] = {"at": now.isoformat(timespec="seconds"), "how": how, "words": words}
        document["made"] |= more
        text = msgspec.json.format(msgspec.json.encode(document), indent=1)
        kept = self._keep(text, now)
        write_whole(self.path, text)
        return kept

    def kept(self) -> list[Kept]:
        """Every calibration that is kept, oldest first."""
        if not self.folder.is_dir():
            return []
        used = _bytes(self.path)
        found = [each for path in self.folder.iterdir() if (each := _kept(path, used))]
        found.sort(key=lambda each: each.number)
        return found

    def take_back(self) -> tuple[Kept, Kept]:
        """Put the calibration before the one in use into use again.

        Returns:
            The one taken back and the one now in use.

        Raises:
            BadInput: there is none before it.
            OSError: it cannot be written; nothing has changed.
        """
        good = [each for each in self.kept() if not each.taken_back and each.readable]
        used = next((each for each in reversed(good) if each.in_use), None)
        # A damaged file in use belongs to none of them: then the newest whole one is the one.
        before = [each for each in good if used is None or each.number < used.number]
        if not before:
            raise BadInput(
                f"{self.path}: there is no earlier calibration to go back to; "
                "run topple-table calibrate"
            )
        back = before[-1]
        write_whole(self.path, back.path.read_bytes())
        if used is not None:
            used.path.rename(used.path.with_name(used.path.name + TAKEN_BACK))
            flush(self.folder)
        return used or back, back

    def _keep_found(self, now: datetime) -> None:
        """Keep a calibration somebody else put there, before it is written over."""
        data = _bytes(self.path)
        if data is not None and not any(each.in_use for each in self.kept()):
            self._keep(data, now)

    def _keep(self, data: bytes, now: datetime) -> Path:
        number = max((each.number for each in self.kept()), default=0) + 1
        date = now.astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{number:04d}-{date}.json"
        write_whole(path, data)
        return path


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _kept(path: Path, used: bytes | None) -> Kept | None:
    found = _NAME.match(path.name)
    if found is None:
        return None
    data = path.read_bytes()
    made, readable = _Made("found"), True
    try:
        parse_calibration(data)
        made = msgspec.json.decode(data, type=_Header).made
    except (BadCalibration, *UNREADABLE):
        readable = False
    return Kept(
        number=int(found["number"]),
        date=found["date"],
        path=path,
        how=made.how or "found",
        words=made.words,
        in_use=data == used,
        taken_back=found["back"] is not None,
        readable=readable,
    )
