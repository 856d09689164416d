"""The wheels of this very tree, and all that they need, in a folder."""

import shutil
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
    """The table's wheel that is made of these sources; the lab's lies beside it."""
    folder = tmp_path_factory.mktemp("dist")
    built(".", folder, "--no-deps")
    built("./lab", folder, "--no-deps")
    (found,) = folder.glob("topple_table-*.whl")
    return found


def lab_of(wheel: Path) -> Path:
    """The lab's wheel beside a table's."""
    return wheel.with_name(wheel.name.replace("topple_table-", "topple_table_lab-"))


@pytest.fixture(scope="session")
def wheelhouse(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything the wheels need, so that they install without a network."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    built(f"{wheel}[bridge]", folder)
    shutil.copy(lab_of(wheel), folder)
    return folder
