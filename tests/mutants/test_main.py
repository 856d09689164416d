from pathlib import Path

import pytest

from tests.mutants import __main__ as command
from tests.mutants.__main__ import Ledger, main
from tests.mutants.covering import Covering
from tests.mutants.sites import mutations
from tests.mutants.trial import Trial

FOUND = mutations("engine/events.py", "\n".join(f"x{n} = {n}" for n in range(50)))


def test_a_ledger_goes_on_where_it_stopped(tmp_path: Path) -> None:
    name = FOUND[0].name
    trials = [
        Trial(name, "bench", "survived"),
        Trial(name, "tests", "caught", "test_a"),
        Trial(FOUND[1].name, "tests", "caught", "test_b"),
    ]
    for trial in trials:
        Ledger(tmp_path / "trials").add(trial)
    ledger = Ledger(tmp_path / "trials")

    assert ledger.of(FOUND[:1]) == [trials[1], trials[0]]
    assert ledger.catchers("engine/events.py") == {"test_a", "test_b", ""}


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Nothing is measured or tried: every mutant survives. How often a list was tried."""
    tries: list[int] = []

    def try_all(chosen: list, judge: str, known: Covering, ledger: Ledger, jobs: int) -> None:
        tries.append(len(chosen))
        for mutation in chosen:
            ledger.add(Trial(mutation.name, "tests", "survived"))

    monkeypatch.setattr(command, "OUT", tmp_path)
    monkeypatch.setattr(command, "covering", lambda *_: Covering({}, {}))
    monkeypatch.setattr(command, "try_all", try_all)
    return tries


def test_the_report_is_printed_and_kept(
    quick: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--seed", "7", "--count", "4", "--of", "hw/blocks.py", "--by", "tests"]

    assert main(asked) == 0
    assert quick == [4]
    text = (tmp_path / "report-7.md").read_text()
    assert "# Mutants, seed 7, of hw/blocks.py" in text
    assert text in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["--of", "engine/nowhere"], "--of engine/nowhere: no file"),
        (["--count", "0"], "--count and --jobs begin at 1"),
        (["--by", "chance"], "invalid choice"),
    ],
)
def test_wrong_use_is_told(
    asked: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(asked)

    assert ended.value.code == 2
    assert words in capsys.readouterr().err
