from lab.mock import quiet_parameters
from lab.twin.source import OverTower
from lab.twin.tower import Tower


def test_it_answers_as_its_tower_does_until_that_is_closed_and_empty() -> None:
    tower = Tower(quiet_parameters(), 1)
    source = OverTower(tower)
    tower.advance(0.3)

    assert source.simulated
    assert source.notices == ()
    assert source.calibration is tower.calibration
    assert source.tabletop == tower.tabletop
    source.close()
    assert not source.ended  # samples wait
    tower.collect(1.0)
    assert source.ended
