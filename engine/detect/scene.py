"""What the parts of the detector share: the sensors' view of the table and the event queue.

`placing` and `toppling` decide; this file holds what they decide about, so that neither needs to
know the other's inside.
"""

from collections import deque
from dataclasses import dataclass, replace
from math import hypot, inf

from engine.detect.body import Body, Stacks
from engine.detect.contact import Balance
from engine.detect.location import Location, fused_mass_g, locate
from engine.detect.moment import Moment, MomentEstimator
from engine.detect.shocks import Shocks
from engine.detect.tipping import Tipping
from engine.events import ANYTHING, Expectation, Placed, TableEvent
from engine.samples import Floats
from engine.tabletop import Tabletop

MASS_SD_G = 0.045
"""Error of a weight step however long it is measured (public set, steps over a second)."""

SHAKEN_SD_MM = 3.0
"""A shaken table shifts all pieces together by a few millimetres (3 mm on the public set)."""

RESTED_S = 0.15
"""A fifth of a swing without motion: the board has stuck to its pivot, it does not just turn."""

REMEMBERED = 8
"""Expectations kept: a turn brings about three."""

REACH_S = 1.0
"""Nobody rolls, takes a piece and reaches the board in less: 1.42 s at the quickest of 410 on the
public set."""

RELEASE_S = 1.4
"""Nor lets go of it. A palm that rests on the board comes to rest at any time."""

STICKING_SHARE = 0.3
"""Share of the pivot's friction that its model (one constant, always against the motion) misses:
on rough tables the stated confidence was too high without it."""

MOST_CERTAIN = 0.9995
"""Nobody knows more than this: the tails of hands and tables are not known better."""


@dataclass(slots=True)
class Placement:
    """A placement that was announced, with what is needed to think about it again.

    Attributes:
        carried_gmm: what of the change was seen before the board was touched again, if it was
            before anybody could be certain.
        rested: the board has hung still since the piece was let go.
    """

    ref: int
    released_s: float
    cell: str
    confidence: float
    mass: tuple[float, float]
    expectation: Expectation
    change_gmm: Floats
    fit: float
    next_look_s: float
    carried_gmm: Floats | None = None
    open: bool = True
    rested: bool = False

    @property
    def legal(self) -> bool:
        """Whether the rules allowed the cell when the piece was placed."""
        cells = self.expectation.legal_cells
        return not cells or self.cell in cells


class Scene:
    """The table as the detector sees it."""

    def __init__(self, tabletop: Tabletop) -> None:
        self.tabletop = tabletop
        self.now_s = 0.0
        self.balance = Balance(tabletop.piece.mass_mean_g)
        self.moment = MomentEstimator(tabletop)
        self.shocks = Shocks()
        self.tipping = Tipping(believed=tabletop.weight_only)
        self.stacks = Stacks(tabletop)
        self.body: Body = self.stacks.body()
        self.expectation = ANYTHING
        self.told = False
        self.expected_at_contact = ANYTHING
        self._expected: deque[tuple[float, Expectation]] = deque(maxlen=REMEMBERED)
        self.events: deque[TableEvent] = deque()
        self.last: Placement | None = None
        self.zero_g: float | None = None
        self.first_zero_g: float | None = None
        self.rolled_s: float | None = None
        self.fell_s: float | None = None
        self._reopened_s: float | None = None
        self.clearing = False
        self.rules_clear = False
        self.tilt_doubtful = False
        self._next_id = 1

    @property
    def piece_g(self) -> float:
        """Mean mass of a piece."""
        return self.tabletop.piece.mass_mean_g

    @property
    def zero_drift_g(self) -> float:
        """How far the empty board's weight has wandered since the start."""
        if self.zero_g is None or self.first_zero_g is None:
            return 0.0
        return self.zero_g - self.first_zero_g

    @property
    def cell_gmm(self) -> float:
        """What a piece's step to the next cell does to the moment: the natural unit of it."""
        return self.piece_g * self.tabletop.cell_pitch_mm

    @property
    def step(self) -> float:
        """Weight gained by the present contact, in pieces."""
        return self.balance.step_g / self.piece_g

    @property
    def rolled_since_last(self) -> bool:
        """Whether the turn has visibly passed since the last placement."""
        if self.last is None or self.rolled_s is None:
            return False
        return self.rolled_s > self.last.released_s

    @property
    def at_rest(self) -> bool:
        """Whether the board hangs still."""
        return self.moment.still_s > RESTED_S

    @property
    def out_of_turn(self) -> bool:
        """Whether no player could have a piece at hand when the present contact began.

        Unless the weight came later: taps at the table may begin before the roll and go on.
        """
        rolled_s = self.rolled_s if self.rolled_s is not None else -inf
        if self.expectation.may_place and self.balance.arrived_s - rolled_s > RELEASE_S:
            return False
        return not self.expected_at_contact.may_place or (
            self.balance.touch.began_s - rolled_s < REACH_S
        )

    def expect(self, expectation: Expectation) -> None:
        """The rules' prior for what comes next."""
        self.told = self.told or expectation.legal_cells is not None
        if expectation.may_place:
            self._note_roll(expectation)
        self.expectation = expectation
        self._expected.append((self.now_s, expectation))
        if expectation.pieces_left == 0:
            self.clearing = self.rules_clear = True
        elif expectation.may_place and self.clearing and self._play_went_on():
            # The rules expect a piece on a board that was being cleared: nothing had fallen.
            self._reopened_s = self.fell_s
            self.clearing = self.rules_clear = False

    def _note_roll(self, expectation: Expectation) -> None:
        before = self.expectation
        if not before.may_place:
            self.rolled_s = self.now_s
        elif self.told and (expectation.pieces_left or 0) < (before.pieces_left or 0):
            # The piece was seen so late that the next player had rolled: that is what came last.
            self.rolled_s = self._expected[-1][0]

    def _play_went_on(self) -> bool:
        """Whether the players have rolled since the topple, and the rules have heard of it."""
        if self.events or self.rules_clear:
            return self.rules_clear
        if self.rolled_s is None or self.fell_s is None or self.fell_s == self._reopened_s:
            return False
        return self.rolled_s > self.fell_s

    def expected_at(self, t_s: float) -> Expectation:
        """What the rules expected when a piece was let go.

        A slow decision may come after the next roll; then the next player's cells would be the
        wrong prior. But a piece put down before anybody told the die has only the later one.
        """
        then = next((known for since_s, known in reversed(self._expected) if since_s <= t_s), None)
        if then is None:
            return self.expectation
        if then.pieces_left == 0:
            # The rules had closed the board, wrongly: which die was in force is not known.
            return ANYTHING
        return then if then.may_place else self.expectation

    def new_id(self) -> int:
        """Number of the next event."""
        self._next_id += 1
        return self._next_id - 1

    def continue_ids(self, last_used: int) -> None:
        """Number the next events after `last_used`."""
        self._next_id = max(self._next_id, last_used + 1)

    def emit(self, event: TableEvent) -> None:
        """Hand an event to whoever calls `Detector.next_event`."""
        self.events.append(event)

    def measure(self) -> Moment:
        """The moment now, with the body as it is believed to be."""
        return self.moment.measure(self.body)

    def rebuild(self) -> None:
        """The stacks changed: so did the body."""
        self.body = self.stacks.body()

    def locate_new(self) -> tuple[Location, Moment, tuple[float, float]]:
        """Where the piece that has just been put down lies."""
        balance = self.balance
        error_g = hypot(MASS_SD_G, 1.3 * balance.noise_g / max(balance.run_ticks, 6) ** 0.5)
        mass = fused_mass_g(self.tabletop.piece, balance.step_g, error_g)
        # Inertia and height depend a little on the cell itself, by less than a per cent.
        moment = self.moment.measure(self.stacks.body("c4"))
        return self._locate(moment, mass, self.expected_at(balance.arrived_s)), moment, mass

    def locate_again(self, placement: Placement) -> tuple[Location, Moment]:
        """Where an announced piece lies by what is known now."""
        moment = self.measure()
        if placement.carried_gmm is not None:
            moment = replace(moment, change_gmm=moment.change_gmm + placement.carried_gmm)
        return self.locate_change(moment, placement), moment

    def locate_change(self, moment: Moment, placement: Placement) -> Location:
        """Where an announced piece lies if it made this change."""
        return self._locate(moment, placement.mass, placement.expectation)

    def _locate(
        self, moment: Moment, mass: tuple[float, float], expectation: Expectation
    ) -> Location:
        centres = self.stacks.centres_mm
        shaken_g = self.body.mass_g if self.balance.touch.shaken else 0.0
        unmodelled_gmm = hypot(shaken_g * SHAKEN_SD_MM, STICKING_SHARE * self.moment.friction_gmm)
        return locate(
            moment.change_gmm,
            moment.change_cov,
            mass,
            centres,
            expectation,
            unmodelled_gmm=unmodelled_gmm,
        )

    def accept(self) -> None:
        """The board is free again, at the weight of the present run."""
        self.balance.accept()

    def announce(self, placement: Placement, place: Location) -> None:
        """Put the piece on the believed board and tell."""
        self.stacks.put(placement.ref, placement.cell)
        self.rebuild()
        self.last = placement
        self.emit(
            Placed(
                id=placement.ref,
                t_s=placement.released_s,
                decided_s=self.now_s,
                cell=placement.cell,
                confidence=placement.confidence,
                alternatives=place.alternatives,
                mass_g=round(placement.mass[0], 3),
            )
        )
