"""An emulated Pi on which an owner has installed the table."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.deploy.conftest import built
from tests.deploy.typed import types
from tests.emulated_pi.card import RELEASES, TOOLS, card, with_table
from tests.emulated_pi.kernel import need
from tests.emulated_pi.machine import EmulatedPi
from tests.emulated_pi.report import Report
from tests.firmware_bridge.lab.build import build, need_lab

ROOT = Path(__file__).parents[2]
REPORTS = ROOT / "dist"


@pytest.fixture(scope="session")
def elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_lab()
    return build(tmp_path_factory.mktemp("lab") / "firmware")


@pytest.fixture(scope="session")
def release_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an owner unpacks: the wheels and `deploy/`."""
    folder = tmp_path_factory.mktemp("owner") / "release"
    for target in (".", "./lab"):
        built(target, folder / "dist", "--no-deps")
    shutil.copytree(ROOT / "deploy", folder / "deploy")
    return folder


@dataclass(frozen=True, slots=True)
class Installed:
    """A Pi with a table.

    Attributes:
        pi: the machine.
        said: what the installer said, on the card and in the machine.
        report: what is known of this machine.
    """

    pi: EmulatedPi
    said: str
    report: Report


@pytest.fixture(scope="session", params=RELEASES)
def installed(
    request: pytest.FixtureRequest, release_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installed]:
    """The machine after its owner has typed `sudo sh deploy/install.sh`."""
    need(TOOLS, "to make its card")
    release = str(request.param)
    title = f"The table on an emulated Raspberry Pi 3B, {release}"
    report = Report(REPORTS / f"pi-{release}.md", title)
    folder = tmp_path_factory.mktemp(release)
    with report.timed("making the card, or taking it from the cache"):
        made = card(release)
    with report.timed("installing the table on the card, in this machine's kernel"):
        disk, said = with_table(made, release_folder, folder, "--wiring", "bridge")
    with EmulatedPi(made, disk, folder) as pi:
        with report.timed("first start, until the owner could log in"):
            pi.start()
        pi.set_clock()
        with report.timed("`sudo sh deploy/install.sh`, typed by the owner"):
            code, again = types(pi, "sudo sh deploy/install.sh")
        assert code == 0, again
        report.say(f"* the table and its packages: {pi.megabytes('/opt/topple-table')} MB")
        yield Installed(pi, said + again, report)
