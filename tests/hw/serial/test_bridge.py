from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Fault, HumanInput, Placed, Restored, TableEvent
from engine.samples import ScaleSamples
from engine.tabletop import CELLS
from firmware_bridge.messages import ResetCause
from firmware_bridge.troubles import NOT_THERE
from hw.calibration import COUNTS_MAX
from hw.source import ImuService, Item, Thermometer
from lab.chips.fake_mcu import FakeMcu
from tests.hw.boards import Board, Played, motions, reports, scales, stranger, switches
from tests.hw.sources import assert_in_order
from tests.soaked import examples


def test_a_quiet_table_gives_rows_of_four_and_motion_at_their_rates() -> None:
    board = Board()
    items = board.run(10.0)

    assert_in_order(items)
    assert sum(len(block.t_s) for block in scales(items)) == pytest.approx(800, abs=30)
    assert sum(len(block.t_s) for block in motions(items)) == pytest.approx(2000, abs=60)
    assert all(block.valid.all() for block in scales(items))
    assert reports(items) == []
    assert scales(items)[-1].raw[-1].tolist() == [200_000, 200_001, 200_002, 200_003]
    assert np.allclose(scales(items)[-1].mass_g[-1], [0.0, 0.001, 0.002, 0.003])
    assert motions(items)[-1].raw[-1].tolist() == [0, 0, 16384, 0, 0, 0]
    assert board.source.notices == ()
    assert board.source.simulated


def test_times_are_those_of_the_conversion_however_wrong_the_crystal_is() -> None:
    """A load that grows with time is its own clock."""
    board = Board(
        FakeMcu(
            counts=lambda cell, t_s: round(100_000 * t_s) + cell,
            imu=lambda t_s: (round(1000 * t_s), 0, 16384, -4200, 0, 0, 0),
            crystal_ppm=4000.0,
            buffer_bytes=4000,
        )
    )
    items = board.run(10.0)
    later = [block for block in scales(items) if block.t_s[0] > 5.0]
    error_s = np.concatenate([block.raw[:, 0] / 100_000 - block.t_s for block in later])
    turned = [block for block in motions(items) if block.t_s[0] > 5.0]
    imu_error_s = np.concatenate([block.raw[:, 0] / 1000 - block.t_s for block in turned])

    assert np.abs(error_s).max() < 0.006
    assert np.abs(imu_error_s).max() < 0.006


def test_an_edge_of_the_tilt_switch_divides_the_samples() -> None:
    board = Board()
    items = board.run(3.0)
    board.mcu.tip_switch(closed=True)
    items += board.run(1.0)
    board.mcu.tip_switch(closed=False)
    items += board.run(1.0)

    assert_in_order(items)
    edges = switches(items)
    assert [edge.closed for edge in edges] == [False, True, False]
    assert [edge.t_s for edge in edges[1:]] == pytest.approx([3.0, 4.0], abs=0.02)


def test_what_people_say_comes_out_between_the_right_samples() -> None:
    board = Board()
    items = board.run(2.0)
    board.source.put_events([HumanInput(2.5, "roll", {"value": 3})])
    items += board.run(1.0)

    assert_in_order(items)
    assert [item.t_s for item in items if isinstance(item, HumanInput)] == [2.5]


def test_without_a_board_it_says_so_and_goes_on_when_there_is_one() -> None:
    board = Board()
    board.plugged = False
    waiting = board.run(3.0)
    words = [(report.ok, report.reason) for report in reports(waiting, "link")]
    board.plug_in()
    items = board.run(4.0)

    assert words == [(False, NOT_THERE(port="the port").sentence)]
    assert not board.source.ended
    assert [report.ok for report in reports(items)] == [True]
    assert sum(len(block.t_s) for block in scales(items)) > 100
    assert_in_order([*waiting, *items])


def test_a_pulled_plug_is_a_gap_and_a_sentence() -> None:
    board = Board()
    items = board.run(5.0)
    board.plugged = False
    gone = board.run(4.0)
    ill = board.source.link_health()
    board.plug_in()
    back = board.run(4.0)
    well = board.source.link_health()

    assert_in_order([*items, *gone, *back])
    assert not scales(gone)
    assert not motions(gone)
    assert [report.ok for report in reports(gone)] == [False, False]
    assert "went away" in reports(gone)[0].reason
    assert "not there" in reports(gone)[1].reason
    assert [(report.sensor, report.ok) for report in reports(back)] == [("link", True)]
    assert all(block.valid.all() for block in scales(back))
    assert (ill.ok, well.ok) == (False, True)
    assert "Check the USB plug" in ill.words
    assert ill.age_s is not None
    assert ill.age_s == pytest.approx(4.0, abs=0.1)


def test_a_restart_of_the_microcontroller_is_told_with_its_reason() -> None:
    board = Board()
    items = board.run(3.0)
    board.mcu.reset(ResetCause.WATCHDOG)
    after = board.run(3.0)

    assert_in_order([*items, *after])
    down, up = reports(after, "link")
    assert not down.ok
    assert "watchdog" in down.reason
    assert down.reason.startswith("The microcontroller restarted: ")
    assert up.ok
    assert up.t_s - down.t_s < 1.0
    health = board.source.link_health()
    assert health.resets == 1
    assert health.reset_cause == ("watchdog",)
    assert health.boot == 0x101


def test_a_line_that_stalls_is_not_taken_for_five_dead_sensors() -> None:
    board = Board()
    board.run(3.0)
    board.frozen = True
    stalled = board.run(2.0)
    board.frozen = False
    after = board.run(3.0)

    assert [(report.sensor, report.ok) for report in reports(stalled)] == [("link", False)]
    assert "half a second" in reports(stalled)[0].reason
    assert [(report.sensor, report.ok) for report in reports(after)] == [("link", True)]
    doubtful = sum(int((~block.valid).any(axis=1).sum()) for block in scales([*stalled, *after]))
    assert doubtful <= 5


def test_another_firmware_is_refused_in_words() -> None:
    board, words = Board(stranger(protocol_major=9)), "topple-table firmware flash"
    items = board.run(6.0)

    assert not scales(items)
    assert words in reports(items, "link")[0].reason
    assert words in board.source.link_health().words
    assert words in board.source.notices[0]


def test_a_board_with_a_newer_minor_version_works_and_is_mentioned() -> None:
    board = Board(stranger(protocol_minor=3))
    items = board.run(3.0)

    assert len(scales(items)) > 50
    assert board.source.link_health().ok
    assert "flash it when convenient" in board.source.link_health().words


def test_a_silent_cell_is_no_weight_and_named_and_comes_back() -> None:
    board = Board()
    board.run(3.0)
    board.mcu.unplug_cell(2)
    gone = board.run(3.0)
    board.mcu.plug_cell(2)
    back = board.run(3.0)

    last = scales(gone)[-1]
    assert not last.valid[:, 2].any()
    assert last.valid[:, [0, 1, 3]].all()
    assert np.isnan(last.mass_g[:, 2]).all()
    said = reports([*gone, *back])
    assert [(report.sensor, report.ok) for report in said] == [
        ("scale.2", False),
        ("scale.2", True),
    ]
    assert "Load cell C2 is silent; check the plug" in said[0].reason
    assert scales(back)[-1].valid.all()


def test_a_shorted_cell_is_never_zero_grams() -> None:
    board = Board()
    board.run(3.0)
    board.mcu.short_cell(0)
    items = board.run(3.0)

    later = [block for block in scales(items) if block.t_s[0] > 3.1]
    assert not any(block.valid[:, 0].any() for block in later)
    assert "held low" in reports(items, "scale.0")[0].reason


def test_a_saturated_cell_is_condemned_at_once_and_named_soon() -> None:
    counts: dict[int, int] = {}
    board = Board(FakeMcu(counts=lambda cell, _t: counts.get(cell, 200_000), buffer_bytes=4000))
    board.run(3.0)
    counts[1] = COUNTS_MAX
    items = board.run(3.0)

    later = [block for block in scales(items) if block.t_s[0] > 3.05]
    assert not any(block.valid[:, 1].any() for block in later)
    assert later[-1].raw[-1, 1] == COUNTS_MAX
    assert "end of its range" in reports(items, "scale.1")[0].reason


def test_a_missing_inertial_sensor_is_named_and_comes_back() -> None:
    board = Board()
    board.run(3.0)
    board.mcu.unplug_imu()
    gone = board.run(3.0)
    board.mcu.plug_imu()
    back = board.run(3.0)

    assert not motions(gone[len(gone) // 4 :])
    assert sum(len(block.t_s) for block in scales(gone)) > 200
    assert [(r.sensor, r.ok) for r in reports([*gone, *back])] == [("imu", False), ("imu", True)]
    assert "four wires" in reports(gone)[0].reason


def test_an_open_int_wire_is_named_while_samples_come() -> None:
    board = Board()
    board.run(1.0)
    well = board.source.link_health().words
    board.mcu.imu_int_open = True
    board.run(1.0)
    health = board.source.link_health()

    assert well == ""
    assert "INT" in health.words
    assert health.ok
    assert board.source.imu_service() == ImuService(0, int_open=True, who=0x68)


def test_settling_conversions_are_not_believed() -> None:
    counts = {"at": 5_000_000}
    board = Board(FakeMcu(counts=lambda _c, _t: counts["at"], buffer_bytes=4000))
    items = board.run(0.5)
    counts["at"] = 200_000
    board.mcu.reset()
    items = board.run(2.0)

    assert {int(value) for block in scales(items) for value in block.raw[:, 0]} == {200_000}


def garbled(seed: int) -> Callable[[bytes], bytes]:
    """A line that damages one byte in two hundred and swallows some."""
    chance = np.random.default_rng(seed)

    def spoil(data: bytes) -> bytes:
        values = bytearray(data)
        for at in np.flatnonzero(chance.random(len(values)) < 0.005):
            values[at] ^= 1 << int(chance.integers(8))
        return bytes(v for v in values if chance.random() > 0.001)

    return spoil


@examples(3)
@given(st.integers(0, 2**31))
def test_a_bad_line_costs_samples_and_never_truth(seed: int) -> None:
    board = Board()
    board.spoil = garbled(seed)
    items = board.run(3.0)

    assert_in_order(items)
    counts = {int(v) for block in scales(items) for v in block.raw[block.valid]}
    assert counts <= {200_000, 200_001, 200_002, 200_003}
    health = board.source.link_health()
    assert health.bad_crc + health.bad_form > 0
    assert health.lost_on_line > 0


def test_health_names_rates_counters_and_temperature() -> None:
    board = Board()
    board.run(5.0)
    health = board.source.link_health()

    assert health.ok
    assert health.words == ""
    assert health.rates_hz == pytest.approx((82.02, 80.52, 83.23, 84.25), abs=0.05)
    assert health.imu_rate_hz == pytest.approx(200.0, abs=0.1)
    assert health.imu_celsius == pytest.approx(24.2, abs=0.05)
    assert isinstance(board.source, Thermometer)
    assert board.source.imu_temperature_c == health.imu_celsius
    assert (health.firmware, health.boot, health.reset_cause) == (1, 0x100, ("power_on",))
    assert (health.lost_on_line, health.dropped_by_device, health.missed) == (0, 0, (0, 0, 0, 0))
    assert health.age_s is not None
    assert health.age_s < 0.05
    assert health.imu_who == 0x68


def test_a_long_pause_of_the_host_is_worked_off_in_order() -> None:
    board = Board()
    items = board.run(3.0)
    board.mcu.buffer_bytes = 400_000
    board.mcu.advance(5_000_000)
    for until_s in np.arange(3.0, 5.01, 0.5):
        items += board.source.poll(float(until_s))
    board.t_s = 5.0
    items += board.run(1.0)

    assert_in_order(items)
    assert reports(items) == []
    times = [block.t_s for block in pairwise_times(items)]
    assert np.diff(np.concatenate(times)).max() < 0.03


def pairwise_times(items: list[Item]) -> list[ScaleSamples]:
    blocks = scales(items)
    assert all(a.t_s[-1] < b.t_s[0] for a, b in pairwise(blocks))
    return blocks


def in_words(event: TableEvent) -> str:
    if isinstance(event, Placed):
        return event.cell or "somewhere"
    assert isinstance(event, Fault | Restored)
    return f"{'lost' if isinstance(event, Fault) else 'back'}-{event.sensor}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("c3 c4 b3", "c3 c4 b3"),
        ("c3 out 5 in 4 c4", "c3 lost-link lost-link back-link c4"),
        ("c3 c4 out 1 lift 3 in 6", "c3 c4 lost-link lost-link back-link"),
        ("hold 0.9 reset 5", "lost-link back-link c3"),
        ("c3 dead 4 c4", "c3 lost-scale.1 lost-scale.1 c4"),
    ],
    ids=[
        "placements are seen through the line",
        "a pulled plug in mid-game is named once and the game goes on",
        "pieces taken while the plug is out are no topple",
        "a restart with a hand on the board loses no placement",
        "a dead cell in mid-game is named and three carry on",
    ],
)
def test_a_game_through_the_line(steps: str, said: str) -> None:
    game = Played()
    deeds: dict[str, Callable[[], object]] = {
        "out": lambda: setattr(game.board, "plugged", False),
        "in": game.board.plug_in,
        "lift": lambda: game.table.lift("c4"),
        "hold": lambda: game.table.tower.place("c3", grams=3.0, hold_s=0.5),
        "reset": game.board.mcu.reset,
        "dead": lambda: game.board.mcu.unplug_cell(1),
    }
    game.run(3.0)
    for step in steps.split():
        if step in CELLS:
            game.place(step)
        elif step in deeds:
            deeds[step]()
        else:
            game.run(float(step))

    assert " ".join(map(in_words, game.events)) == said
