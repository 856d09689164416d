"""The corpus, played again by today's back end and by an earlier one, and what is said of both."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from tests.benchmarks import corpus, corpus_judged
from tests.benchmarks.corpus import Recipe, make, path_of, read
from tests.benchmarks.corpus_judged import ORDINARY, OTHERS, Judged, main, report
from tests.benchmarks.detection_before import ROOT
from tests.benchmarks.detection_figures import Miss, Tally
from tests.benchmarks.detection_games import Game, Replayed
from tests.benchmarks.detection_results import NOW
from tests.benchmarks.paired import FEWEST


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short ordinary evening, in a folder of its own."""
    folder = tmp_path_factory.mktemp("corpus")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "LASTS_S", 25.0)
        make(6, folder)
    return path_of(6, folder)


def made_up(number: int, *, ways: str = "usual", silent: int = 0) -> Judged:
    """An evening with so many pieces told wrongly, a second apart."""
    recipe = Recipe(number, (ways,), "calm", "", "standard", 2, told=True)  # type: ignore[arg-type]
    run = Replayed(Game("g", "twin", "calm", Path(), Path(), ""), [], [], 1.0, 600.0)
    misses = [Miss("wrong cell, silent", 90.0 - n, f"a{n + 1}", run) for n in range(silent)]
    counted = Tally(placements=80, silent=silent, scored=1, exact=1, games=1, hours=0.2, cpu_s=2.0)
    counted.misses = [Miss("wrong cell, asked", 1.0, "c3", run), *misses]
    return Judged(recipe, counted)


def told(before: list[Judged], now: list[Judged]) -> tuple[bool, str]:
    console = Console(file=StringIO(), width=200)
    failed = report({NOW: now, "abc1234": before}, "abc1234", console)
    assert isinstance(console.file, StringIO)
    return failed, console.file.getvalue()


def test_an_evening_played_again_is_judged_with_its_score(evening: Path) -> None:
    judged, doubtful = corpus_judged.again(evening, [{}, {"nothing": 0.9}])

    assert judged.tally.placements > 2
    assert judged.tally.right == judged.tally.placements
    assert (judged.tally.exact, judged.tally.scored) == (1, 1)
    assert judged.group == ORDINARY
    assert doubtful.tally.placement_claims != judged.tally.placement_claims


def test_the_same_version_in_a_process_of_its_own_makes_the_same_of_it(evening: Path) -> None:
    there, again = corpus_judged.played_there(ROOT, [evening, evening], 1)
    [here] = corpus_judged.again(evening, [{}])

    assert here.tally.placement_claims == there.tally.placement_claims
    assert here.tally.latency_s == there.tally.latency_s
    assert (there.tally.exact, there.recipe) == (1, here.recipe)
    assert again.tally.placement_claims == there.tally.placement_claims


def test_a_commit_from_before_the_corpus_is_refused_in_a_sentence(
    evening: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(corpus_judged, "lay_out", lambda *_: None)

    assert main(["--folder", str(evening.parent), "--before", "4baec3e"]) == 2
    assert f"works from {corpus_judged.FIRST} on" in capsys.readouterr().err


def test_ordinary_people_worse_in_every_evening_fail_the_command(
    evening: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Players who counted otherwise make an inexact evening of what was exact before."""
    kept = msgspec.structs.replace(read(evening), scores={"Ann": -1})
    monkeypatch.setattr(corpus, "played", lambda _: kept)
    for number in range(FEWEST):
        make(number, tmp_path)
    before = corpus_judged.again(evening, [{}]) * FEWEST
    monkeypatch.setattr(corpus_judged, "earlier", lambda *_: before)

    assert main(["--folder", str(tmp_path), "--jobs", "1", "--before", "abc1234"]) == 1
    assert f"evenings not exact 0 -> {FEWEST}" in capsys.readouterr().out
    assert main(["--folder", str(tmp_path), "--jobs", "1", "--alone"]) == 0


def test_other_people_worse_are_told_and_fail_nothing() -> None:
    failed, words = told(
        [made_up(n, ways="lively") for n in range(12)] + [made_up(n) for n in range(20, 32)],
        [made_up(n, ways="lively", silent=2) for n in range(12)]
        + [made_up(n) for n in range(20, 32)],
    )

    assert not failed
    assert f"{OTHERS}: WORSE than abc1234 by more than chance: silent errors 0 -> 24" in words
    assert f"{ORDINARY}: no worse than abc1234 by more than chance (12 evenings)" in words


@pytest.mark.parametrize("silent", [lambda n: 40 * (n == 3), lambda n: n % 2])
def test_one_bad_evening_and_as_many_better_as_worse_are_chance(
    silent: Callable[[int], int],
) -> None:
    before = [made_up(n, silent=(n + 1) % 2) for n in range(12)]
    failed, words = told(before, [made_up(n, silent=silent(n)) for n in range(12)])

    assert not failed
    assert "WORSE" not in words


@pytest.mark.parametrize("count", [0, FEWEST - 1])
def test_too_few_ordinary_evenings_are_no_proof_that_nothing_became_worse(count: int) -> None:
    others = [made_up(50 + n, ways="lively") for n in range(3)]
    before, now = ([made_up(n, silent=k) for n in range(count)] for k in (0, 9))
    failed, words = told(before + others, now + others)

    assert not failed
    assert f"{ORDINARY}: {count} evenings are too few" in words
    assert "no worse" not in words


def test_what_is_compared_with_is_what_the_results_were_measured_with() -> None:
    results = (ROOT / "docs" / "results.md").read_text()

    assert f"from their observations at {corpus_judged.PUBLISHED}" in results
