"""What a failed expectation says: where it stands, what came instead, and what others took."""

import json
from dataclasses import replace

import msgspec
import pytest

from engine.events import Placed
from lab.bench.observed import Mark, Run, Seen, Sent
from lab.bench.outside.sitting import Known
from lab.bench.outside.table_target import judgeable
from lab.bench.scenario import Case
from lab.bench.scenario_files import read
from lab.bench.verdict import judge


def case(*expected: str, more: str = "") -> Case:
    """A scenario with one expectation a line, from line 3 on."""
    lines = "".join(f"  - {each}\n" for each in expected)
    text = f"steps: [{{turns: [3 d4], id: put}}]\nexpect:\n{lines}about: x\n{more}"
    return read(text, "s", "folder/s.yaml")[0]


def placed(cell: str, t_s: float, sure: float = 1.0) -> Seen:
    return Seen(t_s, t_s + 0.5, Placed(int(t_s * 10), t_s, t_s + 0.5, cell, sure))


def reply(**document: object) -> Sent:
    return Sent(4.0, "reply/bench", json.dumps(document).encode())


def failures(one: Case, run: Run) -> list[str]:
    """What has a place in the file, and what nobody expected."""
    said = judge(one, run).failures
    return [words for words in said if words.startswith(("s.yaml", "unexpected"))]


PUT = Run(seen=(placed("d4", 3.0, 0.68),), marks=(Mark(2.5, "turns", id="put"),))


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ("placed: e5", "placed e5; came placed d4 (confidence 0.68) at 3.0 s, not e5"),
        (
            "{placed: d4, confidence: at least 0.9}",
            "placed d4; came placed d4 (confidence 0.68) at 3.0 s, not at least 0.9",
        ),
        (
            "{placed: d4, after: put, within: 0.4}",
            (
                "placed d4 after put within 0.4 s; came placed d4 (confidence 0.68) at 3.0 s, "
                "known at 3.50 s: too late"
            ),
        ),
        (
            "{placed: d4, at: 4}",
            "placed d4 at 4 ± 0.5 s; came placed d4 (confidence 0.68) at 3.0 s, too early",
        ),
        ("toppled: any", "toppled any; never seen"),
        ("{never: placed}", "never placed; placed d4 (confidence 0.68) at 3.0 s"),
        ("mqtt: event", "mqtt event; nothing was published there"),
        (
            "{mqtt: event, within: 2, qos: 1}",
            "mqtt event within 2 s; nothing was published there in time, with this quality",
        ),
        ("scores: {Ann: 3}", "at the end scores; the score is none, not Ann 3"),
    ],
)
def test_a_failed_expectation_is_named_with_file_and_line(expected: str, words: str) -> None:
    one = case("dismissed: yes", expected, more="unexpected: allow\n")

    assert failures(one, PUT)[-1] == f"s.yaml line 4: expected {words}"


def test_what_another_expectation_has_taken_is_named_with_its_line() -> None:
    (said,) = failures(case("placed: d4", "placed: d4"), PUT)

    assert said == (
        "s.yaml line 4: expected placed d4; "
        "came placed d4 (confidence 0.68) at 3.0 s, which s.yaml line 3 has taken"
    )


def test_what_nobody_expected_is_named_whole() -> None:
    (said,) = failures(case("dismissed: yes", more="account: {people: no, why: x}\n"), PUT)[1:]

    assert said == (
        "unexpected: placed d4 (confidence 0.68) at 3.0 s; nothing in `expect` names it"
    )


REFUSED = reply(ok=False, id="fix1", code="illegal", msg="No such piece.")
OTHER = reply(ok=True, id="c1")


@pytest.mark.parametrize(
    "expected",
    ["{mqtt: reply/bench, payload: {id: fix1, ok: true}}", "reply: {ok: true}"],
)
def test_the_reply_to_the_command_that_is_meant_is_shown_with_why_it_was_refused(
    expected: str,
) -> None:
    (said,) = failures(case(expected), Run(sent=(OTHER, REFUSED)))

    assert said.endswith("ok is False, not True; it was refused: illegal, No such piece.")


def test_lines_stay_with_their_expectations_where_some_are_not_judged() -> None:
    one = case("truth: yes", "placed: e5")

    seen = judgeable(one, Known(whole=False, timed=True, flags=True))

    assert seen.places == ("s.yaml line 4",)
    assert "s.yaml line 4: expected placed e5" in judge(seen, PUT).failures[0]


def test_a_scenario_that_stands_in_no_file_is_judged_without_lines() -> None:
    one = msgspec.structs.replace(case("placed: e5"), places=())

    assert judge(one, PUT).failures[0].startswith("placed e5: came placed d4")
    assert judge(one, replace(PUT, seen=())).failures[0] == "placed e5: never seen"
