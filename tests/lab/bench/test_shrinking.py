"""Shrinking: what is left fails as before, and for the same reason."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from controller import cli
from controller.journal.journal import Journal, Resumed
from engine.detect.detector import Detector
from engine.events import HumanInput, Placed
from lab.bench import soak
from lab.bench.evenings import evening_case
from lab.bench.running import play_and_judge
from lab.bench.scenario import Case
from lab.bench.scenario_files import load, read
from lab.bench.shrinking import Shrinking, as_yaml, shrink, way
from lab.bench.verdict import Check

Patch = pytest.MonkeyPatch


def one(text: str) -> Case:
    return read(text, "long", "long.yaml")[0]


def test_an_evening_is_shrunk_to_the_mishap_that_does_it() -> None:
    seed = next(s for s in range(50) if len(evening_case(s).scenario.steps) >= 3)
    case = evening_case(seed)
    guilty = case.scenario.steps[1]
    work = Shrinking(case, lambda tried: guilty in tried.scenario.steps)

    work.steps()
    work.evening()

    assert work.scenario.steps == (guilty,)
    assert work.scenario.evening is not None
    assert work.scenario.evening.seconds < 6
    assert any(words.startswith("evening: ") for words in work.said)
    again = read(as_yaml(work.scenario).decode(), "again", "again.yaml")[0]
    assert again.scenario == work.scenario


def forgets_rolls_once_restarted(patch: Patch) -> None:
    """A journal that was read back keeps no roll any more."""
    resume, write = Journal.resume, Journal.write
    read_back: set[int] = set()

    def resumed(self: Journal) -> Resumed:
        found = resume(self)
        if found.entries:
            read_back.add(id(self))
        return found

    def written(self: Journal, output: Any) -> None:
        roll = isinstance(output.cause, HumanInput) and output.cause.type == "roll"
        if not (roll and id(self) in read_back):
            write(self, output)

    patch.setattr(Journal, "resume", resumed)
    patch.setattr(Journal, "write", written)


@pytest.mark.slow
def test_a_failing_evening_of_a_soak_is_shrunk_to_a_few_steps(
    tmp_path: Path, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Evening 0 fails in its first six seconds, in which no turn is whole: it stays an evening.
    killed = (c for c in map(evening_case, range(1, 99)) if any(s.kill for s in c.scenario.steps))
    with monkeypatch.context() as patch:
        forgets_rolls_once_restarted(patch)
        failed = next(evening for evening in map(soak.played, killed) if evening.broken)

        soak._write_out(failed, tmp_path)

        (path,) = tmp_path.glob("*.yaml")
        small = load(path)[0]
        assert not play_and_judge(small).verdict.passed
    assert play_and_judge(small).verdict.failures == ()
    assert small.scenario.evening is None
    # The table is killed in every encore, and dice are rolled there.
    assert len(small.scenario.steps) == 1
    said = capsys.readouterr().out
    assert f"evening {failed.seed}: {failed.broken[0]}" in said
    assert "the evening became its turns" in said
    assert str(path) in said


def plant(patch: Patch, detector: type[Detector]) -> None:
    """Have every case played with somebody's detector."""
    kept = {"record": None, "detector": detector}
    patch.setattr("lab.bench.running.play.__kwdefaults__", kept)


class NoC3(Detector):
    """Sees nothing on c3."""

    def next_event(self, until_s: float = float("inf")) -> Any:
        while isinstance(event := super().next_event(until_s), Placed) and event.cell == "c3":
            pass
        return event


MUCH = """about: Much happens, and one piece is not seen.
table: calm
drawn: 0.5
steps:
  - turns: [3 d4, 1 c3]
  - {tap: 2, id: tapping}
expect:
  - placed: d4
  - placed: c3
  - {never: toppled, after: tapping}
measure:
  latency_max_s: at most 3 s
"""


@pytest.mark.slow
def test_the_piece_that_was_not_seen_stays_and_all_else_goes(
    tmp_path: Path, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "much.yaml"
    file.write_text(MUCH)
    with monkeypatch.context() as patch:
        plant(patch, NoC3)
        order = ["bench", str(file), "--shrink", "--jobs", "1", "--report", str(tmp_path)]
        assert cli.main(order) == 1

    small = load(tmp_path / "much_shrunk.yaml")[0].scenario
    assert [step.turns for step in small.steps] == [("1 c3",)]
    assert [expected.placed for expected in small.expect] == ["c3"]
    assert (small.table, small.drawn, small.measure) == ("quiet", 0.0, {})
    assert "Shrunk much, which fails in 'placed c3'" in capsys.readouterr().out
    assert play_and_judge(Case(small, 1)).verdict.failures == ()


class Inventing(Detector):
    """Sees a second piece, on e5, after each one on d4."""

    waiting: Placed | None = None

    def next_event(self, until_s: float = float("inf")) -> Any:
        if self.waiting is not None:
            invented, self.waiting = self.waiting, None
            return invented
        event = super().next_event(until_s)
        if isinstance(event, Placed) and event.cell == "d4":
            self.waiting = replace(event, id=event.id + 900, cell="e5")
        return event


@pytest.mark.slow
def test_what_was_unexpected_is_not_made_so_by_taking_expectations_away(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    text = "about: x\nsteps: [turns: [3 d4], wait: 2, turns: [1 c3]]\n"
    text += "expect: [placed: d4, placed: c3]\n"
    with monkeypatch.context() as patch:
        plant(patch, Inventing)
        failed = play_and_judge(one(text))
        assert failed.verdict.failures[0].startswith("unexpected: placed e5")

        shrink(failed, "sim", tmp_path)

        small = load(next(tmp_path.glob("*.yaml")))[0]
        assert not play_and_judge(small).verdict.passed
    assert play_and_judge(small).verdict.failures == ()


@pytest.mark.slow
def test_steps_stay_where_only_the_scenario_knows_what_they_lead_to(tmp_path: Path) -> None:
    text = "about: x\nsteps: [turns: [3 d4], wait: 1]\nexpect: [scores: {Ann: 3, Bob: 0}]\n"
    result = play_and_judge(one(text))

    said = shrink(result, "sim", tmp_path)

    small = load(next(tmp_path.glob("*.yaml")))[0].scenario
    assert small.steps == result.case.scenario.steps
    assert "its steps stay" in said


@pytest.mark.parametrize("wrong", ["placed: e5", "toppled: any"])
def test_what_nobody_did_is_not_shrunk_but_named(
    wrong: str, tmp_path: Path, monkeypatch: Patch
) -> None:
    result = play_and_judge(one(f"about: x\nsteps: [turns: [3 d4]]\nexpect: [{wrong}]\n"))
    monkeypatch.delattr("lab.bench.shrinking.play_and_judge")

    said = shrink(result, "sim", tmp_path)

    assert said.startswith(f"long is not shrunk: it expects '{wrong.replace(':', '')}', and nobody")
    assert list(tmp_path.iterdir()) == []


def test_numbers_do_not_make_another_way_of_failing() -> None:
    early = Check("invariant", ok=False, text="journal: rev is 6, the table had 18")
    late = Check("invariant", ok=False, text="journal: rev is 14, the table had 30")
    other = Check("invariant", ok=False, text="late joiner: no state is retained")

    assert way(early) == way(late)
    assert way(early) != way(other)
