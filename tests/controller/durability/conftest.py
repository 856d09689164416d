"""One warm process for the tests of a worker."""

import shutil
import sys
from collections.abc import Iterator

import pytest

from tests.controller.durability import yard


@pytest.fixture(scope="session")
def a_yard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[yard.Yard]:
    """Where tables are killed."""
    if sys.platform != "linux" or shutil.which("gcc") is None:
        pytest.skip("the plug is made with gcc and put before the C library, as Linux can")
    with yard.opened(tmp_path_factory.mktemp("yard")) as opened:
        yield opened
