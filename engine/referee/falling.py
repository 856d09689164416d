"""Topples and cleared boards: who made pieces fall, and how a round ends.

* A topple while placing shortly after a piece was let go, before the next roll: that piece
  fell. Its points never were, and its player is the toppler (rule T16). A roll told between the
  fall and the clearing is one told late: the next player was placing. What falls sooner after a
  roll than a hand can be at the board fell from the turn before as well.
* Who was placing is believed at `BELIEVED` and told quietly; below it the table asks.
* The sensors' topple is none if play went on: a roll, and a piece, and no clearing before them.
  Of two in one round the surer one counts.
* A topple by a bump ends the round at once; the points wait until somebody is named.
* A board cleared although the player in turn has rolled and not placed: the piece fell, and the
  sensors did not see it. The table asks.
* A board cleared between two turns: with many pieces on it the players agreed to stop, and nobody
  gains or loses; with few the last piece fell. The table asks. Whoever presses late, or presses
  early and is followed by the sensors, means the clearing that has been.
* A bump takes the last piece along unless the board had come to rest with it. Where that is not
  clear the table asks who begins; a bump for which nobody was named until the board was cleared
  was hardly one. If it was the only piece, nothing is asked; who is blamed pays all the same.
"""

from dataclasses import replace
from typing import Any

from engine.errors import IllegalAction
from engine.events import SURE, ToppleCause
from engine.games.contract import Action
from engine.public_events import Status
from engine.referee.basics import (
    after_roll,
    colours_of,
    last_of,
    play,
    require_playing,
    turn_over,
)
from engine.referee.ledger import DOUBTED_P, Ledger, Move, MoveKind
from engine.referee.placing import ANY_CELL, unrolled
from engine.referee.position import (
    BELIEVED,
    UNKNOWN,
    Applied,
    BeforePlacement,
    Choice,
    JudgedMove,
    Position,
    Question,
)
from engine.referee.sighting import legal_placements

LATE_FALL_TOLD_S = 10.0
"""With the die told, nobody else can have been placing before the next roll: a swinging board
may take this long to shed the last piece."""

LATE_FALL_UNTOLD_S = 2.0
"""Without rolls only time tells whether the last piece fell or the next player's: nobody takes
a piece, rolls and reaches over in less."""

CLEARED_WITH_IT_S = 1.0
"""Nobody sees a piece fall, reaches over and takes another one off in less."""

QUICKEST_HAND_S = 0.6
"""No hand is at the board sooner after a roll: what falls by then fell from the turn before it."""

SILENT_BUMP = 0.02
"""Share of bumps for which nobody is named by the time the board is clear. It is not known of real
people. Who takes a placing for a bump charges nobody, which is right at no table but where people
agree that nobody was to blame; so it counts for little, and for less than the sensors' doubt of the
surest push (0.03): tables are pushed by chance as well."""

FEW_PIECES = 8
"""Nobody agrees to stop with fewer pieces on the board: then one fell, though no sensor saw it."""

LAY_ODDLY = 0.8
"""A piece whose cell is no clearer, and after which people clear the board, had fallen onto it:
what is put down lies near the middle of its cell, what slides comes to lie anywhere."""

CERTAIN_TURN = 0.9
"""Below it the table asks whose turn it is: a wrong belief spoils all that follows."""

PRESSED_TWICE_S = 4.0
"""Nobody begins a round, rolls, lets a piece fall and takes it off again in less (the quickest of
the simulated people: 5 s): the button was pressed twice."""

SAME_CLEARING_S = 15.0
"""Some press the button only when they have sorted the pieces. Nobody plays and stops a round in
so short a time."""


def topple(position: Position, move: Move, following: Ledger) -> JudgedMove:
    """Pieces fell, as the sensors saw or people said."""
    if by_sensors_alone(move):
        _require_something_stood(position, move)
        _require_nothing_better(move, following)
    if position.waiting is not None and position.waiting.kind is MoveKind.PASS:
        position = unrolled(position).after
    # Who bumps a table on which all pieces lie need not own up: that costs nobody.
    silent = not position.clearing and _nobody_bumped(move, following)
    placing = silent or move.cause is ToppleCause.PLACING
    back = position.before_placement
    if placing and back is not None and _last_piece_fell(position, move, back, following):
        return _last_piece_back(position, move, back)
    require_playing(position)
    return _fell_while_placing(position, move) if placing else _bump(position, move)


def by_sensors_alone(move: Move) -> bool:
    """Whether nobody has said a word about this topple."""
    return move.fall is not None and not move.settled and not move.data


def _nobody_bumped(move: Move, following: Ledger) -> bool:
    """Whether the board was cleared and nobody named who bumped the table: then hardly anybody did.

    People who bump a table own up before they clear it, or somebody points at them.
    """
    if not by_sensors_alone(move) or move.fall is None:
        return False
    bumped = move.fall.cause_confidence * SILENT_BUMP
    cleared = any(later.kind is MoveKind.CLEARED for later in following)
    return cleared and bumped < 1.0 - move.fall.cause_confidence


def _require_something_stood(position: Position, move: Move) -> None:
    """Refuse what moved just after a clearing, before anybody rolled: the rest of the tower.

    A tower that a bump has swept off its board leaves it as empty as hands do; what is taken from
    the base plate then is no second fall. Where no die is told somebody may have rolled: then a
    piece may have fallen from the hand, but none that was bumped.

    Raises:
        IllegalAction: the board had only just been cleared, and nobody has played since.
    """
    placing = move.cause is ToppleCause.PLACING
    rolled = position.phase != "roll" if position.die_is_told else placing
    played = position.refs or position.waiting is not None or rolled
    since = position.cleared_t_s
    if not played and since is not None and move.t_s - since < SAME_CLEARING_S:
        raise IllegalAction("nothing_stood", "the board had just been cleared, so nothing fell")


def _require_nothing_better(move: Move, following: Ledger) -> None:
    """Refuse a topple that later evidence replaces or disproves.

    Raises:
        IllegalAction: play went on, or there is a better account of how the round ended.
    """
    rolled = False
    for later in following:
        if later.kind is MoveKind.CLEARED:
            return
        if later.kind is MoveKind.TOPPLE and (
            not by_sensors_alone(later) or _sureness(later) > _sureness(move)
        ):
            raise IllegalAction("replaced", "a better account of this fall came later")
        if rolled and later.kind is MoveKind.PLACE and _surely_placed(later):
            raise IllegalAction("play_went_on", PLAY_WENT_ON)
        rolled = rolled or later.kind is MoveKind.ROLL


PLAY_WENT_ON = "play went on, so nothing had fallen"


def _surely_placed(move: Move) -> bool:
    return move.seen is None or move.settled or move.seen.confidence >= SURE


def _sureness(move: Move) -> float:
    """Probability that pieces fell, and by this cause."""
    return move.fall.confidence * move.fall.cause_confidence if move.fall else 1.0


def _bump(position: Position, move: Move) -> JudgedMove:
    blamed = move.data.get("player")
    turn = _who_begins(position, move)
    if blamed is None:
        asked = (who_bumped(position, move), *turn)
        return _ended_by(position, move, {"type": "end_round"}, asked)
    action: dict[str, Any] = {"type": "topple", "cause": "bump", "player": blamed}
    if move.data.get("colour") is not None:
        action["colour"] = move.data["colour"]
    if position.let_go_alone:
        action["fell"] = True
    return _ended_by(position, move, action, turn)


def _who_begins(position: Position, move: Move) -> tuple[Question, ...]:
    """Ask who begins, where it is not clear whether the piece before a bump counts (T16, T20)."""
    rested = move.fall.rested if move.fall else None
    back, fell = position.before_placement, position.fell
    next_rolled = fell is None and position.rolled_t_s is not None
    if rested is None or next_rolled or "begins" in move.data:
        return ()
    if fell is not None:
        placer, following = fell[1], _after_turn_of(position)
    elif back is not None:
        placer, following = back.player, position.player
    else:
        return ()
    if following in (None, placer) or max(rested, 1.0 - rested) >= CERTAIN_TURN:
        return ()
    both = sorted(((str(following), rested), (placer, 1.0 - rested)), key=lambda one: -one[1])
    choices = tuple(Choice(name, f"{name} begins", round(p, 2)) for name, p in both)
    text = f"{both[0][0]} begins? Did {placer}'s last piece count before the bump?"
    return (Question("turn", move.ref, text, choices, player=both[0][0]),)


def _after_turn_of(position: Position) -> str | None:
    """Who would be next if the piece of the player in turn counted."""
    if position.phase != "act":
        return None
    return play(position, {"type": "pass"}).player


def _ended_by(
    position: Position, move: Move, action: Action, questions: tuple[Question, ...] = ()
) -> JudgedMove:
    """A round ended by pieces that fell."""
    toppled = play(position, action)
    last = last_of(toppled)
    named = action["type"] == "topple"
    applied = Applied(
        move.ref,
        "toppled",
        (action,),
        player=last.get("player") if named else None,
        changes=last.get("changes") or {},
        confidence=move.fall.confidence if move.fall and not move.settled else None,
        status=_status(move, questions),
        cause=action.get("cause", move.cause.value),
        kind=move.fall.kind.value if move.fall else None,
    )
    return JudgedMove(move, turn_over(toppled), (applied,), questions)


def _status(move: Move, questions: tuple[Question, ...]) -> Status:
    if any(not question.quiet for question in questions):
        return "asked"
    return "confirmed" if move.settled else "provisional"


def _last_piece_back(position: Position, move: Move, back: BeforePlacement) -> JudgedMove:
    """Undo and topple in one step (rule T16), also when that piece had ended the round."""
    earlier = replace(position, game_state=back.game_state)
    own = back.colour in colours_of(position, back.player)
    action = _placing(back.player, back.colour if own else None)
    judged = _ended_by(earlier, move, action, _doubt(position, move, back.player))
    fell = Applied(back.ref, "fell", player=back.player, colour=back.colour)
    return replace(judged, applied=(fell, *judged.applied))


def _fell_while_placing(position: Position, move: Move) -> JudgedMove:
    if position.phase != "roll":
        return _fell_in_hand(position, move)
    roll = {"type": "roll", "value": ANY_CELL}
    judged = _fell_in_hand(play(position, roll), move)
    return after_roll(
        judged, roll, "nobody told the roll; one that allows every cell stands in for it"
    )


def _fell_in_hand(position: Position, move: Move) -> JudgedMove:
    named = move.data.get("player") or position.player
    colour = move.data.get("colour")
    colour = _colour_in_hand(position) if colour is None else colour
    return _ended_by(position, move, _placing(named, colour), _doubt(position, move, named))


def _doubt(position: Position, move: Move, player: str | None) -> tuple[Question, ...]:
    """What is asked about a fall while placing: aloud, or quietly where the table believes it."""
    if move.settled or move.fall is None or "cause" in move.data:
        return ()
    # What the weights of the next round have shown is past, and asked about no more aloud.
    past = move.fall.confidence < DOUBTED_P
    if not past and min(move.fall.cause_confidence, move.fall.confidence) < BELIEVED:
        return (who_bumped(position, move),)
    asked = who_bumped(position, move, f"It fell while {player} was placing. Or who bumped it?")
    others = tuple(choice for choice in asked.choices if choice.value != "placing")
    return (replace(asked, choices=others, quiet=True, player=player),)


def _placing(player: str | None, colour: str | None) -> dict[str, Any]:
    action: dict[str, Any] = {"type": "topple", "cause": "placing", "player": player}
    return action if colour is None else {**action, "colour": colour}


def _colour_in_hand(position: Position) -> str | None:
    playable = {
        action["colour"] for action in legal_placements(position.rules, position.game_state)
    }
    colour = position.colour or position.dropped
    return colour if colour in playable else None


def _last_piece_fell(
    position: Position, move: Move, back: BeforePlacement, following: Ledger
) -> bool:
    named = move.data.get("player")
    if named not in (None, back.player) or move.weighing is not None:
        # What was weighed as it fell came from a hand, and the piece before it stood.
        return False
    if position.rolled_t_s is not None:
        return named is None and 0.0 <= move.t_s - position.rolled_t_s < QUICKEST_HAND_S
    if named == back.player and named != position.player:
        return True
    if named is None and placed_on(position) == (back.ref,) and _cleared_with_it(move, following):
        return True
    told = position.phase == "roll" and not _next_was_placing(position, move, following)
    return move.t_s - back.t_s <= (LATE_FALL_TOLD_S if told else LATE_FALL_UNTOLD_S)


def _cleared_with_it(move: Move, following: Ledger) -> bool:
    """Whether the board was clear with this fall: then hands took the only piece, which had fallen.

    Had another hand let its own piece fall, that one would stand still.
    """
    if not following or following[0].kind is not MoveKind.CLEARED:
        return False
    return following[0].t_s - move.t_s < CLEARED_WITH_IT_S


def _next_was_placing(position: Position, move: Move, following: Ledger) -> bool:
    """Whether the next player was at it already, and only the roll had not been told yet."""
    if position.waiting is not None:
        return True
    tried_t_s = position.tried_t_s
    if tried_t_s is not None and abs(move.t_s - tried_t_s) < LATE_FALL_UNTOLD_S:
        return True
    return bool(following) and following[0].kind is MoveKind.ROLL


def who_bumped(
    position: Position, move: Move, text: str = "Pieces fell. Who bumped the table?"
) -> Question:
    """Ask who made pieces fall: somebody's bump, the placing, or nobody at all."""
    players = position.game_state.match.players
    out = {players[player] for player in position.game_state.out}
    choices = tuple(Choice(name, f"{name} bumped it") for name in players if name not in out)
    placing = Choice("placing", "It fell while placing")
    nothing = Choice("none", "Nothing fell")
    return Question("blame", move.ref, text, (*choices, placing, nothing, UNKNOWN))


def cleared(position: Position, move: Move, _: Ledger) -> JudgedMove:
    """The board is empty, as the sensors saw or people said."""
    if position.game_state is None or position.over:
        raise IllegalAction("no_game", "there is no game whose board could be cleared")
    if not position.clearing and _meant_the_last_clearing(position, move):
        heard = replace(position, pressed_t_s=_pressed_t_s(move) or position.pressed_t_s)
        text = "the board has been cleared just now"
        return JudgedMove(move, heard, refusal=IllegalAction("nothing_to_clear", text))
    judged = _emptied(position, move)
    weighed, given = judged.after.weighed, position.given
    after = replace(
        judged.after,
        pieces=given.learned(weighed) if given else None,
        clearing=False,
        standing={},
        clears=position.clears + 1,
        before_placement=None,
        tried_t_s=None,
        cleared_t_s=move.t_s,
        pressed_t_s=_pressed_t_s(move),
    )
    return replace(judged, after=after)


def _pressed_t_s(move: Move) -> float | None:
    """When people pressed the button for a clearing; None while they have not."""
    return move.t_s if move.data.get("pressed") else move.data.get("pressed_t_s")


def _emptied(position: Position, move: Move) -> JudgedMove:
    if position.clearing:
        return JudgedMove(move, position, (Applied(move.ref, "cleared"),))
    in_mid_turn = position.rolled_t_s is not None or _pressed_anew(position, move)
    few = len(placed_on(position)) < FEW_PIECES
    fell = in_mid_turn or few or _last_lay_oddly(position)
    cause = move.data.get("cause", "placing" if fell else "agreed")
    if not position.by_sensors or not (in_mid_turn or placed_on(position)):
        raise IllegalAction("nothing_to_clear", "there is no piece on the board")
    return _stopped(position, move) if cause == "agreed" else _unseen_topple(position, move)


def _last_lay_oddly(position: Position) -> bool:
    """Whether the last piece lay as one does that has slid off its stack, and nobody has rolled."""
    back = position.before_placement
    if back is None or back.confidence is None or position.rolled_t_s is not None:
        return False
    return back.confidence < LAY_ODDLY


def _meant_the_last_clearing(position: Position, move: Move) -> bool:
    """Whether one clearing is told twice, by people and by the sensors, and the other one late.

    Sensors that see the board empty again after a piece has come onto it mean a new clearing. At
    the beginning of a game they may mean that of the game before; who presses the button does not.
    """
    pressed, since = bool(move.data.get("pressed")), position.cleared_t_s
    if _pressed_anew(position, move):
        return False
    if since is None and not pressed:
        since = position.began_t_s
    if since is None or "cause" in move.data or move.t_s - since > SAME_CLEARING_S:
        return False
    rolled_since = position.rolled_t_s is not None and position.rolled_t_s > since
    return not rolled_since if pressed else not position.refs


def _pressed_anew(position: Position, move: Move) -> bool:
    """Whether the button is pressed again, where no roll tells that a turn has begun since.

    One press is for one clearing, so there has been another one: of a board onto which nothing had
    come that stayed.
    """
    since_s = position.pressed_t_s
    if since_s is None or position.die_is_told or not move.data.get("pressed"):
        return False
    return move.t_s - since_s > PRESSED_TWICE_S


def _asked_about(judged: JudgedMove, questions: tuple[Question, ...]) -> JudgedMove:
    """A topple that nobody saw, with the question whether it was one."""
    if not questions:
        return judged
    applied = tuple(replace(each, status="asked") for each in judged.applied)
    return replace(judged, applied=applied, questions=questions)


def placed_on(position: Position) -> tuple[int, ...]:
    """The moves whose pieces lie on the board."""
    return tuple(ref for refs in position.refs.values() for ref in refs)


def _stopped(position: Position, move: Move) -> JudgedMove:
    """Everybody agreed to stop the round."""
    action = {"type": "end_round"}
    stopped = turn_over(play(position, action))
    asked = (
        () if move.settled else (who_bumped(position, move, "The board was cleared. What fell?"),)
    )
    status: Status = "asked" if asked else "confirmed"
    applied = Applied(move.ref, "cleared", (action,), status=status)
    return JudgedMove(move, stopped, (applied,), asked)


def _unseen_topple(position: Position, move: Move) -> JudgedMove:
    """A board cleared between roll and placement: the piece fell, and the sensors missed it."""
    asked = () if move.settled else (who_bumped(position, move),)
    back = position.before_placement
    if move.cause is ToppleCause.BUMP:
        return _bump(position, move)
    if back is not None and position.rolled_t_s is None:
        return _asked_about(_last_piece_back(position, move, back), asked)
    placing = _placing(position.player, _colour_in_hand(position))
    if position.phase == "roll":
        position = play(position, {"type": "roll", "value": ANY_CELL})
    judged = _ended_by(position, move, placing, asked)
    text = "the board was cleared in mid-turn, so the piece had fallen"
    applied = replace(judged.applied[0], assumed="" if move.settled else text)
    return replace(judged, applied=(applied,))
