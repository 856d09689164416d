"""The evening recorded beside the game, whatever the disk does."""

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.app import wiring
from controller.app.tape import AGAIN_S, NEWS_S, Tape
from controller.common.config import parse
from controller.replay.replay import lines
from controller.table.keepers import NullJournal
from controller.table.loop import LiveTable
from controller.table.publisher import Announcer, Identity
from engine.events import HumanInput
from engine.trouble import Trouble
from hw.source import Item, play
from hw.traces.folder import MB, RecordingFolder, recordings
from hw.traces.recorder import CannotRecord
from hw.traces.recording import Recording
from lab.mock import MockTable
from lab.people.simulation import SimulatedEvening
from tests.clock import Clock
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.controller.evenings import Wire

ROOT = Path(__file__).parents[3]
CLI = "import sys; from controller.cli import main; sys.exit(main())"
FULL = Trouble("recording_stopped", "The recording stopped: no space left; make room")
SAID: list[Item] = [HumanInput(1.0, "undo", {})]


class Disk(RecordingFolder):
    """A folder whose disk can refuse and hang."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            folder, MockTable().calibration, simulated=True, bound_bytes=50 * MB, reserve_bytes=0
        )
        self.full, self.written = False, 0
        self.moves = threading.Event()
        self.moves.set()

    def write(self, items: Sequence[Item]) -> None:
        assert items
        assert self.moves.wait(PATIENCE_S)
        if self.full:
            raise CannotRecord(FULL)
        self.written += 1


def test_nothing_is_recorded_unless_somebody_wants_it(tmp_path: Path) -> None:
    tape = Tape(Disk(tmp_path), tmp_path, on=False)
    tape.write(SAID)
    tape.step()

    assert not tape.on
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_and_tried_again(tmp_path: Path) -> None:
    disk, clock = Disk(tmp_path), Clock()
    tape = Tape(disk, tmp_path, on=True, clock=clock)
    disk.full = True
    tape.write(SAID)
    tape.step()
    assert tape.trouble == FULL

    disk.full = False
    tape.write(SAID)
    tape.step()
    assert disk.written == 0
    clock.now_s += AGAIN_S
    tape.write(SAID)
    tape.step()
    assert disk.written == 1
    assert not tape.trouble


def test_a_slow_disk_costs_a_counted_part_and_nobody_waits_for_it(tmp_path: Path) -> None:
    disk, clock = Disk(tmp_path), Clock()
    tape = Tape(disk, tmp_path, on=True, clock=clock, waiting=10)
    disk.moves.clear()
    tape.start()
    for _ in range(40):
        tape.write(SAID)
    assert tape.trouble is not None
    assert tape.trouble.code == "recording_slow"
    disk.moves.set()
    tape.stop()

    assert 10 <= disk.written <= 11
    assert tape.trouble.args == {"n": 40 - disk.written}
    assert tape.trouble.sentence.startswith(f"{40 - disk.written} steps of the recording")
    clock.now_s += NEWS_S
    assert tape.trouble is None


def test_what_people_switched_on_goes_on_after_a_restart(tmp_path: Path) -> None:
    tape = Tape(Disk(tmp_path), tmp_path, on=False)
    tape.switch(True)
    tape.step()
    again = Tape(Disk(tmp_path), tmp_path, on=False)
    assert again.on
    again.switch(False)
    again.step()

    assert not Tape(Disk(tmp_path), tmp_path, on=False).on


def replayed(path: Path) -> list[dict[str, object]]:
    recording = Recording.open(path)
    found = list(lines(wiring.pipeline(recording.tabletop), play(recording)))
    recording.close()
    return found


@pytest.mark.slow
def test_a_recorded_evening_is_replayed_to_the_same_score(tmp_path: Path) -> None:
    evening = SimulatedEvening.begin(3, "calm", again=False)
    config = parse(f'[recording]\nenabled = true\nfolder = "{tmp_path}"')
    tape = wiring.tape(config, evening)
    identity = Identity("t1", "boot-1", simulated=True)
    table = LiveTable(
        evening, wiring.pipeline(evening.tabletop), NullJournal(),
        Announcer(Wire(), identity), identity, tape=tape,
    )  # fmt: skip
    table.open(0.0)
    for step in range(1, 121):
        table.step(float(step), float(step))
        tape.step()
    tape.switch(False)
    tape.step()
    summary = replayed(recordings(tmp_path)[0])[-1]

    assert table.board.kind == "topple"
    assert any(player.score for player in table.board.players)
    assert summary["type"] == "summary"
    told = {player.name: player.score for player in table.board.players}
    assert summary["scores"] == told


@pytest.mark.slow
def test_a_table_that_is_killed_leaves_a_readable_file_and_goes_on_in_a_new_one(
    tmp_path: Path,
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(
        "[broker]\nport = 0\n[web]\nenabled = false\n[source]\nspeed = 20.0\n", encoding="utf-8"
    )
    folder = tmp_path / "recordings"
    for runs in (1, 2):
        process = subprocess.Popen(
            [sys.executable, "-c", CLI, "run", "--record", "--config", str(config)],
            cwd=ROOT, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            wait_until(
                lambda runs=runs: (
                    len(recordings(folder)) == runs  # type: ignore[misc]
                    and recordings(folder)[-1].stat().st_size > 80_000
                ),
                "a recording",
            )
        finally:
            process.kill()
            process.wait()
    found = [replayed(path)[-1] for path in recordings(folder)]

    assert [summary["type"] for summary in found] == ["summary"] * 2


@pytest.mark.parametrize("folder", ["", "elsewhere"])
def test_the_folder_is_beside_the_journal_unless_it_is_named(folder: str) -> None:
    config = parse(f'[table]\njournal = "/var/t/table.journal"\n[recording]\nfolder = "{folder}"')

    assert config.recordings == Path(folder or "/var/t/recordings")
