"""A simulated microcontroller that speaks the real protocol.

For tests and the desk without a board. It has verbs of the outside world
(`unplug_cell`, `short_cell`, `unplug_imu`, `reset`, `tip_switch`) and does what the firmware would
do, down to dropped frames when nobody reads. It has no clock of its own: `advance` says how much
true time went by, and its crystal is as wrong as `crystal_ppm` says.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from firmware_bridge.framing import Frame, FrameReader, encode_frame
from firmware_bridge.messages import (
    CELLS,
    FIRMWARE_ID,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    SCHEMA_HASH,
    Ack,
    CellState,
    CommandResult,
    Hello,
    Identify,
    Imu,
    Message,
    Ping,
    Pong,
    ResetCause,
    ResetCell,
    Scale,
    ScaleFlag,
    SetGain,
    Start,
    Status,
    Stop,
    Switch,
    Volts,
)

SETTLING_CONVERSIONS = 4
SILENT_US = 700_000
"""The firmware's patience with a chip that gives nothing."""

CountSource = Callable[[int, float], int]
ImuSource = Callable[[float], tuple[int, int, int, int, int, int, int]]


def _rest_count(cell: int, _t_s: float) -> int:
    return 200_000 + cell


def _rest_imu(_t_s: float) -> tuple[int, int, int, int, int, int, int]:
    return (0, 0, 16384, -4200, 0, 0, 0)


@dataclass(slots=True)
class _Cell:
    period_us: float
    next_us: float = 0.0
    index: int = 0
    settling: int = SETTLING_CONVERSIONS
    silent_since_us: float | None = None
    shorted: bool = False

    def state(self, now_us: float) -> CellState:
        if self.shorted:
            return CellState.STUCK_LOW
        silent = self.silent_since_us is not None and now_us - self.silent_since_us > SILENT_US
        return CellState.SILENT if silent else CellState.OK


@dataclass
class FakeMcu:
    """A board with four cells, an inertial sensor and a tilt switch, seen from its serial line.

    Attributes:
        counts: HX711 count of a cell at a true time in seconds.
        imu: accelerometer x y z, temperature, gyroscope x y z at a true time in seconds.
        cell_periods_us: true conversion period of each chip.
        imu_period_us: true sample period of the inertial sensor.
        imu_int_open: the wire to its INT is off, so it is asked.
        crystal_ppm: how much too fast its clock runs.
        buffer_bytes: frames that do not fit any more are dropped and counted, as on the board.
        volts: what its converter measures.
        hello: what it says of itself; change it to play a stranger.
    """

    counts: CountSource = _rest_count
    imu: ImuSource = _rest_imu
    cell_periods_us: tuple[float, ...] = (12_191.7, 12_420.0, 12_015.0, 11_870.0)
    imu_period_us: float = 5_000.0
    imu_int_open: bool = False
    crystal_ppm: float = 0.0
    buffer_bytes: int = 255
    volts: Volts = field(default_factory=lambda: Volts(supply_mv=4980, probe_mv=4980))
    hello: Hello = field(
        default_factory=lambda: Hello(
            firmware_id=FIRMWARE_ID,
            protocol_major=PROTOCOL_MAJOR,
            protocol_minor=PROTOCOL_MINOR,
            schema_hash=SCHEMA_HASH,
            firmware_version=1,
            reset_cause=ResetCause.POWER_ON,
            boot_counter=0x100,
            cells=CELLS,
        )
    )
    now_us: float = 0.0
    started_us: float = 0.0
    _out: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self._boot()

    # What the outside world does.

    def advance(self, to_us: float) -> None:
        """Let true time go on to `to_us` microseconds."""
        while (due := min(self._due)) <= to_us:
            self.now_us = due
            self._happen()
        self.now_us = to_us

    def reset(self, cause: ResetCause = ResetCause.EXTERNAL) -> None:
        """Start again, as after a pull of the reset line, a brown-out or a watchdog bite."""
        boot = self.hello.boot_counter
        boot = (boot & 0xFF00) + 0x100 if cause == ResetCause.POWER_ON else boot + 1
        self.hello = replace(self.hello, reset_cause=cause, boot_counter=boot & 0xFFFF)
        self._out.clear()
        self.started_us = self.now_us
        self._boot()

    def unplug_cell(self, cell: int) -> None:
        """Pull the plug of an HX711: its DOUT reads high for ever."""
        self._cells[cell].silent_since_us = self.now_us

    def short_cell(self, cell: int) -> None:
        """Tie DOUT of an HX711 to ground: it reads as zero, without pulses in between."""
        self._cells[cell].shorted = True

    def plug_cell(self, cell: int) -> None:
        """Make a cell whole again; its chip settles first."""
        self._cells[cell].silent_since_us = None
        self._cells[cell].shorted = False
        self._cells[cell].settling = SETTLING_CONVERSIONS

    def unplug_imu(self) -> None:
        """Pull the plug of the inertial sensor: no interrupts, no acknowledge."""
        self._imu_there = False

    def plug_imu(self) -> None:
        """Put it back; the firmware finds it again."""
        self._imu_there = True

    def tip_switch(self, *, closed: bool) -> None:
        """Turn the tilt switch over."""
        self._closed = closed
        if self._streaming:
            self._send(Switch(int(closed)))

    # What the serial line does.

    def receive_data(self, data: bytes) -> None:
        """Bytes from the host."""
        self._reader.receive_data(data)
        while (frame := self._reader.next_frame()) is not None:
            self._obey(frame.message)

    def data_to_send(self, limit: int | None = None) -> bytes:
        """Bytes for the host, at most `limit`; the rest stays in the buffer."""
        data = bytes(self._out[:limit])
        del self._out[: len(data)]
        return data

    # What the firmware does.

    def _boot(self) -> None:
        now = self.now_us
        self._cells = [
            _Cell(period, next_us=now + (1 + cell / CELLS) * period)
            for cell, period in enumerate(self.cell_periods_us)
        ]
        self._reader = FrameReader()
        self._seq = self._imu_index = self._tx_dropped = self._last_id = 0
        self._last_result = CommandResult.DONE
        self._streaming, self._imu_there, self._closed = False, True, False
        self._out += b"\0"  # ends a frame that the reset cut in two
        self._next_imu_us = now + self.imu_period_us
        self._next_status_us = now + 1e6 / (1 + self.crystal_ppm * 1e-6)
        self._send(self.hello)

    @property
    def _due(self) -> list[float]:
        return [*(cell.next_us for cell in self._cells), self._next_imu_us, self._next_status_us]

    def _happen(self) -> None:
        which = self._due.index(self.now_us)
        if which < CELLS:
            self._convert(which, self._cells[which])
        elif which == CELLS:
            self._sample_imu()
        else:
            self._next_status_us += 1e6 / (1 + self.crystal_ppm * 1e-6)
            self._send(self._status())
            self._send(self.volts)

    def _convert(self, number: int, cell: _Cell) -> None:
        cell.next_us += cell.period_us
        if cell.silent_since_us is not None:
            return
        flags, count = ScaleFlag(0), self.counts(number, self.now_us * 1e-6)
        if cell.shorted:
            flags, count = ScaleFlag.NOT_HIGH | ScaleFlag.TIME_UNSURE, 0
        elif count in (-0x800000, 0x7FFFFF):
            flags |= ScaleFlag.SATURATED
        if cell.settling:
            cell.settling -= 1
            flags |= ScaleFlag.SETTLING
        cell.index = (cell.index + 1) % 256
        if self._streaming:
            self._send(Scale(number, cell.index, count), flags)

    def _sample_imu(self) -> None:
        self._next_imu_us += self.imu_period_us
        if not self._imu_there:
            return
        self._imu_index = (self._imu_index + 1) % 256
        if self._streaming:
            flags = ScaleFlag.TIME_UNSURE if self.imu_int_open else ScaleFlag(0)
            self._send(Imu(self._imu_index, *self.imu(self.now_us * 1e-6)), flags)

    def _status(self) -> Status:
        states = [cell.state(self.now_us) << (4 * n) for n, cell in enumerate(self._cells)]
        return Status(
            tx_dropped=self._tx_dropped,
            rx_bad=(self._reader.tally.bad + self._reader.tally.unknown) & 0xFFFF,
            rx_overruns=0,
            imu_errors=0,
            imu_who=0x68 if self._imu_there else 0,
            cells=sum(states),
            cell_resets=0,
            streaming=int(self._streaming),
            busy_percent=20,
        )

    def _obey(self, message: object) -> None:
        if isinstance(message, Identify):
            self._streaming, self._last_id = False, 0
            self._send(self.hello)
        elif isinstance(message, Ping):
            self._send(Pong(message.token))
        elif isinstance(message, Start | Stop | SetGain | ResetCell):
            if message.command_id != self._last_id:
                self._last_id, self._last_result = message.command_id, self._carry_out(message)
            self._send(Ack(self._last_id, self._last_result))

    def _carry_out(self, command: Start | Stop | SetGain | ResetCell) -> CommandResult:
        if isinstance(command, Start | Stop):
            begins = isinstance(command, Start) and not self._streaming
            self._streaming = isinstance(command, Start)
            if begins:
                self._send(Switch(int(self._closed)))
            return CommandResult.DONE
        pulses_wrong = isinstance(command, SetGain) and command.pulses not in (25, 26, 27)
        if command.cell >= CELLS or pulses_wrong:
            return CommandResult.BAD_VALUE
        self._cells[command.cell].settling = SETTLING_CONVERSIONS
        return CommandResult.DONE

    def _send(self, message: Message, flags: ScaleFlag = ScaleFlag(0)) -> None:  # noqa: B008
        t_us = int((self.now_us - self.started_us) * (1 + self.crystal_ppm * 1e-6)) % 2**32
        data = encode_frame(Frame(message, self._seq, t_us, flags))
        if len(self._out) + len(data) > self.buffer_bytes:
            self._tx_dropped = (self._tx_dropped + 1) & 0xFFFF
            return
        self._out += data
        self._seq = (self._seq + 1) % 0x10000
