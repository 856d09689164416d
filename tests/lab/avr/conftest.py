"""The firmware, built once."""

from pathlib import Path

import pytest

from tests.firmware_bridge.lab.build import build, need_lab


@pytest.fixture(scope="session")
def elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_lab()
    return build(tmp_path_factory.mktemp("lab") / "firmware")
