"""Fixtures for every test: where the project's shared material lies."""

from pathlib import Path

import pytest

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
