"""The acceptance test of a built table: on real hardware, with a person who follows prompts.

    TOPPLE_RIG_CONFIG=table.toml .venv/bin/python -m pytest tests/rig --rig -s -n0

Opt-in (`--rig`): it needs the table, and about ten minutes of somebody's time. See README.md here.
"""

import os
from pathlib import Path

import pytest

from lab.bench.outside.hands import LeftOut
from lab.bench.outside.people_hand import hand_of
from lab.bench.rig import RigTarget
from lab.bench.scenario import Case
from lab.bench.scenario_files import find, load

ACCEPTANCE = (
    "place_one",
    "rule_stack",
    "rule_row_completed",
    "hand_touch",
    "piece_put_back",
    "taps_bumps_leans",
    "undo_redo",
)
"""What a new table must be able to; `place_every_cell` besides, for those with patience."""


def cases() -> list[Case]:
    return [load(path)[0] for path in find(ACCEPTANCE)]


@pytest.fixture(scope="module")
def config() -> Path:
    named = os.environ.get("TOPPLE_RIG_CONFIG", "")
    assert named, "name the table's configuration: TOPPLE_RIG_CONFIG=table.toml"
    return Path(named)


@pytest.mark.rig
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_a_built_table_passes(case: Case, config: Path) -> None:
    people = hand_of(None, phone=bool(os.environ.get("TOPPLE_RIG_PHONE")))
    table = RigTarget(people, config)
    try:
        assert table.judged(case).verdict.failures == ()
    except LeftOut as why:
        pytest.skip(str(why))
    finally:
        table.close()


def test_the_acceptance_test_asks_for_nothing_that_hands_cannot_do() -> None:
    assert [case.scenario.left_out("rig") for case in cases()] == [""] * len(ACCEPTANCE)
