"""Compares what the microcontroller says with what its chips gave: word by word, time by time.

It hears the bytes as they leave the processor, so that nothing a line does to them is in the way,
and it looks into the chips. A firmware that swaps, drops or shifts something, stamps it late, or
forgets a flag is found in whatever the lab plays. Times are those of the processor's cycles.
"""

from collections.abc import Sequence

from firmware_bridge.framing import Frame, FrameReader
from firmware_bridge.messages import Hello, Imu, Scale, ScaleFlag, Status
from lab.avr.chips import Rise
from lab.chips.hx711 import COUNT_MAX, COUNT_MIN, SETTLING_CONVERSIONS, Given

STAMP_US = 100.0
"""Interrupts that wait for each other stamp a fall up to 60 us late."""

LATE_US, LATE_UNSURE_US = 9000.0, 150.0
"""PROTOCOL.md: a reading that ends so long after the fall is flagged; and what the witness does
not know about its end."""

REPLACED_US = 125_000.0
"""From one conversion to the next, of the slowest chip."""

LOOKED_FOR = 400
"""A word is looked for among so many: more than the firmware can drop while its line is full."""

STALE_US = 50_000.0
"""A frame waits 10 ms for its turn on the line at most, and the lab looks every 2 ms."""

MOST_FAULTS = 20
"""Enough to see what is wrong."""


class CellWitness:
    """Follows what is said of one load cell.

    Args:
        name: in sentences.
        given: what its chip gave, in order; it grows.
    """

    def __init__(self, name: str, given: Sequence[Given]) -> None:
        self._name, self._given = name, given
        self._next = 0
        self._index: int | None = None

    def forget(self) -> None:
        """The processor starts anew, and with it its numbers."""
        self._index = None

    def fault(self, scale: Scale, flags: int, said_us: float) -> str:
        """What is wrong with a frame; empty if nothing is. `said_us` is its time in table time."""
        if flags & (ScaleFlag.NOT_HIGH | ScaleFlag.TIME_UNSURE):
            # Read from a wire that is stuck, or at no edge: only its number goes on.
            self._index = None
            self._next = len(self._given)
            return ""
        place = self._place(said_us, late=bool(flags & ScaleFlag.LATE))
        if place is None:
            return f"{self._name}: a count is stamped {said_us:.0f} us, when no DOUT had fallen"
        steps, self._next = place + 1 - self._next, place + 1
        return (
            self._wrong_number(scale.index, steps)
            or self._wrong_count(scale.count, self._given[place])
            or self._wrong_flags(scale.count, flags, self._given[place], said_us)
        )

    def _place(self, said_us: float, *, late: bool) -> int | None:
        """Which word it is; under a late reading the next one may have taken its place."""
        for place in range(self._next, min(len(self._given), self._next + LOOKED_FOR)):
            early_us = self._given[place].fell_us - said_us
            if abs(early_us) < STAMP_US or (late and 0.0 < early_us < REPLACED_US):
                return place
        return None

    def _wrong_number(self, index: int, steps: int) -> str:
        before, self._index = self._index, index
        if before is None or (index - before - steps) % 256 == 0:
            return ""
        return f"{self._name}: number {index} follows {before}, and {steps} words were read"

    def _wrong_count(self, count: int, given: Given) -> str:
        if count == given.data_word:
            return ""
        return f"{self._name}: it gave {given.data_word}, and {count} was said"

    def _wrong_flags(self, count: int, flags: int, given: Given, said_us: float) -> str:
        must, may = ScaleFlag(0), ScaleFlag(0)
        if given.before < SETTLING_CONVERSIONS:
            may |= ScaleFlag.SETTLING
            must |= ScaleFlag.SETTLING if given.woken else ScaleFlag(0)
        if count in (COUNT_MIN, COUNT_MAX):
            must |= ScaleFlag.SATURATED
        took_us = given.read_us - said_us
        if took_us > LATE_US - LATE_UNSURE_US:
            may |= ScaleFlag.LATE
            must |= ScaleFlag.LATE if took_us > LATE_US + LATE_UNSURE_US else ScaleFlag(0)
        lacks, has = must & ~flags, flags & ~(must | may)
        if not (lacks or has):
            return ""
        words = f"lacks {ScaleFlag(lacks)!r}" if lacks else f"has {ScaleFlag(has)!r}"
        return f"{self._name}: a count read {took_us:.0f} us after its fall {words}"


class ImuWitness:
    """Follows what is said of the inertial sensor.

    Args:
        rises: of its INT, in order; they grow.
    """

    def __init__(self, rises: Sequence[Rise]) -> None:
        self._rises, self._next = rises, 0

    def fault(self, imu: Imu, flags: int, said_us: float) -> str:
        """What is wrong with a frame; empty if nothing is."""
        values = (imu.ax, imu.ay, imu.az, imu.temperature, imu.gx, imu.gy, imu.gz)
        if flags & ScaleFlag.TIME_UNSURE:
            return ""
        rises = self._rises
        while self._next < len(rises) and rises[self._next].t_us < said_us - STAMP_US:
            self._next += 1
        if self._next == len(rises) or rises[self._next].t_us > said_us + STAMP_US:
            return f"MPU-6050: a sample is stamped {said_us:.0f} us, when INT had not risen"
        # A slow loop may read what came after the rise that called it.
        if any(rise.values == values for rise in rises[self._next : self._next + 4]):
            return ""
        return f"MPU-6050: it gave {rises[self._next].values}, and {values} was said"


class Witness:
    """Hears what the microcontroller says.

    Args:
        cells: what each HX711 gave.
        rises: of the inertial sensor's INT. All these sequences grow.

    Attributes:
        faults: what was wrong, in words; the first of it.
    """

    def __init__(self, cells: Sequence[Sequence[Given]], rises: Sequence[Rise]) -> None:
        self.faults: list[str] = []
        self._imu = ImuWitness(rises)
        self._cells = [CellWitness(f"HX711 {n}", given) for n, given in enumerate(cells)]
        self._reader = FrameReader()
        self._seq: int | None = None
        self._zero_us = 0.0
        self._bad = 0

    def started(self, now_us: float, clock_us: int) -> None:
        """The first byte goes out since the processor started; its clock is at `clock_us`."""
        self._zero_us = now_us - clock_us
        self._seq = None
        # A frame cut by a reset is nobody's fault, nor one that wanted only the zero at its end.
        self._reader, self._bad = FrameReader(), 0
        for cell in self._cells:
            cell.forget()

    def hear(self, data: bytes, now_us: float) -> None:
        """Bytes that have left the processor by now."""
        self._reader.receive_data(data)
        if self._reader.tally.bad > self._bad:
            self._bad = self._reader.tally.bad
            self._note("a frame leaves the microcontroller damaged")
        while (frame := self._reader.next_frame()) is not None:
            self._take(frame, now_us)

    def _take(self, frame: Frame, now_us: float) -> None:
        if self._seq is not None and (frame.seq - self._seq) % 0x10000 != 1:
            self._note(f"frame {frame.seq} follows frame {self._seq}")
        self._seq = frame.seq
        # The clock has 32 bits: the latest time before now that shows the same.
        said_us = now_us - (now_us - self._zero_us - frame.t_us) % 2**32
        match frame.message:
            case Scale() as scale if scale.cell < len(self._cells):
                self._note(self._cells[scale.cell].fault(scale, frame.flags, said_us))
            case Imu() as imu:
                self._note(self._imu.fault(imu, frame.flags, said_us))
            case Hello() | Status() if now_us - said_us > STALE_US:
                self._note(f"a heartbeat or Hello is stamped {(now_us - said_us) / 1e6:.2f} s ago")
            case _:
                pass

    def _note(self, fault: str) -> None:
        if fault and len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)
