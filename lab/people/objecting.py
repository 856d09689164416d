"""Simulated people who look at the screen and object to what is wrong on it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engine.referee import Applied, RefereeState
from lab.people.ways import chosen

NOTICED_S = 2.0
"""So long the screen has to be wrong: a table is slower than the eye, and people are, too."""

SAME_PIECE_S = 1.6
"""A piece on the screen is one that was laid within this time."""

Entry = dict[str, Any]
Objection = tuple[str, dict[str, Any]]
Wrong = Iterator[tuple[float, str, dict[str, Any]]]


@dataclass(slots=True)
class Objecting:
    """People who compare the screen with what they saw, and say what is wrong once.

    Attributes:
        names: of the players, by seat.
        watches: probability with each look that they notice it.
        chance: their own, so that an evening does not depend on the screen.
    """

    names: Sequence[str]
    watches: float
    chance: Random
    _said: set[tuple[str, float]] = field(default_factory=set)

    def look(self, truth: Sequence[Entry], state: RefereeState, now_s: float) -> Objection | None:
        """What somebody says now; None when nobody notices anything.

        Args:
            truth: what people know to have happened.
            state: what the table makes of it.
            now_s: table time of the look.
        """
        if self.watches == 0:
            return None
        known = sorted(truth, key=lambda entry: float(entry["t"]))
        for t_s, verb, data in self._wrong(_this_round(known), state, now_s - NOTICED_S):
            if (verb, t_s) not in self._said and chosen(self.chance, self.watches):
                self._said.add((verb, t_s))
                return verb, data
        return None

    def _wrong(self, known: list[Entry], state: RefereeState, until_s: float) -> Wrong:
        """What is wrong of this round since `until_s`: its time, and what is said against it."""
        falls = [entry for entry in known if entry["type"] == "topple"]
        last = known[-1] if known else None
        phase = state.position.phase
        if falls:
            first = falls[0]
            if first["t"] < until_s and first["cause"] == "placing" and phase in ("roll", "act"):
                seat = self.names[first["player"]]
                yield first["t"], "topple", {"cause": "placing", "player": seat}
            return
        yield from self._wrong_cells(known, state, until_s)
        if last is None or last["type"] != "turn" or last["t"] > until_s:
            return
        name = self.names[last["player"]]
        if any(t_s > until_s for t_s, _ in shown(state, "placed")):
            return  # the hand may be there still, and the table a little ahead
        if phase in ("roll", "act") and state.position.player != name:
            yield last["t"], "turn", {"player": name}
        elif state.position.clearing:
            yield from _fall_that_was_none(state, last["t"])

    def _wrong_cells(self, known: list[Entry], state: RefereeState, until_s: float) -> Wrong:
        pieces = shown(state, "placed")
        for piece in known:
            if piece["type"] != "place" or piece["t"] > until_s or piece["ended_in_topple"]:
                continue
            near = [each for t_s, each in pieces if abs(t_s - piece["t"]) < SAME_PIECE_S]
            # Where two were seen, or none, it is no matter of the cell.
            if len(near) == 1 and near[0].cell != piece["cell"]:
                yield piece["t"], "correct", {"ref": near[0].ref, "cell": piece["cell"]}


def _this_round(known: list[Entry]) -> list[Entry]:
    """What happened since the board was cleared last."""
    cleared = [at for at, entry in enumerate(known) if entry["type"] == "cleared"]
    return known[cleared[-1] + 1 :] if cleared else known


def _fall_that_was_none(state: RefereeState, rolled_s: float) -> Wrong:
    """The fall of this round on the screen, after which somebody has rolled: play goes on."""
    since_s = state.position.cleared_t_s or 0.0
    falls = [(t_s, each) for t_s, each in shown(state, "toppled") if since_s < t_s < rolled_s]
    if falls:
        yield falls[-1][0], "correct", {"ref": falls[-1][1].ref, "nothing": True}


def shown(state: RefereeState, *kinds: str) -> list[tuple[float, Applied]]:
    """What the screen shows of these kinds, with its table time, in order."""
    at_s = {move.ref: move.t_s for move in state.ledger}
    told = [(at_s[each.ref], each) for each in state.applied().values() if each.type in kinds]
    return sorted(told, key=lambda each: each[0])
