"""Our own reading of HX711 data words, over any pins with `value`; each high phase is measured.

Only the time PD_SCK is high is limited by the data sheet. It is taken from before the rise to after
the fall, so it is never shorter than the true one: no pulse that was too long goes unnoticed. A bit
stays until the next rise, so nothing else is done while PD_SCK is high. A data word with such a
pulse is given up at once, since a chip that was powered down answers with ones; only the 25th
carries no bit any more.
"""

from collections.abc import Callable

from hw.drivers.hx711_reading import HIGH_LIMIT_S, PULSES_A128, ClockOutput, DataInput, DataWord

DATA_BITS = 24
SIGN = 1 << (DATA_BITS - 1)


class BitReader:
    """A `DataWordReader` for the chip on two pins."""

    def __init__(self, data: DataInput, clock: ClockOutput, now: Callable[[], float]) -> None:
        """Nothing is done to the pins yet; the clock is low, `now` right to a microsecond."""
        self._data, self._clock, self._now = data, clock, now

    def read(self) -> DataWord:
        """Clock out the data word of a chip whose DOUT is low."""
        data, clock, now = self._data, self._clock, self._now
        bits = 0
        clock.value = False  # It is low; the first pulse of a word would pay for the way there.
        for pulse in range(PULSES_A128):
            began_s = now()
            clock.value = True
            clock.value = False
            if now() - began_s > HIGH_LIMIT_S:
                return DataWord(signed(bits) if pulse == DATA_BITS else None, powered_down=True)
            if pulse < DATA_BITS:
                bits = bits << 1 | data.value
        return DataWord(signed(bits))


def signed(word: int) -> int:
    """The number that 24 bits mean in two's complement.

    >>> signed(0xFFFFFF), signed(0x7FFFFF), signed(0x800000)
    (-1, 8388607, -8388608)
    """
    return (word ^ SIGN) - SIGN
