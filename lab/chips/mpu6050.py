"""The MPU-6050 as a model: registers, sampling, FIFO and interrupt, as a driver on the bus sees it.

From the register map (RM-MPU-6000A-00, revision 4.2) and the product specification
(PS-MPU-6000A-00, revision 3.4). The chip does what it does on real wires, and what a driver must
not do stands in `violations` afterwards: a test, the lab and the bench are as strict as that list.

Nothing here knows time: whoever holds the chip calls `measure` once every `period_us` and says in
`restarted` when it has started up. `lab.chips.i2c` does so for a driver on a Pi,
`lab.avr.chips` for the firmware on a simulated processor.
"""

from collections.abc import Callable, Sequence

Sample = Callable[[int], Sequence[int]]
"""Accelerometer x y z, temperature, gyroscope x y z at the sample with this number, in counts of
the finest ranges (2 g, 250 degrees a second). More than 16 bits means more than full scale."""

SMPLRT_DIV, CONFIG, GYRO_CONFIG, ACCEL_CONFIG, FIFO_EN = 0x19, 0x1A, 0x1B, 0x1C, 0x23
INT_PIN_CFG, INT_ENABLE, INT_STATUS, DATA = 0x37, 0x38, 0x3A, 0x3B
USER_CTRL, PWR_MGMT_1 = 0x6A, 0x6B
FIFO_COUNT_H, FIFO_COUNT_L, FIFO_R_W, WHO_AM_I = 0x72, 0x73, 0x74, 0x75

SLEEP, DEVICE_RESET = 0x40, 0x80
FIFO_ON, FIFO_RESET = 0x40, 0x04
RESET_BITS = 0x07
"""Of USER_CTRL: they clear themselves."""
DATA_READY, FIFO_OVERFLOW = 0x01, 0x10
CLEARED_BY_ANY_READING = 0x10

DATA_BYTES = 14
FIFO_BYTES = 1024
LOWEST, HIGHEST = -0x8000, 0x7FFF

FIFO_PARTS = ((0x08, 0, 6), (0x80, 6, 8), (0x40, 8, 10), (0x20, 10, 12), (0x10, 12, 14))
"""Bit of FIFO_EN, and which bytes of the data registers go into the FIFO then, in this order."""

READ_ONLY = frozenset((INT_STATUS, *range(DATA, DATA + DATA_BYTES), FIFO_COUNT_H, FIFO_COUNT_L,
                       WHO_AM_I))  # fmt: skip

START_UP_S = 0.1
"""PS-MPU-6000A 6.1: registers can be reached 20 ms (typical) to 100 ms after the power comes."""


class Mpu6050:
    """One MPU-6050, as its bus sees it.

    Attributes:
        sample: what it measures.
        who: answer to WHO_AM_I; substitutes answer otherwise.
        plugged: false: nobody acknowledges, no INT.
        contact: whether its wires make contact now; asked at each transfer.
        pace: its periods over the nominal ones: the oscillator of a clone.
        skips: whether it leaves out a sample; asked at each.
        starting: true from power-up or DEVICE_RESET until `restarted`: nobody acknowledges.
        registers: as they stand.
        fifo: bytes that wait.
        number: of the last sample, counted from the making of the model.
        newest: that sample.
        latest: what the data registers show: the same, but for the length of a transfer.
        given: samples that were read to the end from the data registers.
        overflows: samples whose bytes pushed older ones out of the FIFO.
        violations: rules of the data sheet that the driver broke.
    """

    def __init__(self, sample: Sample, who: int = 0x68) -> None:
        """A chip that has had power for a while, as asleep as every one of them."""
        self.sample, self.who = sample, who
        self.plugged, self.starting = True, False
        self.contact: Callable[[], bool] = lambda: True
        self.skips: Callable[[], bool] = lambda: False
        self.pace = 1.0
        self.number = self.overflows = 0
        self.given: list[tuple[int, ...]] = []
        self.violations: list[str] = []
        self.latest: tuple[int, ...]
        self.newest: tuple[int, ...]
        self._reset()

    @property
    def asleep(self) -> bool:
        """True after power-up, until the driver wakes it."""
        return bool(self.registers[PWR_MGMT_1] & SLEEP)

    @property
    def acknowledges(self) -> bool:
        """Whether it answers on the bus."""
        return self.plugged and not self.starting and self.contact()

    @property
    def measuring(self) -> bool:
        """Whether it takes samples."""
        return self.plugged and not self.starting and not self.asleep and not self.skips()

    @property
    def period_us(self) -> float:
        """Nominal time from sample to sample; the chip's own oscillator is up to 1.5 % off."""
        base_hz = 8000 if self.registers[CONFIG] & 7 in (0, 7) else 1000
        return 1e6 / base_hz * (1 + self.registers[SMPLRT_DIV]) * self.pace

    def unplug(self) -> None:
        """Pull the plug."""
        self.plugged = False

    def plug(self) -> None:
        """Put it back: it starts up, with all registers as after power-up."""
        self.plugged = True
        self.brown_out()

    def brown_out(self) -> None:
        """The supply sags for a moment: as after power-up."""
        self._reset()
        self.starting = True

    def restarted(self) -> None:
        """Start-up is over."""
        self.starting = False

    # --- the chip's own side ------------------------------------------------------------------

    def measure(self) -> bool:
        """Take one sample; says whether INT goes up."""
        self.number += 1
        raw = self.sample(self.number)
        registers = self.registers
        coarse_accel, coarse_gyro = (
            registers[ACCEL_CONFIG] >> 3 & 3,
            registers[GYRO_CONFIG] >> 3 & 3,
        )
        if coarse_accel or coarse_gyro:
            shifts = (coarse_accel,) * 3 + (0,) + (coarse_gyro,) * 3
            raw = [value >> shift for value, shift in zip(raw, shifts, strict=True)]
        self.newest = tuple([min(max(value, LOWEST), HIGHEST) for value in raw])
        data = b"".join([(value & 0xFFFF).to_bytes(2, "big") for value in self.newest])
        if not self._held:
            self._show(data)
        registers[INT_STATUS] |= DATA_READY
        if registers[USER_CTRL] & FIFO_ON:
            self._queue(data)
        return bool(registers[INT_ENABLE] & DATA_READY)

    def hold(self) -> None:
        """A transfer begins: what can be read stays of one sample until it ends (RM 4.17)."""
        self._held = True

    def let_go(self) -> None:
        """The transfer has ended."""
        self._held = False
        if self.newest != self.latest:
            self._show(b"".join([(value & 0xFFFF).to_bytes(2, "big") for value in self.newest]))

    def _show(self, data: bytes) -> None:
        self.latest = self.newest
        self.registers[DATA : DATA + DATA_BYTES] = data

    def _queue(self, data: bytes) -> None:
        enabled = self.registers[FIFO_EN]
        for bit, first, end in FIFO_PARTS:
            if enabled & bit:
                self.fifo += data[first:end]
        excess = len(self.fifo) - FIFO_BYTES
        if excess > 0:
            # The oldest bytes go, and the readings are no longer aligned to samples.
            del self.fifo[:excess]
            self.overflows += 1
            self.registers[INT_STATUS] |= FIFO_OVERFLOW

    # --- the bus ------------------------------------------------------------------------------

    def start(self) -> None:
        """It was addressed for writing; the next byte is a register's number."""
        self._pointing = True

    def write(self, byte: int) -> None:
        """A byte from the driver."""
        if self._pointing:
            self._pointer, self._pointing = byte % 128, False
            self._burst = False
            return
        self._set(self._pointer, byte)
        self._advance()

    def read(self) -> int:
        """The next byte for the driver."""
        byte = self._register(self._pointer)
        if self.registers[INT_PIN_CFG] & CLEARED_BY_ANY_READING:
            self.registers[INT_STATUS] = 0
        self._burst = True
        self._advance()
        return byte

    def _register(self, at: int) -> int:
        if DATA <= at < DATA + DATA_BYTES:
            return self._data(at)
        if at in (FIFO_COUNT_H, FIFO_COUNT_L):
            return self._count(at)
        if at == FIFO_R_W:
            return self._unqueue()
        byte = self.who if at == WHO_AM_I else self.registers[at]
        if at == INT_STATUS:
            self.registers[at] = 0
        return byte

    def _data(self, at: int) -> int:
        if self.asleep:
            self._break("data registers were read while it sleeps")
        elif (at - DATA) % 2 and not self._burst:
            self._break("a low byte was read without its high byte, which may be of another sample")
        elif at == DATA + DATA_BYTES - 1:
            self.given.append(self.latest)
        return self.registers[at]

    def _count(self, at: int) -> int:
        """RM 4.30: reading the high byte latches both; the low byte alone is a stale one."""
        if at == FIFO_COUNT_H:
            self._latched = len(self.fifo)
            return self._latched >> 8
        if not self._burst:
            self._break("FIFO_COUNT_L was read without FIFO_COUNT_H")
        return self._latched & 0xFF

    def _unqueue(self) -> int:
        if not self.registers[USER_CTRL] & FIFO_ON:
            self._break("the FIFO was read although it is off")
        if not self.fifo:
            self._break("more bytes were read from the FIFO than it held")
            return 0
        return self.fifo.pop(0)

    def _set(self, at: int, byte: int) -> None:
        if at in READ_ONLY:
            self._break(f"register 0x{at:02X} was written; it can only be read")
        elif at == PWR_MGMT_1 and byte & DEVICE_RESET:
            self.brown_out()
        elif at == USER_CTRL:
            if byte & FIFO_RESET:
                self._empty_fifo(byte)
            self.registers[at] = byte & ~RESET_BITS
        elif at == FIFO_R_W:
            self._break("bytes were written into the FIFO")
        else:
            self.registers[at] = byte

    def _empty_fifo(self, user_ctrl: int) -> None:
        # RM 4.29: "this bit resets the FIFO buffer when set to 1 while FIFO_EN equals 0".
        if user_ctrl & FIFO_ON:
            self._break("the FIFO was reset while it is on, which does nothing")
        else:
            self.fifo.clear()

    def _advance(self) -> None:
        """The pointer moves on by itself, but stays on the FIFO (RM 4.31)."""
        if self._pointer != FIFO_R_W:
            self._pointer = (self._pointer + 1) % 128

    def _reset(self) -> None:
        self.registers = bytearray(128)
        self.registers[PWR_MGMT_1] = SLEEP
        self.fifo = bytearray()
        self.latest = self.newest = (0,) * 7
        self._held = False
        self._pointer = self._latched = 0
        self._pointing = self._burst = False

    def _break(self, rule: str) -> None:
        self.violations.append(f"MPU-6050: {rule}")
