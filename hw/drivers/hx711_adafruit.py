"""HX711 data words by `adafruit-circuitpython-hx711`, the library first designed with.

Release 1.1.2 does not read on a Raspberry Pi as it stands. What is done about it, from outside:

* It calls `microcontroller.disable_interrupts`, which Blinka does not have. Nothing replaces it:
  what interrupts do to a pulse is measured instead.
* It calls `microcontroller.delay_us(1)` with PD_SCK high, which on Linux sleeps for 60 us and more
  and powers the chip down. Nothing replaces that either: an access to a pin takes long enough.
* It waits for ever for a chip that is not ready. So it is only called when DOUT is low, and gets
  pins that end the wait.
* It gives negative counts as large positive ones. They are put right.
* It does not notice that a pulse was too long. The pins it gets measure each one.

Both functions are replaced for this library only, not in Blinka.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from hw.drivers.hx711_reading import HIGH_LIMIT_S, PULSES_A128, ClockOutput, DataInput, DataWord
from hw.drivers.libraries import how_to_get, quiet_blinka
from hw.errors import MissingDriver

WAIT_LIMIT_S = 1e-3
"""DOUT was seen low a moment ago; a chip that replaces an unread data word lifts it for 75 us."""


class NotReadyError(Exception):
    """DOUT went high again before the first pulse."""


class AdafruitReader:
    """A `DataWordReader` that leaves the clocking to the library."""

    def __init__(self, data: DataInput, clock: ClockOutput, now: Callable[[], float]) -> None:
        """Let the library initialise the chip, which takes a millisecond.

        `now` gives seconds, to a microsecond or better.

        Raises:
            MissingDriver: the library is not installed.
        """
        self._clock = TimedClock(clock, now)
        self._data = PatientData(data, now)
        self._chip = _library().HX711(self._data, self._clock)

    def read(self) -> DataWord | None:
        """Clock out the data word of a chip whose DOUT was low; None if it is not any more."""
        self._clock.forget()
        self._data.begin()
        try:
            # The public `read` takes two conversions for one count.
            count = self._chip._read_channel_raw(PULSES_A128)  # noqa: SLF001
        except NotReadyError:
            return None
        if count & 0x8000_0000:
            count -= 1 << 32
        spoilt = self._clock.first_too_long
        whole = spoilt is None or spoilt == PULSES_A128
        return DataWord(count if whole else None, powered_down=spoilt is not None)


class TimedClock:
    """An output that measures how long it is high.

    Attributes:
        first_too_long: number of the first pulse, from 1, that may have powered the chip down.
    """

    def __init__(self, pin: ClockOutput, now: Callable[[], float]) -> None:
        self._pin, self._now = pin, now
        self._rose_s = 0.0
        self.forget()

    def forget(self) -> None:
        """Pulses are counted from here."""
        self._pulses = 0
        self.first_too_long: int | None = None

    @property
    def value(self) -> bool:
        """The level."""
        return self._pin.value

    @value.setter
    def value(self, level: bool) -> None:
        if level:
            self._pulses += 1
            self._rose_s = self._now()
            self._pin.value = True
            return
        self._pin.value = False
        # It is also set to low when it is low: before the first pulse.
        too_long = self._pulses > 0 and self._now() - self._rose_s > HIGH_LIMIT_S
        if too_long and self.first_too_long is None:
            self.first_too_long = self._pulses


class PatientData:
    """An input that can be waited for, but not for ever."""

    def __init__(self, pin: DataInput, now: Callable[[], float]) -> None:
        self._pin, self._now = pin, now
        self._began_s = 0.0
        self._ready = True

    def begin(self) -> None:
        """A wait for a low level begins."""
        self._began_s, self._ready = self._now(), False

    @property
    def value(self) -> bool:
        """The level.

        Raises:
            NotReadyError: it was waited for too long.
        """
        level = bool(self._pin.value)
        if not self._ready:
            self._ready = not level
            if level and self._now() - self._began_s > WAIT_LIMIT_S:
                raise NotReadyError
        return level


def _library() -> Any:
    """The library's module, made fit for Linux.

    Raises:
        MissingDriver: it is not installed.
    """
    quiet_blinka()
    try:
        from adafruit_hx711 import hx711  # noqa: PLC0415 - optional, and slow to import
    except ImportError as error:
        raise MissingDriver(
            f"adafruit-circuitpython-hx711 is not installed ({how_to_get('pi')}); "
            "or choose the table's own driver"
        ) from error
    hx711.microcontroller = SimpleNamespace(
        disable_interrupts=_nothing, enable_interrupts=_nothing, delay_us=_nothing
    )
    return hx711


def _nothing(*_: Any) -> None:
    """What is left of three functions that this computer does not have."""
