"""Whether the table knew whose turn it was: its belief beside what really happened.

`Believed` is what the table thought from some moment on, `TrueTurn` who really began to
play when. A turn really ends when the next player begins; the table may know so earlier. So it is
in step while it believes the player in turn, and also once it has done so in this turn and then
goes on to the player who really is next, or to nobody.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from math import inf
from pathlib import Path

import msgspec

from engine.errors import UNREADABLE

Spell = tuple[float, float, int | None]
"""From when to when which seat was believed in turn."""


@dataclass(frozen=True, slots=True)
class Believed:
    """Whose turn the table believes it is from `t_s` on, by seat; None: nobody's."""

    t_s: float
    seat: int | None


@dataclass(frozen=True, slots=True)
class TrueTurn:
    """Who begins to play at `t_s`, by seat."""

    t_s: float
    seat: int


@dataclass(frozen=True, slots=True)
class OutOfStep:
    """How long the table believed it was somebody else's turn, altogether.

    `turns` is the longest run of turns, each of which it was wrong about for more than half.
    """

    seconds: float
    turns: int


def true_turns(trace: Path | str) -> tuple[TrueTurn, ...] | None:
    """Who really played when, from the truth beside a trace; None if none lies there.

    Lines that say something else, or nothing, are passed over.
    """
    path = Path(trace).with_suffix(".truth.jsonl")
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return None
    return tuple(turn for line in lines if (turn := _turn(line)) is not None)


class _Entry(msgspec.Struct):
    type: str
    t: float = 0.0
    player: int | None = None


def _turn(line: bytes) -> TrueTurn | None:
    try:
        entry = msgspec.json.decode(line, type=_Entry)
    except UNREADABLE:
        return None
    if entry.type != "turn" or entry.player is None:
        return None
    return TrueTurn(entry.t, entry.player)


def out_of_step(
    believed: Sequence[Believed], really: Sequence[TrueTurn], end_s: float
) -> OutOfStep:
    """Compare belief and truth, each in order of time, until the end of the recording.

    Two turns of one evening: the table knows of the second one as the first piece lies, and takes
    two seconds to notice the third.

    >>> believed = [Believed(0.0, 0), Believed(4.0, 1), Believed(12.0, 0)]
    >>> out_of_step(believed, [TrueTurn(1.0, 0), TrueTurn(5.0, 1), TrueTurn(10.0, 0)], 20.0)
    OutOfStep(seconds=2.0, turns=0)
    """
    missed_s, missed = 0.0, []
    for turn, after in zip_longest(really, really[1:]):
        until_s, following = (after.t_s, after.seat) if after else (max(end_s, turn.t_s), None)
        wrong_s = _wrong_s(_spells(believed, turn.t_s, until_s), turn.seat, following)
        missed_s += wrong_s
        missed.append(2.0 * wrong_s > until_s - turn.t_s)
    runs = (len(list(run)) for wrong, run in groupby(missed) if wrong)
    return OutOfStep(missed_s, max(runs, default=0))


def _wrong_s(spells: Iterable[Spell], seat: int, following: int | None) -> float:
    """Seconds of a turn in which the table was out of step."""
    wrong_s, knew = 0.0, False
    for from_s, to_s, who in spells:
        knew = knew or who == seat
        if who != seat and not (knew and who in (following, None)):
            wrong_s += to_s - from_s
    return wrong_s


def _spells(believed: Sequence[Believed], from_s: float, to_s: float) -> Iterable[Spell]:
    changes = [Believed(-inf, None), *believed]
    ends = [*(change.t_s for change in believed), inf]
    for change, end_s in zip(changes, ends, strict=True):
        begin_s, stop_s = max(change.t_s, from_s), min(end_s, to_s)
        if begin_s < stop_s:
            yield begin_s, stop_s, change.seat
