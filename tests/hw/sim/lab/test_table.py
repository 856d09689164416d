from itertools import pairwise
from pathlib import Path

from firmware_bridge.messages import Imu, Scale
from hw.sim.lab.table import LabTable, NoiseOnly, frames_of


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
    counts = [frame.message for frame in frames_of(events, Scale)]
    assert all(m.count // 1000 == m.cell for m in counts if isinstance(m, Scale))
    moved = frames_of(events, Imu)
    late_ms = [frame.t_us / 1000 - frame.message.ax for frame in moved]  # type: ignore[union-attr]
    assert max(late_ms) - min(late_ms) < 2
    assert table.violations == []


def test_without_signals_the_numbers_are_random_and_repeatable() -> None:
    one, other = NoiseOnly(3), NoiseOnly(3)

    assert [one.count(0, 0.0) for _ in range(9)] == [other.count(0, 0.0) for _ in range(9)]
    assert len(one.motion(0.0)) == 7
