"""What every source that is driven by a simulated tower has in common."""

from engine.tabletop import Tabletop
from hw.calibration import Calibration
from hw.sim.twin.tower import Tower


class OverTower:
    """The part of a `SampleSource` that the tower answers; `poll` is left to each.

    Attributes:
        tower: the simulated tower underneath; faults can be injected at any time.
    """

    def __init__(self, tower: Tower) -> None:
        """Stand on a tower."""
        self.tower = tower

    @property
    def calibration(self) -> Calibration:
        """What the owner of the tower believes about it."""
        return self.tower.calibration

    @property
    def tabletop(self) -> Tabletop:
        """Geometry and mass as the owner measured them."""
        return self.tower.tabletop

    @property
    def simulated(self) -> bool:
        """Always true."""
        return True

    @property
    def ended(self) -> bool:
        """True once closed, and all samples are given."""
        return self.tower.ended

    @property
    def notices(self) -> tuple[str, ...]:
        """None."""
        return ()

    def close(self) -> None:
        """No more samples than there are."""
        self.tower.close()
