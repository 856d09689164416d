"""The only place that picks concrete classes: which detector, which source, which journal."""

import logging
import os
import platform
import random
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from controller.app.tape import Tape
from controller.common.config import PHONES, Config, SourceConfig, password
from controller.common.errors import BadConfig, BadInput, JournalError
from controller.common.files import CALIBRATION_BYTES, read_bytes
from controller.common.lab_entry_points import simulated
from controller.common.outputs import ready_for_file, write_result
from controller.common.places import Places
from controller.common.troubles import STORAGE_NOT_MOUNTED
from controller.journal.journal import Journal, Resumed
from controller.journal.known import KnownJournals
from controller.journal.room import Room
from controller.mqtt import client_ids
from controller.mqtt.client import BrokerAddress
from controller.mqtt.options import broker_from_options
from controller.replay.in_step import true_turns
from controller.replay.plot import Drawing
from controller.replay.replay import Line, lines, print_json, print_table
from controller.table.pipeline import Pipeline
from controller.table.publisher import Home
from engine.detect.detector import Detector
from engine.games.chance import Chance
from engine.referee import RefereeState, expectation
from engine.tabletop import Tabletop
from hw.calibration import Calibration, parse_calibration
from hw.drivers.libraries import not_installed
from hw.live import Accompanied, LiveSource
from hw.source import SampleSource, play
from hw.traces.folder import MB, RecordingFolder, delete_oldest
from hw.traces.recording import Recording

_log = logging.getLogger(__name__)

_SYSTEM_RANDOM = random.SystemRandom()


def pipeline(
    tabletop: Tabletop,
    state: RefereeState | None = None,
    *,
    resume_s: float = 0.0,
    house_rules: Mapping[str, Any] | None = None,
    masses: Mapping[str, Any] | None = None,
    chance: Chance | None = None,
) -> Pipeline:
    """Detector and referee of a table.

    The state of the referee and the table time to go on from (`resume_s`) are the journal's. Masses
    of pieces are the owner's unless given; empty means that nothing is known. A recording brings
    its own chance for games by hand.
    """
    return Pipeline(
        Detector(tabletop),
        state,
        resume_s=resume_s,
        new_game_id=new_id,
        house_rules=house_rules,
        masses=tabletop.piece.masses if masses is None else masses or None,
        chance=chance,
    )


def table(samples: SampleSource, resumed: Resumed, config: Config) -> Pipeline:
    """Detector and referee of a configured table, continued from its journal."""
    return pipeline(
        samples.tabletop,
        resumed.state,
        resume_s=resumed.resume_s,
        house_rules=config.options,
        chance=fair_chance,
    )


def fair_chance() -> float:
    """A number in 0 <= x < 1 that nobody at the table can foresee."""
    return _SYSTEM_RANDOM.random()


def source(
    chosen: SourceConfig, start: Calibration | None = None, resumed: Resumed | None = None
) -> SampleSource:
    """The source of samples that a configuration names, with its panel.

    Args:
        chosen: the configuration.
        start: calibration of a real table to begin with, instead of the file's.
        resumed: what the journal left. A simulated tower then stands as its unfinished game has it,
            as a real one would.

    Raises:
        BadTrace: the recording cannot be replayed.
        BadConfig: the calibration cannot be read.
        BadCalibration: it is one that no table can have.
        NoPins: this machine has none, or lacks a driver for them.
        NoLab: the table is simulated, and the lab is not installed.
    """
    samples = _samples(chosen, start, resumed)
    return _with_panel(samples, chosen) if chosen.has_panel else samples


def _with_panel(samples: SampleSource, chosen: SourceConfig) -> SampleSource:
    """A table with buttons, lights and buzzer on this computer's pins."""
    from hw.drivers.panel_reader import join_panel  # noqa: PLC0415 - drivers only where wanted
    from hw.drivers.pi_pins import open_panel  # noqa: PLC0415

    wires = chosen.pi if chosen.kind == "pi" else chosen.pi.of_panel
    live = samples if isinstance(samples, LiveSource) else Accompanied(samples, time.monotonic)
    join_panel(live, lambda clock: open_panel(wires, clock, sound=chosen.pi.sound))
    return live


def _samples(
    chosen: SourceConfig, start: Calibration | None, resumed: Resumed | None
) -> SampleSource:
    if chosen.kind == "recording":
        return Recording.open(chosen.path)
    if chosen.kind == "bridge":
        return _bridge(chosen, start)
    if chosen.kind == "pi":
        from hw.drivers.pi_pins import open_pi  # noqa: PLC0415 - drivers only where they are wanted

        wires, known = chosen.pi, start or calibration(chosen.calibration)
        return open_pi(wires, known, driver=wires.hx711_driver)
    # The simulated tower is only loaded where it is wanted.
    if chosen.moved_by:
        moved: SampleSource = simulated("moved")(
            chosen.moved_by, chosen.seed, chosen.preset, faults=chosen.faults
        )
        return moved
    unfinished = None
    if resumed is not None and not resumed.finished:
        # Another seed for each restart, or people would roll the same again.
        unfinished = resumed.state.position, int(1000 * resumed.resume_s)
    evening: SampleSource = simulated("evening")(
        chosen.seed, chosen.preset, faults=chosen.faults, starter=chosen.starter,
        unfinished=unfinished,
    )  # fmt: skip
    return evening


def _bridge(chosen: SourceConfig, start: Calibration | None) -> SampleSource:
    """The table behind a microcontroller. Waits for a port that is not there yet."""
    try:
        # pyserial is only there where it is wanted.
        from hw.serial.serial_table import open_table  # noqa: PLC0415
    except ImportError as error:
        raise BadConfig(f"source.kind is 'bridge', but {not_installed(error, 'bridge')}") from None
    known = start or calibration(chosen.calibration)
    # Which socket a table is plugged into belongs to that table, as its calibration does.
    memory = Path(f"{chosen.calibration}.port") if chosen.calibration else None
    return open_table(known, chosen.port, memory=memory)


def calibration(path: str) -> Calibration:
    """The calibration of a real table.

    Raises:
        BadConfig: the file cannot be read.
        BadCalibration: it is no calibration, or one that no table can have.
    """
    try:
        return parse_calibration(read_bytes(Path(path), CALIBRATION_BYTES))
    except OSError as error:
        raise BadConfig(
            f"source.calibration is {path!r}; it cannot be read ({error.strerror})"
        ) from None


def places(config: Config, file: Path | None, root: Path = Path("/")) -> Places:
    """Where the files of a table lie whose loss would be missed; `file` is the configuration.

    `root` stands for that of the computer.
    """
    named = {
        "journal": Path(config.table.journal) if config.table.journal else None,
        "calibration": config.source.calibration_file,
        "config": file,
    }
    kept = {name: path for name, path in named.items() if path is not None}
    return Places(kept, changing=frozenset(("journal",)), root=root)


def journal(
    config: Config, file: Path | None = None, there: Places | None = None
) -> Journal | None:
    """The journal that a configuration names, read from `file`; None when it names none.

    `there` is where its files lie, if somebody has looked already.

    Raises:
        JournalError: it cannot be used; the message says why.
    """
    if not config.table.journal:
        return None
    path, there = Path(config.table.journal), there or places(config, file)
    if missing := there.unmounted("journal"):
        # Games begun below it would be hidden as soon as it is there.
        trouble = STORAGE_NOT_MOUNTED(path=str(path), point=missing)
        raise JournalError(f"table.journal: {trouble.sentence}")
    room = Room(path, spare=lambda: _delete_a_recording(config.recordings, path.parent))
    return Journal(path, room=room, known=known(config, file, there))


def known(config: Config, file: Path | None, there: Places) -> KnownJournals:
    """What other folders know of the journal that a configuration names."""
    named = (file, config.source.calibration_file)
    # Of a service, which may not write beside its configuration.
    state = os.environ.get("STATE_DIRECTORY", "").split(":")[0]
    folders = [each.parent for each in named if each] + ([Path(state)] if state else [])
    return KnownJournals(Path(config.table.journal), folders, there.point("journal"))


def _delete_a_recording(folder: Path, needed: Path) -> bool:
    """Delete the oldest recording, if that makes room on the disk of another folder."""
    try:
        if folder.stat().st_dev != needed.stat().st_dev:
            return False
    except OSError:
        return False
    deleted = delete_oldest(folder)
    if deleted is not None:
        _log.warning("The disk is full: deleted %s, so that games can be stored", deleted)
    return deleted is not None


def tape(config: Config, samples: SampleSource) -> Tape:
    """What records the evenings of a configured table."""
    chosen = config.recording
    folder = RecordingFolder(
        config.recordings,
        samples.calibration,
        simulated=samples.simulated,
        bound_bytes=chosen.bound_mb * MB,
        reserve_bytes=chosen.reserve_mb * MB,
    )
    return Tape(folder, config.recordings, on=chosen.enabled)


def client_id(config: Config) -> str:
    """The MQTT client id of a configured table; kept beside the journal."""
    name = f"table-{config.table.id}"
    if not config.table.journal:
        return client_ids.fresh(name)
    return client_ids.kept(name, Path(f"{config.table.journal}.client"))


def resumed(kept: Journal | None) -> Resumed:
    """The game to go on with."""
    return Resumed(RefereeState()) if kept is None else kept.resume()


def broker(config: Config) -> BrokerAddress:
    """The running broker that a configuration names.

    Raises:
        BadConfig: the password file cannot be read.
    """
    chosen = config.broker
    secret = password(chosen.password_file)
    return BrokerAddress(chosen.host, chosen.port, chosen.user or None, secret)


def scoreboard(
    address: str,
    user: str | None,
    password_file: Path | None,
    host: str,
    port: int,
    *,
    phones: str = "off",
    league: str | None = None,
    screen_file: Path | None = None,
    profiles: Path | None = None,
    names: tuple[str, ...] = (),
    metrics_token_file: Path | None = None,
    callers: Path | None = None,
) -> int:
    """Serve the scoreboard pages until interrupted; see `pages.server.serve`.

    Raises:
        BadInput: `address` is no broker, or `phones` no place for a PIN.
        BadConfig: the file of the password or of the metrics token cannot be read.
    """
    from pages.server import serve  # noqa: PLC0415 - a web server only where wanted

    if phones not in PHONES:
        raise BadInput(f"--phones {phones}: it can be {', '.join(PHONES)}")
    standings = None
    if league is not None:
        from pages.league.league import LeagueDocument  # noqa: PLC0415 - and a league as well

        standings = LeagueDocument(league).read
    broker = broker_from_options(address, user, password_file)
    token = password(str(metrics_token_file or ""), named="--metrics-token-file")
    return serve(
        broker, host=host, port=port, phones=phones, league=standings, screen_file=screen_file,
        profiles=profiles, names=names, metrics_token=token, callers=callers,
    )  # fmt: skip


def home(config: Config) -> Home:
    """What Home Assistant is told of a configured table."""
    chosen = config.homeassistant
    pages = chosen.pages or f"http://{platform.node()}.local:{config.web.port}/t/{config.table.id}"
    return Home(chosen.enabled, chosen.prefix, pages)


def for_pages(config: Config, address: BrokerAddress) -> BrokerAddress:
    """The broker as the pages use it, with their own user name if one is configured.

    Raises:
        BadConfig: the password file cannot be read.
    """
    web = config.web
    if not web.user:
        return address
    secret = password(web.password_file, named="web.password_file")
    return replace(address, user=web.user, password=secret)


def new_id() -> str:
    """An id no other run and no other game has."""
    return uuid.uuid4().hex[:12]


def replay(
    trace: Path | str,
    *,
    as_json: bool = False,
    dice: bool = True,
    plot: Path | None = None,
    out: TextIO | None = None,
) -> int:
    """Replay a trace and print what the table would have decided; returns the exit code 0.

    Raises:
        BadTrace: the file cannot be replayed; the message says why.
        BadInput: the page cannot be written.
    """
    if plot is not None:
        ready_for_file("--plot", plot)
    recording = Recording.open(trace)
    try:
        watched = pipeline(recording.tabletop)
        drawing = Drawing(Path(trace).name, lambda: expectation(watched.state))
        items = play(recording) if plot is None else drawing.watching(play(recording))
        found = _timed(lines(watched, items, dice=dice, truth=true_turns(trace)))
        decided = found if plot is None else drawing.noting(found)
        (print_json if as_json else print_table)(decided, out or sys.stdout)
        if plot is not None:
            write_result("--plot", plot, drawing.page())
        for notice in recording.notices:
            print(f"{trace}: {notice}", file=sys.stderr)
    finally:
        recording.close()
    return 0


def _timed(found: Iterator[Line]) -> Iterator[Line]:
    started_s = time.perf_counter()
    for line in found:
        if line["type"] == "summary":
            line["wall_s"] = round(time.perf_counter() - started_s, 3)
        yield line
