"""Real databases and a real broker for the league."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controller.conftest import RunningBroker, _mosquitto
from tests.controller.league.postgres import Server, server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL of our own."""
    with server() as found:
        yield found


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind, as it is named on the command line."""
    if request.param == "sqlite":
        return str(tmp_path / "league.sqlite")
    found: Server = request.getfixturevalue("postgres")
    return found.fresh()


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[RunningBroker]:
    """Debian's Mosquitto without passwords."""
    yield from _mosquitto(tmp_path, guarded=False)
