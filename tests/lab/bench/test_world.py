"""The world of a case: drawn anew for each, the same for the same."""

import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from controller.journal.journal import Journal
from engine.events import Placed
from lab.bench.earlier import play_earlier
from lab.bench.running import play_and_judge
from lab.bench.scenario import Case
from lab.bench.scenario_files import find, load, read
from lab.bench.world import LONGEST_DAYS, NUMBERS, RESTARTED, ZONES, World, world_of
from lab.mock import living_parameters

TURNS = """about: Two pieces are seen.
steps:
  - turns: [3 d4, 3 b2, 4 e2]
expect:
  - truth: yes
"""


def worlds(text: str = TURNS, count: int = 60) -> list[World]:
    return [world_of(case) for case in read(f"{text}seeds: {count}\n", "short", "short.yaml")]


def test_one_case_has_one_world_and_every_case_another() -> None:
    first, again = worlds(count=6), worlds(count=6)
    swept = TURNS + "sweep: {cell: [a1, b1]}\n"

    assert first == again
    assert all(one != two for one, two in pairwise(first))
    assert len({world.earlier for world in worlds(swept, count=1)}) == 2


def test_sensors_are_mounted_and_wired_in_every_way() -> None:
    imus = [world.parameters.imu for world in worlds()]
    gains = np.array([world.parameters.scale.counts_per_gram for world in worlds()])

    upright = {tuple(np.rint(np.ravel(imu.rotation)).astype(int)) for imu in imus}
    assert len(upright) > 15
    assert max(abs(bias) for imu in imus for bias in imu.gyro_bias_dps) > 2.0
    assert {tuple(row) for row in np.sign(gains).astype(int)} > {(1, 1, 1, 1), (1, -1, 1, 1)}
    assert np.ptp(abs(gains), axis=1).min() > 50.0


@pytest.mark.slow
def test_computers_stand_in_every_time_zone_and_ours_stays_where_it_was() -> None:
    before = time.localtime(0.0)
    (case,) = [case for case in read(f"{TURNS}seeds: 60\n", "short", "short.yaml")
               if world_of(case).zone == "LINT-14"][:1]  # fmt: skip
    assert play_and_judge(case).verdict.passed

    assert time.localtime(0.0) == before
    assert {world.zone for world in worlds()} == set(ZONES)


def test_a_quiet_table_weighs_as_quietly_on_cells_of_any_gain() -> None:
    usual = living_parameters().scale
    noise_g = np.divide(usual.noise_counts, usual.counts_per_gram)

    for world in worlds(count=5):
        scale = world.parameters.scale
        assert np.allclose(np.divide(scale.noise_counts, np.abs(scale.counts_per_gram)), noise_g)
        assert world.parameters.body.friction_band_deg == 0.02


def test_an_evening_of_days_ago_left_numbers_beyond_two_bytes() -> None:
    for world in worlds(count=20):
        earlier = world.earlier
        assert 86_400 <= earlier.ended_s <= LONGEST_DAYS * 86_400
        assert min(earlier.last_id, earlier.next_ref, earlier.rev, earlier.seq) >= NUMBERS[0]


def test_half_of_the_cases_are_started_again_between_two_turns() -> None:
    restarts = [world.restart_after for world in worlds(count=200)]

    assert {*restarts} == {None, 1, 2}
    assert abs(sum(after is not None for after in restarts) / 200 - RESTARTED) < 0.12


@pytest.mark.parametrize("step", ["kill: yes", "fault: imu missing", "broker: down", "clock: 60"])
def test_no_restart_comes_where_something_else_goes_wrong(step: str) -> None:
    text = TURNS.replace("expect:", f"  - {step}\nexpect:")

    assert all(world.restart_after is None for world in worlds(text))


def test_the_earlier_evening_is_a_journal_that_a_table_goes_on_with(tmp_path: Path) -> None:
    earlier = worlds(count=1)[0].earlier
    play_earlier(tmp_path / "journal.sqlite", earlier)

    with Journal(tmp_path / "journal.sqlite") as journal:
        resumed = journal.resume()

    assert resumed.state.last_source == earlier.last_id
    assert resumed.state.rev > earlier.rev
    assert resumed.resume_s > earlier.ended_s
    assert resumed.state.position.phase == "over"


def restarted() -> Case:
    cases = read(TURNS + "seeds: 20\n", "short", "short.yaml")
    return next(case for case in cases if world_of(case).restart_after == 2)


@pytest.mark.slow
def test_a_game_goes_on_after_the_restart_with_numbers_of_its_own() -> None:
    result = play_and_judge(restarted())
    placed = [(s.event.id, s.process) for s in result.run.seen if isinstance(s.event, Placed)]

    assert result.verdict.failures == ()
    last = world_of(restarted()).earlier.last_id
    assert placed == [(last + 1, 0), (last + 2, 0), (last + 3, 1)]
    assert any(mark.text == "started again" for mark in result.run.marks)


def test_shipped_scenarios_draw_their_tables_but_for_one() -> None:
    plain = {
        load(path)[0].scenario.name for path in find(["all"]) if load(path)[0].scenario.drawn < 1
    }

    assert plain == {"every_event"}
