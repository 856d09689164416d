"""The content of a journal as values: causes, games, and the checksums that show damage.

Pure. SQLite notices a broken page, but not a changed digit or a missing end of its log. So each
entry has a checksum (the column `seal`): a CRC-32 of itself and of the checksum before it, back to
the start of its game. A changed, missing or added entry breaks the chain. A missing end does not;
the copy shows that (`controller/journal/backup.py`).

Order is that of the numbers, never of a time: a Raspberry Pi has no clock of its own.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any
from zlib import crc32

import msgspec

from controller.common.errors import JournalError
from controller.table.pipeline import Cause, Output
from engine.errors import UNREADABLE
from engine.events import (
    Cleared,
    Corrected,
    Fault,
    HumanInput,
    Placed,
    Restored,
    Retracted,
    Reweighed,
    Toppled,
)
from engine.plainly import plainly
from engine.tabletop import CELLS

_KEPT: tuple[type[Any], ...] = (
    HumanInput, Placed, Corrected, Reweighed, Retracted, Toppled, Cleared, Fault, Restored,
)  # fmt: skip
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in _KEPT}


class Entry(msgspec.Struct, frozen=True):
    """One cause, as it is kept.

    Attributes:
        entry: its number; the next is one higher.
        kind: type of the cause.
        t_s: table time at which it came to be known.
        cause: JSON; the game is made of these.
        outcomes: JSON; what came of it, for people.
        seal: its checksum, see `with_checksum`; -1 before it is known.
    """

    entry: int
    kind: str
    t_s: float
    cause: str
    outcomes: str
    seal: int = -1


class GameRow(msgspec.Struct, frozen=True):
    """One game, as it is kept: what the referee had counted before it.

    Attributes:
        first_entry: the entry that started it; 0 for what came before the first game.
        game: its name.
        next_ref, rev, seq, games: as in `RefereeState`, before the start.
        seal: its checksum, see `game_with_checksum`; -1 before it is known.
    """

    first_entry: int
    game: str
    next_ref: int
    rev: int
    seq: int
    games: int
    seal: int = -1


NO_GAME = GameRow(0, "", 1, 0, 0, 0, 0)
"""What a table counts from before its first game."""


@dataclass(frozen=True, slots=True)
class GameLog:
    """One game with its entries, in order. It is whole when its checksums are right."""

    game: GameRow = NO_GAME
    entries: tuple[Entry, ...] = ()

    @property
    def first_entry(self) -> int:
        """Number of its oldest entry; 0 when it has none."""
        return self.entries[0].entry if self.entries else 0

    @property
    def last_entry(self) -> int:
        """Number of its newest entry; 0 when it has none."""
        return self.entries[-1].entry if self.entries else 0

    @property
    def checksum(self) -> int:
        """What the checksum of the next entry goes on from."""
        return self.entries[-1].seal if self.entries else self.game.seal

    def checksum_of(self, entry: int) -> int | None:
        """The checksum of one of its entries; None when it has no such entry."""
        at = entry - self.first_entry
        return self.entries[at].seal if 0 <= at < len(self.entries) else None

    def goes_on_in(self, later: "GameLog") -> bool:
        """Whether `later` is this game and more, or the very next game."""
        if not self.entries:
            return True
        same = self.game == later.game and self.entries == later.entries[: len(self.entries)]
        return same or later.first_entry == self.last_entry + 1


def with_checksum(entry: Entry, before: int) -> Entry:
    """The entry with its checksum, which goes on from that of the one before, or of the game."""
    parts = [before, entry.entry, entry.kind, entry.t_s, entry.cause, entry.outcomes]
    return msgspec.structs.replace(entry, seal=crc32(msgspec.json.encode(parts)))


def game_with_checksum(row: GameRow) -> GameRow:
    """The game with its checksum."""
    blank = msgspec.structs.replace(row, seal=-1)
    return msgspec.structs.replace(row, seal=crc32(msgspec.json.encode(blank)))


def flaw(game_log: GameLog) -> str:
    """What is wrong with the log of a game, in words; empty when it is whole."""
    game = game_log.game
    if game != NO_GAME and game_with_checksum(game) != game:
        return f"the game that began at entry {game.first_entry} was changed"
    number = game.first_entry or (game_log.entries[0].entry if game_log.entries else 0)
    before = game.seal
    for entry in game_log.entries:
        if entry.entry != number:
            return f"entry {number} is missing"
        if with_checksum(entry, before) != entry:
            return f"entry {number} was changed"
        number, before = number + 1, entry.seal
    return ""


def entry_of(number: int, output: Output) -> Entry:
    """A decision as it is kept, yet without its checksum."""
    cause = output.cause
    kept = [
        {"seq": o.seq, "t_s": o.t_s, "type": o.type, "player": o.player, "data": o.data}
        for o in output.outcomes
    ]
    outcomes = msgspec.json.encode(kept).decode()
    return Entry(number, type(cause).__name__, _t_s(cause), to_json(cause), outcomes)


def game_of(number: int, output: Output) -> GameRow | None:
    """The game that a decision began; None when it goes on with the one before."""
    before = output.before
    if output.state.game_id == before.game_id:
        return None
    name = output.state.game_id or ""
    row = GameRow(number, name, before.next_ref, before.rev, before.seq, before.games)
    return game_with_checksum(row)


def causes(entries: Iterable[Entry]) -> tuple[Cause, ...]:
    """What the game is made of.

    Raises:
        JournalError: no cause of this version.
    """
    return tuple(from_json(entry.kind, entry.cause) for entry in entries)


def to_json(cause: Cause) -> str:
    """A cause as it is kept. Numbers that are none (an unknown mass) are left out."""
    fields = asdict(cause, dict_factory=_numbers)
    if fields.get("command", ()) is None:
        del fields["command"]
    return msgspec.json.encode(fields).decode()


def from_json(kind: str, text: str) -> Cause:
    """The cause that was kept.

    Raises:
        JournalError: no cause of this version.
    """
    try:
        found: Cause = msgspec.json.decode(text, type=_KINDS[kind])
    except (KeyError, *UNREADABLE) as error:
        raise JournalError(
            f"the journal holds a {kind} that cannot be read: {plainly(error)}"
        ) from None
    for name in _cells(found):
        if name not in CELLS:
            raise JournalError(f"the journal holds a {kind} on {name!r}, which is no cell")
    return found


def _cells(cause: Cause) -> Iterator[str]:
    """Every cell that a sighting names."""
    if isinstance(cause, Placed | Corrected):
        yield from (name for name, _ in cause.alternatives)
        if cause.cell is not None:
            yield cause.cell


def _numbers(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Fields, without those that hold no number."""
    return {name: value for name, value in fields if not _is_nan(value)}


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _t_s(cause: Cause) -> float:
    """When it came to be known, so that the next run goes on after it."""
    if isinstance(cause, HumanInput | Fault | Restored):
        return cause.t_s
    return cause.decided_s
