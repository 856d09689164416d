"""The bench: scenario files, runs, verdicts, reports, the farm and the soak."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from controller import cli
from controller.common.errors import BadScenario
from engine.detect.detector import Detector
from engine.events import Dismissed, Fault, Placed, Suspected, TableEvent, ToppleKind
from lab.bench.drawing import picture
from lab.bench.regression import first_difference
from lab.bench.running import play_and_judge, unsteady
from lab.bench.scenario import Case
from lab.bench.scenario_files import SHIPPED, find, load, read
from lab.bench.summary import compared, regressed, summarised
from lab.bench.verdict import judge

FIVE_LINES = """about: A red piece on d4 is seen there.
steps:
  - turns: [3 d4]
expect:
  - placed: d4
"""


def one(text: str = FIVE_LINES) -> Case:
    return read(text, "short", "short.yaml")[0]


SUSPICIONS = """about: A table that suspects something at each piece, and lets it be.
steps:
  - turns: [3 d4]
expect:
  - placed: d4
  - suspected: off_stack
    within: 20
  - dismissed: yes
  - mqtt: event
    payload: {type: suspected, data.probability: 0.6}
"""


@pytest.mark.slow
def test_suspicions_can_be_expected_and_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Detector.next_event
    waiting: list[TableEvent] = []

    def suspicious(self: Detector, until_s: float = float("inf")) -> TableEvent | None:
        if waiting:
            return waiting.pop(0)
        event = told(self, until_s)
        if isinstance(event, Placed):
            t_s = event.decided_s
            waiting.append(Suspected(90, t_s, t_s, 0.6, ToppleKind.OFF_STACK))
            waiting.append(Dismissed(90, t_s))
        return event

    monkeypatch.setattr(Detector, "next_event", suspicious)
    found = play_and_judge(one(SUSPICIONS))
    wrong = play_and_judge(
        one(SUSPICIONS.replace("off_stack", "collapse") + "  - never: suspected\n")
    )

    assert found.verdict.failures == ()
    assert "not collapse" in wrong.verdict.failures[0]
    assert "suspected off_stack (probability 0.60) at" in wrong.verdict.failures[0]
    assert any("never suspected" in words for words in wrong.verdict.failures)
    assert "suspected off_stack" in picture(found.run)


FAULT = """
about: A sensor falls silent and is back.
steps:
  - {fault: imu missing, pause: 3}
  - {mend: yes, pause: 3}
expect:
  - fault: imu
  - restored: imu
"""


def test_a_better_reason_for_what_fails_already_is_expected_and_another_sensor_is_not() -> None:
    case = one(FAULT)
    run = play_and_judge(case).run
    place = next(n for n, seen in enumerate(run.seen) if isinstance(seen.event, Fault))

    def failures_with(sensor: str, after: int) -> str:
        more = replace(run.seen[place], event=Fault(1.0, sensor, "Its plug is out."))
        seen = (*run.seen[: place + after], more, *run.seen[place + after :])
        return "; ".join(judge(case, replace(run, seen=seen)).failures)

    assert failures_with("imu", 1) == ""
    assert "unexpected: fault of scale.1" in failures_with("scale.1", 1)
    assert "unexpected: fault of imu" in failures_with("imu", 2)


def test_a_scenario_takes_five_lines() -> None:
    result = play_and_judge(one())

    assert result.verdict.failures == ()
    assert len(FIVE_LINES.splitlines()) == 5


def test_what_is_not_so_fails_and_says_why() -> None:
    wrong = play_and_judge(one(FIVE_LINES.replace("placed: d4", "placed: a1")))

    came = "placed d4 (confidence 1.00) at"
    assert wrong.verdict.failures[0].startswith(
        f"short.yaml line 5: expected placed a1; came {came}"
    )
    assert any(words.startswith(f"unexpected: {came}") for words in wrong.verdict.failures)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a", "line 1: a scenario begins with"),
        ("about: x\nstep: []", "line 2: step: there is no such key; did you mean steps?"),
        ("about: x\nsteps:\n  - plaice: d4", "line 3: steps.0.plaice: there is no such key; did"),
        ("about: x\nsteps:\n  - place: z9", "line 3: steps.0.place"),
        ("about: x\nsteps:\n  - {place: d4, roll: 3}", "line 3: steps.0: a step has exactly one"),
        ("about: x\nsteps:\n  - fault: unpluged cell C1", "did you mean 'unplugged'?"),
        ("about: x\nsteps: []", "nothing happens"),
        ("about: x\nsteps: [wait: 1]\nmeasure: {speed: at most 1}", "line 3: measure.speed"),
        ("about: x\nsteps: [wait: 1]\nmeasure: {missed: <= 1}", "`at most 1.2`"),
        ("about: x\nsteps: [wait: 1]\nexpect: [{placed: d4, after: b}]", "no step has the id 'b'"),
        ("about: [x\n", "line "),
        ("about: x\nsteps: &a [wait: 1, *a]", "line 2: write it out; *names are not read"),
        (f"%YAML {'9' * 5000}.1\n---\na: b", "this is not YAML"),
        ("about: x\nsteps: !!timestamp soon", "a value is not what its !!tag says"),
        ("a: " + "[" * 9000, "this is not YAML"),
        ("about: x\nsteps: [wait: 1]\nseeds: 5000\nsweep: {n: [1, 2]}", "more than 5000 cases"),
    ],
)
def test_a_mistake_is_named_with_line_and_key(text: str, words: str) -> None:
    with pytest.raises(BadScenario) as error:
        read(text, "bad", "bad.yaml")

    assert words in str(error.value)
    assert str(error.value).startswith("bad.yaml: ")


def test_sweeps_and_seeds_make_cases() -> None:
    text = FIVE_LINES.replace("d4", "$cell") + "sweep: {cell: [d4, b2]}\nseeds: 2\n"

    ids = [case.id for case in read(text, "s", "s.yaml")]

    assert ids == ["s[cell=d4]", "s[cell=d4,seed=2]", "s[cell=b2]", "s[cell=b2,seed=2]"]


@pytest.mark.slow
def test_one_seed_is_one_run_however_often_and_on_how_many_processes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = load(find(["taps_bumps_leans"])[0])[0]

    results = [play_and_judge(case, number=number) for number in (1, 2)]

    assert unsteady(results) == []
    assert results[0].run.seen == results[1].run.seen
    order = ["bench", "taps_bumps_leans", "--repeat", "2", "--jobs", "2"]
    assert cli.main([*order, "--", "-k", "not seed"]) == 0
    assert "2 of 2 cases passed (1 scenarios" in capsys.readouterr().out


def test_a_case_that_comes_out_otherwise_the_second_time_is_told() -> None:
    first = play_and_judge(one())
    measures = {**first.verdict.measures, "placements": 2.0}
    second = replace(first, number=2, verdict=replace(first.verdict, measures=measures))

    assert unsteady([first, second]) == ["short #2: not the same as the first time"]


def test_at_least_forty_scenarios_are_shipped_and_each_can_be_read() -> None:
    scenarios = [load(path)[0].scenario for path in find(["all"])]

    assert len(scenarios) >= 40
    assert all(any(not s.left_out(target) for s in scenarios) for target in ("sim", "lab", "rig"))
    assert len({s.about for s in scenarios}) == len(scenarios)


NOT_AT_A_TABLE = {
    "T3": "the roll-off is over when a game is started",
    "T34": "48 pieces take five minutes; the rules have their own test",
    "T38": "not covered by the rules either",
}
"""Rules of Topple that no scenario can be about."""

MISHAPS = {
    *("dead_cell", "stuck", "saturated", "noisy", "drifting", "slow_clock", "wrong_rate"),
    *("chip_reset", "glitches", "imu_nack", "imu_dead", "dout_high", "dout_low", "no_scale"),
    *("mains_hum", "noisy_supply", "switch_closed", "loose_usb"),
    *("serial flip", "serial drop", "serial duplicate", "serial unplug", "serial garbage"),
    *("serial crowded", "i2c stretched"),
    *("broker down", "broker slow", "broker duplicate"),
    *("clock jump", "process kill", "disk full", "mcu reset", "mcu hang"),
    *("chip unplugged", "chip shorted", "i2c nack", "i2c brown out", "pivot rough"),
}


def test_every_rule_of_topple_and_every_mishap_has_its_scenario() -> None:
    covered = {about for path in find(["all"]) for about in load(path)[0].scenario.covers}

    rules = {f"T{number}" for number in range(1, 39)} - NOT_AT_A_TABLE.keys()
    assert rules - covered == set()
    assert MISHAPS - covered == set()


def test_no_scenario_but_three_lets_pass_what_it_does_not_expect() -> None:
    allowing = [path.stem for path in find(["all"]) if load(path)[0].scenario.unexpected == "allow"]

    # Pieces are placed while the process is down, a piece that is taken away looks like a fall for
    # a moment, and a table is measured whatever it sees.
    assert sorted(allowing) == [
        "evening_with_power_cuts", "question_taken_back", "table_assumptions"
    ]  # fmt: skip


QUICK = [
    p.stem
    for p in SHIPPED.glob("*.yaml")
    if not p.stem.startswith(("evening", "line", "mcu", "chip", "table_"))
]


KNOWN: dict[str, str] = {}
"""Scenarios that find something that is not mended yet; once it is, the test says so."""


def marked(name: str) -> Any:
    marks = pytest.mark.xfail(reason=KNOWN[name], strict=True) if name in KNOWN else ()
    return pytest.param(name, marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize("name", [marked(name) for name in sorted(QUICK)])
def test_shipped_scenarios_pass_on_the_simulated_table(
    name: str, pytestconfig: pytest.Config
) -> None:
    cases = load(find([name])[0])
    for case in cases if pytestconfig.getoption("--soak") else cases[:1]:
        assert play_and_judge(case).verdict.failures == ()


@pytest.mark.slow
def test_an_evening_passes() -> None:
    assert play_and_judge(load(find(["evening_with_power_cuts"])[0])[0]).verdict.failures == ()


@pytest.mark.slow
def test_the_command_writes_report_junit_and_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "short.yaml"
    scenario.write_text(FIVE_LINES)
    folder = tmp_path / "not" / "yet" / "there"
    xml = folder / "junit.xml"
    order = ["bench", str(scenario), "--report", str(folder), "--junit", str(xml), "--record"]

    assert cli.main([*order, "--jobs", "1"]) == 0
    assert cli.main([*order, "--jobs", "1"]) == 0

    page = (folder / "report.html").read_text()
    assert "1 cases, all passed" in page
    assert 'download="short.mcap"' in page
    assert "<polyline" in page
    assert "://" not in page
    assert 'class="spark"' in page
    assert 'tests="1"' in xml.read_text()
    assert "1 of 1 cases passed" in capsys.readouterr().out
    assert cli.main(["bench", "compare", str(folder), str(folder)]) == 0


@pytest.mark.slow
def test_a_failure_ends_with_one_and_bad_input_with_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "wrong.yaml"
    scenario.write_text(FIVE_LINES.replace("placed: d4", "placed: a1"))

    xml = tmp_path / "junit.xml"

    assert cli.main(["bench", str(scenario), "--jobs", "1", "--junit", str(xml)]) == 1
    assert "wrong.yaml line 5: expected placed a1; came placed d4 (" in xml.read_text()
    assert "FAILED wrong: A red piece on d4 is seen there." in capsys.readouterr().out
    assert cli.main(["bench", "place_won"]) == 2
    assert "did you mean place_one?" in capsys.readouterr().err
    assert cli.main(["bench", "place_one", "--target", "moon"]) == 2
    assert cli.main(["bench", "soak"]) == 2


@pytest.mark.slow
def test_two_reports_are_compared_regressions_first() -> None:
    good = play_and_judge(one())
    bad = replace(good, verdict=play_and_judge(one(FIVE_LINES + "  - placed: a1\n")).verdict)
    before, after = summarised([good], "1", "0.1"), summarised([bad], "2", "0.1")

    assert regressed(before, after) == ["short"]
    assert compared(before, after)[0] == ("short", "verdict", "passed", "failed")
    assert regressed(after, before) == []


def test_a_picture_marks_events() -> None:
    assert ">d4</text>" in picture(play_and_judge(one()).run)


def test_faults_are_bands_as_long_as_they_last() -> None:
    text = "about: x\nsteps:\n  - {fault: {words: stuck cell C0, seconds: 3}, pause: 1}\n"
    text += "  - {fault: imu missing, pause: 4}\n  - mend: yes\n  - wait: 3\nunexpected: allow\n"

    marks = [mark for mark in play_and_judge(one(text)).run.marks if mark.kind == "fault"]

    lasted = {mark.text: round((mark.lasts_to_s or 0.0) - mark.t_s, 1) for mark in marks}
    assert lasted == {"stuck cell C0, 3 s": 3.0, "imu missing": 4.0}


@pytest.mark.slow
def test_what_a_target_cannot_play_is_named_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    xml, folder = tmp_path / "junit.xml", tmp_path / "report"
    order = ["bench", "place_one", "mcu_reset", "--jobs", "1", "--report", str(folder)]

    assert cli.main([*order, "--junit", str(xml)]) == 0

    why = "it is written for lab"
    assert f"Left out on sim: mcu_reset: {why}." in capsys.readouterr().out
    assert f'type="pytest.skip" message="{why}"' in xml.read_text()
    assert f"<td>mcu_reset</td><td>{why}</td>" in (folder / "report.html").read_text()


def test_a_rig_leaves_out_what_no_hand_can_do() -> None:
    reasons = {load(p)[0].scenario.name: load(p)[0].scenario.left_out("rig") for p in find(["all"])}

    assert reasons["power_cut"] == "a person cannot do this: kill"
    assert reasons["evening_calm"] == "its people are simulated"
    assert reasons["place_every_cell"] == ""


def test_a_recording_is_adopted_and_held_to_its_outcome(tmp_path: Path) -> None:
    play_and_judge(one(), record=tmp_path)
    recording = next(tmp_path.glob("*.mcap"))

    assert cli.main(["bench", "replay", str(tmp_path)]) == 1
    assert cli.main(["bench", "adopt", str(recording)]) == 0
    assert cli.main(["bench", "replay", str(tmp_path)]) == 0
    stored = recording.with_suffix(".outcome.jsonl")
    stored.write_text(stored.read_text().replace('"d4"', '"d3"'))
    assert cli.main(["bench", "replay", str(tmp_path)]) == 1


def test_rounding_is_no_difference_and_a_cell_is() -> None:
    line = {"type": "placed", "t": 2.0, "cell": "d4"}

    assert first_difference([line], [line | {"t": 2.01}]) == ""
    assert first_difference([line], [line | {"cell": "d3"}]) == "line 1 (placed): cell d3, not d4"


@pytest.mark.slow
def test_the_lab_plays_the_same_scenario_on_the_real_firmware() -> None:
    if shutil.which("avr-gcc") is None:
        pytest.skip("avr-gcc is missing; apt-get install gcc-avr avr-libc")
    result = play_and_judge(one(), "lab")

    assert result.verdict.failures == ()
    assert result.verdict.measures["pin_violations"] == 0


class Blind(Detector):
    """Somebody's own detector, which sees nothing."""

    def next_event(self, until_s: float = 0.0) -> None:
        super().next_event(until_s)


@pytest.mark.slow
def test_the_plugin_lets_others_test_their_detector(topple_bench: Callable[..., Any]) -> None:
    assert topple_bench("place_one").verdict.passed
    assert not topple_bench(FIVE_LINES, detector=Blind).verdict.passed


def test_a_weight_on_the_base_plate_is_weighed_and_is_no_piece() -> None:
    text = "about: x\nsteps: [weight: {grams: 150, seconds: 5}, wait: 5]\n"

    result = play_and_judge(read(text, "w", "w.yaml")[0])

    assert result.verdict.passed, result.verdict.failures
    weights = [m.document()["mass_g"] for m in result.run.sent if m.suffix == "trace"]
    assert max(weights) == pytest.approx(150, abs=2)
    assert weights[-1] == pytest.approx(0, abs=2)
