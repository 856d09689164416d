"""A panel on mock pins beside a source, stepped by hand."""

from collections.abc import Callable

from gpiozero.pins.mock import MockFactory

from hw.drivers.panel import Panel
from hw.drivers.panel_reader import PanelReader
from hw.drivers.pins import Pins
from hw.drivers.sensor_thread import SensorThread
from hw.errors import NoPins
from hw.live import LiveSource

WIRES = Pins().of_panel


class HandPanel(SensorThread):
    """The panel as wiring joins it, but without a thread of its own.

    Attributes:
        factory: of its pins.
        refused: why the pins cannot be had; empty when they can.
        opened: how often that was tried.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.factory, self.refused, self.opened = MockFactory(), "", 0
        self._now = clock
        self.panel_reader = PanelReader(self._open, clock)
        super().__init__(self.panel_reader, clock)

    def join(self, source: LiveSource) -> None:
        source.join(self, self.panel_reader.show)

    def start(self) -> None:
        """It is stepped by hand."""

    def press(self, pin: int) -> None:
        self.factory.pin(pin).drive_low()

    def release(self, pin: int) -> None:
        self.factory.pin(pin).drive_high()

    def lit(self, pin: int) -> bool:
        return bool(self.factory.pin(pin).state)

    def _open(self) -> Panel:
        self.opened += 1
        if self.refused:
            raise NoPins(self.refused)
        return Panel(WIRES, self._now, factory=self.factory)
