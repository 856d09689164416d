"""What people say in a script is done, or the case fails; an answer is that to the last word."""

import pytest

from lab.bench import stage
from lab.bench.running import play_and_judge
from lab.bench.scenario_files import read

PLACED = "expect: [placed: d4]\n"


def failures(text: str) -> str:
    result = play_and_judge(read(f"about: A piece, and a word.\n{text}", "case", "case.yaml")[0])
    return "\n".join(result.verdict.failures)


REFUSED = {
    "nothing to redo": ("[turns: [3 d4], redo: yes]", "redo at"),
    "nobody of that name": ("[turns: [3 d4], blame: Carl]", "'Carl' does not play"),
    "no such move": ("[turns: [3 d4], correct: {ref: 99, cell: d3}]", "no move number 99"),
    "the newest piece by its name, which a command does not know": (
        "[turns: [3 d4], {command: {verb: correct, data: {ref: last, cell: d3}}}]", "correct at",
    ),
    "no such colour": ("[turns: [3 d4], colour: purple]", "colour at"),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "words"), REFUSED.values(), ids=REFUSED)
def test_a_step_that_the_table_refuses_fails_the_case(steps: str, words: str) -> None:
    found = failures(f"steps: {steps}\n{PLACED}")

    assert found.startswith("refused: ")
    assert words in found


def test_a_game_that_is_refused_fails_the_case() -> None:
    found = failures(f"game: {{kind: chess}}\nsteps: [turns: [3 d4]]\n{PLACED}")

    assert "refused: start at 1.0 s: illegal: there is no game 'chess'" in found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "expect"),
    [
        ("{redo: yes}, {check: {reply: {ok: no, code: illegal}}}", ""),
        ("{redo: yes}", ", {reply: {ok: no}}"),
        ("{redo: yes}", ", {mqtt: reply/bench, payload: {code: illegal}}"),
        ("{command: {verb: redo, client: another}}", ""),
    ],
)
def test_what_the_scenario_looks_at_or_another_client_says_may_be_refused(
    steps: str, expect: str
) -> None:
    assert failures(f"steps: [turns: [3 d4], {steps}]\nexpect: [placed: d4{expect}]\n") == ""


@pytest.mark.slow
def test_a_refusal_that_is_another_than_the_expected_one_fails_the_case() -> None:
    found = failures(
        "steps: [turns: [3 d4], redo: yes, blame: Carl]\n"
        "expect: [placed: d4, {mqtt: reply/bench, payload: {ok: no, msg: contains redo}}]\n"
    )

    assert found.startswith("refused: blame at")
    assert "\n" not in found


@pytest.mark.slow
def test_no_answer_to_the_last_word_is_not_the_answer_to_the_one_before() -> None:
    steps = "[turns: [3 d4], broker: down, undo: yes, {check: {reply: {ok: yes}}}, broker: up]"
    found = failures(f"steps: {steps}\n{PLACED}")

    assert "nothing was published on reply/bench since the last command" in found


def test_steps_that_are_not_played_fail_the_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "LONGEST_S", 10.0)

    assert failures(f"steps: [turns: [3 d4], wait: 3]\n{PLACED}") == ""
    assert stage.UNPLAYED in failures(f"steps: [turns: [3 d4], wait: 30, redo: yes]\n{PLACED}")


@pytest.mark.slow
def test_a_piece_that_is_not_there_cannot_be_lifted() -> None:
    found = failures(f"steps: [turns: [3 d4], lift: e1]\n{PLACED}")

    assert "there is no piece on e1 to lift" in found
