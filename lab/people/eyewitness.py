"""What simulated people saw, and their answers to the table's questions."""

from collections.abc import Sequence
from math import inf
from random import Random
from typing import Any

from lab.people.ways import chosen
from lab.twin.tower import Tower

MEANT_S = 2.5
"""A question names no time but people know which piece is meant: a table that was tapped while the
piece was laid sees it 1.7 s later."""

STILL_HELD_S = 0.5
"""A table may tell a piece that is not quite let go; what was laid later it cannot mean."""

NOBODY_KNOWS = "unknown"

Entry = dict[str, Any]


class Eyewitness:
    """Somebody who sat at the table and tells the truth."""

    def __init__(self, tower: Tower, names: Sequence[str]) -> None:
        """Watch a tower, with players of these names in their seats."""
        self._tower, self._names = tower, names

    def answer(
        self, kind: str, about_s: float, options: tuple[str, ...], player: str | None = None
    ) -> str | None:
        """What an honest player answers to a question of the table.

        Args:
            kind: `cell`, `colour`, `placed`, `turn` or `blame`.
            about_s: table time of what the question is about.
            options: the values offered.
            player: whose deed is meant.

        Returns:
            One of the options, or None when the players do not know either.
        """
        if kind == "turn":
            truth = self._beginner(about_s, options)
        elif kind == "blame":
            truth = self._culprit(about_s)
        elif kind == "colour":
            truth = self._colour(about_s, player)
        elif "pass" in options:
            truth = self._deed_before(about_s, player)
        else:
            truth = self._whereabouts(about_s, player)
        # Who knows something says it; "none" is for who knows that there is nothing to say.
        return next((value for value in (*truth, NOBODY_KNOWS) if value in options), None)

    def _happened(self, *kinds: str) -> list[Entry]:
        """What they saw of these kinds, in order."""
        return [entry for entry in self._tower.truth.entries if entry["type"] in kinds]

    def _by(self, deed: Entry) -> str | None:
        """Whose a piece or a pass is: who had rolled before it; None where no roll was seen."""
        turns = [turn for turn in self._happened("turn") if turn["t"] <= deed["t"]]
        return self._names[turns[-1]["player"]] if turns else None

    def _whereabouts(self, about_s: float, player: str | None) -> tuple[str, ...]:
        """Values by which a table may call the place of the piece laid then, the best first."""
        piece = self._meant(about_s, player)
        return ("no", "none") if piece is None else _place_of(piece)

    def _colour(self, about_s: float, player: str | None) -> tuple[str, ...]:
        """The colour of the piece laid then, whosever it is."""
        piece = self._meant(about_s, player)
        return () if piece is None else (piece["colour"],)

    def _meant(self, about_s: float, player: str | None) -> Entry | None:
        """The piece that a table means which saw one then, in the turn of a player."""
        pieces = self._happened("place")
        near = [piece for piece in pieces if -STILL_HELD_S < about_s - piece["t"] < MEANT_S]
        # A table that errs in the turn still means the only piece there is.
        near = [piece for piece in near if self._by(piece) == player] or near
        return min(near, key=lambda piece: abs(float(piece["t"]) - about_s), default=None)

    def _deed_before(self, about_s: float, player: str | None) -> tuple[str, ...]:
        """What a player had done in the turn before a roll was told."""
        before = [e for e in self._happened("turn", "place", "pass") if e["t"] < about_s]
        rolls = [e for e in before if e["type"] == "turn" and self._names[e["player"]] == player]
        deeds = [e for e in before if rolls and e["type"] != "turn" and e["t"] > rolls[-1]["t"]]
        if not deeds:
            return ()
        return ("pass",) if deeds[0]["type"] == "pass" else _place_of(deeds[0])

    def _beginner(self, about_s: float, options: tuple[str, ...]) -> tuple[str, ...]:
        """Who begins after a bump: the player who was interrupted (rules T16 and T20)."""
        before = [e for e in self._happened("turn", "place", "pass") if e["t"] < about_s]
        turns = [entry for entry in before if entry["type"] == "turn"]
        if not turns:
            return ()
        last, name = before[-1], self._names[turns[-1]["player"]]
        if last["type"] == "turn" or last.get("ended_in_topple"):
            return (name,)
        return tuple(option for option in options if option in self._names and option != name)

    def _culprit(self, about_s: float) -> tuple[str, ...]:
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
            return ("none",)
        _, cause, seat = first
        if cause == "placing":
            return ("placing",)
        return () if seat is None else (self._names[seat], str(seat))

    def _round(self, about_s: float) -> tuple[float, float]:
        """Table times at which the board was empty before and after what was laid before."""
        laid_s = max((e["t"] for e in self._happened("place") if e["t"] < about_s), default=0.0)
        cleared_s = [e["t"] for e in self._happened("cleared")]
        before_s = max((t_s for t_s in cleared_s if t_s < laid_s), default=0.0)
        return before_s, min((t_s for t_s in cleared_s if t_s > laid_s), default=inf)


def _place_of(piece: Entry) -> tuple[str, ...]:
    if piece["ended_in_topple"]:
        return ("fell", "no", "none")
    return (piece["cell"], "another", "yes")


def mistaken(
    answer: str | None, options: tuple[str, ...], errs: float, chance: Random
) -> str | None:
    """The answer of somebody who errs with this probability: another one of those offered."""
    others = [option for option in options if option not in (answer, NOBODY_KNOWS)]
    if answer is None or not others or not chosen(chance, errs):
        return answer
    return chance.choice(others)
