"""The rig: a person who is asked, played here by one who does what the words say at the twin."""

import io
import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from controller.common.errors import BadInput
from controller.workshop.pace import Pace
from lab.bench.observed import Run
from lab.bench.outside.hands import BegunAgain, LeftOut
from lab.bench.outside.people_hand import WORDS, PeopleHand
from lab.bench.outside.sitting import Known
from lab.bench.prompts import DONE, SpokenPrompts
from lab.bench.rig import MEASURED, RigTarget
from lab.bench.scenario import Case
from lab.bench.scenario_files import find, load, read
from lab.bench.verdict import judge
from lab.fit import command as fit
from lab.fit.fitted import read_table
from lab.mock import MockTable, living_parameters

EMPTY = Path(os.devnull)
"""A configuration that leaves all as it is; the tests bring their own samples."""


class Somebody(SpokenPrompts):
    """Reads the prompt, does it at the simulated tower, and says so, or `answers`, one by one."""

    def __init__(self, table: MockTable, *, clumsy: bool = False, answers: str = "") -> None:
        super().__init__(io.StringIO())
        self._table, self._clumsy = table, clumsy
        self._answers = answers.split()
        self.asked: list[str] = []
        self._deed: object = None

    def ask(self, words: str, progress: str = "") -> None:
        super().ask(words, progress)
        self.asked.append(words)
        self._deed = None
        found = re.match(r"Place a (\w+) piece on (\w\d)", words)
        if found:
            cell = "a1" if self._clumsy else found[2]
            self._deed = self._table.tower.place(cell, found[1], hold_s=0.4)
        elif words.startswith("Put 150 g"):
            self._table.tower.put_weight(150.0, 60.0, 60.0)
        elif words.startswith("Take the weight"):
            self._table.tower.take_weights()
        elif "Touch" in words:
            self._deed = self._table.tower.touch_with_piece(words.split()[1], 0.4)

    @property
    def pressed(self) -> str:
        if not super().pressed and getattr(self._deed, "done", True):
            self.press(self.now.number, self._answers.pop(0) if self._answers else DONE)
        return super().pressed


def played(
    case: Case, *, clumsy: bool = False, answers: str = "", record: Path | None = None
) -> tuple[Run, Somebody]:
    table = MockTable(living_parameters())
    somebody = Somebody(table, clumsy=clumsy, answers=answers)
    clock = [0.0]

    def sleep(seconds: float) -> None:
        clock[0] += seconds

    pace = partial(Pace, live=True, clock=lambda: clock[0], pause=sleep)
    rig = RigTarget(lambda: PeopleHand(somebody), EMPTY, record, lambda _: table, pace)
    run, known = rig.sat(case)
    assert known == Known(whole=True, timed=True, flags=True, sensors=True)
    return run, somebody


def shipped(name: str) -> Case:
    return load(find([name])[0])[0]


def test_who_does_what_is_asked_passes_and_is_told_what_was_seen() -> None:
    case = shipped("rule_stack")

    run, somebody = played(case)

    assert judge(case, run).failures == ()
    assert somebody.asked[:2] == [
        "Take all pieces off the board; hands off.",
        "Place a red piece on c3, let it go, hands off.",
    ]
    assert somebody.asked[2].startswith("Place a blue piece on c3")
    assert re.match(r"placed c3 \(confidence (0\.9\d|1\.00)\) at ", somebody.now.seen)


def test_a_piece_on_a_wrong_cell_fails_and_is_named() -> None:
    case = shipped("place_one")

    run, _ = played(case, clumsy=True)

    assert "a1" in judge(case, run).failures[0]


def test_what_people_say_is_said_by_the_bench_and_checks_are_looked_at() -> None:
    text = """about: speech
steps:
  - turns: [1 c3, 1 c3]
  - undo: yes
  - check: {board: {c3: [red]}}
  - command: {verb: undo, rev: stale, id: old}
  - check: {reply: {ok: false, code: stale-rev}}
expect:
  - {placed: c3, times: 2}
  - board: {c3: [red]}
"""
    case = read(text, "speech", "speech.yaml")[0]

    run, _ = played(case)

    assert judge(case, run).failures == ()
    assert [ok for _, _, ok in run.checks] == [True, True]


@pytest.mark.slow
def test_a_wait_is_waited_out_whatever_anybody_taps() -> None:
    case = read("about: x\nsteps: [wait: 30]\n", "w", "w.yaml")[0]

    run, _ = played(case)

    assert run.end_s > 35


def measuring(wait_s: int) -> Case:
    text = f"""about: x
unexpected: allow
steps: [weight: {{grams: 150, seconds: 10}}, wait: {wait_s}]
"""
    return read(text, MEASURED, "m.yaml")[0]


@pytest.mark.slow
def test_the_case_that_measures_the_table_ends_with_a_page_of_its_assumptions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, somebody = played(measuring(15), record=tmp_path)

    assert [words[:11] for words in somebody.asked] == [
        "Take all pi", "Put 150 g (", "Take the we", "Wait 15 sec"
    ]  # fmt: skip
    assert max(m.document()["mass_g"] for m in run.sent if m.suffix == "trace") > 140
    assert "cell_noise_counts" in (tmp_path / "table.html").read_text()
    assert read_table((tmp_path / "table.json").read_bytes(), "t")[1].scale.noise_counts[0] > 0
    assert (tmp_path / run.recording).is_file()
    assert "table.html" in capsys.readouterr().out


@pytest.mark.slow
def test_a_measurement_that_is_broken_off_early_says_so_and_keeps_its_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit, "LEAST_S", 1000.0)

    run, _ = played(measuring(1), record=tmp_path)

    assert "a fit needs 1000 s or more" in capsys.readouterr().out
    assert (tmp_path / run.recording).is_file()
    assert not (tmp_path / "table.html").exists()


def test_what_is_fitted_is_a_case_that_hands_can_play() -> None:
    assert not shipped(MEASURED).scenario.left_out("rig")


def test_a_rig_needs_a_configuration() -> None:
    with pytest.raises(BadInput, match="--config FILE"):
        RigTarget(lambda: PeopleHand(SpokenPrompts())).need()


@pytest.mark.slow
def test_people_are_not_hurried_and_can_begin_again_or_skip_at_every_deed() -> None:
    with pytest.raises(BegunAgain):
        played(shipped("rule_stack"), answers="done done again")
    with pytest.raises(LeftOut, match="place c3: skipped: Place a blue piece on c3"):
        played(shipped("rule_stack"), answers="done done skip")
    with pytest.raises(BegunAgain, match="the table has taken it for something"):
        played(shipped("place_one"), answers="done dropped dropped dropped")


def verbs_by_hand() -> Iterator[str]:
    for path in find(["all"]):
        scenario = load(path)[0].scenario
        if not scenario.left_out("rig"):
            yield from (step.verb for step in scenario.steps)


def test_every_verb_a_rig_may_meet_is_asked_for_or_said() -> None:
    from lab.bench.actions import ACTS

    assert {
        v for v in verbs_by_hand() if v not in ("turns", "wait", "weight", *WORDS)
    } <= ACTS.keys()
