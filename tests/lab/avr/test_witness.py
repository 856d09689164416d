"""What the witness finds, on words and frames made by hand; no processor."""

from dataclasses import dataclass, field

import pytest

from firmware_bridge.framing import Frame, encode_frame
from firmware_bridge.messages import Imu, Received, Scale, ScaleFlag
from lab.avr.chips import Rise
from lab.avr.witness import Witness
from lab.chips.hx711 import COUNT_MAX, Given

SETTLED = 9
"""Words given before: none of them settles."""


@dataclass
class Lab:
    """A processor whose clock of 32 bits wraps after ten milliseconds, and two chips."""

    given: list[Given] = field(default_factory=list)
    rises: list[Rise] = field(default_factory=list)
    seq: int = 65534

    def __post_init__(self) -> None:
        self.witness = Witness([self.given], self.rises)
        self.witness.started(1000.0, -10_000 % 2**32)

    def word(
        self, count: int, fell_us: float, took_us: float = 300.0, before: int = SETTLED
    ) -> None:
        self.given.append(Given(count, fell_us, fell_us + took_us, before, woken=True))

    def say(self, message: Received, at_us: float, flags: int = 0, skip: int = 0) -> list[str]:
        """Let a frame out that bears a time of the table; everything that was found so far."""
        self.seq += 1 + skip
        t_us = round(at_us - 1000.0 - 10_000)
        self.witness.hear(encode_frame(Frame(message, self.seq, t_us, flags)), at_us + 12_000)
        return self.witness.faults


def scale(index: int, count: int) -> Scale:
    return Scale(cell=0, index=index, count=count)


def motion(ax: int) -> Imu:
    return Imu(index=0, ax=ax, ay=0, az=0, temperature=0, gx=0, gy=0, gz=0)


def test_what_is_true_passes_also_over_every_wrap() -> None:
    lab = Lab()
    for number in range(600):
        lab.word(number, 2000.0 + 12_000 * number)
        lab.say(scale(number % 256, number), 2000.0 + 12_000 * number + 30)

    assert lab.seq > 65536
    assert lab.witness.faults == []


@pytest.mark.parametrize(
    ("said", "at_us", "flags", "words"),
    [
        (scale(2, 71), 14_000, 0, "it gave 70, and 71"),
        (scale(2, 70), 14_700, 0, "no DOUT had fallen"),
        (scale(3, 70), 14_000, 0, "number 3 follows 1, and 1 words"),
        (scale(2, 70), 14_000, ScaleFlag.SETTLING, "has"),
        (scale(2, 70), 14_000, ScaleFlag.LATE, "has"),
        (scale(2, 70), 14_000, ScaleFlag.SATURATED, "has"),
    ],
)
def test_a_count_that_is_not_the_chips_is_found(
    said: Scale, at_us: float, flags: int, words: str
) -> None:
    lab = Lab()
    lab.word(60, 2000.0)
    lab.word(70, 14_000.0)
    assert lab.say(scale(1, 60), 2000.0) == []
    (fault,) = lab.say(said, at_us, flags)

    assert words in fault


@pytest.mark.parametrize(
    ("word", "flag"),
    [
        (Given(5, 2000.0, 2300.0, 0, woken=True), ScaleFlag.SETTLING),
        (Given(COUNT_MAX, 2000.0, 2300.0, SETTLED), ScaleFlag.SATURATED),
        (Given(5, 2000.0, 11_500.0, SETTLED), ScaleFlag.LATE),
    ],
)
def test_a_flag_that_is_missing_is_found(word: Given, flag: ScaleFlag) -> None:
    whole, broken = Lab(given=[word]), Lab(given=[word])

    assert whole.say(scale(1, word.data_word), 2000.0, flag) == []
    assert "lacks" in broken.say(scale(1, word.data_word), 2000.0)[0]


def test_under_a_late_reading_the_next_word_may_have_come() -> None:
    lab = Lab()
    lab.word(6, 12_700.0)

    assert lab.say(scale(1, 6), 2000.0, ScaleFlag.LATE) == []


def test_words_that_were_read_and_not_said_are_counted_by_their_number() -> None:
    lab = Lab()
    for number in range(40):
        lab.word(number, 2000.0 + 12_000 * number)
    lab.say(scale(0, 0), 2000.0)

    assert lab.say(scale(39, 39), 2000.0 + 12_000 * 39) == []


@pytest.mark.parametrize(
    ("said", "at_us", "words"),
    [(motion(8), 5000, "it gave"), (motion(7), 5300, "INT had not risen")],
)
def test_a_sample_that_is_not_the_inertial_sensors_is_found(
    said: Imu, at_us: float, words: str
) -> None:
    rises = [Rise(5000.0, (7, 0, 0, 0, 0, 0, 0))]
    whole, broken = Lab(rises=rises), Lab(rises=rises)

    assert whole.say(motion(7), 5000.0) == []
    assert words in broken.say(said, at_us)[0]


def test_a_gap_between_the_numbers_of_frames_and_damage_are_found() -> None:
    lab = Lab()
    lab.word(1, 2000.0)
    lab.word(2, 14_000.0)
    lab.say(scale(1, 1), 2000.0)
    (gap,) = lab.say(scale(2, 2), 14_000.0, skip=1)
    lab.witness.hear(b"\x05\x01\x00", 15_000.0)

    assert "follows frame 65535" in gap
    assert "damaged" in lab.witness.faults[1]


def test_a_frame_that_a_reset_has_cut_is_nobodys_fault() -> None:
    lab = Lab()
    lab.word(1, 2000.0)
    whole = encode_frame(Frame(scale(7, 99), 1, 0, 0))
    lab.witness.hear(whole[:-1], 2100.0)
    lab.witness.started(3000.0, 0)
    lab.witness.hear(b"\0" + encode_frame(Frame(motion(1), 0, 0, ScaleFlag.TIME_UNSURE)), 3100.0)

    assert lab.witness.faults == []
