"""One table at work, a step at a time: samples and commands in, journal and MQTT out.

Theory of operation. One thread owns the source, the pipeline and the journal; in every step it
takes what is new, decides, writes the journal, and only then publishes. What arrives by MQTT is
put into a bounded inbox by the network thread and waits for the next step; it also wakes the
loop at once. So a slow or absent broker never holds up the detection.

Time: `t_s` is table time (the source's), `unix_s` wall time for expiry and `since`. Both are
passed in, so the tests drive a table without waiting. A steady clock is handed in for what lasts:
how long a step takes, how long clients are silent. It is read as a step begins and ends.
"""

import dataclasses
import logging
import queue
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal

from msgspec.structs import replace

from controller.common.errors import JournalError
from controller.common.rate_limited_log import RateLimitedLog, quoted
from controller.common.troubles import DUPLICATE_ID, JOURNAL_STOPPED
from controller.mqtt import homeassistant
from controller.mqtt.client import MAX_PAYLOAD_BYTES, Message, obeyable
from controller.mqtt.topics import FOREIGN, SensorTrouble, TableStatus
from controller.table.calling import Calling
from controller.table.clients import ConnectedClients
from controller.table.commands import LARGEST_COMMAND_BYTES, CommandDesk
from controller.table.confidence import ConfidenceTracker
from controller.table.degraded import mode, urgency
from controller.table.duplicate_ids import DuplicateIds
from controller.table.film import FilmReel, blamed_otherwise, toppling_in
from controller.table.hands import Hands
from controller.table.keepers import (
    EveningRecorder,
    JournalWriter,
    NullRecorder,
    StoredPlaces,
)
from controller.table.panel import face
from controller.table.piece_marks import piece_marks, pieces_tell
from controller.table.pipeline import Output, Pipeline
from controller.table.publisher import Announcer, Identity, software
from controller.table.resultbook import ResultBook
from controller.table.riskmap import risk_map
from controller.table.shelf import GameShelf
from controller.table.tension import tension
from controller.table.trace import Tracer
from controller.table.vitals import HEALTH_EVERY_S, Vitals
from engine.events import HumanInput, Placed
from engine.referee import Outcome
from engine.results import Results, fitting
from engine.scoreboard import Scoreboard, document
from engine.trouble import Trouble
from hw.conversions import HasConversions
from hw.drivers.panel import HasPanel
from hw.drivers.pins_health import HasPins
from hw.source import REPLAY_STEP_S, HasLink, Item, SampleSource, Thermometer

_log = logging.getLogger(__name__)

INBOX_SIZE = 256
"""Messages waiting for the next steps; nobody presses that fast, so more is a storm."""

MOST_PER_STEP = 16
"""Messages taken in one step. On a slow card each decision takes some milliseconds to write
down, and a storm of commands must not keep the detection waiting."""

MOST_TURNED_AWAY = 64
"""Senders of a storm who are still told that there was no room; of the rest `health` has the
number, as of all that was refused."""

GREETING_WAIT_S = (0.2, 2.0)
"""A freshly started Home Assistant is given a moment, a different one by each device, so that
not all of them talk at once."""

Phase = Literal["init", "ready", "degraded", "stopping"]


class LiveTable:
    """One table, driven by `step`.

    Args:
        source: samples, and the inputs of simulated or recorded people.
        pipeline: fresh, or resumed from the journal.
        journal: told of every decision first.
        announcer: told of it next.
        identity: who the table is.
        begin_s: table time at which the source stands.
        hints: whether the document holds the risk map, until somebody says otherwise.
        hands: whether it is measured how hard hands press.
        doubt: why the score that was resumed may be wrong; told until another game begins.
        results: how the last games ended; an empty book when left out.
        shelf: keeps the moves of the last games; in memory when left out.
        done: client and id of the commands that were obeyed in this game before a restart.
        tape: records the evening, if somebody wants it.
        places: of its files; not watched when left out.
        listener: told of each decision after all others; for the terminal and for tests.
        clock: a steady clock, in seconds.
    """

    def __init__(
        self,
        source: SampleSource,
        pipeline: Pipeline,
        journal: JournalWriter,
        announcer: Announcer,
        identity: Identity,
        *,
        begin_s: float = 0.0,
        hints: bool = False,
        hands: bool = False,
        doubt: Trouble | None = None,
        results: ResultBook | None = None,
        shelf: GameShelf | None = None,
        done: Iterable[tuple[str, str]] = (),
        tape: EveningRecorder | None = None,
        places: StoredPlaces | None = None,
        listener: Callable[[Outcome, Scoreboard], None] = lambda _outcome, _board: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._doubt = doubt
        self._source = source
        self._pipeline = pipeline
        self._stored = pipeline.state
        self._journal = journal
        self._announcer = announcer
        self._results = results or ResultBook()
        self._shelf = shelf or GameShelf()
        self._tape: EveningRecorder = tape or NullRecorder()
        self._places = places
        self._heard: list[Item] = []
        record = None if self._tape.on is None else self._tape.switch
        self._desk = CommandDesk(
            pipeline, hints_on=hints, record=record, shelf=self._shelf, results=self._results,
            done=done,
        )  # fmt: skip
        self._me = identity
        self._listener = listener
        self._inbox: queue.Queue[Message] = queue.Queue(INBOX_SIZE)
        self._turned_away: deque[Message] = deque(maxlen=MOST_TURNED_AWAY)
        self._without_room = 0
        self._refused: Counter[str] = Counter()
        self._crowded = False
        self._no_commands = RateLimitedLog(_log)
        self._wake = threading.Event()
        self._vitals = Vitals(weight_only=source.tabletop.weight_only)
        self._connected_clients = ConnectedClients()
        self._duplicate_ids = DuplicateIds(identity.boot)
        self._greeting_due_s: float | None = None
        self._health_said_unix_s = float("-inf")
        self._tracer = Tracer()
        self._film = FilmReel(source.tabletop)
        self._hands = Hands(on=hands)
        self._confidence = ConfidenceTracker()
        self._calling = Calling()
        self._phase: Phase = "init"
        self._tells = pieces_tell(source.tabletop.piece.masses, pipeline.state.position)
        self._troubles: dict[str, SensorTrouble] = {}
        self._health_due_s = begin_s
        self._polled_s = begin_s
        self._clock = clock
        self._now_s = 0.0
        self._unix_s = 0.0
        self.board = self._document()

    @property
    def ended(self) -> bool:
        """Whether the source has nothing more to give."""
        return self._source.ended

    def open(self, unix_s: float) -> None:
        """Say that the table is there, with the game as the journal left it."""
        self._unix_s = unix_s
        self._set_phase("init")
        self._announcer.state(self.board)
        self._show()
        self._announcer.flush_now()
        # A plug pulled at the very end of a game left it in the journal, but not in the book.
        if self._results.note(self._stored, unix_s, self._source.tabletop):
            self._keep_moves()
        if self._results.games:
            self._say_results()
        self._announcer.online()

    def receive(self, message: Message) -> None:
        """Take a message from the network thread; returns at once, drops it if too many wait."""
        if not (_harmless(message) or obeyable(message)):
            return
        if len(message.payload) > MAX_PAYLOAD_BYTES:
            # Its beginning is enough for the answer that it is too large, and fills no memory.
            message = Message(message.topic, message.payload[: 2 * LARGEST_COMMAND_BYTES], False)
        try:
            self._inbox.put_nowait(message)
        except queue.Full:
            self._turned_away.append(message)
            self._without_room += message.at.row == "cmd"
            if not self._crowded:
                # Once a storm, or the log would be the next thing to be flooded.
                self._crowded = True
                topic = quoted(message.topic)
                _log.warning("More than %d messages wait; dropped %s", INBOX_SIZE, topic)
        self._wake.set()

    def wait(self, longest_s: float) -> None:
        """Until a command arrives, or as long as that."""
        self._wake.wait(longest_s)
        self._wake.clear()

    def step(
        self, t_s: float, unix_s: float, *, after_slice: Callable[[], None] = lambda: None
    ) -> None:
        """Take everything up to table time `t_s`, decide, write down, publish.

        Args:
            t_s: table time of this step.
            unix_s: wall time.
            after_slice: called after each second of table time. A computer that falls behind has
                many of them in a step, and is alive all the same.

        Raises:
            HardwareError: the source is broken for good.
            JournalError: nothing more can be stored; `close` then says so to every screen.
        """
        try:
            self._step(t_s, unix_s, after_slice)
        except JournalError:
            stopped = SensorTrouble.of("journal", JOURNAL_STOPPED())
            # First of all: it is what pages show of a table that is gone.
            self._troubles = {"journal": stopped} | {**self._troubles, "journal": stopped}
            raise

    def _step(self, t_s: float, unix_s: float, after_slice: Callable[[], None]) -> None:
        began_s = self._now_s = self._clock()
        self._unix_s = unix_s
        for slice_s in self._slices(t_s):
            for item in self._source.poll(slice_s):
                outputs = self._pipeline.feed(item)
                if isinstance(item, HumanInput):
                    self._note_said(outputs, item.t_s)
                else:
                    self._vitals.samples(item)
                    self._tracer.samples(item)
                    self._film.samples(item)
                    self._hands.samples(item)
                    self._heard.append(item)
                self._conclude(outputs)
                if isinstance(item, HumanInput):
                    self._announcer.refused(outputs[-1])
            after_slice()
        for message in self._waiting():
            self._take(message, t_s)
        self._turn_away()
        self._journal.tend()
        if self._calling.lapsed(self._stored, self.board.result, self._polled_s):
            self._redraw()
        self._look_after(t_s)
        self._greet()
        self._announcer.flush(began_s)
        took_s = self._clock() - began_s
        if (point := self._tracer.point(self._me.boot, t_s + took_s, unix_s + took_s)) is not None:
            self._announcer.trace(point)
        if (film := self._film.take()) is not None:
            known = self._shelf.blaming(film, self._stored)
            self._announcer.film(known)
            self._shelf.keep_film(known)
        self._tape.write(self._heard)
        self._heard = []
        self._vitals.step(self._clock() - began_s)

    def _note_said(self, outputs: Sequence[Output], t_s: float) -> None:
        """Keep for the tape what people said, with what the table dealt to it."""
        cause = outputs[-1].cause
        if isinstance(cause, HumanInput):
            self._heard.append(dataclasses.replace(cause, t_s=t_s))

    def _slices(self, t_s: float) -> Iterator[float]:
        """The way to `t_s` in steps no longer than a replay's, also after a long pause."""
        while self._polled_s < t_s:
            self._polled_s = min(self._polled_s + REPLAY_STEP_S, t_s)
            yield self._polled_s

    def close(self, unix_s: float) -> None:
        """Publish what is left, and that the table is stopping."""
        self._unix_s = unix_s
        self._announcer.flush_now()
        self._set_phase("stopping")
        self._source.close()

    def _waiting(self) -> Iterable[Message]:
        for _ in range(MOST_PER_STEP):
            try:
                yield self._inbox.get_nowait()
            except queue.Empty:
                self._crowded = False
                return
        # There may be more: the next step shall come at once.
        self._wake.set()

    def _take(self, message: Message, t_s: float) -> None:
        at = message.at
        if at is FOREIGN:
            # The only other thing a table hears is that Home Assistant has started.
            self._greeting_due_s = self._now_s + random.uniform(*GREETING_WAIT_S)
        elif at.row == "client":
            self._connected_clients.update(at.level, message.payload, self._now_s)
        elif at.row == "health":
            self._notice_namesake(message)
        else:
            self._obey(message, t_s)

    def _notice_namesake(self, message: Message) -> None:
        if self._duplicate_ids.receive(message.payload, self._now_s):
            _log.warning(
                "Another table publishes as %s, and displays show both games in turns. "
                "Check that no other table on this broker is called %s too ([table] id).",
                self._me.table,
                self._me.table,
            )

    def _turn_away(self) -> None:
        while self._turned_away:
            message = self._turned_away.popleft()
            if obeyable(message):
                self._announcer.reply(self._desk.turned_away(message.payload, self._unix_s))

    def _greet(self) -> None:
        if self._greeting_due_s is not None and self._now_s >= self._greeting_due_s:
            self._greeting_due_s = None
            self._announcer.again()

    def _obey(self, message: Message, t_s: float) -> None:
        hints_on, recording = self._desk.hints_on, self._tape.on
        verb, payload = message.at.level, message.payload
        answered = self._desk.receive(verb, payload, t_s=t_s, unix_s=self._unix_s)
        if not (answered.reply.ok or answered.repeated):
            self._refused[answered.reply.code] += 1
        if answered.malformed and answered.client is None:
            self._no_commands.warning(
                "No command on %s: %s. It is not answered, since it names no client.",
                quoted(message.topic),
                quoted(answered.reply.msg),
            )
        if answered.outputs:
            self._note_said(answered.outputs, t_s)
        self._conclude(answered.outputs)
        if self._desk.hints_on is not hints_on:
            self._redraw()
        if answered.reply.forgotten and not answered.repeated:
            self._say_results()
        if self._tape.on is not recording:
            self._health_due_s = t_s
        self._announcer.reply(answered)

    def _conclude(self, outputs: Iterable[Output]) -> None:
        for output in outputs:
            if output.remembered or output.refused is not None:
                self._journal.write(output)
            # Nothing is shown before: of several decisions the next may find no room.
            self._stored = output.state
            self._vitals.event(output.cause)
            self._confidence.output(output)
            if output.refused is not None:
                _log.info("Not done: %s", output.refused.message)
            if isinstance(output.cause, Placed):
                self._hands.placed(output.cause, self._pipeline.resume_s)
            self._shelf.hear(output)
            # At once, and the state after it: what passes by is in no state.
            self._announcer.events(output)
            resume_s = self._pipeline.resume_s
            if (toppling := toppling_in(output, self.board, resume_s=resume_s)) is not None:
                self._film.toppled(toppling)
            self._blame_anew(output)
            if output.remembered:
                self._show_change(output)
            for outcome in output.outcomes:
                self._listener(outcome, self.board)

    def _blame_anew(self, output: Output) -> None:
        """A film names who made it fall once that is known, before pages hear of the answer."""
        if not blamed_otherwise(output):
            return
        if (film := self._shelf.blamed_anew(output.state)) is not None:
            self._announcer.film(film)

    def _show_change(self, output: Output) -> None:
        if output.state.game_id != output.before.game_id:
            self._doubt = None
        self._redraw()
        tabletop, press_g = self._source.tabletop, self._hands.press_g
        if self._results.note(output.state, self._unix_s, tabletop, press_g):
            self._keep_moves()
            self._say_results()

    def _redraw(self) -> None:
        self.board = self._document()
        self._announcer.state(self.board)
        self._show()

    def _keep_moves(self) -> None:
        state, simulated = self._stored, self._me.simulated
        newest = self._results.games[-1]
        self._shelf.finish(state, newest, self._source.tabletop, simulated=simulated)

    def _say_results(self) -> None:
        me = self._me
        whole = Results(me.table, me.boot, self._results.games, me.simulated)
        told = fitting(whole)
        if len(told.games) < len(whole.games):
            left_out = len(whole.games) - len(told.games)
            _log.warning("%d old results are not published: their names are too long", left_out)
        self._announcer.results(told)

    def _show(self) -> None:
        if isinstance(self._source, HasPanel):
            self._source.show(face(self.board))

    def _document(self) -> Scoreboard:
        me, state = self._me, self._stored
        hints = risk_map(state, self._source.tabletop) if self._desk.hints_on else None
        return document(
            state, table=me.table, boot=me.boot, simulated=me.simulated, hints=hints,
            tension=tension(state, self._source.tabletop),
            awaited=self._calling.waits(state, self._polled_s),
        )  # fmt: skip

    def _look_after(self, t_s: float) -> None:
        troubles = self._vitals.troubles
        if trouble := self._tape.trouble:
            troubles["recording"] = SensorTrouble.of("recording", trouble)
        troubles |= self._of_storage()
        if self._doubt:
            troubles["journal"] = SensorTrouble.of("journal", self._doubt)
        if said := self._connected_clients.trouble(self._now_s):
            troubles["client"] = said
        if self._duplicate_ids.there(self._now_s):
            troubles["name"] = SensorTrouble.of("name", DUPLICATE_ID(table=self._me.table))
        if self._phase == "init" or troubles != self._troubles:
            self._troubles = {name: troubles[name] for name in sorted(troubles, key=urgency)}
            self._set_phase("degraded" if troubles else "ready")
        # By wall time too, since displays count it; a clock that was set back starts anew.
        silent_s = self._unix_s - self._health_said_unix_s
        if t_s >= self._health_due_s or not 0 <= silent_s < HEALTH_EVERY_S:
            self._health_due_s = t_s + HEALTH_EVERY_S
            self._health_said_unix_s = self._unix_s
            self._say_health(t_s)

    def _of_storage(self) -> dict[str, SensorTrouble]:
        """What is wrong with the disks: of each file's place, and how much room there is."""
        found = dict(self._places.watched(self._now_s)) if self._places else {}
        if trouble := self._journal.trouble:
            found["room"] = trouble
        return {
            (sensor := f"storage.{name}"): SensorTrouble.of(sensor, trouble)
            for name, trouble in found.items()
        }

    def _say_health(self, t_s: float) -> None:
        source = self._source
        warm_c = source.imu_temperature_c if isinstance(source, Thermometer) else None
        if isinstance(source, HasConversions):
            self._vitals.conversions(source.conversions())
        health = self._vitals.health(
            self._me.boot,
            t_s,
            self._pipeline.health(),
            self._announcer.dropped,
            refused={**self._refused, "busy": self._without_room},
            imu_temperature_c=warm_c,
            unix_s=self._unix_s,
        )
        known = source.tabletop.piece.masses, self._pipeline.state.position
        told = pieces_tell(*known)
        self._announcer.health(replace(
            health,
            link=source.link_health() if isinstance(source, HasLink) else None,
            pins=source.pins_health() if isinstance(source, HasPins) else None,
            clients=self._connected_clients.by_role(self._now_s),
            too_large=self._announcer.too_large,
            recording=self._tape.on,
            sureness=self._confidence.document(),
            pieces=piece_marks(*known),
            pieces_tell=told,
        ))  # fmt: skip
        if told != self._tells:
            self._tells = told
            self._say_status()

    def _set_phase(self, phase: Phase) -> None:
        self._phase = phase
        self._since = datetime.fromtimestamp(self._unix_s, UTC).isoformat(timespec="seconds")
        self._say_status()

    def _say_status(self) -> None:
        told = {} if self._phase == "stopping" else self._troubles
        how = mode({name: trouble.reason for name, trouble in told.items()})
        self._announcer.status(TableStatus(
            self._me.boot, self._phase, self._since, software(), self._me.simulated,
            tuple(self._troubles.values()), how, self._tells,
        ))  # fmt: skip


def _harmless(message: Message) -> bool:
    """Whether it asks for nothing: presence, health of our name, Home Assistant's birth.

    A retained birth is an old one; the table said everything when it connected. Retained health
    is that of the run before.
    """
    row = message.at.row
    if message.at is not FOREIGN:
        asks_nothing = row == "client" or (row == "health" and not message.retained)
        return asks_nothing and len(message.payload) <= MAX_PAYLOAD_BYTES
    return message.payload == homeassistant.STATUS_ONLINE and not message.retained
