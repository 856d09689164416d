"""How a round of Topple ends: pieces go back, somebody has won, or the next round opens."""

import msgspec

from engine.games.topple.board import EMPTY_BOARD
from engine.games.topple.state import CompletedTurn, RoundEnd, ToppleState, left_of
from engine.tabletop import PIECES_PER_COLOUR


def end_round(
    state: ToppleState, reason: str, turn: CompletedTurn | None, continuing: int
) -> ToppleState:
    """All pieces go back; somebody has won, or the next round opens.

    Args:
        state: the state with the scores of the round complete.
        reason: `topple`, `all_played` or `agreed`.
        turn: the last turn of the round.
        continuing: who begins the next round where play just continues (rule T20).
    """
    match, winners = state.match, _winners_now(state)
    starter = _next_starter(state, continuing)
    return msgspec.structs.replace(
        state,
        round=state.round if winners else state.round + 1,
        phase="over" if winners else match.opening_phase,
        current=starter,
        starter=starter,
        board=EMPTY_BOARD,
        left=(PIECES_PER_COLOUR,) * len(match.colours),
        die=None,
        previous=None,
        last_placing=None,
        round_before=turn,
        round_end=RoundEnd(reason, bool(winners)),
        winners=winners,
    )


def _next_starter(state: ToppleState, continuing: int) -> int:
    rule = state.match.rules["next_starter"]
    if rule == "rotate":
        return left_of(state, state.starter)
    if rule == "same":
        first = state.match.first
        return left_of(state, first) if first in state.out else first
    return continuing


def _winners_now(state: ToppleState) -> tuple[int, ...]:
    """Winners if the game ends with this round, else none (rules T24, T25, T31, T36)."""
    match = state.match
    if match.target is None:
        staying = tuple(p for p in range(len(match.players)) if p not in state.out)
        return staying if len(staying) == 1 else ()
    reached = _reached(state, match.target)
    best = max(reached.values(), default=0)
    winners = tuple(player for player, points in reached.items() if points == best)
    return () if len(winners) > 1 and match.rules["tie"] == "another_round" else winners


def _reached(state: ToppleState, target: int) -> dict[int, int]:
    """The points that count, of the players whose points suffice."""
    rule = state.match.rules["two_colour_winner"]
    reached = {}
    for player, hand in enumerate(state.match.hands):
        scores = [state.scores[colour] for colour in hand]
        decisive = {"best": max(scores), "sum": sum(scores), "both": min(scores)}[rule]
        if decisive >= target:
            reached[player] = max(scores) if rule == "best" else sum(scores)
    return reached
