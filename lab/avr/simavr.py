"""An ATmega328P that runs the real firmware: libsimavr by ctypes, nothing compiled.

simavr is GPL-3 and only used by tests. What is done about its traps (release 1.6, Debian 12) is
said where it is done. Time is counted in CPU cycles, 16 to the microsecond.
"""

import ctypes
import ctypes.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hw.errors import HardwareError

FREQUENCY_HZ = 16_000_000
CYCLES_PER_US = 16

# Offsets in avr_t of release 1.6 on amd64, checked against known values at the start.
RAMEND, FLASHEND, STATE, FREQUENCY, VCC, AVCC, CYCLE = 10, 12, 60, 64, 68, 72, 80
RUN_CYCLE_LIMIT, SLEEP, INTERRUPTS_ON, PC, IO, FLASH, DATA = 96, 168, 199, 204, 216, 11712, 11720
IO_SIZE, IO_READ, IO_WRITE = 40, 16, 32
ELF_SIZE = 2504
IO_MODULE_SIZE, IO_MODULE_KIND, IO_MODULE_RESET = 72, 16, 48

CPU_RUNNING, CPU_SLEEPING = 2, 3
UART_INPUT, UART_OUTPUT = 0, 1
FIRST_IO = 32
MCUSR, EXTERNAL_RESET = 0x54, 2
UCSR0A, U2X0, UBRR0L = 0xC0, 0x02, 0xC4
PORTC = 0x28

BAUD_TOLERANCE = 0.03
"""Ten bits to a byte, sampled in the middle: at 5 % the last one is another one, and both err."""

Notify = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p)
Timer = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
RegisterWrite = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint16, ctypes.c_uint8, ctypes.c_void_p
)
Sleep = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64)
Reset = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


SAY_NOTHING = ctypes.CFUNCTYPE(None)(lambda: None)
"""The logger of all processors: C keeps one for the process, whichever processor set it last."""


class LabError(HardwareError, RuntimeError):
    """The simulator is not the one this file was written for, or the processor crashed."""


def find_library() -> str | None:
    """Name of libsimavr on this machine, None when there is none."""
    return ctypes.util.find_library("simavr")


def _ioctl(text: str) -> int:
    return int.from_bytes(text.encode("ascii"), "big")


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(find_library())
    pointer = ctypes.c_void_p
    for name, result, arguments in [
        ("avr_make_mcu_by_name", pointer, [ctypes.c_char_p]),
        ("avr_init", ctypes.c_int, [pointer]),
        ("avr_run", ctypes.c_int, [pointer]),
        ("avr_reset", None, [pointer]),
        ("elf_read_firmware", ctypes.c_int, [ctypes.c_char_p, pointer]),
        ("avr_load_firmware", None, [pointer, pointer]),
        ("avr_io_getirq", pointer, [pointer, ctypes.c_uint32, ctypes.c_int]),
        ("avr_irq_register_notify", None, [pointer, Notify, pointer]),
        ("avr_raise_irq", None, [pointer, ctypes.c_uint32]),
        ("avr_ioctl", ctypes.c_int, [pointer, ctypes.c_uint32, pointer]),
        ("avr_cycle_timer_register", None, [pointer, ctypes.c_uint64, Timer, pointer]),
        ("avr_register_io", None, [pointer, pointer]),
        ("avr_global_logger_set", None, [pointer]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class _Alarm:
    """A timer that C calls. There are four thousand a second, so they are used again."""

    def __init__(self, idle: list["_Alarm"]) -> None:
        self.action: Callable[[int], int] = lambda _when: 0
        self._idle = idle
        self.timer = Timer(self._ring)

    def _ring(self, _avr: Any, when: int, _param: Any) -> int:
        following = self.action(when)
        if not following:
            self._idle.append(self)
        return following


class Avr:
    """The processor with its pins, its UART and time that goes on when told.

    Attributes:
        on_reset: called at once after each reset, since a reset clears every timer.
        sent: bytes its UART has sent and nobody took yet.
        said: the same, for a witness that empties it.
        on_first_byte: called when the first byte since the start, or since a reset, goes out.
        slept: cycles that went by while it slept, since the start.
    """

    def __init__(self, elf: Path) -> None:
        self._c = _load()
        self._keep: list[Any] = []  # what C points at must not be collected
        self.on_reset: list[Callable[[], None]] = []
        self.sent, self.said = bytearray(), bytearray()
        self.on_first_byte: list[Callable[[], None]] = []
        self._silent = True
        self.slept = 0
        self._alarms: set[_Alarm] = set()
        self._idle_alarms: list[_Alarm] = []
        self._total = self._before = 0
        self._quiet()
        self._avr = self._c.avr_make_mcu_by_name(b"atmega328p")
        self._c.avr_init(self._avr)
        self._read_elf(elf)
        self._check_offsets()
        self._tame()
        self._watch_resets()
        self._join_uart()

    # Time.

    @property
    def cycle(self) -> int:
        """Cycles since the last reset, as simavr counts them."""
        return int(self._cycle.value)

    @property
    def total(self) -> int:
        """Cycles since the start, resets not starting them anew; true in the chips' callbacks."""
        now = int(self._cycle.value)
        return self._total + (now - self._before if now >= self._before else now)

    @property
    def pace(self) -> int:
        """Cycles it runs at most before it looks up; the more the faster."""
        return ctypes.c_uint64.from_address(self._avr + RUN_CYCLE_LIMIT).value

    def run_until(self, total: int) -> None:
        """Let time go on until `total` cycles have gone by, resets not starting it anew.

        A sleeping processor is not woken for it, so it may become up to 16000 more.

        Raises:
            LabError: the processor stopped or crashed.
        """
        run, avr, cycle = self._c.avr_run, self._avr, self._cycle
        while self._total < total:
            self._before = before = cycle.value
            if run(avr) not in (CPU_RUNNING, CPU_SLEEPING):
                raise LabError("the processor stopped: it crashed, or slept with interrupts off")
            self._before = now = cycle.value
            # A reset sets the count back to zero.
            self._total += now - before if now >= before else now

    def at(self, cycle: int, action: Callable[[int], int]) -> None:
        """Call `action(cycle)` at a cycle; it gives the next cycle, or 0 for no more."""
        alarm = self._idle_alarms.pop() if self._idle_alarms else _Alarm(self._idle_alarms)
        alarm.action = action
        self._alarms.add(alarm)
        self._c.avr_cycle_timer_register(self._avr, max(1, cycle - self.cycle), alarm.timer, None)

    def reset(self) -> None:
        """Pull the reset line."""
        self._c.avr_reset(self._avr)
        self.set_register(MCUSR, EXTERNAL_RESET)

    def hang(self) -> None:
        """Put the program into an endless loop at the end of flash, as a wild jump would."""
        flash = ctypes.c_void_p.from_address(self._avr + FLASH).value
        if flash is None:
            raise LabError("the simulated processor has no flash; is this simavr 1.6?")
        place = 0x7FF0
        ctypes.c_uint16.from_address(flash + place).value = 0xCFFF  # rjmp to itself
        ctypes.c_uint32.from_address(self._avr + PC).value = place
        ctypes.c_int.from_address(self._avr + STATE).value = CPU_RUNNING

    # Pins and registers.

    def watch_pin(self, port: str, bit: int, action: Callable[[int], None]) -> None:
        """Call `action(level)` whenever the firmware drives the pin to another level."""
        notify = Notify(lambda _irq, value, _param: action(value & 1))
        self._keep.append(notify)
        self._c.avr_irq_register_notify(self._pin(port, bit), notify, None)

    def driver(self, port: str, bit: int) -> Callable[..., None]:
        """A function that drives the pin from outside."""
        pin, raise_irq = self._pin(port, bit), self._c.avr_raise_irq

        def drive(level: int, *, again: bool = False) -> None:
            if again:
                # After a reset simavr has forgotten the level but would not be told the same twice.
                raise_irq(pin, 1 - level)
            raise_irq(pin, level)

        return drive

    @property
    def interrupts_on(self) -> bool:
        """Whether the program lets interrupts in just now (bit I of the status register)."""
        return bool(ctypes.c_uint8.from_address(self._avr + INTERRUPTS_ON).value)

    def register(self, address: int) -> int:
        """Content of a register or of RAM, by its data address."""
        return int(self._data[address])

    def set_register(self, address: int, value: int) -> None:
        """Set it as the hardware would: without the firmware having written it."""
        self._data[address] = value

    def replace_write(self, address: int, action: Callable[[int], None]) -> None:
        """Let `action(value)` be all that happens when the firmware writes a register."""
        callback = RegisterWrite(lambda _avr, _address, value, _param: action(value))
        self._keep.append(callback)
        slot = self._avr + IO + (address - FIRST_IO) * IO_SIZE
        ctypes.c_void_p.from_address(slot + IO_READ).value = None
        ctypes.c_void_p.from_address(slot + IO_WRITE).value = ctypes.cast(
            callback, ctypes.c_void_p
        ).value

    # The converter.

    def supply(self, millivolts: int) -> None:
        """Feed it: by this its converter measures, against a bandgap of 1100 mV exactly."""
        for at in (VCC, AVCC):
            ctypes.c_uint32.from_address(self._avr + at).value = millivolts

    def analogue(self, channel: int) -> Callable[[int], None]:
        """A function that puts millivolts on a channel of the converter (of a pin of port C)."""
        irq = self._c.avr_io_getirq(self._avr, _ioctl("adc "), channel)
        if irq is None:
            raise LabError("the simulated processor has no converter; is this simavr 1.6?")
        return lambda millivolts: self._c.avr_raise_irq(irq, millivolts)

    # The serial line.

    def type_in(self, data: bytes) -> None:
        """Bytes on RXD. The simulated buffer holds 64; overrun of the real two is not simulated."""
        for byte in data:
            self._c.avr_raise_irq(self._rxd, byte)

    @property
    def baud(self) -> float:
        """Speed of the UART as the firmware has set it."""
        divisor = self.register(UBRR0L) | self.register(UBRR0L + 1) << 8
        return FREQUENCY_HZ / ((8 if self.register(UCSR0A) & U2X0 else 16) * (divisor + 1))

    def take_sent(self, host_baud: float = 250_000) -> bytes:
        """Bytes that TXD gave since the last call, as a host at that speed would read them."""
        data = bytes(self.sent)
        self.sent.clear()
        return heard_at(data, self.baud, host_baud)

    # Making it.

    def _quiet(self) -> None:
        self._c.avr_global_logger_set(ctypes.cast(SAY_NOTHING, ctypes.c_void_p))

    def _read_elf(self, elf: Path) -> None:
        firmware = ctypes.create_string_buffer(ELF_SIZE + 1024)
        if self._c.elf_read_firmware(str(elf).encode(), firmware) != 0:
            raise LabError(f"{elf} is no firmware simavr can read")
        self._c.avr_load_firmware(self._avr, firmware)
        ctypes.c_uint32.from_address(self._avr + FREQUENCY).value = FREQUENCY_HZ

    def _check_offsets(self) -> None:
        ramend = ctypes.c_uint16.from_address(self._avr + RAMEND).value
        flashend = ctypes.c_uint32.from_address(self._avr + FLASHEND).value
        state = ctypes.c_int.from_address(self._avr + STATE).value
        limit = ctypes.c_uint64.from_address(self._avr + RUN_CYCLE_LIMIT).value
        if (ramend, flashend, state, limit) != (0x8FF, 0x7FFF, CPU_RUNNING, 1):
            raise LabError(
                "this libsimavr is not release 1.6 on amd64: "
                f"{ramend:#x} {flashend:#x} {state} {limit}; its structures lie elsewhere"
            )

    def _tame(self) -> None:
        self._cycle = ctypes.c_uint64.from_address(self._avr + CYCLE)
        data = ctypes.c_void_p.from_address(self._avr + DATA).value
        if data is None:
            raise LabError("the simulated processor has no memory; is this simavr 1.6?")
        self._data = (ctypes.c_uint8 * 0x900).from_address(data)
        self._hurry()
        # By itself it sleeps in real time when the firmware does; here it only counts.
        count = Sleep(self._count_sleep)
        self._keep.append(count)
        address = ctypes.cast(count, ctypes.c_void_p).value
        ctypes.c_void_p.from_address(self._avr + SLEEP).value = address

    def _hurry(self) -> None:
        """By itself, and after each reset, it runs one instruction at a time.

        A millisecond at most is six times faster.
        """
        ctypes.c_uint64.from_address(self._avr + RUN_CYCLE_LIMIT).value = 16_000

    def _count_sleep(self, _avr: Any, cycles: int) -> None:
        self.slept += cycles

    def _watch_resets(self) -> None:
        module = ctypes.create_string_buffer(IO_MODULE_SIZE)
        name = ctypes.create_string_buffer(b"lab")
        callback = Reset(self._after_reset)
        self._keep += [module, name, callback]
        base = ctypes.addressof(module)
        ctypes.c_void_p.from_address(base + IO_MODULE_KIND).value = ctypes.addressof(name)
        ctypes.c_void_p.from_address(base + IO_MODULE_RESET).value = ctypes.cast(
            callback, ctypes.c_void_p
        ).value
        self._c.avr_register_io(self._avr, module)

    def _after_reset(self, _io: Any) -> None:
        """Let the chips arm their timers and drive their pins again.

        A reset clears all timers and every PINx, and modules are reset after this one, so the
        chips have their turn one cycle later.
        """

        def tell(_when: int) -> int:
            self._hurry()
            self._silent = True
            for action in self.on_reset:
                action()
            return 0

        self.at(self.cycle + 1, tell)

    def _join_uart(self) -> None:
        # Without flags: it would print to stdout and sleep in real time.
        flags = ctypes.c_uint32(0)
        self._c.avr_ioctl(self._avr, _ioctl("uas0"), ctypes.byref(flags))
        self._rxd = self._c.avr_io_getirq(self._avr, _ioctl("uar0"), UART_INPUT)
        txd = self._c.avr_io_getirq(self._avr, _ioctl("uar0"), UART_OUTPUT)
        notify = Notify(self._send)
        self._keep.append(notify)
        self._c.avr_irq_register_notify(txd, notify, None)

    def _send(self, _irq: Any, value: int, _param: Any) -> None:
        if self._silent:
            self._silent = False
            for action in self.on_first_byte:
                action()
        self.sent.append(value & 0xFF)
        self.said.append(value & 0xFF)

    def _pin(self, port: str, bit: int) -> Any:
        return self._c.avr_io_getirq(self._avr, _ioctl("iog" + port), bit)


def heard_at(data: bytes, spoken_baud: float, heard_baud: float) -> bytes:
    """What comes of bytes when the two ends do not agree about the speed."""
    if abs(spoken_baud / heard_baud - 1) < BAUD_TOLERANCE:
        return data
    return bytes((byte * 37 ^ 0xA5) & 0xFF for byte in data)
