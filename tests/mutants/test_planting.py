import functools
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.mutants import planting
from tests.mutants.planting import CAUGHT, MISSED, NONE, Fault, Outcome, faults, flaws
from tests.mutants.scenarios import shipped

GOOD = Fault(
    about="the interval is too narrow",
    path="controller/common/intervals.py",
    before="Z_95**2 / n",
    after="Z_95 / n",
    test="tests/controller/common/test_intervals.py::test_wilson_is_the_published_interval",
    why_no_scenario="no table shows an interval",
)


@functools.cache
def scenarios() -> frozenset[str]:
    """Names of all that are shipped; to read them takes a second."""
    return frozenset(shipped())


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.about)
def test_a_planted_fault_fits_the_tree_and_names_what_exists(fault: Fault) -> None:
    assert list(flaws(fault, scenarios())) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"path": "controller/common/interval.py"}, "no file controller/common/interval.py"),
        ({"before": "n"}, "times in controller/common/intervals.py, not once"),
        ({"after": "Z_95 / n)"}, "not Python"),
        ({"test": GOOD.test + "_of_1927"}, "no test tests/"),
        ({"test": GOOD.test + "[1-2]"}, ""),
        ({"test": ""}, "neither a test nor a scenario"),
        ({"scenario": "place_one", "why_no_scenario": ""}, "no scenario `place_one`"),
        ({"scenario": "sim place_one", "why_no_scenario": ""}, ""),
        ({"why_no_scenario": ""}, "why no table would show it"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(changes: dict[str, str], words: str) -> None:
    found = "; ".join(flaws(msgspec.structs.replace(GOOD, **changes), scenarios()))

    assert words in found
    assert bool(words) == bool(found)


@pytest.mark.parametrize("text", ["[[fault]\n", '[[fault]]\nabout = "too little"\n'])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "referee.toml").write_text(text)

    with pytest.raises(ValueError, match=r"referee\.toml: .+"):
        faults(tmp_path)


@pytest.mark.parametrize(("caught", "code"), [(CAUGHT, 0), (MISSED, 1)])
def test_the_exit_code_says_whether_something_got_past(
    caught: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def tried(chosen: Any, jobs: int) -> Any:
        return [Outcome(fault, caught, NONE) for fault in chosen]

    monkeypatch.setattr(planting, "faults", lambda: [GOOD])
    monkeypatch.setattr(planting, "tried", tried)

    assert planting.main("narrow", jobs=1) == code
    assert f"{1 - code} of 1 are caught by what they name" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(("after", "found"), [("Z_95 / n", CAUGHT), ("Z_95**2 / (1 * n)", MISSED)])
def test_a_fault_is_planted_in_a_copy_and_its_test_is_run(after: str, found: str) -> None:
    fault = msgspec.structs.replace(GOOD, after=after)

    assert list(planting.tried([fault], jobs=1)) == [Outcome(fault, found, NONE)]
