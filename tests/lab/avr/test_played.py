"""Games on the real firmware, and what happens to its wires meanwhile."""

from pathlib import Path

import pytest

from engine.events import HumanInput, Placed
from engine.samples import SwitchSample
from lab.avr.played import LabSource
from tests.hw.boards import motions, scales
from tests.hw.serial.test_bridge import assert_in_order
from tests.lab.avr.mishaps import MISHAPS, Game, living_table
from tests.soaked import soaked

pytestmark = pytest.mark.slow


def test_a_placement_is_seen_through_chips_firmware_terminal_and_pyserial(elf: Path) -> None:
    game = Game(elf, terminal=True)
    game.run(2.0)
    game.place("c3")
    health = game.lab.link_health()
    game.lab.close()

    assert game.events == [e for e in game.events if isinstance(e, Placed)]
    assert game.placed == ["c3"]
    assert game.lab.table.violations == []
    assert (health.lost_on_line, health.bad_crc, health.missed) == (0, 0, (0, 0, 0, 0))
    assert health.rates_hz == pytest.approx((82.02, 78.5, 80.6, 93.4), rel=0.002)


# What the others do is tried without the firmware in tests/hw/serial/test_bridge.py.
@pytest.mark.parametrize("name", soaked(MISHAPS, but=["hang"]))
def test_the_game_goes_on_or_the_table_says_what_is_wrong(elf: Path, name: str) -> None:
    game, mishap = Game(elf), MISHAPS[name]
    game.run(2.0)
    game.place("c3")
    mishap.happen(game)
    game.run(2.5)
    mishap.mend(game)
    game.run(3.0)
    if mishap.sensor != "imu":
        game.place("c4")

    assert game.unforeseen == []
    assert game.placed == ["c3", "c4"][: len(game.placed)]
    assert len(game.placed) == (1 if mishap.sensor == "imu" else 2)
    named = {report.sensor for report in game.reports}
    assert named == ({mishap.sensor} if mishap.sensor else set())
    if mishap.sensor:
        assert any(mishap.words in report.reason for report in game.reports)
        assert game.reports[-1].ok is mishap.back


def test_garbage_is_counted(elf: Path) -> None:
    game = Game(elf)
    game.run(1.0)
    MISHAPS["garbage"].happen(game)
    game.run(0.5)
    health = game.lab.link_health()

    assert health.ok
    assert health.bad_crc + health.bad_form >= 1


@pytest.mark.soak
def test_a_host_at_another_speed_from_the_start_is_told_so(elf: Path) -> None:
    game = Game(elf)
    game.wire.host_baud = 115_200.0
    game.run(5.0)

    assert "another baud rate" in game.reports[0].reason
    assert game.events == [] or game.unforeseen == []


def test_it_keeps_the_contract_of_a_source(elf: Path) -> None:
    hand = living_table()
    lab = LabSource(hand, hand.calibration, elf)
    items = lab.poll(1.5)
    hand.tower.put_events([SwitchSample(hand.now_s, closed=True)])
    hand.say("roll", value=4)
    said_s = hand.now_s
    items += lab.poll(3.0)
    lab.close()

    assert_in_order(items)
    assert [item.t_s for item in items if isinstance(item, HumanInput)] == [said_s]
    edges = [item for item in items if isinstance(item, SwitchSample)]
    assert [edge.closed for edge in edges] == [False, True]
    assert edges[1].t_s == pytest.approx(said_s, abs=0.02)
    assert sum(len(block.t_s) for block in scales(items)) > 150
    assert sum(len(block.t_s) for block in motions(items)) > 380
    assert lab.simulated
    assert lab.tabletop == hand.tabletop
