"""What Bluetooth dice say: the bytes of one notification in, a value out.

Pure. Two makes are known, GoDice and Pixels; numbers and ids stand as their makers and users have
published them (docs/decisions.md). What cannot be read says nothing: a die may be newer than this.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rolling:
    """The die is being thrown."""


Way = Literal["rolled", "moved", "crooked"]
"""How a die came to rest: by a throw; turned or nudged without one; leaning on something."""


@dataclass(frozen=True, slots=True)
class DieAtRest:
    """The die lies still and shows `face`, 1 to 6."""

    face: int
    way: Way


@dataclass(frozen=True, slots=True)
class Battery:
    """What is left in the battery, in percent."""

    percent: int


Said = Rolling | DieAtRest | Battery


@dataclass(frozen=True, slots=True)
class Make:
    """A make of dice, as Bluetooth knows it.

    Attributes:
        notify: UUID of the characteristic on which it speaks.
        write: of the one on which it is asked.
        battery: the bytes that ask for `Battery`.
        read: what a notification says; None for nothing of use.
    """

    name: str
    notify: str
    write: str
    battery: bytes
    read: Callable[[bytes], Said | None]


_UP_OF_GODICE = {(0, -1): 1, (2, 1): 2, (1, 1): 3, (1, -1): 4, (2, -1): 5, (0, 1): 6}
"""(axis, sign) of the acceleration at rest -> the face that is up."""

_GODICE_RESTS: dict[bytes, Way] = {b"S": "rolled", b"FS": "moved", b"MS": "moved", b"TS": "crooked"}
"""Letters before the three bytes of acceleration. `FS`, a "fake" roll, was too short to be one."""


def read_godice(data: bytes) -> Said | None:
    """What a GoDice says.

    >>> read_godice(b"R"), read_godice(b"S" + bytes([0, 0, 64])).face
    (Rolling(), 2)
    >>> read_godice(b"Bat" + bytes([80]))
    Battery(percent=80)
    """
    if data == b"R":
        return Rolling()
    if data[:3] == b"Bat" and len(data) > 3:
        return Battery(data[3])
    for letters, way in _GODICE_RESTS.items():
        if data.startswith(letters) and len(data) == len(letters) + 3:
            return DieAtRest(_up(data[-3:]), way)
    return None


def _up(acceleration: bytes) -> int:
    along = [byte - 256 if byte > 127 else byte for byte in acceleration]
    axis = max(range(3), key=lambda each: abs(along[each]))
    return _UP_OF_GODICE[axis, 1 if along[axis] > 0 else -1]


_PIXELS_ROLL, _PIXELS_BATTERY = 3, 34
"""First byte of a message: its kind."""

_PIXELS_RESTS: dict[int, Way] = {1: "rolled", 4: "crooked", 5: "moved"}
_PIXELS_ROLLING = 3
"""States of a roll. 2, in a hand, says nothing: whoever takes a die up has not thrown it."""


def read_pixels(data: bytes) -> Said | None:
    """What a Pixels die says; one with more than six faces is not understood.

    >>> read_pixels(bytes([3, 1, 4])), read_pixels(bytes([3, 1, 19]))
    (DieAtRest(face=5, way='rolled'), None)
    """
    match tuple(data[:3]):
        case (kind, percent, _) if kind == _PIXELS_BATTERY:
            return Battery(percent)
        case (kind, state, _) if kind == _PIXELS_ROLL and state == _PIXELS_ROLLING:
            return Rolling()
        case (kind, state, face) if kind == _PIXELS_ROLL and state in _PIXELS_RESTS and face < 6:
            return DieAtRest(face + 1, _PIXELS_RESTS[state])
    return None


_UART = "6e40000{}-b5a3-f393-e0a9-e50e24dcca9e"
_PIXELS = "a6b9000{}-7a5a-43f2-a962-350c8edc9b5b"

MAKES = (
    Make("Pixels", _PIXELS.format(2), _PIXELS.format(3), bytes([33]), read_pixels),
    Make("GoDice", _UART.format(3), _UART.format(2), bytes([3]), read_godice),
    # Older Pixels dice speak on a characteristic with the UUID of their service.
    Make("Pixels", _UART.format(1), _UART.format(2), bytes([33]), read_pixels),
)


def make_of(characteristics: Collection[str]) -> Make | None:
    """The make that has these characteristics, given by UUID; None for what is no die of ours."""
    return next((make for make in MAKES if make.notify in characteristics), None)


def may_be_a_die(name: str, services: Collection[str]) -> bool:
    """Whether what advertises itself so may be a die; only a connection shows whether it is.

    >>> may_be_a_die("GoDice_A1B2C3_K_v04", ()), may_be_a_die("Headphones", ())
    (True, False)
    """
    return name.startswith("GoDice") or bool({_UART.format(1), _PIXELS.format(1)} & {*services})
