"""What simulated people saw, and their answers to the table's questions."""

from collections.abc import Sequence
from math import inf
from typing import Any

from hw.sim.twin.tower import Tower

MEANT_S = 2.5
"""A question names no time but people know which piece is meant: a table that was tapped while the
piece was laid sees it 1.7 s later."""


class Eyewitness:
    """Somebody who sat at the table and tells the truth."""

    def __init__(self, tower: Tower, names: Sequence[str]) -> None:
        """Watch a tower, with players of these names in their seats."""
        self._tower, self._names = tower, names

    def answer(self, kind: str, about_s: float, options: tuple[str, ...]) -> str | None:
        """What an honest player answers to a question of the table.

        Args:
            kind: `cell`, `placed` or `blame`.
            about_s: table time of what the question is about.
            options: the values offered.

        Returns:
            One of the options, or None when the players do not know either.
        """
        truth = self._culprit(about_s) if kind == "blame" else self._whereabouts(about_s)
        return next((option for option in options if option in truth), None)

    def _happened(self, kind: str) -> list[dict[str, Any]]:
        """What they saw of a kind, in order."""
        return [entry for entry in self._tower.truth.entries if entry["type"] == kind]

    def _whereabouts(self, about_s: float) -> set[str]:
        """Values by which a table may call the place of the piece laid then."""
        near = [piece for piece in self._happened("place") if abs(piece["t"] - about_s) < MEANT_S]
        if not near:
            return {"no", "none"}
        piece = min(near, key=lambda piece: abs(piece["t"] - about_s))
        return {"no", "none"} if piece["ended_in_topple"] else {piece["cell"], "yes"}

    def _culprit(self, about_s: float) -> set[str]:
        """Values by which a table may call who or what made pieces fall, if any did.

        The round ends with its first topple; what falls after it costs nobody.
        """
        began_s, ended_s = self._round(about_s)
        latest = self._tower.topple
        fallen = [(e["t"], e["cause"], e["player"]) for e in self._happened("topple")]
        # One that is not over yet is not in the log.
        fallen += [] if latest is None else [(latest.t_s, latest.cause, latest.player)]
        of_round = [fall for fall in fallen if began_s <= fall[0] < ended_s]
        first = min(of_round, key=lambda fall: float(fall[0]), default=None)
        if first is None:
            return {"none"}
        _, cause, seat = first
        if cause == "placing":
            return {"placing"}
        return set() if seat is None else {self._names[seat], str(seat)}

    def _round(self, about_s: float) -> tuple[float, float]:
        """Table times at which the board was empty before and after what was laid before."""
        laid_s = max((e["t"] for e in self._happened("place") if e["t"] < about_s), default=0.0)
        cleared_s = [e["t"] for e in self._happened("cleared")]
        before_s = max((t_s for t_s in cleared_s if t_s < laid_s), default=0.0)
        return before_s, min((t_s for t_s in cleared_s if t_s > laid_s), default=inf)
