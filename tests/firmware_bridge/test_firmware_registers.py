"""The firmware's sources that touch registers, compiled for this machine with variables for them.

The lab runs the same sources on a simulated processor; here every state can be reached, also one
that a real line reaches once in a year.
"""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import firmware_bridge
from firmware_bridge.messages import ScaleFlag

SOURCES = Path(firmware_bridge.__file__).parent / "firmware" / "src"
REGISTERS = Path(__file__).parent / "registers"

RING = 255
"""One of the 256 places stays free: else a full ring would look like an empty one."""
LATE_US = 9000

Compile = Callable[..., ctypes.CDLL]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler on this machine: apt-get install gcc")

    def compiled(*sources: Path) -> ctypes.CDLL:
        made = tmp_path_factory.mktemp("registers") / "firmware.so"
        command = [compiler, "-std=c11", "-shared", "-fPIC", f"-I{REGISTERS}", f"-I{SOURCES}"]
        subprocess.run([*command, "-o", made, *sources], check=True)
        return ctypes.CDLL(str(made))

    return compiled


def byte(library: ctypes.CDLL, name: str) -> ctypes.c_uint8:
    return ctypes.c_uint8.in_dll(library, name)


# --- uart.c ----------------------------------------------------------------------------------


class Uart:
    """The transmitter, whose interrupt comes when the test says so."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._c = library
        library.uart_write.restype = ctypes.c_bool

    def write(self, data: bytes) -> bool:
        return bool(self._c.uart_write(data, len(data)))

    def send(self, number: int) -> bytes:
        """As many bytes as go out, up to a number."""
        sent = bytearray()
        while len(sent) < number and byte(self._c, "UCSR0B").value & 1 << 5:
            self._c.USART_UDRE_vect()
            sent.append(byte(self._c, "UDR0").value)
        return bytes(sent)


@pytest.fixture(scope="module")
def uart(compiled: Compile) -> Uart:
    return Uart(compiled(SOURCES / "uart.c"))


@given(st.lists(st.one_of(st.binary(min_size=1, max_size=255), st.integers(1, 300)), max_size=30))
def test_whole_messages_go_out_in_order_or_not_at_all(uart: Uart, deeds: list[bytes | int]) -> None:
    uart.send(RING)
    waiting = b""
    for deed in deeds:
        if isinstance(deed, bytes):
            taken = uart.write(deed)
            assert taken == (len(waiting) + len(deed) <= RING)
            waiting += deed if taken else b""
        else:
            assert uart.send(deed) == waiting[:deed]
            waiting = waiting[deed:]

    assert uart.send(RING + 1) == waiting


def test_a_ring_that_is_filled_to_the_last_place_does_not_look_empty(uart: Uart) -> None:
    uart.send(RING)
    assert uart.write(bytes(200))
    assert not uart.write(bytes(56))
    assert uart.write(bytes(55))

    assert len(uart.send(RING + 1)) == RING


# --- hx711.c ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hx711(compiled: Compile) -> ctypes.CDLL:
    return compiled(SOURCES / "hx711.c", REGISTERS / "said.c")


def flags_of_a_reading(hx711: ctypes.CDLL, after_us: int) -> int:
    """Let DOUT of cell 2 fall, and read it so long afterwards; what is flagged.

    DOUT stays low here, for nothing moves it: that is flagged each time.
    """
    clock = ctypes.c_uint32.in_dll(hx711, "now_us")
    byte(hx711, "PIND").value = 0xF0
    hx711.hx711_begin()
    for _ in range(5):  # four of them settle
        clock.value = 4_000_000_000
        byte(hx711, "PCMSK2").value = 0xF0
        byte(hx711, "PIND").value = 0xF0 & ~(1 << 6)
        hx711.PCINT2_vect()
        clock.value = (4_000_000_000 + after_us) % 2**32
        hx711.hx711_poll()
    assert ctypes.c_uint32.in_dll(hx711, "said_us").value == 4_000_000_000
    return byte(hx711, "said_flags").value


def test_a_reading_in_time_is_not_called_late(hx711: ctypes.CDLL) -> None:
    assert flags_of_a_reading(hx711, LATE_US) == ScaleFlag.NOT_HIGH


@pytest.mark.parametrize("after_us", [LATE_US + 1, 400_000_000])
def test_a_reading_under_which_the_next_conversion_may_be_is_called_late(
    hx711: ctypes.CDLL, after_us: int
) -> None:
    assert flags_of_a_reading(hx711, after_us) == ScaleFlag.NOT_HIGH | ScaleFlag.LATE
