"""What really happened at the simulated tower, in the words of `*.truth.jsonl` (docs/traces.md)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from lab.twin.pieces import TwinPiece

Entry = dict[str, Any]
Cause = Literal["placing", "bump"]

COLLAPSE_FROM = 4
"""Pieces that must fall to call it a collapse; in the public traces 3 are none and 5 are one."""

DETECTABLE_AFTER_S = 0.7
"""A topple can be told from a swing at the earliest after one period; so in the public traces."""
DETECTABLE_AT_LATEST_S = 5.0

PLACEMENT_ENDED_S = 1.5
"""A placement followed by a topple within this time did not stand (the judge's window)."""


STEADY_S = 0.3
"""A placement stands for good once its board has lain still for so long: whatever is bumped off
later costs the bumper and nobody else."""

STILL_RAD_S = 0.006
STILL_FOR_S = 0.15
"""A third of a degree a second, for a fifth of a swing: the board has stuck to its pivot."""

SWINGING_RAD_S = 1.2
"""Above this a board still swings so wildly that nobody can say what fell."""


@dataclass(slots=True)
class ToppleEpisode:
    """One topple, from the first piece that falls to the last that lies still."""

    t_s: float
    cause: Cause
    player: int | None
    fallen: list[TwinPiece] = field(default_factory=list)
    last_move_s: float = 0.0
    settled_s: float = 0.0
    over: bool = False

    def add(self, now_s: float, pieces: Iterable[TwinPiece]) -> None:
        """More pieces fall."""
        self.fallen += [piece for piece in pieces if piece not in self.fallen]
        self.last_move_s = now_s

    def entry(self, on_base: list[TwinPiece]) -> Entry:
        """The truth about it, once it is over."""
        off = [piece for piece in self.fallen if piece.cell is None]
        base = [piece for piece in off if piece in on_base]
        settled_s = min(self.settled_s, self.t_s + DETECTABLE_AT_LATEST_S)
        return {
            "t": round(self.t_s, 3),
            "type": "topple",
            "t_detectable": round(max(settled_s, self.t_s + DETECTABLE_AFTER_S), 3),
            "kind": self._kind(len(off)),
            "cause": self.cause,
            "fallen": len(self.fallen),
            "off_board": len(off),
            "on_base": len(base),
            "player": self.player,
            "g_off": round(sum(piece.mass_g for piece in off), 2),
            "g_table": round(sum(piece.mass_g for piece in off if piece not in base), 2),
        }

    def _kind(self, off: int) -> str:
        if len(self.fallen) >= COLLAPSE_FROM:
            return "collapse"
        return "off_board" if off else "off_stack"


@dataclass(slots=True)
class TruthLog:
    """All entries; those of placements are completed when more is known."""

    entries: list[Entry] = field(default_factory=list)
    _settling: Entry | None = None
    _touched: bool = False
    _still_since_s: float | None = None
    _rested_s: float | None = None

    def add(self, t_s: float, kind: str, **facts: Any) -> Entry:
        """Write down what happens at `t_s`."""
        entry = {"t": round(t_s, 3), "type": kind, **facts}
        self.entries.append(entry)
        return entry

    def in_order(self) -> list[Entry]:
        """All entries by time."""
        return sorted(self.entries, key=lambda entry: float(entry["t"]))

    def placed(self, entry: Entry) -> None:
        """Watch for the board to come to rest after this placement."""
        self._settling, self._touched = entry, False
        self._still_since_s = self._rested_s = None

    def touched(self) -> None:
        """Somebody touches the board again: when it rests, that is no rest of the placement's."""
        self._touched, self._still_since_s = True, None

    def watch(self, now_s: float, rate_rad_s: float) -> None:
        """Note when the board has come to rest."""
        if self._settling is None:
            return
        if rate_rad_s > STILL_RAD_S:
            self._still_since_s = None
        elif self._still_since_s is None:
            self._still_since_s = now_s
        elif now_s - self._still_since_s > STILL_FOR_S:
            if not self._touched:
                self._settling["t_settled"] = round(self._still_since_s, 3)
            self._rested_s, self._settling = self._still_since_s, None

    def toppled(self, topple: ToppleEpisode) -> None:
        """Mark the placement that this topple undoes as it begins.

        A bump undoes the newest placement as long as the board has not lain still since
        (`STEADY_S`), nobody has rolled and it was not the last of all pieces; `felled` adds the
        piece that fell alone where the rest was not told. So in the public traces: of the
        five bumps that felled something within 3.5 s of a placement, the three on a board that had
        not settled undid it (0.96, 1.06 and 3.40 s after it; in the last case that piece alone
        fell), the two on a board at rest did
        not (1.21 and 1.49 s after it had come to rest).
        """
        newest = self.last_placement()
        if newest is None:
            return
        if topple.cause == "bump":
            undone = self._turn_open(newest) and not self._counted(newest, topple.t_s)
        else:
            undone = 0 <= topple.t_s - newest["t"] <= PLACEMENT_ENDED_S
        newest["ended_in_topple"] = newest["ended_in_topple"] or undone
        # Whatever comes to rest now does so without that piece, or after the fall.
        self._settling = None

    def felled(self, topple: ToppleEpisode) -> None:
        """Mark the placement that this topple has undone, now that it is over."""
        newest = self.last_placement()
        if newest is None or not self._turn_open(newest):
            return  # somebody has rolled since: it had counted (rule T16)
        if topple.cause == "bump" and self._counted(newest, topple.t_s):
            return
        # No two pieces weigh quite the same.
        if [round(piece.mass_g, 4) for piece in topple.fallen] == [newest["mass"]]:
            newest["ended_in_topple"] = True

    def _lain_still(self, by_s: float) -> bool:
        """Whether the board had lain still for long enough since the newest placement."""
        return self._rested_s is not None and by_s - self._rested_s >= STEADY_S

    def last_placement(self) -> Entry | None:
        """The last placement."""
        return next((e for e in reversed(self.entries) if e["type"] == "place"), None)

    def _counted(self, place: Entry, t_s: float) -> bool:
        """Whether a bump then comes too late: it has lain still, or all pieces were played with it.

        What is bumped off when all have been played costs nobody.
        """
        played_out = any(e["type"] == "played_out" and e["t"] >= place["t"] for e in self.entries)
        return played_out or self._lain_still(t_s)

    def _turn_open(self, place: Entry) -> bool:
        """Whether nobody has rolled since this placement."""
        return not any(e["type"] == "turn" and e["t"] > place["t"] for e in self.entries)
