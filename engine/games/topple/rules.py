"""The rules of Topple (docs/rules.md): standard, two-colour and young people's version.

A topple is reported by people or by the referee, never computed: the rules only know that
pieces fell, who is to blame, and that the round is over.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from engine.errors import IllegalAction
from engine.games.checks import chosen_options, is_whole, rule_for
from engine.games.contract import Action, View
from engine.games.topple.board import (
    CELLS_FOR,
    EMPTY_BOARD,
    INDEX,
    known_cell,
    points_of,
    put,
    ways_of,
)
from engine.games.topple.rounds import end_round
from engine.games.topple.start import match_of, rolloff_winner
from engine.games.topple.state import YOUNG, CompletedTurn, Last, ToppleState, left_of
from engine.plainly import as_said
from engine.tabletop import CELLS, PIECES_PER_COLOUR

__all__ = ["TOPPLE", "Topple", "ToppleState", "legal_cells", "may_pass", "rolloff_winner"]

TOPPLE_PENALTY = 10
TOPPLE_BONUS = 3


_with = msgspec.structs.replace


class Topple:
    """Topple under the contract of all games."""

    id = "topple"
    title = "Topple"
    options: Mapping[str, tuple[Any, ...]] = {
        "share": ("each", "once"),
        "pass": ("always", "not_on_one", "never"),
        "bonus_to": ("previous_turn", "last_placer"),
        "first_move_bonus": ("none", "right_neighbour", "previous_round"),
        "next_starter": ("continue", "same", "rotate"),
        "tie": ("shared", "another_round"),
        "floor_zero": (False, True),
        "two_colour_winner": ("best", "sum", "both"),
        "dice": ("told", "untold"),
    }

    def start(self, action: Action, options: Mapping[str, Any] | None = None) -> ToppleState:
        """Open a game. `target` may be left out (100), `variant` too (standard)."""
        match = match_of(action, chosen_options(self.options, options))
        return ToppleState(
            match=match,
            round=1,
            phase=match.opening_phase,
            current=match.first,
            board=EMPTY_BOARD,
            left=(PIECES_PER_COLOUR,) * len(match.colours),
            scores=(0,) * len(match.colours),
            placed_last=(None,) * len(match.players),
            starter=match.first,
        )

    def current_player(self, state: ToppleState) -> str | None:
        """Who is to act."""
        return None if state.phase == "over" else state.match.players[state.current]

    def legal_actions(self, state: ToppleState) -> Sequence[Action]:
        """Rolls, or placements and the pass. A topple can be reported at any time besides."""
        if state.phase == "over":
            return ()
        if state.phase == "roll":
            return _ROLLS
        actions: list[Action] = [_PASS] if may_pass(state) else []
        for colour in state.match.hands[state.current]:
            if state.left[colour]:
                actions += _placements(state.match.colours[colour], state.die)
        return actions

    def apply(self, state: ToppleState, action: Action) -> ToppleState:
        """The state after a roll, a placement, a pass or a reported topple."""
        return rule_for(action, _RULES, over=state.phase == "over")(state, action)

    def is_over(self, state: ToppleState) -> bool:
        """Whether somebody has won."""
        return state.phase == "over"

    def winners(self, state: ToppleState) -> tuple[str, ...]:
        """Winners in seating order; several share the win."""
        return tuple(state.match.players[player] for player in state.winners)

    def scores(self, state: ToppleState) -> Mapping[str, int]:
        """The points that decide: best colour, or the sum under those house rules."""
        if state.match.variant == YOUNG:
            return {}
        counted = max if state.match.rules["two_colour_winner"] == "best" else sum
        return _per_player(state, counted)

    def view(self, state: ToppleState) -> View:
        """The view that docs/rules.md describes."""
        match, over = state.match, state.phase == "over"
        scored = match.variant != YOUNG
        return {
            "round": state.round,
            "phase": state.phase,
            "current": None if over else match.players[state.current],
            "die": state.die,
            "previous": match.players[state.previous.player] if state.previous else None,
            "cells": list(legal_cells(state)) if state.phase == "act" else None,
            "board": {
                cell: list(stack) for cell, stack in zip(CELLS, state.board, strict=True) if stack
            },
            "left": dict(zip(match.colours, state.left, strict=True)),
            "colour_scores": dict(zip(match.colours, state.scores, strict=True))
            if scored
            else None,
            "player_best": _per_player(state, max) if scored else None,
            "player_total": _per_player(state, sum) if scored else None,
            "out": [match.players[player] for player in state.out],
            "last": _last_view(state.last),
            "round_end": state.round_end
            and {"reason": state.round_end.reason, "game_over": state.round_end.game_over},
            "winners": [match.players[player] for player in state.winners],
        }

    def public_view(self, state: ToppleState) -> View:
        """The whole view: nothing is hidden in Topple."""
        return self.view(state)

    def player_view(self, state: ToppleState, player: str) -> View:  # noqa: ARG002
        """The whole view: nothing is hidden in Topple."""
        return self.view(state)


TOPPLE = Topple()


def legal_cells(state: ToppleState) -> tuple[str, ...]:
    """The cells the die allows; all 25 while no die is told."""
    return CELLS if state.die is None else CELLS_FOR[state.die]


def may_pass(state: ToppleState) -> bool:
    """Whether the player in turn may pass now (rule T4)."""
    rule = state.match.rules["pass"]
    return rule == "always" or (rule == "not_on_one" and state.die != 1)


# --- a turn ----------------------------------------------------------------------------------


def _roll(state: ToppleState, action: Action) -> ToppleState:
    """Roll; `again` corrects a die that was told wrongly."""
    if state.match.rules["dice"] == "untold":
        raise IllegalAction("dice_untold", "this game is played with a die the table is not told")
    again = action.get("again") is True and state.phase == "act"
    if state.phase != "roll" and not again:
        raise IllegalAction("already_rolled", f"the die shows {state.die}; one roll a turn")
    player = _player_in_turn(state, action)
    value = action.get("value")
    if not is_whole(value) or not 1 <= value <= 6:
        raise IllegalAction("bad_die", f"a die cannot show {as_said(value)}; it shows 1 to 6")
    return _with(
        state, phase="act", die=value, last=Last(type="roll", player=player), round_end=None
    )


def _place(state: ToppleState, action: Action) -> ToppleState:
    match = state.match
    _require_rolled(state)
    player = _player_in_turn(state, action)
    colour, turn = _piece_of(state, action)
    _require_left(state, colour)
    cell = _cell_allowed(state, action.get("cell"))
    at, name = INDEX[cell], match.colours[colour]
    ways = () if match.target is None else ways_of(state.board, at, name)
    points = points_of(ways, shared_once=match.rules["share"] == "once")
    placed = _with(
        state,
        board=put(state.board, at, name),
        left=_changed(state.left, colour, -1),
        scores=_changed(state.scores, colour, points) if points else state.scores,
        placed_last=(
            *state.placed_last[: state.current],
            state.placed_last[state.current] if turn.colour is None else colour,
            *state.placed_last[state.current + 1 :],
        ),
        last_placing=turn,
        last=Last(
            type="place",
            player=player,
            colour=name,
            cell=cell,
            points=points,
            ways=ways,
            changes={name: points} if points else {},
        ),
    )
    return _next_turn(placed, turn)


def _pass(state: ToppleState, action: Action) -> ToppleState:
    _require_rolled(state)
    player = _player_in_turn(state, action)
    if not may_pass(state):
        raise IllegalAction("pass_not_allowed", "by the house rule a piece must be placed now")
    passed = _with(state, last=Last(type="pass", player=player))
    return _next_turn(passed, CompletedTurn(state.current, None))


def _next_turn(state: ToppleState, turn: CompletedTurn) -> ToppleState:
    """Hand the turn on, or end the round when nobody has a piece left (rule T21)."""
    seats = len(state.match.players)
    for step in range(1, seats + 1):
        player = (state.current + step) % seats
        if player not in state.out and any(state.left[c] for c in state.match.hands[player]):
            return _with(
                state,
                phase=state.match.opening_phase,
                current=player,
                die=None,
                previous=turn,
                round_end=None,
            )
    continuing = left_of(state, state.current)
    return end_round(state, "all_played", turn, continuing)


def _topple(state: ToppleState, action: Action) -> ToppleState:
    cause = action.get("cause")
    if cause not in ("placing", "bump"):
        raise IllegalAction(
            "bad_cause", f"a topple is by placing or by a bump, not {as_said(cause)}"
        )
    toppler = _toppler(state, cause, action.get("player"))
    if cause == "bump" and not any(state.board) and action.get("fell") is not True:
        raise IllegalAction("empty_board", "there is no piece on the board that could fall")
    if cause == "placing":
        _require_rolled(state)
        _player_in_turn(state, action)
    colour = _blamed_colour(state, toppler, cause, action.get("colour"))
    return (
        _eliminate(state, toppler, cause)
        if state.match.target is None
        else _penalise(state, toppler, cause, colour)
    )


def _stop_round(state: ToppleState, _: Action) -> ToppleState:
    """The players agree to stop the round, or nobody is blamed for a bump (beyond the book).

    The next in seating order begins the next round, or the player who has already rolled, as
    after a bump; nobody gains or loses.
    """
    if not any(state.board):
        raise IllegalAction("empty_board", "there is no piece on the board; the round is fresh")
    stopped = _with(state, last=Last(type="end_round", player=state.match.players[state.current]))
    # Somebody skipped for want of pieces has them back now (unlike rule T21 within a round).
    last = state.previous
    rolled = state.die is not None
    starter = state.current if rolled or last is None else left_of(state, last.player)
    return end_round(stopped, "agreed", last, starter)


def _eliminate(state: ToppleState, toppler: int, cause: str) -> ToppleState:
    """The young people's topple: whoever caused it is out, no points (rule T36)."""
    last = Last(type="topple", player=state.match.players[toppler], cause=cause)
    fallen = _with(state, out=(*state.out, toppler), last=last)
    return _end_toppled_round(fallen, toppler, cause, CompletedTurn(toppler, None))


def _penalise(state: ToppleState, toppler: int, cause: str, colour: int) -> ToppleState:
    """-10 for the toppler, +3 for the turn before a topple while placing."""
    rewarded = _bonus(state, toppler) if cause == "placing" else None
    scores = _changed(state.scores, colour, -TOPPLE_PENALTY)
    if rewarded is not None:
        scores = _changed(scores, rewarded, TOPPLE_BONUS)
    if state.match.rules["floor_zero"]:
        scores = tuple(max(0, score) for score in scores)
    players, owner = state.match.players, state.match.owner
    last = Last(
        type="topple",
        player=players[toppler],
        cause=cause,
        bonus=None if rewarded is None else players[owner[rewarded]],
        changes={
            name: after - before
            for name, before, after in zip(state.match.colours, state.scores, scores, strict=True)
            if after != before
        },
    )
    fallen = _with(state, scores=scores, last=last)
    return _end_toppled_round(fallen, toppler, cause, CompletedTurn(toppler, colour))


def _bonus(state: ToppleState, toppler: int) -> int | None:
    """Colour number that gets the +3, if any (rules T17 to T19, T33)."""
    turn = _turn_before(state)
    if turn is None or turn.player == toppler:
        return None
    if turn.colour is not None:
        return turn.colour
    placed = state.placed_last[turn.player]
    return state.match.hands[turn.player][0] if placed is None else placed


def _turn_before(state: ToppleState) -> CompletedTurn | None:
    if state.previous is not None:
        by_placing = state.match.rules["bonus_to"] == "last_placer"
        return state.last_placing if by_placing else state.previous
    rule = state.match.rules["first_move_bonus"]
    if rule == "right_neighbour":
        return CompletedTurn((state.current - 1) % len(state.match.players), None)
    return state.round_before if rule == "previous_round" else None


def _toppler(state: ToppleState, cause: str, name: Any) -> int:
    players = state.match.players
    if name is None and cause == "placing":
        return state.current
    if not isinstance(name, str) or name not in players:
        raise IllegalAction("unknown_player", f"{as_said(name)} does not play in this game")
    if (player := players.index(name)) in state.out:
        raise IllegalAction("player_out", f"{name} is out of the game already")
    return player


def _blamed_colour(state: ToppleState, player: int, cause: str, named: Any) -> int:
    """The colour that takes the -10 (rule T32)."""
    if named is not None:
        colour = _colour_of(state, player, named)
        if cause == "placing":
            _require_left(state, colour)
        return colour
    hand, placed = state.match.hands[player], state.placed_last[player]
    likely = hand if placed is None else (placed, *hand)
    if cause == "placing":
        return next(colour for colour in likely if state.left[colour])
    return likely[0]


# --- the end of a round ----------------------------------------------------------------------


def _end_toppled_round(
    state: ToppleState, toppler: int, cause: str, turn: CompletedTurn
) -> ToppleState:
    """After a bump the interrupted player begins, else the one left of the toppler (rule T20)."""
    if cause == "placing":
        return end_round(state, "topple", turn, left_of(state, toppler))
    interrupted = state.current
    starter = left_of(state, interrupted) if interrupted in state.out else interrupted
    return end_round(state, "topple", state.previous, starter)


# --- small questions -------------------------------------------------------------------------


def _require_rolled(state: ToppleState) -> None:
    if state.phase != "act":
        raise IllegalAction("not_rolled", f"{state.match.players[state.current]} must roll first")


def _player_in_turn(state: ToppleState, action: Action) -> str:
    player = state.match.players[state.current]
    if action.get("player", player) not in (player, None):
        raise IllegalAction(
            "not_current_player",
            f"it is {player}'s turn, not {as_said(action['player'], quote='')}'s",
        )
    return player


def _colour_of(state: ToppleState, player: int, colour: Any) -> int:
    for number in state.match.hands[player]:
        if state.match.colours[number] == colour:
            return number
    raise IllegalAction(
        "not_your_colour", f"{state.match.players[player]} does not play {as_said(colour)}"
    )


def _piece_of(state: ToppleState, action: Action) -> tuple[int, CompletedTurn]:
    """Number of a piece's colour, and the turn it makes.

    A piece of another player's, which an action may call `foreign`, scores for its own colour, and
    is none of the colours of whose turn it is (beyond the book).
    """
    named = action.get("colour")
    others = state.match.colours if action.get("foreign") is True else ()
    if named in others and state.match.owner[others.index(named)] != state.current:
        return others.index(named), CompletedTurn(state.current, None)
    colour = _colour_of(state, state.current, named)
    return colour, CompletedTurn(state.current, colour)


def _require_left(state: ToppleState, colour: int) -> None:
    if not state.left[colour]:
        raise IllegalAction("no_piece_left", f"all {state.match.colours[colour]} pieces are played")


def _cell_allowed(state: ToppleState, named: Any) -> str:
    cell = known_cell(named)
    if cell not in legal_cells(state):
        allowed = ", ".join(legal_cells(state))
        raise IllegalAction("cell_not_allowed", f"a {state.die} allows {allowed}, not {cell}")
    return cell


def _changed(numbers: tuple[int, ...], at: int, by: int) -> tuple[int, ...]:
    return (*numbers[:at], numbers[at] + by, *numbers[at + 1 :])


def _per_player(state: ToppleState, counted: Any) -> dict[str, int]:
    return {
        name: counted(state.scores[colour] for colour in hand)
        for name, hand in zip(state.match.players, state.match.hands, strict=True)
    }


def _last_view(last: Last | None) -> View | None:
    if last is None:
        return None
    shown: View = {"type": last.type}
    if last.type == "topple":
        shown["cause"] = last.cause
    shown["player"] = last.player
    if last.type == "roll":
        return shown
    if last.type == "place":
        shown |= {"colour": last.colour, "cell": last.cell, "points": last.points}
        shown["ways"] = [way._asdict() for way in last.ways]
    if last.type == "topple":
        shown["bonus"] = last.bonus
    shown["changes"] = dict(last.changes)
    return shown


_ROLLS: tuple[Action, ...] = tuple({"type": "roll", "value": value} for value in range(1, 7))
_PASS: Action = {"type": "pass"}


@lru_cache(maxsize=256)
def _placements(colour: str, die: int | None) -> tuple[Action, ...]:
    """Every placement of a colour the die allows; the same values each time, for speed."""
    cells = CELLS if die is None else CELLS_FOR[die]
    return tuple({"type": "place", "colour": colour, "cell": cell} for cell in cells)


_RULES = {
    "roll": _roll,
    "place": _place,
    "pass": _pass,
    "topple": _topple,
    "end_round": _stop_round,
}
