"""One HX711, as its data sheet and real chips describe it (Avia V2.0; what was measured is named).

The model has no clock and no pins: whoever holds it says what PD_SCK does and when, in
microseconds, and asks what DOUT shows. `lab.avr.chips` puts it on the pins of the simulated
processor, `lab.chips.pins` on pins as Python drivers know them. Its conversions run on an
oscillator of their own, whether anybody reads them or not.

The rules of the data sheet are assertions: a driver that breaks one finds it in `violations`. What
follows from a disturbance that the test itself brought about is nobody's fault and is written
down in `disturbances` instead.
"""

import random
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

COUNT_MAX = 2**23 - 1
COUNT_MIN = -(2**23)

HIGH_MIN_US, HIGH_MAX_US, LOW_MIN_US = 0.2, 50.0, 0.2
POWER_DOWN_US = 60.0
SETTLING_CONVERSIONS = 4
DATA_BITS, PULSES_A128, PULSES_B32, PULSES_A64 = 24, 25, 26, 27

START_UP_PERIODS = (0.32, 0.53)
"""41,264 recorded samples: after a power cycle the next data word came 4.32 to 4.53 periods on."""

UPDATE_US = 75.0
"""Seen on an oscilloscope: DOUT goes high this long when a new data word replaces an unread one."""

JITTER = 0.0005
"""Of one period. A logic analyser saw 0.9 us in 12.19 ms; this is worse, on purpose."""


class MidRead(Enum):
    """What becomes of a data word that is being read when the next conversion ends.

    The data sheet is silent; users report corrupt data words.
    """

    RESTART = "the new data word begins at its first bit"
    MIXED = "the remaining bits are those of the new data word"
    HELD = "the old data word stays to its end and the new one is lost"


class Conversion(NamedTuple):
    """What is being converted: asked of whoever plays the load cell.

    Attributes:
        number: of this conversion since the chip was made, from 1.
        t_us: when it ends.
    """

    number: int
    t_us: float


class Given(NamedTuple):
    """A data word that was read to its end.

    Attributes:
        fell_us: when DOUT had fallen for it.
        read_us: when the pulse after its last bit rose.
        before: words given before it since the chip powered up.
        woken: whether it powered up because PD_SCK had been high for long.
    """

    data_word: int
    fell_us: float
    read_us: float = 0.0
    before: int = 0
    woken: bool = False


LoadCell = Callable[[Conversion], float]
"""Counts on channel A at gain 128; may lie outside of the range, then the chip saturates."""


class Hx711:
    """One chip. Time never goes back; every call may let conversions pass first.

    Attributes:
        load_cell, channel_b: what is converted.
        mid_read: what a conversion that ends during a reading does.
        keeps_gain: whether a power cycle leaves the gain as it was, as the data sheet says;
            several drivers expect A/128 instead.
        settles_in_silence: whether DOUT stays high until the output is valid, as recordings show;
            otherwise data words come that are not to be used.
        plugged: false: no power, and the pull-up holds DOUT high.
        shorted: DOUT is tied to ground.
        clock_wired: false: PD_SCK does not arrive.
        data_noise: share of the bits that arrive wrong: a data wire that is too long, or loose.
        clock_spikes: share of the data words during which PD_SCK seems high for over 60 us to the
            chip: a clock wire beside a motor's, or a ground that is not there.
        lost_pulses: share of the pulses of PD_SCK that are too weak to be seen.
        given: data words that were read to the end.
        unread: data words that nobody fetched.
        power_downs: times PD_SCK was high for more than 60 us.
        gain_pulses: pulses of the last reading, 25 to 27.
    """

    def __init__(
        self, name: str, rate_hz: float, load_cell: LoadCell, *, seed: int = 0, now_us: float = 0.0
    ) -> None:
        """A chip that gets its power at `now_us`."""
        self.name, self.load_cell = name, load_cell
        self.channel_b: LoadCell = lambda _conversion: 0.0
        self.mid_read = MidRead.RESTART
        self.keeps_gain = self.settles_in_silence = True
        self.plugged, self.shorted, self.clock_wired = True, False, True
        self.data_noise = self.clock_spikes = self.lost_pulses = 0.0
        self._excused = self._over = False
        self.given: list[Given] = []
        self.violations: list[str] = []
        self.disturbances: list[str] = []
        self.unread = self.power_downs = 0
        self.gain_pulses = self._selected = PULSES_A128
        self.period_us = 1e6 / rate_hz
        self.now_us = now_us
        self._chance, self._mishaps = random.Random(seed), random.Random(seed + 0.5)
        self._number = self._data_word = self._sck = self._pulses = 0
        self._rose_us = now_us
        self._sank_us = self._fell_us = now_us - HIGH_MAX_US
        self._level = 0.0
        self._ready = self._asleep = self._silent = self._lost_pulse = False
        self._unsettled = 0
        self._next_us = now_us
        self._power_up(now_us)

    # --- the pins -------------------------------------------------------------------------

    def sck(self, level: int, t_us: float) -> None:
        """PD_SCK is driven to a level."""
        if level == self._sck:
            return
        self.advance(t_us)
        self._sck = level
        if not (self.plugged and self.clock_wired):
            return
        if level and self._strikes(self.lost_pulses):
            self._lost_pulse = True
        elif level and self._pulses and self._strikes(self.clock_spikes / DATA_BITS):
            self._wake(t_us)
        elif level:
            self._rise(t_us)
        elif self._lost_pulse:
            self._lost_pulse = False
        else:
            self._fall(t_us)

    def dout(self, t_us: float) -> int:
        """What DOUT shows."""
        if t_us > self.now_us:
            self.advance(t_us)
        if self.shorted:
            return 0
        if not self.plugged or self._asleep or not self._ready:
            return 1
        if self._pulses == 0:
            return int(t_us < self._fell_us)
        wrong = self._strikes(self.data_noise)
        return self._data_word >> (DATA_BITS - self._pulses) & 1 ^ wrong

    def _strikes(self, share: float) -> bool:
        """Whether a mishap of the wires happens now; the rules are nobody's fault then."""
        if not share or self._mishaps.random() >= share:
            return False
        self.excuse()
        return True

    def let_go_of_sck(self) -> None:
        """Whoever drove PD_SCK was reset: it is low, and what was being read is forgotten."""
        self._sck = self._pulses = 0

    def excuse(self) -> None:
        """The computer is disturbed: until a new data word begins, what is broken is not its fault.

        A new data word begins with a conversion, once this one was read to its end or the chip was
        powered down.
        """
        self._excused, self._over = True, False

    # --- the wires ------------------------------------------------------------------------

    def unplug(self) -> None:
        """Pull the plug."""
        self.plugged = False

    def plug(self, t_us: float) -> None:
        """Put it back: the chip powers up and settles."""
        self.advance(t_us)
        self.plugged = True
        self._sck = 0
        self._power_up(t_us)

    # --- inside ---------------------------------------------------------------------------

    @property
    def next_change_us(self) -> float:
        """When DOUT can change by itself next; may be asked again at any time."""
        if self._asleep:
            return self.now_us + self.period_us
        return self._fell_us if self.now_us < self._fell_us else self._next_us

    def advance(self, t_us: float) -> None:
        """Let time pass."""
        if self._sck and not self._asleep and t_us - self._rose_us > POWER_DOWN_US:
            self._convert_until(self._rose_us + POWER_DOWN_US)
            self._asleep = self.plugged and self.clock_wired
        if self._next_us <= t_us and not self._asleep:
            self._convert_until(t_us)
        self.now_us = max(self.now_us, t_us)

    def _convert_until(self, t_us: float) -> None:
        while self._next_us <= t_us:
            ended_us = self._next_us
            self._next_us = ended_us + self.period_us * self._chance.gauss(1.0, JITTER)
            if self.plugged:
                self._convert(ended_us)

    def _convert(self, t_us: float) -> None:
        self._number += 1
        if self._pulses in {PULSES_A128, PULSES_B32, PULSES_A64} and self._pulses != self._selected:
            self._selected = self._pulses
            self._unsettled, self._silent = SETTLING_CONVERSIONS, False
        goal = self._measured(Conversion(self._number, t_us))
        if self._unsettled == 0:
            self._level = goal
            self._offer(t_us)
            return
        # What comes out of the filter is still partly what went in before.
        self._level += (goal - self._level) / (self._unsettled + 1)
        self._unsettled -= 1
        if not self._silent:
            self._offer(t_us)

    def _measured(self, conversion: Conversion) -> float:
        if self._selected == PULSES_B32:
            return self.channel_b(conversion)
        count = self.load_cell(conversion)
        return count / 2 if self._selected == PULSES_A64 else count

    def _offer(self, t_us: float) -> None:
        count = min(max(round(self._level), COUNT_MIN), COUNT_MAX)
        amid = 0 < self._pulses <= DATA_BITS
        # While the first pulse lasts it may still become a power cycle, which is always allowed.
        if amid and not (self._pulses == 1 and self._sck):
            self._break(f"a conversion ended after {self._pulses} pulses; 25 to 27 make a reading")
        if amid and self._ready and self.mid_read is MidRead.HELD:
            self.unread += 1
            return
        if amid and self._ready and self.mid_read is MidRead.MIXED:
            self._data_word = count
            return
        replaces = self._ready and not amid
        self.unread += replaces
        self._fell_us = t_us + UPDATE_US * replaces
        self._data_word, self._pulses, self._ready = count, 0, True
        if self._over and not amid:
            self._excused = False

    def _power_up(self, t_us: float) -> None:
        self._asleep, self._ready, self._over = False, False, True
        self._pulses = self._words = 0
        self._woken = False
        self._level = 0.0
        self._unsettled, self._silent = SETTLING_CONVERSIONS, self.settles_in_silence
        self._next_us = t_us + self.period_us * self._chance.uniform(*START_UP_PERIODS)

    def _rise(self, t_us: float) -> None:
        if t_us - self._sank_us < LOW_MIN_US:
            self._break(f"PD_SCK was low for {t_us - self._sank_us:.2f} us; 0.2 is the least")
        self._rose_us = t_us
        self._pulses += 1
        self._over |= self._pulses == PULSES_A128
        if self._pulses == PULSES_A128 and self._ready:
            self.given.append(Given(self._data_word, self._fell_us, t_us, self._words, self._woken))
            self._words += 1
            self._ready = False

    def _fall(self, t_us: float) -> None:
        self._sank_us = t_us
        high_us = t_us - self._rose_us
        if high_us > POWER_DOWN_US:
            self._wake(t_us)
            return
        if not HIGH_MIN_US <= high_us <= HIGH_MAX_US:
            self._break(f"PD_SCK was high for {high_us:.2f} us; 0.2 to 50 are allowed")
        if self._pulses > PULSES_A64 and not self.shorted:
            self._break("more than 27 pulses")
        if self._pulses >= PULSES_A128:
            self.gain_pulses = self._pulses
        elif not self._ready and not self.shorted:
            self._break("clocked although DOUT was high")

    def _wake(self, t_us: float) -> None:
        if self._pulses not in {0, 1, 26, 27, 28}:
            self._break(f"powered down in the middle of a reading, after {self._pulses} pulses")
        self.power_downs += 1
        if not self.keeps_gain:
            self._selected = PULSES_A128
        self._power_up(t_us)
        self._woken = True

    def _break(self, rule: str) -> None:
        (self.disturbances if self._excused else self.violations).append(f"{self.name}: {rule}")
