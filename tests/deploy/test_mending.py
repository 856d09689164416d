"""An installation that was broken on purpose is mended by running the installer again.

One bare Debian, running, for all states; /opt/topple-table lies on a small card of its own.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.deploy.bare_debian import BareDebian, wait_until
from tests.deploy.broken_states import ETC, IN_USE, STATES, VAR, Broken, as_documented
from tests.deploy.conftest import lab_of
from tests.deploy.test_install import (
    INSTALL,
    PYTHON,
    TABLE_FILE,
    a_round_is_scored,
    doctor_is_content,
    hear,
    installed,
    other_version,
)

ROOT = Path(__file__).parents[2]

KEPT = """
import hashlib, json, pathlib, shutil, sqlite3, tempfile
at, copy = pathlib.Path("/var/lib/topple-table"), tempfile.mkdtemp()
# The table that runs shares its journal with nobody.
for name in ("table.journal", "table.journal-wal"):
    if (at / name).exists():
        shutil.copy(at / name, copy)
journal = sqlite3.connect(f"{copy}/table.journal")
entries = journal.execute("SELECT entry, kind, t_s, cause, outcomes FROM entries ORDER BY entry")
files = [at / "calibration.json", pathlib.Path("/etc/topple-table/table.toml")]
print(json.dumps({
    "entries": [hashlib.sha256(repr(row).encode()).hexdigest() for row in entries],
    "files": [hashlib.sha256(file.read_bytes()).hexdigest() for file in files],
}))
"""

AGAIN = (*INSTALL, "--wiring", "twin")

CARD_MB = 1400
"""Of a small card: three versions, a copy of one, and the room that the installer wants to see."""

EVENING = 10
"""States to an evening, which may become long."""

FILL = """
new() {
	for place in /opt/topple-table/[0-9]*; do
		[ -e "$place/.complete" ] || [ ! -e "$place/bin/pip" ] || return 0
	done
	return 1
}
(
	until new; do sleep 0.05; done
	cd /opt/topple-table
	fallocate -l $(($(df --output=avail -B1 . | tail -n 1) - 5000000)) filler
	cat /dev/zero >filler.rest 2>/dev/null
) &
filler=$!
{installer}
ended=$?
kill $filler 2>/dev/null
exit $ended
"""
"""Takes the whole card as soon as packages are about to come."""


@contextmanager
def small_card(debian: BareDebian) -> Iterator[None]:
    """A file system of its own where versions lie, on a loop device."""
    image, place = debian.root.with_suffix(".img"), debian.root / "opt/topple-table"
    with image.open("wb") as file:
        file.truncate(CARD_MB * 1_000_000)
    place.mkdir(parents=True)
    for command in (["mkfs.ext4", "-q", "-m", "0"], ["mount", "-o", "loop"]):
        subprocess.run([*command, image, *([place] * (command[0] == "mount"))], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


def kept(debian: BareDebian) -> dict[str, list[str]]:
    """Fingerprints of games, calibration and configuration, as the table's user reads them."""
    as_table = ("setpriv", "--reuid=topple-table", "--regid=topple-table", "--clear-groups")
    found: dict[str, list[str]] = json.loads(debian.run(*as_table, PYTHON, "-c", KEPT))
    return found


def nothing_is_lost(before: dict[str, list[str]], after: dict[str, list[str]]) -> None:
    """What was journalled stands there as it was, and the game goes on behind it."""
    assert len(before["entries"]) > 0
    assert after["entries"][: len(before["entries"])] == before["entries"]
    assert after["files"] == before["files"]


def plays(debian: BareDebian) -> None:
    """Everything is well, and somebody places something."""
    doctor_is_content(debian)
    revision = json.loads(hear(debian, "state"))["rev"]
    wait_until(
        lambda: bool(json.loads(hear(debian, "state"))["rev"] > revision), "another move", 120.0
    )


def begin_a_new_evening(debian: BareDebian) -> None:
    debian.run("systemctl", "stop", "topple-table")
    debian.run("sh", "-ec", f"rm -r {VAR}/table.journal*")
    debian.run("systemctl", "start", "topple-table")
    wait_until(lambda: len(kept(debian)["entries"]) > 5, "a game", 120.0)


def the_log_ends_in_it_too(debian: BareDebian, sentence: str) -> None:
    debian.run("systemctl", "restart", "topple-table", succeeds=False)
    log = debian.run("journalctl", "--boot", "--output=cat", "--unit=topple-table")
    assert sentence in log
    assert "Traceback" not in log


def is_mended(debian: BareDebian, state: Broken) -> None:
    before = kept(debian)
    debian.run("sh", "-ec", state.by)
    if state.sentence:
        words = debian.run("topple-table", "doctor", "--only", "config", succeeds=False)
        assert words.count("\n") == 1, words
        assert state.sentence in words
        the_log_ends_in_it_too(debian, state.sentence)

    said = debian.run(*AGAIN)

    assert state.said in said, f"{state.name}: {said}"
    print(f"{state.name}: {state.by}\n{said}")
    plays(debian)
    nothing_is_lost(before, kept(debian))


def a_full_card_leaves_the_version_in_use_alone(debian: BareDebian) -> None:
    before, in_use = kept(debian), debian.run("readlink", "/opt/topple-table/current")
    debian.run("sh", "-ec", f"rm {IN_USE}/bin/pip")

    said = debian.run("sh", "-c", FILL.replace("{installer}", " ".join(AGAIN)), succeeds=False)

    assert "the card is full: 0 MB are free where /opt/topple-table is" in said
    assert "Traceback" not in said
    assert debian.run("readlink", "/opt/topple-table/current") == in_use
    # What had come of the new one is gone, which gives its room back.
    assert debian.run("sh", "-c", "ls -d /opt/topple-table/[0-9]*").split() == in_use.split()
    debian.run("sh", "-ec", "rm /opt/topple-table/filler*")
    debian.run(*AGAIN)
    plays(debian)
    nothing_is_lost(before, kept(debian))


def a_newer_configuration_is_named_as_one(debian: BareDebian, wheel: Path, folder: Path) -> None:
    for each in (wheel, lab_of(wheel)):
        shutil.copy(other_version(each, "9.9.9", {}, folder), debian.root / "release")
    newer = wheel.name.replace(wheel.name.split("-")[1], "9.9.9")
    debian.run(*AGAIN, "--wheel", f"/release/{newer}")
    before = kept(debian)
    debian.run("cp", TABLE_FILE, "/srv")
    debian.run("sh", "-ec", f"printf '[weather]\\nrain = 1\\n' >>{TABLE_FILE}")

    said = debian.run(*AGAIN, succeeds=False)

    assert "is older than 9.9.9, for which this configuration was written: " in said
    assert "weather is no setting" in said
    assert "version 9.9.9 stays in use" in said
    assert "9.9.9" in debian.run("readlink", "/opt/topple-table/current")
    debian.run("cp", f"/srv/{Path(TABLE_FILE).name}", TABLE_FILE)
    debian.run(*AGAIN)
    plays(debian)
    nothing_is_lost(before, kept(debian))


OF_ANOTHER_DEBIAN = tuple(
    state
    for state in STATES
    if state.name in {
        "a page lost", "installed for an older Python", "a file of Debian's Python lost",
        "units and command lost",
        "Mosquitto's program lost", "the users deleted", "the configuration closed",
    }
)  # fmt: skip
"""Where another Debian could answer otherwise."""


# A whole Debian from the package registry each, and one installation after the other.
@pytest.mark.soak
@pytest.mark.parametrize(
    ("release_name", "states"), [("bookworm", STATES), ("trixie", OF_ANOTHER_DEBIAN)],
    ids=["bookworm, all", "trixie, some"],
)  # fmt: skip
def test_every_broken_state_is_mended_by_running_the_installer_again(
    release_name: str, states: Sequence[Broken], wheel: Path, tmp_path: Path
) -> None:
    debian = BareDebian(tmp_path, release_name)
    with small_card(debian):
        installed(debian, wheel, "--wiring", "twin")
        with debian.booted():
            debian.run("sh", "-ec", f"echo '{{}}' >{VAR}/calibration.json; "
                       f"chown topple-table: {VAR}/*; rm -f {ETC}/*.new")  # fmt: skip
            debian.run("systemctl", "restart", "topple-table")
            for number, state in enumerate(states):
                if number % EVENING == 0:
                    begin_a_new_evening(debian)
                is_mended(debian, state)
            a_full_card_leaves_the_version_in_use_alone(debian)
            a_newer_configuration_is_named_as_one(debian, wheel, tmp_path)
            a_round_is_scored(debian)


def test_there_are_twenty_states_and_more_and_the_guide_has_them_all() -> None:
    assert len({state.by for state in STATES}) == len(STATES) >= 20
    assert as_documented() in (ROOT / "docs/install.md").read_text()
