"""Functions that all judgements of the referee use."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.errors import IllegalAction
from engine.games.contract import Action
from engine.referee.position import JudgedMove, Position


def play(position: Position, *actions: Action) -> Position:
    """The position after these actions.

    Raises:
        IllegalAction: the rules refuse one.
    """
    state = position.game_state
    for action in actions:
        state = position.rules.apply(state, action)
    return replace(position, game_state=state)


def as_shown(position: Position) -> Position:
    """The position with a roll that was told ahead: it is its player's turn from then on.

    The piece of the turn before may still be seen. Until then documents take it for none.
    """
    if position.ahead is None:
        return position
    rolled_t_s, roll = position.ahead.t_s, {"type": "roll", **position.ahead.data}
    closed = turn_over(play(position, {"type": "pass"}))
    return replace(play(closed, roll), rolled_t_s=rolled_t_s)


def placing(position: Position, colour: str, cell: str) -> dict[str, Any]:
    """The action that puts a piece down, also if it is another player's."""
    action: dict[str, Any] = {"type": "place", "colour": colour, "cell": cell}
    own = colours_of(position, position.player)
    return action if colour in own else {**action, "foreign": True}


def require_playing(position: Position) -> None:
    """Refuse what only counts in a running round.

    Raises:
        IllegalAction: no game, game over, or pieces still to be taken off the board.
    """
    if position.game_state is None:
        raise IllegalAction("no_game", "no game has been started yet")
    if position.over:
        raise IllegalAction("game_over", "the game is over; start a new one")
    if position.clearing:
        raise IllegalAction("clear_first", "the round is over: take all pieces off the board first")


def after_roll(judged: JudgedMove, roll: Action, text: str) -> JudgedMove:
    """The judged move, with a roll that nobody told before what the move came to mean.

    Args:
        judged: it has one meaning; the roll has been played already.
        roll: the action that stands in for the roll.
        text: why.
    """
    (applied,) = judged.applied
    meant = replace(applied, actions=(roll, *applied.actions), assumed=text)
    return replace(judged, applied=(meant,))


def turn_over(position: Position) -> Position:
    """Forget what belonged to one turn, and open the clearing when the round has ended."""
    view = position.view
    position = replace(position, colour=None, waiting=None, ahead=None, fell=None)
    position = replace(position, dropped=None, rolled_t_s=None, die_confirmed=False)
    end = view.get("round_end")
    if end is None:
        return position
    # What fell lies anywhere; what was played to the last piece stands until somebody takes it.
    standing = position.refs if end["reason"] == "all_played" else {}
    return replace(
        position,
        clearing=not position.over,
        standing=standing,
        refs={},
        before_placement=None,
        untold=(),
    )


def last_of(position: Position) -> Mapping[str, Any]:
    """What the rules say about the last action; empty when they say nothing."""
    last: Mapping[str, Any] | None = position.view.get("last")
    return last or {}


def colours_of(position: Position, player: str | None) -> tuple[str, ...]:
    """The colours a player of Topple plays, in the order of the start."""
    hands = position.game_state.match.hands if position.by_sensors else ()
    players = position.game_state.match.players if position.by_sensors else ()
    if player not in players:
        return ()
    return tuple(position.game_state.match.colours[c] for c in hands[players.index(player)])
