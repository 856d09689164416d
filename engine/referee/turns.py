"""Whose turn it is, when people say so or nobody knows: "It is Ann's turn".

The word decides. What had been believed is repaired where it was a guess: whether the piece before
a bump counted. If no guess explains this word and all before it, players passed and nobody told.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from engine.referee.basics import as_shown
from engine.referee.ledger import Edit, Ledger, Move, MoveKind, index_of, insertion, replacement
from engine.referee.settled import word_broken
from engine.referee.state import RefereeState, refolded

SILENT_TURNS, TURNS = 1.0, 25.0
"""Where nobody tells the die, so many of so many turns are passed in silence, or their piece is not
seen, or was none."""

ASTRAY = 0.03
"""Share of pieces of which the colour before tells nothing: a bump changed the order, or the table
is wrong about who has pieces left."""

GUESSES_BACK = 2
"""A guess about a bump may be put right until the board was cleared so often: in the round after
it people notice, later they would have played on it."""


def edits_for(state: RefereeState, name: str, t_s: float) -> tuple[Edit, ...]:
    """What makes it the turn of a player: a guess turned round, or else a word in the ledger.

    Args:
        state: the referee, in whose belief another player is to act.
        name: of the player whose turn it is.
        t_s: table time at which it was said.
    """
    if state.position.ahead is not None and name == state.position.player:
        return _rolled_again(state, state.position.ahead)
    for before in guesses(state):
        edit = _settled_otherwise(state, before)
        told = refolded(state, edit.apply(state.ledger))
        if told.position.player == name and not word_broken(state, told):
            return (edit,)
    rolled = _roll_of_this_turn(state)
    move = Move(state.next_ref, t_s, MoveKind.TURN, data={"player": name})
    if rolled is None:
        return (insertion(state.ledger, move),)
    # Whoever it is whose turn it is, the roll is theirs.
    return (Edit(index_of(state.ledger, rolled.ref), None, replace(move, t_s=rolled.t_s)),)


def otherwise_counted(state: RefereeState, ref: int) -> tuple[Edit, ...]:
    """What turns round whether the piece before bump `ref` counted, once nobody is to act."""
    before = placed_before_bump(state.ledger, index_of(state.ledger, ref))
    return () if before is None else (_settled_otherwise(state, before),)


def _rolled_again(state: RefereeState, ahead: Move) -> tuple[Edit, ...]:
    """What makes a roll that was told ahead the one of the turn that goes on."""
    roll = _last_roll(state.ledger[: index_of(state.ledger, ahead.ref)])
    if roll is None:
        return ()
    return (replacement(state.ledger, replace(roll, void="mistyped", settled=True)),)


def _settled_otherwise(state: RefereeState, placed: Move) -> Edit:
    return replacement(state.ledger, replace(turned_round(placed), settled=True))


def guesses(state: RefereeState) -> Iterator[Move]:
    """The placements before a bump: of each it was guessed whether it counted."""
    clears = 0
    for index in range(len(state.ledger) - 1, 0, -1):
        move = state.ledger[index]
        clears += move.kind is MoveKind.CLEARED
        if clears > GUESSES_BACK or move.kind is MoveKind.TURN:
            return
        before = placed_before_bump(state.ledger, index)
        if before is not None:
            yield before


def turned_round(placed: Move) -> Move:
    """A placement that counts if it did not, or the other way round."""
    return replace(placed, void="" if placed.void else "fell")


def placed_before_bump(ledger: Ledger, index: int) -> Move | None:
    """The placement of the turn in which a bump made pieces fall; None if somebody had rolled."""
    fall = ledger[index]
    if fall.kind is not MoveKind.TOPPLE or fall.void or fall.cause.value != "bump":
        return None
    for move in reversed(ledger[:index]):
        if move.kind is MoveKind.PLACE and move.void in ("", "fell"):
            return move
        if move.kind in (MoveKind.ROLL, MoveKind.PASS, MoveKind.CLEARED):
            return None
    return None


def _roll_of_this_turn(state: RefereeState) -> Move | None:
    """The roll of the turn that goes on, if it was told."""
    if state.position.rolled_t_s is None:
        return None
    return _last_roll(state.ledger)


def _last_roll(ledger: Ledger) -> Move | None:
    rolls = (m for m in reversed(ledger) if m.kind is MoveKind.ROLL and not m.void)
    return next(rolls, None)


def belief(state: RefereeState) -> tuple[str | None, float]:
    """Who is to act by what the table believes, and the probability of it.

    Every question that is open about how the last turns went leaves its doubt.
    """
    player, p = as_shown(state.position).player, MOST_CERTAIN
    for question in state.questions():
        if question.kind == "turn":
            p = min(p, max(choice.p or 0.0 for choice in question.choices))
        elif question.kind == "placed":
            p = min(p, UNSEEN)
    return player, p


MOST_CERTAIN, UNSEEN = 0.99, 0.7
"""No table knows better that nobody passed in silence; and where a piece was not seen, three in ten
are no placement but a roll told again."""


def follows(state: RefereeState) -> tuple[tuple[float, ...], ...]:
    """How likely the next piece is of each colour in play, by the colour of the piece before it.

    In turn, but for turns passed in silence, those who have no piece left, and slips. Once somebody
    has said that they pass, the next one is in turn whoever placed before.

    Returns:
        Rows by the piece before, and one for the first piece of a round, (colours + 1, colours).
    """
    game = state.position.game_state
    passed = game.previous is not None and game.previous.colour is None
    in_turn, any_colour = _next_from(game, game.current), 1.0 / len(game.left)
    shares = [
        in_turn if passed else _next_from(game, seat + 1) for seat in range(len(game.match.hands))
    ]
    sure = belief(state)[1] if state.position.phase == "clear" or not any(game.board) else 0.0
    begins = tuple(sure * p + (1.0 - sure) * any_colour for p in in_turn)
    return (*(shares[owner] for owner in game.match.owner), begins)


def _next_from(game: Any, first: int) -> tuple[float, ...]:
    """How likely the next piece is of each colour, if a player is in turn."""
    weights, hands, passed = [0.0] * len(game.left), game.match.hands, 1.0
    for offset in range(len(hands)):
        having = [colour for colour in hands[(first + offset) % len(hands)] if game.left[colour]]
        for colour in having:
            weights[colour] = passed / len(having)
        passed *= SILENT_TURNS / TURNS if having else 1.0
    total = sum(weights) or 1.0
    return tuple((1.0 - ASTRAY) * p / total + ASTRAY / len(weights) for p in weights)
