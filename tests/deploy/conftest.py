"""A wheel of this very tree, and all that it needs, in a folder."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def built(target: str, folder: Path, *options: str) -> None:
    """Wheels of `target` in a folder, as pip makes or finds them."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-qq", "--disable-pip-version-check",
         "--no-input", *options, "--wheel-dir", str(folder), target],
        cwd=ROOT, check=True,
    )  # fmt: skip


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is made of these sources."""
    folder = tmp_path_factory.mktemp("dist")
    built(".", folder, "--no-deps")
    (found,) = folder.glob("topple_table-*.whl")
    return found


@pytest.fixture(scope="session")
def wheelhouse(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything the wheel needs, so that it installs without a network."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    built(f"{wheel}[bridge]", folder)
    return folder
