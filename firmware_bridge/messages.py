"""The messages between host and microcontroller.

Each class below is one message and its annotations are its layout on the wire: fields in order,
little-endian, without padding. Everything else is derived from here: encoder and decoder, the
schema hash in HELLO, and by `render.py` the firmware's C header and the tables in PROTOCOL.md.

Changing this file: append fields at the end and raise `PROTOCOL_MINOR`; anything else raises
`PROTOCOL_MAJOR`. HELLO keeps its fields for ever, since it is how strangers tell their version.
"""

import dataclasses
from binascii import crc32
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from firmware_bridge.errors import BadFrame, UnsendableMessage

PROTOCOL_MAJOR = 1
"""A host refuses a board with another major version."""

PROTOCOL_MINOR = 1
"""Fields or messages were added; a host warns and works with what it knows."""

FIRMWARE_ID = 0x544F5050
"""`TOPP` in ASCII: this is our firmware, and not another one that happens to speak COBS."""

CELLS = 4
"""Load cells, each with an HX711 on a clock pin of its own."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a field lies on the wire.

    Attributes:
        name: name in PROTOCOL.md and in the schema.
        size: bytes.
        signed: two's complement if true.
        c_type: smallest C type that holds it.
    """

    name: str
    size: int
    signed: bool
    c_type: str

    @property
    def lowest(self) -> int:
        """Smallest value that fits."""
        return -(1 << (8 * self.size - 1)) if self.signed else 0

    @property
    def highest(self) -> int:
        """Largest value that fits."""
        return (1 << (8 * self.size - self.signed)) - 1


U8 = Annotated[int, Kind("u8", 1, signed=False, c_type="uint8_t")]
U16 = Annotated[int, Kind("u16", 2, signed=False, c_type="uint16_t")]
U32 = Annotated[int, Kind("u32", 4, signed=False, c_type="uint32_t")]
I16 = Annotated[int, Kind("i16", 2, signed=True, c_type="int16_t")]
I24 = Annotated[int, Kind("i24", 3, signed=True, c_type="int32_t")]


class Direction(IntEnum):
    """Who sends a message; also the top bit of its code."""

    FROM_DEVICE = 0x00
    TO_DEVICE = 0x80


class Field(tuple[str, Kind]):
    """Name and kind of one field."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Name in Python and in C."""
        return self[0]

    @property
    def kind(self) -> Kind:
        """How it lies on the wire."""
        return self[1]


@dataclass(frozen=True, slots=True)
class Layout:
    """One row of the table.

    Attributes:
        code: type byte on the wire.
        name: name in the documents and, in capitals, in C.
        fields: in wire order.
        summary: first line of the message's docstring.
    """

    code: int
    name: str
    direction: Direction
    fields: tuple[Field, ...]
    summary: str

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return sum(field.kind.size for field in self.fields)

    def schema(self) -> str:
        """The row as text, of which the schema hash is made."""
        fields = " ".join(f"{field.name}:{field.kind.name}" for field in self.fields)
        return f"{self.code:#04x} {self.name} {fields}".rstrip()


MESSAGES: dict[type[Any], Layout] = {}
"""Every message class with its layout, in the order of this file."""

BY_CODE: dict[int, type[Any]] = {}
"""Message class by type byte."""

M = TypeVar("M")


def _message(number: int, direction: Direction) -> Callable[[type[M]], type[M]]:
    """Enter a class into the table under `number` (1 to 127)."""

    def enter(cls: type[M]) -> type[M]:
        code = number | direction
        if code in BY_CODE:
            raise ValueError(f"{cls.__name__} and {BY_CODE[code].__name__} share code {code:#04x}")
        MESSAGES[cls] = Layout(
            code, cls.__name__, direction, _fields(cls), (cls.__doc__ or "").splitlines()[0]
        )
        BY_CODE[code] = cls
        return cls

    return enter


def _fields(cls: type[Any]) -> tuple[Field, ...]:
    hints = get_type_hints(cls, include_extras=True)
    names = [field.name for field in dataclasses.fields(cls)]
    return tuple(Field((name, get_args(hints[name])[1])) for name in names)


class ResetCause(IntFlag):
    """Why the microcontroller started; the bits of the ATmega's MCUSR."""

    UNKNOWN = 0
    POWER_ON = 1
    EXTERNAL = 2
    BROWN_OUT = 4
    WATCHDOG = 8


class ScaleFlag(IntFlag):
    """What was wrong with one conversion of an HX711; 0 means a good one."""

    SATURATED = 1
    """The count is an end of the range: overload, or a wire of the bridge is off."""
    NOT_HIGH = 2
    """DOUT was low after the gain pulses: the clocking was disturbed, or DOUT is stuck low."""
    LATE = 4
    """Read so late that the next conversion may have ended meanwhile."""
    SETTLING = 8
    """One of the four conversions after power-up, reset or a change of gain."""
    TIME_UNSURE = 16
    """The fall of DOUT was not seen; the time is that of the reading."""


class CellState(IntFlag):
    """State of one HX711, four bits each in `Status.cells`."""

    OK = 0
    SILENT = 1
    """DOUT stays high: no chip, no supply, or a wire is off."""
    STUCK_LOW = 2
    """DOUT stays low: short circuit, or the clock pin is not connected."""


class CommandResult(IntEnum):
    """What became of a command."""

    DONE = 0
    UNKNOWN_COMMAND = 1
    BAD_VALUE = 2


@_message(0x01, Direction.FROM_DEVICE)
@dataclass(frozen=True, slots=True)
class Hello:
    """Who is there; sent after every start and in answer to Identify.

    Attributes:
        firmware_id: `FIRMWARE_ID`.
        schema_hash: `SCHEMA_HASH` of the table the firmware was built from.
        firmware_version: of the firmware, counted up with each release.
        reset_cause: `ResetCause`.
        boot_counter: high byte counts power-ons, low byte resets since; wraps.
        cells: load cells the firmware reads.
    """

    firmware_id: U32
    protocol_major: U8
    protocol_minor: U8
    schema_hash: U32
    firmware_version: U8
    reset_cause: U8
    boot_counter: U16
    cells: U8


@_message(0x02, Direction.FROM_DEVICE)
@dataclass(frozen=True, slots=True)
class Scale:
    """One conversion of one HX711, at the moment its DOUT fell; frame flags are `ScaleFlag`.

    Attributes:
        cell: 0 to 3.
        index: counts the conversions read from this cell, sent or not; wraps at 256.
        count: signed, -8388608 to 8388607.
    """

    cell: U8
    index: U8
    count: I24


@_message(0x03, Direction.FROM_DEVICE)
@dataclass(frozen=True, slots=True)
class Imu:
    """One sample of the MPU-6050, at the moment its INT rose; raw registers, sensor's own axes.

    With the frame flag `ScaleFlag.TIME_UNSURE` INT does not rise: the time is that of the reading.

    Attributes:
        index: counts the samples read, sent or not; wraps at 256.
        ax: acceleration, 16384 counts per standard gravity.
        gx: angular rate, 131 counts per degree and second.
        temperature: counts/340 + 36.53 degrees Celsius.
    """

    index: U8
    ax: I16
    ay: I16
    az: I16
    temperature: I16
    gx: I16
    gy: I16
    gz: I16


@_message(0x04, Direction.FROM_DEVICE)
@dataclass(frozen=True, slots=True)
class Switch:
    """The tilt switch changed, or streaming began; 1 is closed."""

    closed: U8


@_message(0x05, Direction.FROM_DEVICE)
@dataclass(frozen=True, slots=True)
class Status:
    """Heartbeat with counters, once a second whether streaming or not. Counters wrap.

    Attributes:
        tx_dropped: frames the microcontroller could not send, since its buffer was full.
        rx_bad: frames from the host thrown away: damaged or unknown.
        rx_overruns: bytes from the host that were lost.
        imu_errors: failed transfers to the inertial sensor.
        imu_who: WHO_AM_I of the inertial sensor, 0 while there is none.
        cells: `CellState` of load cell C0 in bits 0-3, C1 in bits 4-7, and so on.
        cell_resets: power cycles given to silent chips.
        streaming: 1 between Start and Stop.
        busy_percent: share of the last second the processor did not sleep.
    """

    tx_dropped: U16
    rx_bad: U16
    rx_overruns: U16
    imu_errors: U16
    imu_who: U8
    cells: U16
    cell_resets: U16
    streaming: U8
    busy_percent: U8


@_message(0x06, Direction.FROM_DEVICE)
@dataclass(frozen=True, slots=True)
class Ack:
    """A command was carried out or refused; a repeated command is answered again, not done again.

    Attributes:
        command_id: of the command.
        result: `CommandResult`.
    """

    command_id: U8
    result: U8


@_message(0x07, Direction.FROM_DEVICE)
@dataclass(frozen=True, slots=True)
class Pong:
    """Answer to Ping; the frame's time says when it was made."""

    token: U8


@_message(0x08, Direction.FROM_DEVICE)
@dataclass(frozen=True, slots=True)
class Volts:
    """What the microcontroller's own converter measures, once a second, streaming or not.

    Attributes:
        supply_mv: its supply, by a reference in the chip that may be off by a tenth (data sheet:
            1.0 to 1.2 V); 0 before it is known.
        probe_mv: at the pin of the probe, A1; an open one has the voltage of the supply.
    """

    supply_mv: U16
    probe_mv: U16


@_message(0x01, Direction.TO_DEVICE)
@dataclass(frozen=True, slots=True)
class Identify:
    """Asks for Hello, stops streaming and forgets the last command's id: a new host is here."""


@_message(0x02, Direction.TO_DEVICE)
@dataclass(frozen=True, slots=True)
class Ping:
    """Asks for the time; not repeated, since a late answer would be worthless."""

    token: U8


@_message(0x03, Direction.TO_DEVICE)
@dataclass(frozen=True, slots=True)
class Start:
    """Command: begin to stream samples."""

    command_id: U8


@_message(0x04, Direction.TO_DEVICE)
@dataclass(frozen=True, slots=True)
class Stop:
    """Command: stop streaming; the heartbeat goes on."""

    command_id: U8


@_message(0x05, Direction.TO_DEVICE)
@dataclass(frozen=True, slots=True)
class SetGain:
    """Command: clock a cell with 25 (A, 128), 26 (B, 32) or 27 (A, 64) pulses from now on."""

    command_id: U8
    cell: U8
    pulses: U8


@_message(0x06, Direction.TO_DEVICE)
@dataclass(frozen=True, slots=True)
class ResetCell:
    """Command: power-cycle the HX711 of one cell."""

    command_id: U8
    cell: U8


Message = (
    Hello | Scale | Imu | Switch | Status | Ack | Pong | Volts
    | Identify | Ping | Start | Stop | SetGain | ResetCell
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unknown:
    """A message whose type is not in the table: a newer firmware speaks.

    Attributes:
        code: its type byte.
    """

    code: int


Received = Message | Unknown
Command = Start | Stop | SetGain | ResetCell
"""Messages that are acknowledged and repeated until they are."""

_TITLE = f"topple-table {PROTOCOL_MAJOR}.{PROTOCOL_MINOR}"
SCHEMA = "\n".join([_TITLE, *(row.schema() for row in MESSAGES.values())])
"""The whole table as text."""

SCHEMA_HASH = crc32(SCHEMA.encode("ascii"))
"""Differs when the table differs; a hash against mistakes, not against malice."""

LONGEST_BODY = max(layout.size for layout in MESSAGES.values())


def encode_body(message: Message) -> bytes:
    """The fields of `message` as they go on the wire.

    Raises:
        UnsendableMessage: a value does not fit its field.
    """
    layout = MESSAGES[type(message)]
    return b"".join(_pack(layout, field, getattr(message, field.name)) for field in layout.fields)


def decode_body(code: int, body: bytes) -> Received:
    """The message of type `code` with this body.

    A longer body than the table's is accepted and its tail ignored: a newer firmware may have
    appended fields.

    Raises:
        BadFrame: the body is too short.
    """
    cls = BY_CODE.get(code)
    if cls is None:
        return Unknown(code)
    layout = MESSAGES[cls]
    if len(body) < layout.size:
        raise BadFrame("short", f"{layout.name} has {len(body)} bytes, {layout.size} are needed")
    message: Message = cls(*_unpack(layout, body))
    return message


def _pack(layout: Layout, field: Field, value: int) -> bytes:
    kind = field.kind
    if not kind.lowest <= value <= kind.highest:
        raise UnsendableMessage(
            field.name,
            f"{layout.name}.{field.name} is {value}; "
            f"{kind.name} holds {kind.lowest} to {kind.highest}",
        )
    return int(value).to_bytes(kind.size, "little", signed=kind.signed)


def _unpack(layout: Layout, body: bytes) -> list[int]:
    values, at = [], 0
    for _, kind in layout.fields:
        values.append(int.from_bytes(body[at : at + kind.size], "little", signed=kind.signed))
        at += kind.size
    return values
