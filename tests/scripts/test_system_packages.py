"""scripts/system-packages.sh: installs what it may, names what it cannot."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine on which nothing is installed, and a record of what apt-get was told."""
    last_word = "for package; do :; done\n"
    commands = {
        "dpkg-query": last_word + 'grep -qx "$package" "$MACHINE/installed" && printf installed\n',
        "apt-get": last_word + 'echo "$*" >>"$MACHINE/asked"\n'
        'case "$package" in unknown-*) exit 100 ;; esac\necho "$package" >>"$MACHINE/installed"\n',
        "id": 'cat "$MACHINE/uid"\n',
    }
    for name, script in commands.items():
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}")
        path.chmod(0o755)
    for tool in ("sh", "grep", "cat", "env"):
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))
    (tmp_path / "installed").write_text("mosquitto\n")
    (tmp_path / "uid").write_text("0\n")
    return tmp_path


def run(machine: Path, *packages: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(ROOT / "scripts" / "system-packages.sh"), *packages],
        env={"PATH": str(machine), "MACHINE": str(machine)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_installed_packages_need_no_word(machine: Path) -> None:
    outcome = run(machine, "mosquitto")

    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")
    assert not (machine / "asked").exists()


def test_root_gets_the_missing_ones_after_one_update(machine: Path) -> None:
    outcome = run(machine, "mosquitto", "chromium", "fonts-dejavu-core")

    asked = (machine / "asked").read_text().splitlines()
    assert outcome.returncode == 0
    assert [line.split()[-1] for line in asked] == ["update", "chromium", "fonts-dejavu-core"]
    assert all("--no-install-recommends" in line for line in asked[1:])


def test_a_package_this_release_lacks_does_not_keep_the_others_away(machine: Path) -> None:
    outcome = run(machine, "unknown-thing", "chromium")

    assert outcome.returncode == 0
    assert "missing system packages: unknown-thing (apt-get could not" in outcome.stderr
    assert "chromium" in (machine / "installed").read_text()


@pytest.mark.parametrize(
    ("uid", "has_apt_get", "words"),
    [
        ("1000", True, "missing system packages: chromium (installing them needs root)"),
        ("1000", True, "to have them: apt-get install chromium"),
        ("0", False, "missing system packages: chromium (there is no apt-get here)"),
    ],
)
def test_what_cannot_be_installed_is_named(
    machine: Path, uid: str, has_apt_get: bool, words: str
) -> None:
    (machine / "uid").write_text(f"{uid}\n")
    if not has_apt_get:
        (machine / "apt-get").unlink()

    outcome = run(machine, "mosquitto", "chromium")

    assert outcome.returncode == 0
    assert words in outcome.stderr
    assert not (machine / "asked").exists()


def test_ci_stops_when_a_package_cannot_be_had(machine: Path) -> None:
    assert run(machine, "unknown-thing", CI="true").returncode == 1
