"""What people tell of a game afterwards: the tallest tower, the boldest placement, who came back.

All of it is read off the moves as they are judged at the end, so that a correction counts here too.
How bold a placement was says the risk map of this table. Pure.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from controller.table.hands import steadiest
from controller.table.riskmap import placement_risk
from engine.referee import Applied, RefereeState
from engine.referee.position import Refs
from engine.results import Fallen, Feat, Highlights
from engine.scoreboard import history
from engine.tabletop import Tabletop

MOST_ROWS = 40
"""Of scores: more points than a line on a phone shows, and twenty games still fit one document."""

MOST_TOPPLES = 20
"""Rounds of a very long game."""

LEAST_STREAK = 2
"""One turn is no streak."""

RISK_DIGITS = 2

NOTHING: Mapping[int, float] = {}
"""No hand was measured."""


class _Turn(NamedTuple):
    """A move that ended a turn, with the stacks before and after it."""

    applied: Applied
    before: Refs
    after: Refs


def highlights(
    state: RefereeState, tabletop: Tabletop, press_g: Mapping[int, float] = NOTHING
) -> Highlights:
    """What to tell of a game, at its end or at any time.

    `press_g` is by the number of the detector's event, where it is measured.
    """
    turns = tuple(_turns(state))
    placed = tuple(turn for turn in turns if turn.applied.type == "placed" and turn.applied.player)
    rows = history(state)
    return Highlights(
        scores=_thinned(rows),
        highest=_greatest(_heights(placed)),
        best=_greatest(_points(placed)),
        boldest=_greatest(_risks(placed, tabletop)),
        streak=_greatest(_streaks(turns)),
        comeback=_comeback(state, rows),
        steadiest=steadiest(state, press_g),
        topples=tuple(_topples(turns))[-MOST_TOPPLES:],
    )


def _turns(state: RefereeState) -> Iterator[_Turn]:
    """The moves that ended turns, each as it is understood now, in order."""
    understood = state.applied()
    before: Refs = {}
    for judged in state.judged_moves:
        after = judged.after.standing or judged.after.refs
        for applied in judged.applied:
            if applied.type in ("placed", "passed", "toppled") and applied == understood.get(
                applied.ref
            ):
                yield _Turn(applied, before, after)
        # What stands after a round is still on the board, but no piece of the next.
        before = judged.after.refs


def _greatest(feats: Iterable[Feat]) -> Feat | None:
    """Of equals the first: who did it again only equalled it."""
    return max(feats, key=lambda feat: feat.value, default=None)


def _heights(placed: Sequence[_Turn]) -> Iterator[Feat]:
    for applied, _, after in placed:
        for cell, refs in after.items():
            if refs[-1] == applied.ref:
                yield Feat(applied.player or "", len(refs), cell)


def _points(placed: Sequence[_Turn]) -> Iterator[Feat]:
    for applied, _, _ in placed:
        if applied.points:
            yield Feat(applied.player or "", applied.points, applied.cell)


def _risks(placed: Sequence[_Turn], tabletop: Tabletop) -> Iterator[Feat]:
    for applied, before, _ in placed:
        if applied.cell is not None:
            stacks = {cell: len(refs) for cell, refs in before.items()}
            risk = round(placement_risk(tabletop, stacks, applied.cell), RISK_DIGITS)
            yield Feat(applied.player or "", risk, applied.cell)


def _streaks(turns: Sequence[_Turn]) -> Iterator[Feat]:
    running: dict[str, int] = defaultdict(int)
    for applied, _, _ in turns:
        if applied.player is None:
            continue
        scored = applied.type == "placed" and (applied.points or 0) > 0
        running[applied.player] = running[applied.player] + 1 if scored else 0
        if running[applied.player] >= LEAST_STREAK:
            yield Feat(applied.player, running[applied.player])


def _comeback(state: RefereeState, rows: Sequence[Sequence[int]]) -> Feat | None:
    position = state.position
    if not position.over:
        return None
    winners = position.rules.winners(position.game_state)
    return _greatest(
        Feat(name, deficit)
        for seat, name in enumerate(position.scores)
        if name in winners and (deficit := max((max(row) - row[seat] for row in rows), default=0))
    )


def _topples(turns: Sequence[_Turn]) -> Iterator[Fallen]:
    last: str | None = None
    for applied, _, _ in turns:
        if applied.type == "toppled":
            yield Fallen(applied.player, last)
            last = None
        elif applied.type == "placed":
            last = applied.player


def _thinned(rows: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """At most `MOST_ROWS` of them, evenly, the last one among them."""
    step = -(-len(rows) // MOST_ROWS) or 1
    return tuple(rows[::-1][::step][::-1])
