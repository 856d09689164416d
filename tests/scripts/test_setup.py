"""scripts/setup.sh: one clear line when it cannot, nothing to do when all is fresh."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_setup(level: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "scripts/setup.sh", level],
        cwd=ROOT,
        env=dict(os.environ) | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def fake_python(folder: Path, script: str) -> Path:
    path = folder / "python-fake"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


IS_TOO_OLD = """
case "$*" in
*version_info*) exit 1 ;;
--version) echo "Python 3.9.2" ;;
esac
"""
HAS_NO_VENV = """
case "$*" in
*ensurepip*) echo "ModuleNotFoundError: No module named 'ensurepip'" >&2; exit 1 ;;
esac
"""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (IS_TOO_OLD, "Python 3.9.2 is too old, 3.11 or newer is needed"),
        (HAS_NO_VENV, "cannot make virtual environments; try: apt-get install python3-venv"),
    ],
)
def test_an_unfit_python_is_named_in_one_line(tmp_path: Path, script: str, words: str) -> None:
    python = fake_python(tmp_path, script)

    outcome = run_setup("core", PYTHON=str(python), VENV=str(tmp_path / "venv"))

    assert outcome.returncode == 2
    assert words in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert not (tmp_path / "venv").exists()


def test_a_missing_python_is_named_in_one_line(tmp_path: Path) -> None:
    outcome = run_setup("core", PYTHON="python-nowhere", VENV=str(tmp_path / "venv"))

    assert outcome.returncode == 2
    assert outcome.stderr == (
        "topple-table setup: python-nowhere is not installed; "
        "try: apt-get install python3 python3-venv\n"
    )


def test_an_unknown_level_is_refused(tmp_path: Path) -> None:
    outcome = run_setup("everything", VENV=str(tmp_path / "venv"))

    assert outcome.returncode == 2
    assert "unknown level 'everything'" in outcome.stderr


def test_a_fresh_environment_is_left_alone(tmp_path: Path) -> None:
    """The stamp says where, which Python and which pyproject.toml; no other file is looked at."""
    projects = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "lab/pyproject.toml")]
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    version = subprocess.run(
        [sys.executable, "--version"], capture_output=True, text=True, check=True
    )
    checksum = subprocess.run(
        ["cksum"], input=b"".join(projects), capture_output=True, check=True
    ).stdout.decode()
    (venv / ".ready-dev").write_text(f"{ROOT}\n{version.stdout}{checksum}")

    outcome = run_setup("core", VENV=str(venv))

    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")
