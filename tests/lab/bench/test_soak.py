"""The soak: evenings by seed, the ledger it goes on from, its figures, and shrinking."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from controller.common.errors import BadInput
from lab.bench import soak
from lab.bench.evenings import FAULTS, evening_case
from lab.bench.running import play
from lab.bench.scenario import Case, EveningSetup
from lab.bench.scenario_files import read
from lab.bench.soak import Evening, growth_mb, read_ledger, shortcomings, words_of
from lab.bench.steps import ScenarioStep
from lab.people.ways import NOT_DRAWN, WAYS
from lab.twin.fault_words import parse_fault


def evening(seed: int, **changes: object) -> Evening:
    plain = Evening(seed, "calm", ("usual",), 2, 60.0, 12, 3, (), 0, (), process=7, memory_mb=80.0)
    return msgspec.structs.replace(plain, **changes)


MISTAKES = ("button", "correct")


def test_a_seed_is_an_evening_and_most_are_short() -> None:
    cases = [evening_case(seed) for seed in range(300)]

    assert cases[7] == evening_case(7)
    seconds = [case.scenario.evening.seconds for case in cases if case.scenario.evening]
    assert 0.05 < sum(s == 300.0 for s in seconds) / 300 < 0.16
    assert all(30.0 <= s <= 300.0 for s in seconds)
    verbs = {step.verb for case in cases for step in case.scenario.steps}
    assert verbs == {
        "fault",
        "kill",
        "broker",
        "clock",
        "disk",
        "undo",
        "redo",
        "correct",
        "button",
    }


def test_two_in_five_evenings_have_usual_people_and_the_others_several_ways() -> None:
    people = [evening_case(seed).scenario.people for seed in range(300)]
    usual = people.count("usual")

    assert 0.3 < usual / 300 < 0.5
    assert all(
        isinstance(each, tuple) and 2 <= len(each) <= 4 for each in people if each != "usual"
    )
    assert {way for each in people if isinstance(each, tuple) for way in each} == {
        way for way in WAYS if way not in NOT_DRAWN
    }


def test_whoever_undoes_by_mistake_takes_it_back_with_the_next_step() -> None:
    steps = [evening_case(seed).scenario.steps for seed in range(300)]
    pairs = [(one.verb, two) for each in steps for one, two in pairwise(each)]
    after = {mistake: {two.verb for verb, two in pairs if verb == mistake} for mistake in MISTAKES}

    assert after == {"button": {"redo"}, "correct": {"undo"}}
    assert all(two.at is None for verb, two in pairs if verb in MISTAKES)


@pytest.mark.parametrize("words", FAULTS)
def test_every_fault_of_a_soak_can_be_ordered(words: str) -> None:
    assert parse_fault(words.format(cell=3)).cell in (0, 3)


def stand_in(asked: list[int]) -> object:
    def stream(seeds: Iterator[int], _until_s: float, _jobs: int) -> Iterator[Evening]:
        for seed in seeds:
            asked.append(seed)
            yield evening(seed)

    return stream


def test_a_soak_that_was_broken_off_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(soak, "_stream", stand_in(asked))

    assert soak.soak(1, 3, None, 1, tmp_path) == 0
    ledger = tmp_path / soak.LEDGER
    ledger.write_bytes(ledger.read_bytes()[:-20])  # the power went while the third was written
    assert soak.soak(1, 5, None, 1, tmp_path) == 0

    assert asked == [1, 2, 3, 3, 4, 5]
    assert sorted(read_ledger(ledger)) == [1, 2, 3, 4, 5]
    assert "5 evenings, 0.1 h of table time, 10 mishaps" in capsys.readouterr().out


def test_a_file_that_is_no_ledger_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "soak.jsonl").write_text("{}\n")

    with pytest.raises(BadInput, match=r"soak.jsonl: line 1: .*move the file away"):
        read_ledger(tmp_path / "soak.jsonl")


def test_a_broken_invariant_fails_a_soak_and_one_silent_error_in_many_does_not() -> None:
    good = [evening(seed) for seed in range(100)]
    assert shortcomings(good) == []
    assert shortcomings([*good, evening(100, silent=("a1 at 3.0 s",))]) == []
    assert shortcomings([*good, evening(100, broken=("journal: x",))]) == ["1 broken invariants"]
    often = [evening(seed, silent=("a1 at 3.0 s",)) for seed in range(100)]
    assert shortcomings(often) == [
        "sure and wrong with working sensors in more than 1% (usual people)"
    ]


def test_people_of_other_ways_have_a_limit_of_their_own() -> None:
    others = [
        evening(seed, people=("things", "hasty"), placements=103, silent=("a1 at 3.0 s",) * 4)
        for seed in range(100)
    ]
    worse = [msgspec.structs.replace(one, silent=("a1 at 3.0 s",) * 9) for one in others]

    assert shortcomings(others) == []
    assert shortcomings(worse)[0].endswith("(other people)")


def test_silent_errors_are_told_by_way_with_their_interval() -> None:
    words = words_of(
        [
            evening(1),
            evening(2, people=("lifting", "things"), silent=("a1 at 3.0 s",)),
            evening(3, people=("things",)),
        ]
    )

    assert "usual people (at most 1%): 0 of 9," in words
    assert "other people (at most 5%): 1 of 18," in words
    assert "with lifting: 1 of 9, 11.11 % (1.99 to 43.50)" in words
    assert "with things: 1 of 18," in words


def test_errors_while_a_sensor_fails_are_counted_apart() -> None:
    words = words_of([evening(1, silent=("a1 at 3.0 s", "b2 at 9.0 s"), silent_failing=1)])

    assert "calm tables: 1 of 9," in words
    assert "while a sensor fails and 5 s after: 1 of 3," in words


def test_memory_that_grows_evening_by_evening_is_a_failure() -> None:
    flat = [evening(seed, memory_mb=80.0) for seed in range(9)]
    leaking = [evening(seed, memory_mb=80.0 + 20 * seed) for seed in range(9)]

    assert growth_mb(flat) == 0.0
    assert shortcomings(leaking) == ["memory grew by 120 MB"]


SHORT = """about: {about}
table: calm
evening: {{players: 2, target: 20, seconds: 24}}
steps: {steps}
unexpected: allow
measure: {{silent_errors: at most 0}}
"""


@pytest.mark.slow
def test_what_was_shown_comes_back_after_a_kill_and_after_a_full_disk() -> None:
    steps = "[{at: 12, kill: yes}, {at: 16, disk: full}, {at: 20, disk: free}]"
    run = play(read(SHORT.format(about="kill", steps=steps), "short", "short.yaml")[0])

    assert run.broken == ()
    assert {message.process for message in run.sent} >= {0, 1}


def test_a_journal_that_loses_what_was_shown_is_noticed_at_the_kill(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from controller.journal.journal import Journal

    write = Journal.write
    monkeypatch.setattr(
        Journal, "write", lambda self, output: None if output.outcomes else write(self, output)
    )
    case = read(SHORT.format(about="loss", steps="[{at: 14, kill: yes}]"), "s", "s.yaml")[0]

    assert any(words.startswith("after a kill: ") for words in play(case).broken)


@pytest.mark.slow
def test_what_is_planned_for_after_an_evening_does_not_keep_a_table_without_people() -> None:
    """Their samples end with them; a step three minutes later found five silent sensors."""
    scenario = msgspec.structs.replace(
        evening_case(152119).scenario,
        evening=EveningSetup(target=1, seconds=150.0),
        steps=(ScenarioStep(at=200.0, undo=True),),
        people="usual",
    )

    assert play(Case(scenario, 1)).end_s < 190.0
