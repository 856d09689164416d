"""The tree itself, as tests of the project look at it."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHIPPED = ("engine", "hw", "firmware_bridge", "controller", "pages", "lab")
PACKAGES = (*SHIPPED, "scripts")

TEXT_SUFFIXES = {"", ".py", ".md", ".toml", ".sh", ".yaml", ".yml", ".json", ".js", ".css", ".html"}


@cache
def tracked_files() -> tuple[Path, ...]:
    """Everything that is or could be committed."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    files = [ROOT / name for name in listing.split("\0") if name]
    return tuple(path for path in files if path.is_file())


def text_files() -> list[Path]:
    return [path for path in tracked_files() if path.suffix in TEXT_SUFFIXES]


def python_files() -> list[Path]:
    return [path for path in tracked_files() if path.suffix == ".py"]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())
