"""Fixtures for every test: evenings of the simulated tower, recorded, and a fifth game."""

from pathlib import Path
from typing import Literal

import pytest

from engine.games.registry import GAMES
from tests.engine.games.fifth_game.kind import KIND

RECORDED_S = 200.0
"""About 35 placements."""


@pytest.fixture(scope="session")
def calm_recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded evening on a calm table."""
    return _recording(tmp_path_factory, "calm", seed=61)


@pytest.fixture(scope="session")
def rough_recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded evening on a rough table."""
    return _recording(tmp_path_factory, "rough", seed=66)


def _recording(
    folders: pytest.TempPathFactory, preset: Literal["calm", "rough"], seed: int
) -> Path:
    from tests.recorded import simulate_game  # most tests need none of it

    trace, _ = simulate_game(seed, preset, folders.mktemp("recorded"), seconds=RECORDED_S)
    return trace


@pytest.fixture
def fifth_game(monkeypatch: pytest.MonkeyPatch) -> str:
    """A game more, in one folder of its own and by one line; its record id."""
    monkeypatch.setitem(GAMES, KIND.rules.id, KIND)
    return KIND.rules.id
