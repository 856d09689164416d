"""A decent Triple Topper Toe player: completes, blocks, builds, and throws dead cards away.

It looks at the marks and at its own hand, never at the other's or at the pile.
"""

from engine.games.chance import Chance, pick
from engine.games.contract import Action
from engine.games.triple_topper_toe.chance import OUTCOMES
from engine.games.triple_topper_toe.cube import INDEX, LINES_AT, TARGETS
from engine.games.triple_topper_toe.rules import TRIPLE_TOPPER
from engine.games.triple_topper_toe.state import SEATS, TripleTopperState

BUILD = (1.0, 4.0, 16.0, 1000.0)
"""Worth of an own mark on a line free of the other, by own marks already there."""

BLOCK = (0.0, 1.5, 8.0, 150.0)
"""Worth of a mark on a line free of own marks, by marks of the other there. Less than building:
the other still needs a card that fits."""

WILD_COST = 1.0
"""Worth of keeping each free dimension of a card for a better moment."""


def choose_triple_topper(state: TripleTopperState, chance: Chance) -> Action:
    """Draw or throw dead cards away; then the play that is worth most."""
    if state.phase in ("question", "tiebreak"):
        return pick(TRIPLE_TOPPER.legal_actions(state), chance)
    if state.phase == "turn":
        return OUTCOMES.redrawn(state, _turn(state), chance)
    plays = TRIPLE_TOPPER.legal_actions(state)
    return max(plays, key=lambda play: _worth(state, play) + 0.1 * chance())


def _turn(state: TripleTopperState) -> Action:
    hand = state.hands[state.current]
    dead = [card for card in hand if all(state.marks[at] for at in TARGETS[card])]
    if len(dead) > 1:
        return {"type": "discard", "cards": dead}
    return {"type": "draw"}


def _worth(state: TripleTopperState, play: Action) -> float:
    if play["cell"] is None:
        return -1.0  # a wasted turn gets rid of a dead card, no more
    wilds = {1: 0, 4: 1, 16: 2, 64: 3}[len(TARGETS[play["card"]])]
    return cell_worth(state, INDEX[play["cell"]]) - WILD_COST * wilds


def cell_worth(state: TripleTopperState, at: int) -> float:
    """What a mark of the player in turn on an empty cell builds and blocks."""
    own = SEATS[state.current]
    worth = 0.0
    for line in LINES_AT[at]:
        marks = [state.marks[cell] for cell in line]
        mine, theirs = marks.count(own), 4 - marks.count(own) - marks.count("")
        if not theirs:
            worth += BUILD[mine]
        elif not mine:
            worth += BLOCK[theirs]
    return worth
