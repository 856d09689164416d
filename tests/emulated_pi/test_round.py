"""The short form of `make pi`: a table is installed, its service comes up, and a round is played.

What takes longest is left to `make pi`: Debian's packages are on the card, wheels beside the
installer, the libraries for a Pi's pins are not built, and the calibration is the tower's truth.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hw.calibration import calibration_json
from tests.emulated_pi import by_hand, wheels
from tests.emulated_pi.by_hand import HereTable, until_the_topple
from tests.emulated_pi.card import READY, TOOLS, card, with_table
from tests.emulated_pi.kernel import need
from tests.emulated_pi.machine import EmulatedPi
from tests.emulated_pi.played import PiTable

pytestmark = pytest.mark.emulated_pi

RELEASE = "bookworm"
CALIBRATION = "/var/lib/topple-table/calibration.json"


@pytest.fixture
def pi(release_folder: Path, tmp_path: Path) -> Iterator[EmulatedPi]:
    """Started, with a table that is not calibrated yet."""
    need(TOOLS, "to make its card")
    made = card(RELEASE, READY)
    wheels.bring(release_folder / "wheelhouse")
    options = ("--wiring", "bridge", "--wheelhouse", "/release/wheelhouse")
    disk, _ = with_table(made, release_folder, tmp_path, *options, is_pi=False)
    with EmulatedPi(made, disk, tmp_path) as machine:
        # It has a copy, and tests may lie in memory.
        disk.unlink()
        machine.start()
        machine.set_clock()
        yield machine


def test_an_installed_table_rules_a_round_as_the_twin_does(pi: EmulatedPi, elf: Path) -> None:
    twin = HereTable()
    by_hand.whole(twin)
    with PiTable(pi, elf) as table:
        table.nano.plug_in()
        pi.wait_until("sh", "-c", "ls /dev/serial/by-id/*")
        pi.write(CALIBRATION, calibration_json(table.hand.calibration))
        pi.run("chown", "topple-table:", CALIBRATION)
        pi.run("systemctl", "enable", "--now", "topple-table")
        table.wait_until(lambda _state: True, "state")
        table.wait_until_well()
        by_hand.whole(table)

        assert until_the_topple(table) == until_the_topple(twin)
        assert table.state is not None
        assert (table.state["round"], table.state["board"]) == (2, {})
        # QEMU may end with a failed assertion when the cable is pulled; nothing comes after this.
        pi.cut_power()
