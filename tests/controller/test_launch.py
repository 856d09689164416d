"""The command itself, of an installation that is not whole."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from controller.common.installed import PROGRAMS
from controller.launch import INSTALLED, sentence

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "controller/launch.py"

MODULES = {
    "controller/__init__.py": "",
    "controller/cli.py": "import needed\n\ndef main() -> int:\n    import later\n    return 7\n",
    "needed.py": "",
    "later.py": "",
}
"""A program that needs one module at once and another when it has begun."""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    for name, content in MODULES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def started(program: Path, environment: Sequence[str] = ()) -> tuple[int, str]:
    """Exit code and words of the command, as Python runs it with these packages only."""
    script = program / "topple-table"
    script.write_bytes(SCRIPT.read_bytes())
    done = subprocess.run(
        ["env", *environment, sys.executable, "-S", script],
        cwd=program, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


def test_a_whole_program_is_run(program: Path) -> None:
    assert started(program) == (7, "")


@pytest.mark.parametrize(
    ("damage", "cause"),
    [
        (lambda program: (program / "needed.py").unlink(), "No module named 'needed'"),
        (lambda program: (program / "later.py").unlink(), "No module named 'later'"),
        (lambda program: (program / "controller/cli.py").unlink(), "'controller.cli'"),
        (lambda program: (program / "needed.py").write_text('"""Half a'), "needed.py"),
        (lambda program: (program / "needed.py").write_text("import os\nos.pth"), "'pth'"),
        (lambda program: (program / "controller/cli.py").write_text(""), "cannot import name"),
    ],
    ids=["lost", "lost of what is needed later", "all lost", "cut", "cut in a name", "emptied"],
)
def test_a_damaged_one_ends_in_one_sentence_with_the_cause(
    program: Path, damage: Callable[[Path], None], cause: str
) -> None:
    damage(program)

    code, words = started(program)

    assert code == 2
    assert words.count("\n") == 1
    assert words.startswith("topple-table: its own files are not whole (")
    assert cause in words


def test_who_asks_for_the_traceback_gets_it(program: Path) -> None:
    (program / "needed.py").unlink()

    assert "Traceback" in started(program, ["TOPPLE_TABLE_TRACEBACK=1"])[1]


def test_another_python_than_it_was_installed_with_is_named(tmp_path: Path) -> None:
    (tmp_path / "lib/python3.11/site-packages/controller").mkdir(parents=True)
    lost = ModuleNotFoundError("No module named 'controller'")

    said = sentence(lost, str(tmp_path), (3, 13, 1))
    assert said.startswith("it was installed with Python 3.11, and this computer has 3.13 now; ")
    # pip of the new Python may have begun to fill its own folder.
    (tmp_path / "lib/python3.13/site-packages").mkdir(parents=True)
    assert "installed with Python 3.11" in sentence(lost, str(tmp_path), (3, 13, 1))
    assert "not whole (No module named" in sentence(lost, str(tmp_path), (3, 11, 2))
    assert "needs Python 3.11 or newer, and this is 3.9; " in sentence(lost, "/x", (3, 9, 1))


def test_what_the_installer_made_it_mends() -> None:
    error = ImportError("No module named 'msgspec'")

    assert str(PROGRAMS) == INSTALLED
    assert sentence(error, f"{PROGRAMS}/1.0.0").endswith("type: sudo sh deploy/install.sh")
    assert sentence(error, "/home/ann/venv").endswith("install it again into /home/ann/venv")
