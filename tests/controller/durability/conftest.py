"""One warm process for the tests of a worker."""

from collections.abc import Iterator

import pytest

from tests.controller.durability import yard


@pytest.fixture(scope="session")
def a_yard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[yard.Yard]:
    """Where tables are killed."""
    with yard.opened(tmp_path_factory.mktemp("yard")) as opened:
        yield opened
