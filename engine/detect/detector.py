"""The detector: samples in, table events out, with a probability for each.

The front end (`engine.detect.front.front_end`) turns samples into observations: contacts, and rests
with what weight and moment they show. The back end (`engine.detect.back.scene`) weighs hypotheses
of what lies where against them and tells what has become certain. Sans-IO and causal: `feed` only
buffers, `next_event` advances to the next event, and nothing later than an event's `decided_s` was
looked at.
"""

from math import inf

from engine.detect.back.parameters import BEHAVIOUR, Priors
from engine.detect.back.scene import Scene
from engine.detect.front.front_end import FrontEnd
from engine.detect.front.health import TableHealth
from engine.events import Expectation, TableEvent
from engine.samples import Samples
from engine.tabletop import Tabletop


class Detector:
    """Turns the samples of one table into table events.

    Attributes:
        now_s: table time up to which everything has been looked at.
    """

    def __init__(
        self, tabletop: Tabletop, priors: Priors = BEHAVIOUR, *, scene: Scene | None = None
    ) -> None:
        """`scene`: a back end other than a new one, with its own priors."""
        self._scene = scene or Scene(tabletop, priors)
        self._front = FrontEnd(tabletop, self._scene, self._scene.teller.events)

    @property
    def now_s(self) -> float:
        """Table time up to which everything has been looked at."""
        return self._scene.now_s

    # -- in -----------------------------------------------------------------------------------

    def feed(self, samples: Samples) -> None:
        """Buffer samples; `next_event` looks at them.

        However the streams are cut into blocks, the events are the same, as long as the blocks of
        the sensors alternate: two of one sensor, the second more than `STALE_S` later, with none
        of the other between them, is how a sensor that fell silent looks.
        """
        self._front.feed(samples)

    def expect(self, expectation: Expectation) -> None:
        """The rules' prior for what comes next."""
        self._scene.expect(expectation)

    def amend(self, ref: int, cell: str | None) -> None:
        """People said where piece `ref` really lies; None: it is not on the board."""
        self._scene.amend(ref, cell)

    def restore(self, placements: tuple[tuple[int, str], ...]) -> None:
        """Take up a game that was interrupted: pieces on the board, bottom to top.

        Args:
            placements: (event id, cell) of each piece, in the order in which they were placed.
        """
        self._scene.restore(placements)

    def press_cleared(self, t_s: float) -> bool:
        """People said at `t_s` that the board is clear; false when the table had seen it before."""
        return self._scene.press_cleared(t_s)

    def press_blame(self, t_s: float) -> None:
        """People said at `t_s` who bumped the table, and no topple had been decided yet."""
        del t_s
        self._scene.press_blame()

    # -- out ----------------------------------------------------------------------------------

    def next_event(self, until_s: float = inf) -> TableEvent | None:
        """The next event that can be decided with samples up to `until_s`, or None.

        Call it until it returns None. Between two calls the rules may have changed their mind:
        tell it with `expect` before the next call.
        """
        events = self._scene.teller.events
        while not events:
            if not self._advance(until_s):
                return None
        self._scene.handed_s = self.now_s
        return events.popleft()

    def _advance(self, until_s: float) -> bool:
        return self._front.advance(until_s)

    def health(self) -> TableHealth:
        """What the signals say about this table now."""
        return self._front.health(self._scene.zero.drift_g)
