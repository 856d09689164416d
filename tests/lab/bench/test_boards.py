"""Boards of others behind the bench: how they are found, and a whole one that is played."""

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from controller import cli
from controller.common.errors import BadInput
from engine.samples import ImuSamples, ScaleSamples
from hw.source import item_time_s
from lab.bench.boards import ENTRY_POINTS, BoardTarget, board_target, left_out, name_of
from lab.bench.report import write_report
from lab.bench.running import Result, play_and_judge
from lab.bench.scenario import Case
from lab.bench.scenario_files import find, load, read
from lab.bench.schema import scenario_schema
from lab.bench.shrinking import shrink
from lab.chips.hx711 import MidRead
from lab.mock import MockTable, living_parameters
from tests.firmware_bridge.lab.build import need_lab
from tests.hw.sources import assert_in_order, column
from tests.lab.bench.second_firmware.target import KNOWN, LEFT_OUT, CsvTarget

WORD = "tests.lab.bench.second_firmware.target:CsvTarget"
HANG = Path(__file__).parent / "second_firmware" / "hang.yaml"
Bench = Callable[..., Any]


def scenario(name: str) -> Any:
    return load(find([name])[0])[0].scenario


# --- how a target is named ---------------------------------------------------------------------


def test_a_target_is_named_by_word_by_module_or_is_one() -> None:
    assert board_target("sim") is None
    assert isinstance(board_target("lab"), BoardTarget)
    assert isinstance(board_target(WORD), CsvTarget)
    assert name_of(CsvTarget()) == name_of(WORD) == "csv"


def test_an_installed_package_brings_its_target_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(group: str) -> EntryPoints:
        return EntryPoints([EntryPoint("csv", WORD, ENTRY_POINTS)]).select(group=group)

    monkeypatch.setattr("lab.bench.boards.metadata.entry_points", installed)

    assert isinstance(board_target("csv"), CsvTarget)
    with pytest.raises(BadInput, match="there are sim, lab, rig, csv; or"):
        board_target("cvs")


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("moon", "there are sim, lab, rig; or name your own as module:attribute"),
        ("mqtt://u:secret@h/t1", "--target h/t1: topple-table bench plays there"),
        ("nowhere:Board", "No module named 'nowhere'"),
        ("json:nothing", "has no attribute 'nothing'"),
        ("json:JSONDecoder", "it has no name, like, known, left_out, need, board"),
    ],
)
def test_a_word_that_is_no_target_is_refused_with_what_to_say(word: str, words: str) -> None:
    with pytest.raises(BadInput) as refused:
        board_target(word)

    assert words in str(refused.value)


def test_a_board_leaves_out_what_its_kind_cannot_and_what_it_says_itself() -> None:
    csv = CsvTarget()

    assert left_out(scenario("place_one"), csv) == ""
    assert "nobody can count" in left_out(scenario("line_drop"), csv)
    assert left_out(scenario("mcu_reset"), csv) == LEFT_OUT["mcu_reset"]
    assert left_out(scenario("table_assumptions"), csv).startswith("it is written for rig")


# --- what is known to fail ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def passed() -> Result:
    return play_and_judge(read("about: x\nsteps: [wait: 1]\n", "still", "still.yaml")[0])


@pytest.fixture(scope="module")
def failed() -> Result:
    text = "about: x\nsteps: [wait: 1]\nexpect: [placed: d4]\n"
    return play_and_judge(read(text, "empty", "empty.yaml")[0])


def known(result: Result) -> Result:
    from dataclasses import replace

    return replace(result, known="it cannot see")


def test_what_is_known_to_fail_must_fail(passed: Result, failed: Result) -> None:
    assert passed.as_it_must_be
    assert not failed.as_it_must_be
    assert known(failed).as_it_must_be
    assert known(passed).complaint == (
        "it passes, and was known to fail (it cannot see); take it off the list"
    )


def test_reports_say_what_was_known(passed: Result, failed: Result, tmp_path: Path) -> None:
    results = [passed, known(failed)]
    path = write_report(results, tmp_path, {}, {})
    page = path.read_text()

    assert "1 passed, 1 failed as is known" in page
    assert "Known to fail: it cannot see." in page


# --- the second firmware -----------------------------------------------------------------------


def test_its_own_scenario_is_one() -> None:
    jsonschema_rs.validate(scenario_schema(), yaml.safe_load(HANG.read_text()))


def test_it_is_a_source_as_the_protocol_wants_it() -> None:
    need_lab()
    hand = MockTable(living_parameters())
    source = CsvTarget().board(hand, hand.calibration, "short").source
    items, t_s = [], 0.0
    for step_s in (0.1, 0.3, 0.05, 1.0, 0.5):
        t_s += step_s
        items += source.poll(t_s)
        assert all(item_time_s(item) <= t_s for item in items)

    assert_in_order(items)
    assert source.poll(1.0) == []
    assert len(column(items, ImuSamples)) == pytest.approx(100 * t_s, rel=0.1)
    assert len(column(items, ScaleSamples)) == pytest.approx(78.5 * t_s, rel=0.1)
    source.close()
    assert source.ended


@pytest.mark.slow
def test_a_shipped_scenario_is_played_on_it_through_the_plugin(topple_bench: Bench) -> None:
    result = topple_bench("place_one", target=CsvTarget())

    assert result.verdict.failures == ()
    assert result.target == "csv"


def test_what_it_cannot_play_is_skipped_with_the_reason(topple_bench: Bench) -> None:
    with pytest.raises(pytest.skip.Exception, match="a count of resets"):
        topple_bench("mcu_reset", target=CsvTarget())


WELL = ("rule_stack", "hand_touch", "power_cut", "line_garbage")


@pytest.mark.slow
@pytest.mark.parametrize("name", WELL)
def test_these_it_plays_as_well_as_the_first(name: str, topple_bench: Bench) -> None:
    assert topple_bench(name, target=CsvTarget()).verdict.failures == ()


@pytest.mark.slow
def test_a_shipped_scenario_finds_that_one_chip_silences_all(topple_bench: Bench) -> None:
    result = topple_bench("chip_unplugged", target=CsvTarget())

    assert any("4 of the four load cells are lost" in words for words in result.verdict.failures)
    assert result.known == KNOWN["chip_unplugged"]


def missed_fall(name: str) -> Result:
    """A case of five in which spoilt data words make a fall go wrong: in most they do."""
    scenario = load(find([name])[0])[0].scenario
    played = (play_and_judge(Case(scenario, seed), CsvTarget()) for seed in range(1, 6))
    return next(result for result in played if not result.verdict.passed)


@pytest.mark.slow
def test_a_shipped_scenario_finds_that_falls_go_wrong() -> None:
    need_lab()
    result = missed_fall("rule_topple_placing")

    assert play_and_judge(result.case).verdict.failures == ()


def test_conversions_that_end_during_a_reading_are_common_on_one_clock() -> None:
    need_lab()
    hand = MockTable(living_parameters())
    source = CsvTarget().board(hand, hand.calibration, "still").source

    source.poll(4.0)

    amid = [rule for rule in source.table.violations if "a conversion ended after" in rule]
    assert len(amid) > 4


@pytest.mark.slow
def test_wrong_falls_come_from_spoilt_words_and_nothing_else(topple_bench: Bench) -> None:
    class Sparing(CsvTarget):
        """The same board with chips that keep a word while it is read."""

        def board(self, tower: Any, calibration: Any, case_id: str) -> Any:
            board = super().board(tower, calibration, case_id)
            for cell in board.source.table.cells:
                cell.chip.mid_read = MidRead.HELD
            return board

    assert topple_bench("rule_topple_placing", target=Sparing()).verdict.failures == ()


@pytest.mark.soak
def test_what_fails_on_it_is_shrunk_to_what_passes_on_the_simulated_tower(
    tmp_path: Path,
) -> None:
    need_lab()
    failed = missed_fall("rule_topple_placing")

    shrink(failed, CsvTarget(), tmp_path)

    (small,) = load(next(tmp_path.glob("*.yaml")))
    assert len(small.scenario.steps) < len(failed.case.scenario.steps)
    assert not play_and_judge(small, CsvTarget()).verdict.passed
    assert play_and_judge(small).verdict.passed


@pytest.mark.slow
def test_the_command_writes_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need_lab()
    xml = tmp_path / "junit.xml"
    names = ["place_one", str(HANG), "line_drop"]
    order = ["bench", *names, "--target", WORD, "--report", str(tmp_path), "--junit", str(xml)]

    assert cli.main([*order, "--jobs", "1"]) == 0

    said = capsys.readouterr().out
    assert "1 of 2 cases passed, 1 failed as is known" in said
    assert f"Known to fail: hang: {KNOWN['hang']}." in said
    assert "Left out on csv: line_drop: its lines have no numbers" in said
    page = (tmp_path / "report.html").read_text()
    assert "<dd>csv</dd>" in page
    assert "✗ known" in page
    assert f'type="pytest.xfail" message="{KNOWN["hang"]}"' in xml.read_text()


@pytest.mark.slow
def test_an_ini_option_names_the_board_for_a_whole_suite(tmp_path: Path) -> None:
    need_lab()
    test = tmp_path / "test_mine.py"
    test.write_text(
        "def test_it(topple_bench):\n    assert topple_bench('place_one').target == 'csv'\n"
    )
    root = Path(__file__).parents[3]
    (tmp_path / "pytest.ini").write_text(f"[pytest]\ntopple_bench_target = {WORD}\n")
    order = [sys.executable, "-m", "pytest", "-q", "-c", str(tmp_path / "pytest.ini"), str(test)]

    ran = subprocess.run(order, cwd=root, capture_output=True, text=True, check=False)

    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr
