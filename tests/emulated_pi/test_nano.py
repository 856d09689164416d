"""Tower and Nano go by the clock of the Pi, which waits for them when they are far behind."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.avr.played import PlayedTable
from lab.avr.table import SLICE_US
from tests.emulated_pi.by_hand import living_table
from tests.emulated_pi.nano import MOST_BEHIND_S, Nano

pytestmark = pytest.mark.slow

SLICE_S = SLICE_US * 1e-6
LONGEST_S = 60.0
LOOK_S = 0.01


class ClockByHand:
    """A machine's clock that goes when the test says so.

    Attributes:
        now_s: what it says.
        held_at_s: what it said each time the machine was held.
    """

    def __init__(self) -> None:
        self.now_s = 5.0
        self.held_at_s: list[float] = []

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        self.held_at_s.append(self.now_s)
        yield


@pytest.fixture
def running(elf: Path, tmp_path: Path) -> Iterator[tuple[Nano, ClockByHand]]:
    clock = ClockByHand()
    nano = Nano(PlayedTable(living_table(), elf), tmp_path / "nobody", clock)
    nano.start()
    try:
        yield nano, clock
    finally:
        nano.stop()


def test_the_pi_is_held_until_tower_and_nano_have_caught_up(
    running: tuple[Nano, ClockByHand],
) -> None:
    nano, clock = running
    clock.now_s += 20 * MOST_BEHIND_S

    comes_to(nano, 20 * MOST_BEHIND_S)
    assert clock.held_at_s == [5.0 + 20 * MOST_BEHIND_S]


def test_without_haste_the_pi_is_never_held(running: tuple[Nano, ClockByHand]) -> None:
    nano, clock = running
    for step in range(1, 20):
        clock.now_s = 5.0 + step * MOST_BEHIND_S / 2
        comes_to(nano, step * MOST_BEHIND_S / 2)

    assert clock.held_at_s == []


def comes_to(nano: Nano, t_s: float) -> None:
    """Table time comes to this and no further than the next slice."""
    end_s = time.monotonic() + LONGEST_S
    while nano.t_s < t_s - SLICE_S:
        assert nano.failed is None, nano.failed
        assert time.monotonic() < end_s, f"stands at {nano.t_s} s"
        time.sleep(LOOK_S)
    assert nano.t_s <= t_s + 2 * SLICE_S
