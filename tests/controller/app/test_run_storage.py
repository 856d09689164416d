"""Whole tables on real file systems that do not keep what is written there."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.mounting import LONGEST_S, in_a_mount

CONFIG = """
[table]
journal = "{journal}"
[web]
enabled = false
[broker]
port = 0
[source]
kind = "twin"
speed = 50.0
"""

RUN = "from controller.cli import main; import sys; sys.exit(main())"

WATCHED = """
import sys, threading
from unittest.mock import patch
from controller.cli import main
from controller.mqtt.topics import TableStatus
from controller.table.publisher import Announcer
import msgspec, os, signal

said = Announcer.status
def listening(self, status):
    said(self, status)
    if status.phase in ("ready", "degraded"):
        print("STATUS", msgspec.json.encode(status).decode(), flush=True)
        os.kill(os.getpid(), signal.SIGTERM)

with patch.object(Announcer, "status", listening):
    sys.exit(main())
"""


def configured(folder: Path, journal: str) -> Path:
    folder.mkdir()
    path = folder / "table.toml"
    path.write_text(CONFIG.format(journal=journal))
    return path


def ran(mounting: str, place: Path, config: Path, code: str = WATCHED, *, times: int = 1) -> str:
    """What a table says that is started with a configuration, where something was mounted."""
    table = shlex.join(
        ["timeout", str(LONGEST_S), sys.executable, "-c", code, "run", "--config", str(config)]
    )
    return in_a_mount(f"{mounting}; {f'{table} 2>&1 || echo exit $?; ' * times}", str(place))


@pytest.mark.slow
def test_a_journal_in_memory_is_named_at_the_start_and_in_the_status(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    config = configured(tmp_path / "config", f"{place}/table.journal")
    said = ran('mount -t tmpfs none "$0"', place, config).splitlines()

    words = f"{place}/table.journal lies in memory (tmpfs on {place}) and is gone with the power"
    assert said[0].startswith(words)
    (status,) = (json.loads(line.removeprefix("STATUS ")) for line in said if "STATUS" in line)
    (trouble,) = [each for each in status["troubles"] if each["sensor"] == "storage.journal"]
    assert trouble["code"] == "storage_in_memory"
    assert trouble["reason"].startswith(words)
    assert status["phase"] == "degraded"


@pytest.mark.slow
def test_a_table_whose_stick_is_gone_is_refused_until_it_is_back(tmp_path: Path) -> None:
    """The stick is memory here, bound to its place while it is in."""
    place = tmp_path / "place"
    place.mkdir()
    config = configured(tmp_path / "config", f"{place}/table.journal")
    start = f"{sys.executable} -c {shlex.quote(RUN)} run --config {config} 2>&1"
    play = f"timeout -s TERM 6 {start} || true"
    script = (
        f'mkdir "$0.stick"; mount -t tmpfs none "$0.stick"; mount --bind "$0.stick" "$0"; {play}; '
        f'umount "$0"; {start} || echo exit $?; ls -A "$0"; '
        f'mount --bind "$0.stick" "$0"; timeout -s TERM 6 {start} || true'
    )
    said = in_a_mount(script, str(place))
    before, _, after = said.partition("run: ")

    assert f"its games are on what was mounted on {place}, and nothing is mounted" in after
    refused, _, again = after.partition("exit 2\n")
    assert "Resumed from the journal" not in before + refused
    assert again.startswith(f"{place}/table.journal lies in memory")
    assert "Resumed from the journal" in again


@pytest.mark.slow
def test_a_stick_that_fstab_knows_is_waited_for_and_nothing_is_written_in_its_place(
    tmp_path: Path,
) -> None:
    if not Path("/etc/fstab").exists():
        pytest.skip("this machine has no /etc/fstab that could be replaced")
    place = tmp_path / "place"
    place.mkdir()
    config = configured(tmp_path / "config", f"{place}/deep/table.journal")
    fstab = 'echo "LABEL=games $0 ext4 nofail 0 2" >"$0.fstab"; mount --bind "$0.fstab" /etc/fstab'
    said = ran(fstab, place, config)

    assert f"belongs on {place}, where nothing is mounted; plug in the stick" in said
    assert said.endswith("exit 2\n")
    assert not list(place.iterdir())
