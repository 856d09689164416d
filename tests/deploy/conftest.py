"""The wheels of this very tree, all that they need, and the installer's functions."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSTALLER = ROOT / "deploy/install.sh"

PLACES = {
    "etc": "etc", "var": "var", "opt": "opt", "units": "units", "work": "work", "rules": "rules",
    "logs": "logs", "backups": "backups", "profiles": "profiles", "command_link": "topple-table",
    "broker_conf": "conf.d/topple-table.conf", "broker_acl": "topple-table.acl",
    "broker_passwd": "topple-table.passwd", "broker_bridge": "conf.d/topple-table-bridge.conf",
    "broker_unit": "units/mosquitto.service.d/topple-table.conf",
}  # fmt: skip
"""Each place that the installer knows on a computer, in a folder."""


def in_the_installer(
    script: str, computer: Path | None = None, /, *, succeeds: bool = True, **settings: object
) -> str:
    """What a shell says that has all functions of the installer, and settings of ours.

    Args:
        script: for that shell.
        computer: a folder in place of it, for every place that is not among the settings.
        succeeds: whether the script is to end well.
        settings: variables of the installer.
    """
    functions, _, _ = INSTALLER.read_text().partition('\nread_options "$@"')
    places = {name: computer / place for name, place in PLACES.items()} if computer else {}
    given = "".join(f"{name}={str(value)!r}\n" for name, value in (places | settings).items())
    done = subprocess.run(
        ["sh", "-c", f"{functions}\nhere={str(ROOT / 'deploy')!r}\n{given}\n{script}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode == 0) is succeeds, done.stdout
    return done.stdout


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
    for wanted in ("gpiozero>=2.0.1", "smbus2>=0.5"):  # of the lab's pins
        built(wanted, folder)
    shutil.copy(lab_of(wheel), folder)
    return folder
