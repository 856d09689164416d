"""deploy/*.lock: every package of a table, of a version that fits, with its hashes."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
LOCK = DEPLOY / "requirements.lock"
EXTRAS = ("bridge", "pi", "bench", "dice", "league")
LOCKS = {"": LOCK} | {extra: DEPLOY / f"requirements-{extra}.lock" for extra in (*EXTRAS, "build")}

BUILT_FOR_64_BIT = {"cobs", "lgpio"}
BUILT_FOR_32_BIT = BUILT_FOR_64_BIT | {
    *("argon2-cffi-bindings", "cffi", "gpiod", "lz4", "msgspec", "psutil", "pyyaml"),
    *("sysv-ipc", "zstandard"),
}
"""What has no wheel and is built on the Pi; numpy is not among them, it comes from Debian."""

BUILT_WITH = {
    *("gcc", "libc6-dev", "python3-dev", "swig"),
    *("libffi-dev", "pkg-config", "cmake", "ninja-build"),
}
"""Debian packages that build them; tests/deploy/test_install.py tries it on a bare i386."""


def locked(*extras: str) -> dict[str, tuple[str, list[str]]]:
    """Name -> version and hashes, of every table and of some extras."""
    found: dict[str, tuple[str, list[str]]] = {}
    for extra in extras:
        for entry in re.split(r"\n(?=[a-z0-9])", LOCKS[extra].read_text()):
            head = Requirement(entry.split("\\")[0].strip())
            (version,) = [clause.version for clause in head.specifier]
            hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)
            name = canonicalize_name(head.name)
            assert found.setdefault(name, (version, hashes)) == (version, hashes)
    return found


def wanted() -> list[tuple[str, str]]:
    """Extra and line of each package the project asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = [(extra, line) for extra in EXTRAS for line in extras[extra]]
    return [("", line) for line in project["dependencies"]] + asked


def of_the_lab() -> list[str]:
    """What the installer brings along with the lab where there are no pins, with versions."""
    (names,) = re.findall(
        r'^lab_packages="(.*)"$', (DEPLOY / "install.sh").read_text(), re.MULTILINE
    )
    return [f"{name}=={locked('pi')[name][0]}" for name in names.split()]


def test_what_the_lab_needs_beside_a_table_is_whole() -> None:
    """The packages that its modules import, and what these ask for in turn."""
    brought = {Requirement(line).name for line in of_the_lab()}
    text = "".join(path.read_text() for path in (ROOT / "lab").rglob("*.py"))
    imported = set(re.findall(r"^from (gpiozero|smbus2)\b", text, re.MULTILINE))
    asked = [Requirement(each) for name in brought for each in metadata.requires(name) or []]
    needed = {
        each.name for each in asked if each.marker is None or each.marker.evaluate({"extra": ""})
    }

    assert imported == {"gpiozero", "smbus2"}
    assert imported | needed == brought


@pytest.mark.parametrize(("extra", "line"), wanted())
def test_what_the_project_asks_for_is_locked_in_a_version_it_accepts(extra: str, line: str) -> None:
    """Fails when pyproject.toml has gone on: make lock."""
    asked = Requirement(line)
    version, _ = locked("", extra)[canonicalize_name(asked.name)]

    assert asked.specifier.contains(version)


def test_every_locked_package_has_hashes_and_one_version_in_all_locks() -> None:
    everything = locked("", *EXTRAS)

    assert len(everything) > len(wanted())
    assert [name for name, (_, hashes) in everything.items() if not hashes] == []
    assert [name for name, (_, hashes) in locked("build").items() if not hashes] == []


def test_what_is_compiled_is_locked_for_raspberry_pi_and_pc() -> None:
    """Wheels for two architectures and three versions of Python, and the source."""
    assert len(locked("")["numpy"][1]) > 12


def test_the_installer_brings_what_builds_the_packages_without_wheels() -> None:
    text = (DEPLOY / "install.sh").read_text()
    brought = set(re.findall(r'needed="\$needed ([^"]*)"', text))
    packages = {word for words in brought for word in words.split()}

    assert packages >= BUILT_WITH | {"python3-numpy"}


# Minutes of questions to the package index: part of `make soak`.
@pytest.mark.soak
@pytest.mark.parametrize(
    ("python", "architecture", "glibc", "built"),
    [
        ("3.11", "aarch64", 36, BUILT_FOR_64_BIT),
        ("3.13", "aarch64", 41, BUILT_FOR_64_BIT),
        ("3.11", "armv7l", 36, BUILT_FOR_32_BIT | {"numpy"}),
        ("3.13", "armv7l", 41, BUILT_FOR_32_BIT | {"numpy"}),
    ],
)
def test_all_else_has_a_wheel_for_this_pi(
    python: str, architecture: str, glibc: int, built: set[str], tmp_path: Path
) -> None:
    """Bookworm has Python 3.11 and glibc 2.36, Trixie 3.13 and 2.41."""
    versions = locked("", "bridge", "pi")
    lines = [f"{name}=={version}" for name, (version, _) in versions.items() if name not in built]
    (tmp_path / "versions").write_text("\n".join(lines))
    systems = [f"--platform=manylinux_2_{minor}_{architecture}" for minor in range(17, glibc + 1)]

    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed",
         "--target", str(tmp_path / "none"), "--no-deps", "--only-binary=:all:",
         f"--platform=manylinux2014_{architecture}", *systems, f"--python-version={python}",
         "-r", str(tmp_path / "versions")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
