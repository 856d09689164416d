"""Before the winner is called: what the result hangs on is asked once, together.

During the game a doubt is asked about as long as people can tell, and only if it is worth it. When
the game is over every doubt is weighed again: each of its answers is tried, all that came after is
scored with it, and the doubt is open if the winner may well be another one, or if the score may be
and people can still tell. Not asked are what people do not know either, and what the table believed
in sight of all: whoever knew better has had a tap for it.
"""

from collections.abc import Iterator
from dataclasses import replace

from engine.events import HumanInput, TableEvent
from engine.referee import human_input, witness
from engine.referee.asking import BOTHER_POINTS
from engine.referee.ledger import Ledger
from engine.referee.position import UNKNOWN, Position, Question
from engine.referee.ruling import Ruling, announced, asked_and_settled
from engine.referee.state import RefereeState, refolded

WRONG_WINNER = 0.05
"""A winner is called who is as sure as a placement must be to go unasked (`engine.events.SURE`)."""

IMPROBABLE = 0.01
"""An answer less likely than that is not tried: five of them would not make a question."""


def observe(state: RefereeState, event: TableEvent) -> Ruling:
    """Take note of an event from the detector; see `engine.referee.witness.observe`."""
    return _closed(state, witness.observe(state, event))


def handle_input(state: RefereeState, said: HumanInput) -> Ruling:
    """Take note of what a person said; see `engine.referee.human_input.handle_input`."""
    return _closed(state, human_input.handle_input(state, said))


def _closed(before: RefereeState, ruling: Ruling) -> Ruling:
    """A ruling with what has to be asked at the end, if there is an end."""
    after = ruling.state
    if after.ledger is before.ledger:
        return ruling
    known = before.at_end is not None and _till_the_end(before) == _till_the_end(after)
    closed = replace(after, at_end=before.at_end if known else asked_at_end(after))
    return announced(before, ruling, closed, asked_and_settled(after, closed))


def _till_the_end(state: RefereeState) -> Ledger:
    """The ledger up to the move that ended the game.

    What is seen after it, hands that clear the board or begin anew, is no reason to try it all
    again.
    """
    at = len(state.ledger)
    while at and state.judged_moves[at - 1].after.over:
        at -= 1
    return state.ledger[: at + 1]


def asked_at_end(state: RefereeState) -> tuple[str, ...] | None:
    """Ids of the doubts on which the result hangs; None unless the rules have ended a game."""
    position = state.position
    if not position.by_sensors or not position.rules.is_over(position.game_state):
        return None
    state = refolded(replace(state, at_end=None), _till_the_end(state))
    still = {question.id for question in state.questions()}
    doubts = (q for q in state.every_doubt() if not q.quiet)
    return tuple(q.id for q in doubts if _matters(state, q, can_tell=q.id in still))


def _matters(state: RefereeState, question: Question, *, can_tell: bool) -> bool:
    wrong = points = 0.0
    for value, p in _answers(question):
        other = _answered(state, question, value)
        wrong += p * (_winners(other) != _winners(state.position))
        points += p * _apart(other, state.position)
        if wrong > WRONG_WINNER or (can_tell and points > BOTHER_POINTS):
            return True
    return False


def _answers(question: Question) -> Iterator[tuple[str, float]]:
    """The answers that are worth a trial, with their probabilities.

    Those of which the sensors say nothing share what the others leave.
    """
    choices = [choice for choice in question.choices if choice != UNKNOWN]
    untold = [choice for choice in choices if choice.p is None]
    rest = 1.0 - sum(choice.p or 0.0 for choice in choices)
    for choice in choices:
        p = max(rest, 0.0) / len(untold) if choice.p is None else choice.p
        if p >= IMPROBABLE:
            yield choice.value, p


def _answered(state: RefereeState, question: Question, value: str) -> Position:
    """Where the game would stand with this answer; as it stands, if it cannot be."""
    asked = replace(state, at_end=(question.id,))
    said = HumanInput(state.ledger[-1].t_s, "answer", {"question": question.id, "value": value})
    return human_input.handle_input(asked, said).state.position


def _winners(position: Position) -> tuple[str, ...]:
    return position.rules.winners(position.game_state)


def _apart(one: Position, other: Position) -> int:
    """By how many points some player's score differs at most; 0 in a game without points."""
    here, there = one.scores, other.scores
    return max((abs(here[name] - there[name]) for name in there), default=0)
