"""A rest with what rules and people had said by then: all that is known when it is explained."""

from dataclasses import dataclass
from math import inf

from engine.detect.front.observation import Look
from engine.events import Expectation


@dataclass(frozen=True, slots=True)
class Rest:
    """A steady weight that a contact has led to.

    Attributes:
        look: what was seen of it, and felt of the contact.
        number: of the contact.
        in_turn: whether the rules expected a piece while the contact lasted.
        foreseen: whether they expected one already when it ended.
        bumped: probability that pieces that fell in it were bumped.
        fall_odds: how much likelier it feels like a fall than like a hand that takes pieces (log).
        expectation: what the rules expected when the weight arrived.
        zero_g: weight of the empty board and plate; `zero_sd_g` its standard deviation.
        rolled: whether somebody has rolled since the piece placed last.
        against_rules: probability that a piece lies on another cell than the die allows.
        closed: all pieces are on the board: people will clear it, unless the last one falls first.
        handled: a hand has been at the board since the piece placed last, and put nothing down.
        turns: what they expected in each of the turns in which somebody may have placed since the
            contact began, the first of them first.
        since_s: since when the weight has been steady without a break; -inf where that is unknown.
    """

    look: Look
    number: int
    in_turn: bool
    bumped: float
    fall_odds: float
    expectation: Expectation
    zero_g: float
    zero_sd_g: float
    rolled: bool
    against_rules: float
    foreseen: bool = True
    closed: bool = False
    handled: bool = False
    turns: tuple[Expectation, ...] = ()
    since_s: float = -inf
