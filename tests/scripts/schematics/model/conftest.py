"""The solids of the build that the drawings show, made once for each process."""

from typing import Any

import pytest

from scripts.schematics import geometry


@pytest.fixture(scope="session")
def parts() -> list[Any]:
    """Of the build that the drawings show."""
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    from scripts.schematics.model.solids import solids

    return solids(geometry.load())
