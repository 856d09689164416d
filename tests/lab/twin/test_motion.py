import pytest

from lab.mock import quiet_parameters
from lab.twin.motion import MotionSignals
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower


def test_at_rest_the_sensor_feels_its_weight_and_the_room() -> None:
    tower = Tower(quiet_parameters(), 1)
    motion = MotionSignals(tower)
    tower.advance(1.0)
    counts = motion.imu_counts(0.9)

    assert motion.end_s == pytest.approx(1.0, abs=0.002)
    assert counts[2] == pytest.approx(16384, abs=20)
    assert counts[3] == -3920
    assert [abs(count) < 20 for count in counts[4:]] == [True] * 3


def test_it_feels_a_swing_when_it_happens_and_not_before() -> None:
    tower = Tower(quiet_parameters(), 1)
    motion = MotionSignals(tower)
    tower.advance(1.0)
    deed = tower.place("e3", grams=3.0, hold_s=0.2)
    tower.advance(2.0)

    assert abs(motion.imu_counts(0.9)[5]) < 20
    assert abs(motion.imu_counts(deed.release_s + 0.15)[5]) > 200


def test_the_switch_closes_when_the_board_hangs_low() -> None:
    tower = Tower(quiet_parameters(), 1)
    motion = MotionSignals(tower)
    tower.advance(0.5)
    tower.board.up, tower.board.clamped = (0.6, 0.0, 0.8), True
    tower.advance(1.0)

    assert not motion.switch_closed(0.3)
    assert motion.switch_closed(0.9)


def test_listening_changes_nothing_about_the_evening() -> None:
    towers = [Tower(preset_parameters("normal"), 3) for _ in range(2)]
    MotionSignals(towers[1])
    for tower in towers:
        for cell in ("c3", "e3", "b2"):
            tower.place(cell)
            tower.advance(tower.now_s + 2.0)

    assert towers[0].truth.entries == towers[1].truth.entries
    assert towers[0].board.up == towers[1].board.up
