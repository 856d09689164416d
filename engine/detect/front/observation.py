"""What the front end tells the back end: contacts and rests as the sensors saw them.

Values only, and nothing of rules, turns or hypotheses: whoever keeps the observations of an
evening can weigh them again with other numbers, without the samples.
"""

from dataclasses import dataclass
from typing import Protocol

import msgspec

from engine.detect.body import Body
from engine.detect.front.contact import Touch
from engine.detect.front.moment import Moment
from engine.detect.front.pressing import MOST_PRESSED_G, Press
from engine.detect.front.shocks import Pushes

IN_THE_AIR_S = 0.5
"""What left the board in a contact comes down within so long of its end."""


@dataclass(frozen=True, slots=True)
class Felt:
    """What one contact was like.

    Attributes:
        touch: its weights against the weight before.
        pushes: what shook table and board in and about it.
        tipped: whether the tilt switch closed in it, on a table that has nothing better.
        stirred: whether the board began to move in it: what only touches the plate never does that.
        press: where it pressed on the board; None when nothing tells.
        before: where the contact before it pressed, if that has only just ended.
        landing: whether the contact before has only just ended: what left the board in it lands.
    """

    touch: Touch
    pushes: Pushes
    tipped: bool = False
    stirred: bool = True
    press: Press | None = None
    before: Press | None = None
    landing: bool = False

    @property
    def hand(self) -> Press | None:
        """Where a hand pressed on the board; None also where the plate was loaded meanwhile."""
        return None if self.press is None or self.press.highest_g > MOST_PRESSED_G else self.press


@dataclass(frozen=True, slots=True)
class Look:
    """A steady weight after a contact, and the board meanwhile, as far as it has lasted.

    Attributes:
        felt: the contact that led to it.
        let_go: whether the board counts as free already, so that it was let go.
        mass_g: weight over the tare of the rest's beginning, since cells creep; `noise_g` its
            standard deviation.
        mean_g: mean weight of the whole rest so far.
        arrived_s: since when the weight has been this one.
        came_s: when the weight of a piece came, also under another hand that rested there.
        steady_s: for how long without a break.
        moment: of the board; None when no inertial sensor was heard.
        bare: the moment, had the board no pieces on it: another mass swings otherwise.
        shifts: how far the plate's moment had moved at each earlier look at this rest, with its
            standard deviation, g mm. What lies on the plate has moved it from the first.
        friction_gmm: of the pivot.
        hung_gmm: moment of the board as far as it has been taken into the belief for good.
    """

    felt: Felt
    let_go: bool
    mass_g: float
    noise_g: float
    mean_g: float
    arrived_s: float
    came_s: float
    steady_s: float
    moment: Moment | None
    bare: Moment | None
    shifts: tuple[tuple[float, float], ...]
    friction_gmm: float
    hung_gmm: tuple[float, float]


class Rested(msgspec.Struct, frozen=True):
    """How long a rest has lasted, and what came of it.

    Attributes:
        steady_s: as in a look; evenings that were kept before call it `rested_s`.
        let_go: whether the board counts as free.
        mean_g: mean weight over the tare of all of it; `mass_g` of its beginning.
        hung_gmm: as in a look.
        change_gmm: moment gained in it, once it is over; none where it hung as before.
    """

    steady_s: float = msgspec.field(name="rested_s")
    let_go: bool
    mass_g: float
    mean_g: float
    hung_gmm: tuple[float, float]
    change_gmm: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Left:
    """What the back end makes of a rest that is over, for the next one to be measured against.

    Attributes:
        forgotten: it was none: the contact before it goes on.
        moves: the next rest is compared with it.
        held: somebody's hand rested on the board in it.
    """

    forgotten: bool = False
    moves: bool = False
    held: bool = False


class BackEnd(Protocol):
    """Who weighs the observations; what it answers decides what the next one is compared with.

    Attributes:
        now_s: table time, kept by the front end.
        in_contact: whether the board is touched now, or its weight is not steady.
        touched_s: when the latest contact began.
        jolted_s: when the table was pushed last.
    """

    now_s: float
    in_contact: bool
    touched_s: float
    jolted_s: float

    @property
    def begun(self) -> bool:
        """Whether a first weight is known."""

    @property
    def piece_g(self) -> float:
        """Mean mass of a piece."""

    @property
    def body(self) -> Body:
        """The board with the pieces that are believed to lie on it."""

    @property
    def may_be_bare(self) -> bool:
        """Whether the board may have been cleared: only then is it worth measuring it bare."""

    def begin(self, mass_g: float) -> None:
        """The first steady weight, or the first after the scale was lost."""

    def look(self, look: Look) -> bool:
        """One more look at the present rest; true when the board counts as free."""

    def agreed(self, ticks: int) -> bool:
        """Whether nothing in doubt could be decided by a look after so many ticks of rest."""

    def wait(self, rested: Rested) -> None:
        """The rest goes on as it was."""

    def unchanged(self, mean_g: float) -> bool:
        """Whether the contact has left the board as it was, for all that is believed."""

    def lighter(self, look: Look) -> None:
        """Weight is gone, though it is not steady."""

    def hung_still(self, since_s: float) -> None:
        """The board has not moved since then."""

    def end(self, rested: Rested) -> Left:
        """The board is touched again."""
