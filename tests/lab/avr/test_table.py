from itertools import pairwise
from pathlib import Path

from firmware_bridge.events import Arrived
from firmware_bridge.messages import Imu, Scale
from lab.avr.table import LabTable, NoiseOnly, messages_of


class Known:
    """Signals that tell what they were asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, float]] = []

    def count(self, cell: int, t_s: float) -> int:
        self.asked.append((cell, t_s))
        return 1000 * cell + len(self.asked) % 1000

    def motion(self, t_s: float) -> tuple[int, ...]:
        return (round(t_s * 1000), 0, 16384, -4200, 1, 2, 3)


def test_the_chips_convert_what_the_signals_say_at_the_moment_of_the_conversion(elf: Path) -> None:
    known = Known()
    table = LabTable(elf, signals=known)
    table.open()
    events = table.run(1.0)

    assert {cell for cell, _ in known.asked} == {0, 1, 2, 3}
    times = [t_s for cell, t_s in known.asked if cell == 0]
    assert all(0.011 < b - a < 0.014 for a, b in pairwise(times))
    assert all(said.count // 1000 == said.cell for said in messages_of(events, Scale))
    frames = [event.frame for event in events if isinstance(event, Arrived)]
    late_ms = [f.t_us / 1000 - f.message.ax for f in frames if isinstance(f.message, Imu)]
    assert max(late_ms) - min(late_ms) < 2
    assert table.violations == []


def test_without_signals_the_numbers_are_random_and_repeatable() -> None:
    one, other = NoiseOnly(3), NoiseOnly(3)

    assert [one.count(0, 0.0) for _ in range(9)] == [other.count(0, 0.0) for _ in range(9)]
    assert len(one.motion(0.0)) == 7
