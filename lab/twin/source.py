"""What every source that is driven by a simulated tower has in common."""

from hw.calibration import Calibration
from hw.source import TableSource
from lab.twin.tower import Tower


class OverTower(TableSource):
    """The part of a `SampleSource` that the tower answers; `poll` is left to each.

    Attributes:
        tower: the simulated tower underneath; faults can be injected at any time.
    """

    def __init__(self, tower: Tower, calibration: Calibration | None = None) -> None:
        """Stand on a tower, seen as a calibration says, or as its owner does."""
        super().__init__(calibration or tower.calibration, simulated=True)
        self.tower = tower

    @property
    def ended(self) -> bool:
        """True once closed, and all samples are given."""
        return self.tower.ended

    def close(self) -> None:
        """No more samples than there are."""
        self.tower.close()
