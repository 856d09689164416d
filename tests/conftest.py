"""Fixtures for every test: evenings of the simulated tower, recorded."""

from pathlib import Path

import pytest

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


def _recording(folders: pytest.TempPathFactory, preset: str, seed: int) -> Path:
    from controller.evening.simulation import simulate_game  # most tests need none of it

    trace, _ = simulate_game(seed, preset, folders.mktemp("recorded"), seconds=RECORDED_S)
    return trace
