"""The sdist of a release, built as `make dist` builds it; see also `tests/deploy/test_wheel.py`."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    made = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    (archive,) = folder.glob("*.tar.gz")
    return archive


@pytest.mark.slow
def test_the_sdist_holds_what_is_needed_to_build_and_test(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {
        "Makefile",
        "pyproject.toml",
        "lab/pyproject.toml",
        "README.md",
        "tests/test_dist.py",
    } <= names
    assert not [name for name in names if name.startswith((".venv", ".git/"))]
