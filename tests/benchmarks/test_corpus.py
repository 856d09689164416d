"""The corpus: drawn by number alone, played, kept, and fitted to."""

from collections import Counter
from itertools import islice
from math import log
from pathlib import Path

import numpy as np
import pytest

from engine.detect.back.account import Account, Fall
from engine.events import ToppleKind
from tests.benchmarks import corpus, fitting
from tests.benchmarks.corpus import Kept, is_ordinary, make, numbers_from, path_of, read, recipe
from tests.benchmarks.fitting import (
    Rests,
    State,
    leave_one_way_out,
    log_likelihoods,
    rounds,
)

FELL = Fall(3, 9.0, ToppleKind.OFF_STACK, 0.9, 1)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A short evening, made and read."""
    folder = tmp_path_factory.mktemp("corpus")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "LASTS_S", 25.0)
        make(6, folder)
    return read(path_of(6, folder))


def test_an_evening_is_drawn_by_its_number_and_wider_than_any_preset() -> None:
    drawn = [recipe(number) for number in range(1, 400)]

    assert drawn == [recipe(number) for number in range(1, 400)]
    ways = Counter(each.ways[0] for each in drawn if len(each.ways) == 1)
    assert len(ways) > 20
    assert ways.most_common(1)[0][0] == "usual"
    for attribute in ("preset", "odd", "size", "players", "told", "pieces"):
        assert len({getattr(each, attribute) for each in drawn}) > 1


def test_what_was_made_is_kept_and_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "LASTS_S", 12.0)
    lasted_s = make(1, tmp_path)
    monkeypatch.setattr(corpus, "played", lambda _: pytest.fail("made twice"))

    assert make(1, tmp_path) == lasted_s
    assert not list(tmp_path.glob("*.half"))


def test_ordinary_evenings_can_be_had_without_the_others() -> None:
    few = list(islice(numbers_from(1, ordinary=True), 5))

    assert few == [number for number in range(1, few[-1] + 1) if is_ordinary(recipe(number))]
    assert {recipe(number).ways for number in few} == {("usual",)}
    assert list(islice(numbers_from(3), 2)) == [3, 4]


def test_what_was_true_is_held_likely_and_other_parameters_change_that(kept: Kept) -> None:
    found = log_likelihoods(kept, {})
    other = log_likelihoods(kept, {"nothing": 0.001, "KEEPING_STILL": 0.0}, found)

    assert len(found) > 5
    assert np.mean(list(found.values())) > log(0.9)
    assert other.keys() == found.keys()
    assert other != found


def test_the_truth_says_what_stands_what_fell_and_how_often_it_was_cleared() -> None:
    true = rounds([
        {"type": "turn", "t": 0.5},
        {"type": "place", "t": 1.0, "t_release": 1.2},
        {"type": "place", "t": 4.0, "t_release": 4.2, "ended_in_topple": True},
        {"type": "topple", "t": 4.3, "cause": "placing"},
        {"type": "cleared", "t": 9.0},
    ])  # fmt: skip

    assert true.at(0.2) == State()
    assert true.at(1.3) is None, "too near to the release"
    assert true.at(2.0) == State(pieces=1)
    assert true.at(6.0) == State(pieces=1, ended="placing")
    assert true.at(12.0) == State(clears=1)


@pytest.mark.parametrize(
    ("state", "account", "weight"),
    [
        (State(2), Account(0.0, 0.0, (1, 2)), 1.0),
        (State(2), Account(0.0, 0.0, (1,)), 0.0),
        (State(2), Account(0.0, 0.0, (1, 2), over=True), 0.0),
        (State(2), Account(0.0, 0.0, (1, 2), emptied=1), 1.0),
        (State(2, "bump"), Account(0.0, 0.0, (1, 2), fall=FELL, over=True), 0.9),
        (State(2, "placing"), Account(0.0, 0.0, (1, 2), fall=FELL, over=True), 0.1),
        (State(2, "agreed"), Account(0.0, 0.0, (1, 2), fall=FELL, over=True), 0.0),
        (State(2, "agreed"), Account(0.0, 0.0, (1,), over=True), 1.0),
    ],
)
def test_an_account_agrees_with_the_truth_or_not(
    state: State, account: Account, weight: float
) -> None:
    assert state.weight(account) == pytest.approx(weight)


def learned(slopes: list[list[float]], ways: list[str]) -> Rests:
    return Rests(np.array(ways), np.zeros(len(ways)), np.array(slopes))


def test_a_step_goes_uphill_and_not_far_where_little_is_known() -> None:
    many = learned([[0.5] * 400], ["usual"] * 400).step()
    few = learned([[0.5] * 4], ["usual"] * 4).step()

    assert many[0] > few[0] > 0.0
    assert many[0] <= fitting.MOST_STEP


def test_a_parameter_that_helps_only_the_way_it_saw_is_found_out() -> None:
    """The first helps both ways, the second one of them and harms the other as much."""
    ways = ["usual"] * 200 + ["hasty"] * 200
    table = leave_one_way_out(
        learned([[0.3] * 400, [0.3] * 200 + [-0.3] * 200], ways), ["both", "one"]
    )

    assert sum(table["both"].values()) > 0.0
    assert sum(table["one"].values()) < 0.0


def test_the_command_prints_what_a_fit_would_change(
    kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "LASTS_S", 25.0)
    make(kept.recipe.number, tmp_path)
    fitting.main(["--folder", str(tmp_path), "--jobs", "1", "--only", "fell", "hand"])

    said = capsys.readouterr().out
    assert "rests" in said
    assert "usual" in said
