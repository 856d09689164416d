"""Fixtures for every test: where the project's shared material lies, and a fifth game."""

from pathlib import Path

import pytest

from engine.games.registry import GAMES
from tests.engine.games.fifth_game.kind import KIND

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """`../shared` beside the repository: rules, public traces, reference data."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip(
            f"{path} is not there: rule cases and public traces are kept beside the repository"
        )
    return path


@pytest.fixture(scope="session")
def public_traces(shared: Path) -> dict[str, Path]:
    """The public traces by name (`game_001_calm`)."""
    traces = {path.stem: path for path in sorted((shared / "traces" / "public").glob("*.mcap"))}
    if not traces:
        pytest.skip(f"no traces in {shared / 'traces' / 'public'}")
    return traces


@pytest.fixture
def fifth_game(monkeypatch: pytest.MonkeyPatch) -> str:
    """A game more, in one folder of its own and by one line; its record id."""
    monkeypatch.setitem(GAMES, KIND.rules.id, KIND)
    return KIND.rules.id
