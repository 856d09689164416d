"""A contact, and the rest that it leads to: all that is known of them when they are explained."""

from dataclasses import dataclass

from engine.detect.front.contact import Touch
from engine.detect.front.moment import Moment
from engine.detect.front.pressing import MOST_PRESSED_G, Press
from engine.events import Expectation


@dataclass(frozen=True, slots=True)
class Contact:
    """What was felt before a rest.

    Attributes:
        number: of the contact.
        began_s: when it did.
        in_turn: whether the rules expected a piece while it lasted.
        bumped: probability that pieces that fell in it were bumped.
        fall_odds: how much likelier it feels like a fall than like a hand that takes pieces (log).
        stirred: whether the board began to move in it: what only touches the plate never does that.
        press: where it pressed on the board; None when nothing tells.
        before: where the contact before it pressed, if that has only just ended.
        landing: whether the contact before has only just ended: what left the board in it lands.
        foreseen: whether the rules expected a piece already when it ended.
    """

    number: int
    began_s: float
    touch: Touch
    in_turn: bool
    bumped: float
    fall_odds: float
    stirred: bool = True
    press: Press | None = None
    before: Press | None = None
    landing: bool = False
    foreseen: bool = True

    @property
    def hand(self) -> Press | None:
        """Where a hand pressed on the board; None also where the plate was loaded meanwhile."""
        return None if self.press is None or self.press.highest_g > MOST_PRESSED_G else self.press


@dataclass(frozen=True, slots=True)
class Rest:
    """A steady weight, and the board meanwhile.

    Attributes:
        contact: what came before it.
        arrived_s: since when the weight has been this one.
        steady_s: for how long without a break.
        moment: of the board; None when no inertial sensor was heard.
        expectation: what the rules expected when the weight arrived.
        zero_g: weight of the empty board and plate; `zero_sd_g` its standard deviation.
        rolled: whether somebody has rolled since the piece placed last.
        turns: what they expected in each of the turns in which somebody may have placed since the
            contact began, the first of them first.
        against_rules: probability that a piece lies on another cell than the die allows.
        closed: all pieces are on the board: people will clear it, unless the last one falls first.
        handled: a hand has been at the board since the piece placed last, and put nothing down.
        bare: the moment, had the board no pieces on it: another mass swings otherwise.
        shifts: how far the plate's moment had moved at each earlier look at this rest, with its
            standard deviation, g mm. What lies on the plate has moved it from the first.
    """

    contact: Contact
    mass_g: float
    noise_g: float
    arrived_s: float
    steady_s: float
    moment: Moment | None
    expectation: Expectation
    zero_g: float
    zero_sd_g: float
    rolled: bool
    against_rules: float
    closed: bool = False
    handled: bool = False
    bare: Moment | None = None
    shifts: tuple[tuple[float, float], ...] = ()
    turns: tuple[Expectation, ...] = ()
