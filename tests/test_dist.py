"""What a release holds: built as `make dist` builds it, into another folder."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("controller", "engine", "firmware_bridge", "hw", "lab", "pages")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    made = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return folder


def tracked(folder: str) -> set[str]:
    listing = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return set(listing.splitlines())


def in_wheel(dist: Path) -> set[str]:
    (wheel,) = dist.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_holds_every_file_of_the_packages(dist: Path) -> None:
    for package in PACKAGES:
        assert tracked(package) - in_wheel(dist) == set()


def test_the_wheel_holds_the_firmware_the_pages_and_nothing_that_was_built(dist: Path) -> None:
    names = in_wheel(dist)

    assert "firmware_bridge/firmware/Makefile" in names
    assert "firmware_bridge/firmware/src/messages.h" in names
    assert "pages/scoreboard/index.html" in names
    assert "engine/games/topolo/page/phone.js" in names
    assert not [name for name in names if re.search(r"/build/|\.(o|elf|hex|pyc)$", name)]


def test_the_sdist_holds_what_is_needed_to_build_and_test(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {"Makefile", "pyproject.toml", "README.md", "tests/test_dist.py"} <= names
    assert not [name for name in names if name.startswith((".venv", ".git/"))]


def test_make_dist_builds_the_same_and_the_firmware_beside_it() -> None:
    shown = subprocess.run(
        ["make", "--dry-run", "dist"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    assert "-m hatchling build -d dist" in shown
    assert "-m controller.cli firmware build --out dist" in shown
