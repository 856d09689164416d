"""Fixtures for every test: recorded evenings of the simulated tower, a fifth game, a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

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


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium, launched once; every test opens contexts of its own in it.

    Playwright runs once in a thread, so all tests share it, whatever their folder. While it runs it
    holds the loop of this thread: tests/pages/loops.py runs coroutines in another one.
    """
    from tests.controller.conftest import CHROMIUM, PATIENCE_S

    if CHROMIUM is None:
        pytest.skip("needs chromium (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (pip)")
    with playwright.sync_playwright() as running:
        # Phones open the pages by a name, as in a network.
        names = "--host-resolver-rules=MAP *.local 127.0.0.1"
        browser = running.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", names], timeout=1000 * PATIENCE_S
        )
        yield browser
        browser.close()
