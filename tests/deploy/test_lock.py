"""deploy/requirements.lock: every package of a table, of a version that fits, with its hashes."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "deploy" / "requirements.lock"
EXTRAS = ("bridge", "pi", "bench")


def locked() -> dict[str, tuple[str, list[str]]]:
    """Name -> version and hashes."""
    entries = re.split(r"\n(?=[a-z0-9])", LOCK.read_text())
    found = {}
    for entry in entries:
        head = Requirement(entry.split("\\")[0].strip())
        (version,) = [clause.version for clause in head.specifier]
        hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)
        found[canonicalize_name(head.name)] = version, hashes
    return found


def wanted() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]
    return [*project["dependencies"], *extras]


@pytest.mark.parametrize("line", wanted())
def test_what_the_project_asks_for_is_locked_in_a_version_it_accepts(line: str) -> None:
    """Fails when pyproject.toml has gone on: make lock."""
    asked = Requirement(line)
    version, _ = locked()[canonicalize_name(asked.name)]

    assert asked.specifier.contains(version)


def test_every_locked_package_has_hashes() -> None:
    assert len(locked()) > len(wanted())
    assert [name for name, (_, hashes) in locked().items() if not hashes] == []


def test_what_is_compiled_is_locked_for_raspberry_pi_and_pc() -> None:
    """Wheels for two architectures and three versions of Python, and the source."""
    assert len(locked()["numpy"][1]) > 12
