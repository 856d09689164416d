"""Runs a table in real time, with its broker, journal and pages.

Threads: the caller's runs the table (source, pipeline, journal); `mqtt` and its network thread
keep the connection; `broker` and `scoreboard` run the embedded broker and the pages when this
process has them. Nothing is shared but the table's inbox and the retained documents.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path

from controller.app import wiring
from controller.common.config import Config, password
from controller.common.errors import ControllerError
from controller.common.shutdown import Stopping, stop_on_signals
from controller.common.systemd import Notifier
from controller.common.terminal import say
from controller.journal.journal import PAUSE_S
from controller.mqtt import topics
from controller.mqtt.broker import EmbeddedBroker
from controller.mqtt.client import BrokerAddress, BrokerPlace, Mqtt
from controller.table.commands import obeyed
from controller.table.keepers import EveningRecorder, JournalWriter, NullJournal, StoredPlaces
from controller.table.loop import LiveTable
from controller.table.narration import final_line, narrate, scoreline
from controller.table.pipeline import Pipeline
from controller.table.publisher import Announcer, Home, Identity, edge_of
from controller.table.resultbook import MOST_GAMES, ResultBook
from controller.table.shelf import GameShelf
from engine.referee import Outcome
from engine.scoreboard import Scoreboard
from engine.trouble import Trouble
from hw.errors import HardwareError
from hw.source import SampleSource
from pages.health.support import SupportDesk
from pages.server import ScoreboardServer

DONE, BROKEN, WRONG_USE = 0, 1, 2
"""Exit codes."""

WIND_STEP_S = 10.0
"""Table time between two looks at whether to stop, while a recording is wound forward."""

TICK_S = 0.02
"""Longest time between two looks at the source: a twentieth of what a decision may take."""


LONGEST_STEP_S = 0.1
"""Most real time that one step may cover when a source runs faster than real time. A computer that
cannot keep up then plays slower, instead of taking ever longer steps and answering nobody."""


def keep_going(
    table: LiveTable,
    stopping: Stopping,
    *,
    begin_s: float = 0.0,
    speed: float = 1.0,
    before_step: Callable[[float], None] = lambda _t_s: None,
    alive: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Step a table in real time until it is told to stop or its source ends.

    Args:
        table: opened.
        stopping: set by a signal, or by whoever has seen enough.
        begin_s: table time to begin at.
        speed: seconds of table time in a second, or as many as the computer manages; only for
            sources that can.
        before_step: told the table time of each step.
        alive: called whenever a second of table time, or a step, is done.
        clock: a steady clock, in seconds.

    Raises:
        HardwareError: the source is broken for good.
    """
    began_s, t_s = clock(), begin_s
    longest_s = LONGEST_STEP_S * speed if speed > 1 else inf
    while not (stopping.is_set() or table.ended):
        now_s = clock()
        t_s = min(begin_s + (now_s - began_s) * speed, t_s + longest_s)
        before_step(t_s)
        table.step(t_s, time.time(), after_slice=alive)
        alive()
        table.wait(TICK_S)


@contextlib.contextmanager
def connected(
    source: SampleSource,
    pipeline: Pipeline,
    journal: JournalWriter,
    identity: Identity,
    broker: BrokerAddress | BrokerPlace,
    *,
    begin_s: float = 0.0,
    hints: bool = False,
    hands: bool = False,
    doubt: Trouble | None = None,
    home: Home | None = None,
    results: ResultBook | None = None,
    shelf: GameShelf | None = None,
    done: Iterable[tuple[str, str]] = (),
    tape: EveningRecorder | None = None,
    places: StoredPlaces | None = None,
    client: str = "",
    listener: Callable[[Outcome, Scoreboard], None],
) -> Iterator[tuple[LiveTable, Mqtt]]:
    """Connect a table to a broker for the duration of the block.

    The end says `stopping` and `offline`, whatever ends it. `client` is the id at the broker; one
    for this run when left out.
    """

    def birth() -> list[topics.Publication]:
        return announcer.birth()

    edge = edge_of(Mqtt, identity.table, broker, birth=birth, home=home, client=client)
    announcer = Announcer(edge, identity, home)
    table = LiveTable(
        source, pipeline, journal, announcer, identity, begin_s=begin_s, hints=hints, hands=hands,
        doubt=doubt, results=results, shelf=shelf, done=done, tape=tape, places=places,
        listener=listener,
    )  # fmt: skip
    edge.on_message(table.receive)
    table.open(time.time())
    edge.start()
    try:
        yield table, edge
    finally:
        table.close(time.time())
        edge.stop(announcer.farewell())


def await_broker(edge: Mqtt, longest_s: float = 3.0) -> None:
    """Wait for the connection before a game that is played faster than it comes about."""
    end_s = time.monotonic() + longest_s
    while not edge.connection.up and time.monotonic() < end_s:
        time.sleep(0.01)


def run(config: Config, file: Path | None = None) -> int:
    """Run a table as configured until it is interrupted or its source ends (`topple-table run`).

    `file` is where the configuration was read.

    The game in the journal goes on where it was. A recording is wound forward to there; a real
    table simply goes on, and the simulated tower stands as that game has it.

    Returns:
        Exit code: 0 after an interrupt or at the end of the source, 1 when the source or the
        journal broke on the way, 2 when the table could not start.
    """
    stopping = Stopping()
    # Before anything is opened: who is told to stop while starting still stops in order.
    stop_on_signals(stopping)
    with contextlib.ExitStack() as stack:
        try:
            table, begin_s = _set_up(config, file, stack, stopping)
        except (ControllerError, HardwareError) as error:
            print(f"run: {error}", file=sys.stderr)
            return WRONG_USE
        supervisor = Notifier()
        supervisor.ready(_standing(table))
        stack.callback(supervisor.stopping)
        try:
            keep_going(
                table,
                stopping,
                begin_s=begin_s,
                speed=config.source.speed,
                alive=lambda: supervisor.alive(time.monotonic(), _standing(table)),
            )
        except (ControllerError, HardwareError) as error:
            print(f"run: {error}", file=sys.stderr)
            return BROKEN
        say(final_line(table.board))
    return DONE


def _standing(table: LiveTable) -> str:
    return scoreline(table.board) or "No game yet"


def _set_up(
    config: Config, file: Path | None, stack: contextlib.ExitStack, stopping: Stopping
) -> tuple[LiveTable, float]:
    places = wiring.places(config, file)
    for trouble in places.troubles().values():
        say(f"{trouble.sentence}.")
    kept = wiring.journal(config, file, places)
    if kept is not None:
        stack.callback(kept.close)
    resumed = wiring.resumed(kept)
    for notice in resumed.notices:
        say(notice)
    source = wiring.source(config.source, resumed=resumed)
    stack.callback(source.close)
    begin_s = 0.0
    if config.source.kind == "recording" and not resumed.finished:
        begin_s = max(0.0, resumed.resume_s - PAUSE_S)
        _wind(source, begin_s, stopping)
        resumed = replace(resumed, resume_s=0.0)
    address = _broker(config, stack)
    identity = Identity(config.table.id, wiring.new_id(), simulated=source.simulated)
    pipeline = wiring.table(source, resumed, config)
    journal = NullJournal() if kept is None else kept
    heard = () if kept is None else kept.heard()
    tape = wiring.tape(config, source)
    tape.start()
    stack.callback(tape.stop)
    table, _ = stack.enter_context(
        connected(
            source,
            pipeline,
            journal,
            identity,
            address,
            begin_s=begin_s,
            hints=config.scoreboard.hints,
            hands=config.scoreboard.hands,
            doubt=resumed.doubt,
            home=wiring.home(config),
            client=wiring.client_id(config),
            tape=tape,
            places=places,
            results=None if kept is None else ResultBook(kept.results(MOST_GAMES), kept.keep, kept),
            shelf=None if kept is None else GameShelf(kept, heard),
            done=obeyed(said for said, _ in heard),
            listener=tell,
        )
    )
    say(f"Table {config.table.id}, broker {address}.")
    _pages(config, address, stack)
    if resumed.entries:
        say(f"Resumed from the journal: {scoreline(table.board)}.")
    if tape.on:
        say(f"Recording into {config.recordings}.")
    for notice in source.notices:
        say(notice)
    return table, begin_s


def _wind(source: SampleSource, to_s: float, stopping: Stopping) -> None:
    """Move a recording forward to where its unfinished game stopped, or until told to stop.

    Earlier decisions are in the journal already and are not published again.
    """
    if to_s > 0.0:
        say(f"Skipping the recording forward to {to_s:.0f} s.")
    at_s = 0.0
    while at_s < to_s and not stopping.is_set():
        at_s = min(at_s + WIND_STEP_S, to_s)
        source.poll(at_s)


def _broker(config: Config, stack: contextlib.ExitStack) -> BrokerAddress:
    if config.broker.kind == "mqtt":
        return wiring.broker(config)
    embedded = EmbeddedBroker(config.broker.port)
    stack.callback(embedded.stop)
    port = embedded.start()
    if config.broker.port not in (0, port):
        say(f"Broker port {config.broker.port} is in use; ours listens on {port}.")
    return BrokerAddress(port=port)


def _pages(config: Config, address: BrokerAddress, stack: contextlib.ExitStack) -> None:
    if not config.web.enabled:
        return
    recording = Path(config.source.path) if config.source.path else None
    screen_file = Path(config.web.screen_file) if config.web.screen_file else None
    server = ScoreboardServer(
        wiring.for_pages(config, address),
        host=config.web.host,
        port=config.web.port,
        quiet=True,
        support=SupportDesk(config.table.id, config, recording, config.recordings),
        phones=config.web.phones,
        screen_file=screen_file,
        profiles=Path(config.web.profiles) if config.web.profiles else None,
        names=config.web.names,
        metrics_token=password(config.web.metrics_token_file, named="web.metrics_token_file"),
        callers=Path(config.web.callers) if config.web.callers else None,
    )
    server.start()
    stack.callback(server.stop)
    say(f"Scoreboard: {server.screen_url(config.table.id)}")
    if screen_file is not None:
        say(f"Own screen: file://{screen_file}")


def tell(outcome: Outcome, board: Scoreboard) -> None:
    """Print an outcome on the terminal, if it is worth a line."""
    line = narrate(outcome, board)
    if line is not None:
        say(line)
