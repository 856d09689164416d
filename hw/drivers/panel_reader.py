"""Opens the panel, sooner or later, and joins it to whatever table there is.

A table plays on without its panel. So the pins are opened in the panel's own thread, and opened
again now and then while that fails; the reason is told like that of any sensor.
"""

from collections.abc import Callable

from engine.samples import SensorReport
from engine.trouble import Trouble
from hw.drivers.panel import LOOK_S, Face, Panel
from hw.drivers.pin_holders import AGAIN_S
from hw.drivers.sensor_thread import SensorThread
from hw.errors import HardwareError
from hw.live import LiveSource
from hw.source import Item
from hw.troubles import PANEL_GONE


class PanelReader:
    """A `Reader` of the panel, also while there is none."""

    name = "panel"

    def __init__(self, open_panel: Callable[[], Panel], clock: Callable[[], float]) -> None:
        """A panel that is not opened yet; a `HardwareError` says why that is impossible now."""
        self._open, self._clock = open_panel, clock
        self._panel: Panel | None = None
        self._face: Face | None = None
        self._trouble: Trouble | None = None
        self.heard_s = float("-inf")

    @property
    def pause_s(self) -> float:
        """Time to leave before the next step."""
        return LOOK_S if self._panel is not None else AGAIN_S

    def show(self, face: Face) -> None:
        """Show this from the next step on. May be called from any thread."""
        self._face = face
        if self._panel is not None:
            self._panel.show(face)

    def step(self) -> list[Item]:
        """What was pressed and tilted since the last step, or why nothing can be."""
        if self._panel is None:
            items = self._try()
            self.heard_s = self._clock()
            return items
        items = self._panel.step()
        self.heard_s = self._panel.heard_s
        return items

    def close(self) -> None:
        """Lights out, and let go of the pins."""
        if self._panel is not None:
            self._panel.close()

    def _try(self) -> list[Item]:
        try:
            self._panel = self._open()
        except HardwareError as error:
            return self._tell(PANEL_GONE(error=str(error)))
        if self._face is not None:
            self._panel.show(self._face)
        return self._tell(None)

    def _tell(self, trouble: Trouble | None) -> list[Item]:
        if trouble == self._trouble:
            return []
        self._trouble = trouble
        return [SensorReport.of(self._clock(), self.name, trouble)]


def join_panel(source: LiveSource, open_panel: Callable[[Callable[[], float]], Panel]) -> None:
    """Give a table, not polled yet, a panel; its thread begins with the first `poll`.

    It is opened with the clock that it is to go by.
    """
    reader = PanelReader(lambda: open_panel(source.clock), source.clock)
    source.join(SensorThread(reader, source.clock), reader.show)
