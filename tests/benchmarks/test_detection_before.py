"""The detector of another tree lives through the same evening in a process of its own."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from tests.benchmarks import detection_before, detection_evenings, detection_lived
from tests.benchmarks.detection_before import MOVED, ROOT, Before, NotThereError, lay_out
from tests.benchmarks.detection_evenings import recorded
from tests.benchmarks.detection_kinds import KINDS
from tests.benchmarks.detection_lived import lived


@pytest.mark.slow
def test_the_same_packages_decide_the_same_in_a_process_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detection_evenings, "REST_OF_ROUND_S", 0.0)
    game = recorded(KINDS[0], "calm", tmp_path, seed=3, index=0, spread=1.5, seconds=25.0)
    with Before(ROOT) as before:
        there = [before.lived(game, dice=dice) for dice in (True, False)]
    here = [lived(game.trace, game.seen, dice=dice) for dice in (True, False)]

    assert [lines[:-1] for lines in there] == [lines[:-1] for lines in here]
    assert there[0][-1]["scores"] == here[0][-1]["scores"]
    assert len(here[0]) > 3


def test_a_tree_that_holds_another_program_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(NotThereError, match="instead of the one in"):
        Before(tmp_path)


def test_all_that_is_imported_from_a_room_is_found_in_earlier_commits_as_well() -> None:
    tree = ast.parse(Path(detection_lived.__file__).read_text())
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    rooms = {name for name in names if re.match(r"(controller|hw|lab)\.\w+\.", name)}

    assert rooms == set(MOVED)


def test_a_commit_is_laid_out_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, tree = tmp_path / "repository", tmp_path / "tree"
    repository.mkdir()
    monkeypatch.setattr(detection_before, "ROOT", repository)

    def git(*words: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(
            ["git", "-C", str(repository), *who, *words], check=True, capture_output=True
        )

    git("init")
    (repository / "detector.py").write_text("first")
    git("add", ".")
    git("commit", "-m", "first")
    (repository / "detector.py").write_text("second")
    git("commit", "-am", "second")
    found = lay_out("HEAD~1", tree)

    assert (tree / "detector.py").read_text() == "first"
    assert lay_out(found, tmp_path / "again") == found


@pytest.mark.parametrize("commit", ["no-such-commit", "--help"])
def test_a_commit_that_is_not_there_is_told_in_words(commit: str, tmp_path: Path) -> None:
    with pytest.raises(NotThereError, match="there is no commit"):
        lay_out(commit, tmp_path)
