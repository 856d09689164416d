"""What the tilt switch adds: the board went over to its stop.

A table that weighs and measures its tilt needs no switch. A starter table, which has one load
cell and nothing else, is helped by it: hands that take a piece do not tip the board that far, a
tower that comes down does. On nine simulated games the switch closed in no placement, in 5 of 7
collapses and, without a topple, at five bumps and while boards were cleared; so it is believed
only together with a loss of weight, and only where nothing better is known.
"""

from collections import deque

from engine.samples import SwitchSample

BEFORE_S = 0.3
"""The board tips before the weight is seen to change: the load cells' averaging is 50 ms, the
first tick of a contact another 50 ms, and pieces slide before they fall."""

KEPT = 64
"""A ball rattles; more closures than that in one contact say nothing new."""


class Tipping:
    """Remembers when the tilt switch closed.

    Args:
        believed: whether closures are evidence on this table.
    """

    def __init__(self, *, believed: bool) -> None:
        self._believed = believed
        self._closed_s: deque[float] = deque(maxlen=KEPT)

    def feed(self, edge: SwitchSample) -> None:
        """An edge of the switch."""
        if edge.closed:
            self._closed_s.append(edge.t_s)

    def since(self, began_s: float) -> bool:
        """Whether the board tipped over in a contact that began at a table time.

        Edges count, so a switch that is stuck says nothing.
        """
        return self._believed and any(t_s >= began_s - BEFORE_S for t_s in self._closed_s)
