import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.mutants import trial
from tests.mutants.covering import Covering
from tests.mutants.scenarios import Played
from tests.mutants.sites import mutations
from tests.mutants.trial import Trial, tried

PATH, TEXT = "engine/referee/fold.py", "def fold(x):\n    return x + y\n"
(MUTANT,) = mutations(PATH, TEXT)
OWN, FAR = "tests/engine/referee/test_fold.py::test_a[x - y]", "tests/test_rules.py::test_b"


class Told:
    """A copy in which every program ends as it was told to."""

    def __init__(self, folder: Path, *ends: tuple[int | None, str]) -> None:
        self.folder = folder / "tree"
        self.ends = list(ends)
        self.run_with: list[list[str]] = []
        (self.folder / PATH).parent.mkdir(parents=True)
        (self.folder / PATH).write_text(TEXT)

    @contextlib.contextmanager
    def changed(self, path: str, text: str) -> Iterator[None]:
        assert (path, text) == (PATH, TEXT.replace("+", "-"))
        yield

    def run(self, words: Sequence[str], _limit_s: float, **_more: Any) -> tuple[int | None, str]:
        self.run_with.append(list(words))
        return self.ends.pop(0)


KNOWN = Covering({OWN: 1.0, FAR: 1.0}, {PATH: {2: [OWN, FAR]}})


def by_tests(copy: Told, known: Covering = KNOWN) -> Trial:
    return tried(copy, MUTANT, "tests", known)  # type: ignore[arg-type]  # plays a copy


def test_the_first_test_that_fails_has_caught_it_and_the_others_are_not_asked(
    tmp_path: Path,
) -> None:
    copy = Told(tmp_path, (1, f"F\nFAILED {OWN} - assert 3 == 4\n1 failed"))

    assert by_tests(copy) == Trial(MUTANT.name, "tests", "caught", OWN, "assert 3 == 4")
    assert copy.run_with[0][-1] == "tests/engine/referee/test_fold.py"


def test_what_all_tests_pass_with_has_survived(tmp_path: Path) -> None:
    copy = Told(tmp_path, (0, "1 passed"), (0, "1 passed"))

    assert by_tests(copy) == Trial(MUTANT.name, "tests", "survived")
    assert [words[-1] for words in copy.run_with] == [
        "tests/engine/referee/test_fold.py", "tests/test_rules.py",
    ]  # fmt: skip


@pytest.mark.parametrize("end", [(None, ""), (2, "ImportError: nothing is named so")])
def test_a_mutant_that_hangs_or_cannot_be_imported_is_caught(tmp_path: Path, end: Any) -> None:
    assert by_tests(Told(tmp_path, end)).fate == "caught"


def test_a_line_that_no_test_runs_is_told_apart(tmp_path: Path) -> None:
    assert by_tests(Told(tmp_path), Covering({}, {})).fate == "not run"


def test_tests_beyond_the_time_are_counted_as_left(tmp_path: Path) -> None:
    known = msgspec.structs.replace(KNOWN, seconds={OWN: 1.0, FAR: trial.TESTS_S})

    assert by_tests(Told(tmp_path, (0, "")), known) == Trial(
        MUTANT.name, "tests", "survived", left=1
    )


def by_bench(tmp_path: Path, said: str) -> Trial:
    known = Covering({"sim a": 1.0, "sim b": 2.0}, {PATH: {2: ["sim a", "sim b"]}},
                     {"sim a": [1, 2], "sim b": [3]})  # fmt: skip
    return tried(Told(tmp_path, (0, said)), MUTANT, "bench", known)  # type: ignore[arg-type]


def test_the_bench_says_which_scenario_failed_and_which_were_different(tmp_path: Path) -> None:
    played = Played("sim b", "the score is 3", {"sim a": 2})
    found = by_bench(tmp_path, f"a warning\n{msgspec.json.encode(played).decode()}\n")

    assert found == Trial(MUTANT.name, "bench", "caught", "sim b", "the score is 3", {"sim a": 2})
