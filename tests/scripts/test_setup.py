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
    ("level", "script", "words"),
    [
        ("core", IS_TOO_OLD, "Python 3.9.2 is too old, 3.11 or newer is needed"),
        (
            "core",
            HAS_NO_VENV,
            "virtual environments; try: apt-get install python3-venv",
        ),
        ("core", "", "python-fake is not installed; try: apt-get install python3 python3-venv"),
        ("everything", IS_TOO_OLD, "unknown level 'everything'"),
    ],
)
def test_what_is_unfit_is_named_in_one_line(
    tmp_path: Path, level: str, script: str, words: str
) -> None:
    python = tmp_path / "python-fake"
    if script:
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)

    outcome = run_setup(level, PYTHON=str(python), VENV=str(tmp_path / "venv"))

    assert outcome.returncode == 2
    assert words in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert not (tmp_path / "venv").exists()


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
