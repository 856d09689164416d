"""The fake microcontroller on a line that can be cut, and a clock that both sides go by."""

from bisect import bisect
from collections.abc import Callable
from dataclasses import replace

from engine.detect.detector import Detector
from engine.events import HumanInput, TableEvent
from engine.samples import ImuSamples, ScaleSamples, SensorReport, SwitchSample
from firmware_bridge.errors import PortUnavailable
from firmware_bridge.events import Event
from firmware_bridge.link import Port, SerialLink
from firmware_bridge.messages import ResetCause
from firmware_bridge.troubles import NOT_THERE
from hw.serial.bridge import BridgeSource
from hw.serial.link_reader import LinkState, state_of
from hw.source import Item
from lab.chips.fake_mcu import FakeMcu
from lab.mock import MockTable, quiet_parameters
from tests.hw.panels import HandPanel

STEP_S = 0.005
LOOKAHEAD_S = 0.3
"""The simulated tower delivers in spans of 0.1 s."""
BOOTED_S = 100.0
"""Host clock at table time 0: it must not matter."""


Spoil = Callable[[bytes], bytes]
"""What a line makes of the bytes."""


class Line:
    """The host's end of the serial line."""

    def __init__(self, board: "Board") -> None:
        self._board = board
        self._came = bytearray()

    @property
    def in_waiting(self) -> int:
        self._look()
        return len(self._came)

    def read(self, size: int) -> bytes:
        self._look()
        data = bytes(self._came[:size])
        del self._came[:size]
        return data

    def write(self, data: bytes) -> int:
        if not self._board.frozen:
            self._board.mcu.receive_data(data)
        return len(data)

    def close(self) -> None:
        """Nothing to give back."""

    def _look(self) -> None:
        if not self._board.plugged:
            raise OSError("device reports readiness to read but returned no data")
        if not self._board.frozen:
            self._came += self._board.spoil(self._board.mcu.data_to_send())


class OwnReader:
    """A link without a thread: it listens when it is asked."""

    def __init__(self, link: SerialLink) -> None:
        self._link = link

    @property
    def state(self) -> LinkState:
        """How the line is."""
        return state_of(self._link)

    def read(self) -> list[Event]:
        """What happened; see `SerialLink.poll`."""
        return self._link.poll()

    def close(self) -> None:
        """Give the port back."""
        self._link.close()


class Board:
    """A table with a fake microcontroller.

    Attributes:
        plugged: false: the USB plug is out. frozen: the plug is in, but nothing comes through.
        spoil: what the line makes of the bytes.
    """

    def __init__(self, mcu: FakeMcu | None = None) -> None:
        self.mcu = mcu or FakeMcu(buffer_bytes=4000)
        self.plugged, self.frozen = True, False
        self.spoil: Spoil = lambda data: data
        self.calibration = quiet_parameters().calibration
        link = SerialLink("the port", self.clock, self._open)
        self.source = BridgeSource(OwnReader(link), self.calibration, self.clock, simulated=True)
        self.t_s = 0.0
        self.panel: HandPanel | None = None

    def clock(self) -> float:
        return BOOTED_S + self.mcu.now_us * 1e-6

    def _open(self, name: str) -> Port:
        if not self.plugged:
            raise PortUnavailable(NOT_THERE(port=name))
        return Line(self)

    def join_panel(self) -> HandPanel:
        """Buttons, lights and buzzer on the pins of this computer, as the drawings have it."""
        self.panel = HandPanel(self.clock)
        self.panel.join(self.source)
        return self.panel

    def plug_in(self) -> None:
        """After a power cut: the board starts anew."""
        self.mcu.reset(ResetCause.POWER_ON)
        self.plugged = True

    def run(self, seconds: float) -> list[Item]:
        """Let time pass; everything the source gives."""
        items: list[Item] = []
        for _ in range(round(seconds / STEP_S)):
            self.t_s += STEP_S
            self.mcu.advance(self.t_s * 1e6)
            if self.panel is not None and round(self.t_s / STEP_S) % 2:
                self.panel.step()  # every 10 ms
            items += self.source.poll(self.t_s)
        return items


def scales(items: list[Item]) -> list[ScaleSamples]:
    return [item for item in items if isinstance(item, ScaleSamples)]


def motions(items: list[Item]) -> list[ImuSamples]:
    return [item for item in items if isinstance(item, ImuSamples)]


def switches(items: list[Item]) -> list[SwitchSample]:
    return [item for item in items if isinstance(item, SwitchSample)]


def reports(items: list[Item], sensor: str = "") -> list[SensorReport]:
    found = [item for item in items if isinstance(item, SensorReport)]
    return [report for report in found if report.sensor == sensor or not sensor]


class Played:
    """A table moved by hand, whose sensors the fake microcontroller reads; and the detector."""

    def __init__(self) -> None:
        self.table = MockTable()
        self._scale: list[tuple[float, list[int]]] = []
        self._motion: list[tuple[float, list[int]]] = []
        mcu = FakeMcu(counts=self._count, imu=self._inertial, buffer_bytes=4000)
        self.board = Board(mcu)
        self.detector = Detector(self.board.calibration.tabletop())
        self.events: list[TableEvent] = []

    def run(self, seconds: float) -> list[TableEvent]:
        """Let time pass; what the detector makes of it."""
        self.table.tower.advance(self.board.t_s + seconds + LOOKAHEAD_S)
        for block in self.table.take():
            if isinstance(block, ScaleSamples):
                self._scale += zip(block.t_s.tolist(), block.raw.tolist(), strict=True)
            elif isinstance(block, ImuSamples):
                self._motion += zip(block.t_s.tolist(), block.raw.tolist(), strict=True)
        found = []
        for item in self.board.run(seconds):
            if not isinstance(item, HumanInput):
                self.detector.feed(item)
            while (event := self.detector.next_event()) is not None:
                found.append(event)
        self.events += found
        return found

    def place(self, cell: str) -> list[TableEvent]:
        """A piece is put down, and the board comes to rest."""
        self.table.tower.place(cell, grams=3.0)
        return self.run(3.0)

    def _count(self, cell: int, t_s: float) -> int:
        # The cells flicker by a few counts, as live ones do.
        flicker = hash((cell, round(t_s * 1e6))) % 41 - 20
        return _newest(self._scale, t_s, [200_000] * 4)[cell] + flicker

    def _inertial(self, t_s: float) -> tuple[int, int, int, int, int, int, int]:
        ax, ay, az, gx, gy, gz = _newest(self._motion, t_s, [0, 0, 16384, 0, 0, 0])
        return ax + round(t_s * 1e6) % 3, ay, az, -4200, gx, gy, gz


def _newest(rows: list[tuple[float, list[int]]], t_s: float, otherwise: list[int]) -> list[int]:
    at = bisect(rows, (t_s,))
    return rows[at - 1][1] if at else otherwise


def stranger(**changes: int) -> FakeMcu:
    """A board that says something else of itself."""
    mcu = FakeMcu(buffer_bytes=4000)
    mcu.hello = replace(mcu.hello, **changes)
    mcu.reset()
    return mcu
