"""`topple-table demo`: simulated players on the simulated tower, through the whole system.

Only the people and the tower are simulated. From the samples on, everything is the real program:
the detector decides, the referee scores, and the scoreboard page reads MQTT. The simulated people
answer the table's questions directly, as they would on a phone.
"""

import contextlib
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import cast

from starlette.routing import Route

from controller.app.run import await_broker, connected, keep_going, tell
from controller.app.wiring import fair_chance, new_id, pipeline
from controller.common.errors import ControllerError
from controller.common.shutdown import Stopping, stop_on_signals
from controller.common.terminal import say
from controller.mqtt.client import BrokerAddress, BrokerPlace, Mqtt
from controller.table.keepers import NullJournal
from controller.table.loop import LiveTable
from controller.table.narration import final_line
from controller.table.pipeline import Pipeline
from controller.table.publisher import Home, Identity
from engine.referee import Outcome
from engine.referee.sighting import ANOTHER
from engine.referee.state import RefereeState
from engine.scoreboard import QuestionShown, Scoreboard
from hw.building.measures import load
from lab.demo.open_table import OpenTable
from lab.demo.own_broker import OwnBroker
from lab.demo.try_page import TryPage
from lab.people.eyewitness import mistaken
from lab.people.objecting import Objecting
from lab.people.simulation import LONGEST_GAME_S, SimulatedEvening
from lab.people.ways import WAYS, Ways
from lab.twin.build import build_of
from lab.twin.parameters import PRESETS, Preset, TwinParameters, preset_parameters
from lab.twin.sets import SETS, SetName
from pages.health.support import SupportDesk
from pages.server import ScoreboardServer

DONE, WRONG_USE = 0, 2

TABLE = "demo"
"""The same each time, so that Home Assistant does not collect devices; a second demonstration at
one broker needs another."""

STEP_S = 0.25
"""Table time of one step at full speed. Fixed, so that one seed is one game."""

THINKING_S = 2.5
"""How long the simulated people take to answer a question."""

SHORT_TARGET = 40
"""The book suggests 100 points; that is half an hour of play, a long time for a demo."""

PUT_AWAY_S = 45.0
"""A phone that shows the page says so every ten seconds. For one that has been dark for so long
somebody simulated plays; whoever takes it up again has the seat as before."""

FIRST_BROKER_PORT = 1883
FIRST_WEB_PORT = 8080


@dataclass(slots=True)
class Answering:
    """Answers the table's questions for the simulated people, from what they saw.

    Attributes:
        evening: people and tower.
        happened_s: moment of each placement and topple, by its number in the ledger.
        asked: the question they are thinking about, and the table time of their answer.
        began_s: when the table's game began; none has before the first.
        own_game: id of the last game that was theirs.
        errs: probability that they answer something else than they saw.
        chance: their own, so that the evening does not depend on what is asked.
    """

    evening: SimulatedEvening
    happened_s: dict[int, float] = field(default_factory=dict)
    asked: tuple[str, float] | None = None
    began_s: float | None = None
    own_game: str | None = None
    errs: float = 0.0
    chance: Random = field(default_factory=lambda: Random(0))

    def note(self, outcome: Outcome, game: str | None = None) -> None:
        """Record when things happened, and who started the game."""
        if outcome.type == "started":
            self.began_s = outcome.t_s
            if self.evening.people.began_s == outcome.t_s:
                self.own_game = game
        ref = outcome.data.get("ref")
        if outcome.type in ("placed", "toppled") and ref is not None:
            self.happened_s[int(ref)] = outcome.t_s
        elif outcome.type in ("rolled", "asked") and ref is not None:
            self.happened_s.setdefault(int(ref), outcome.t_s)

    def look(self, board: Scoreboard) -> None:
        """See whether guests have ended the game by phone, or begun one of their own."""
        people, idle = self.evening.people, board.phase in ("idle", "over")
        if board.game is not None and board.game == people.joined != self.own_game:
            self.own_game, people.began_s = board.game, self.began_s
        people.others_play = board.game != self.own_game and not idle
        known = self.began_s is not None and self.began_s == people.began_s
        if people.in_game and (people.others_play or (known and idle)):
            people.called_off = True

    def act(self, question: QuestionShown | None, now_s: float) -> None:
        """Look at the scoreboard's question; answer it after a while."""
        if question is None:
            self.asked = None
        elif self.asked is None or self.asked[0] != question.id:
            self.asked = (question.id, now_s + THINKING_S)
        elif now_s >= self.asked[1]:
            answered = self._answer(question, self.happened_s.get(question.ref or 0, now_s))
            # Asked again only if this answer settles nothing; by "another" the others are asked.
            again_s = now_s + THINKING_S if answered == ANOTHER.value else float("inf")
            self.asked = (question.id, again_s)

    def _answer(self, question: QuestionShown, about_s: float) -> str | None:
        options = tuple(option.value for option in question.options)
        seen = self.evening.people.answer(question.kind, about_s, options, question.player)
        value = mistaken(seen, options, self.errs, self.chance)
        if value is not None:
            self.evening.say("answer", question=question.id, value=value)
        return value


def _unknown(preset: str, people: str, pieces: str) -> str:
    """What is wrong with these words, with those that are known; empty when nothing is."""
    if preset not in PRESETS:
        return f"there is no preset {preset!r}; there are {', '.join(PRESETS)}"
    if people not in WAYS:
        return f"there are no people of the way {people!r}; there are {', '.join(WAYS)}"
    if pieces not in SETS:
        return f"there is no set of pieces {pieces!r}; there are {', '.join(SETS)}"
    return ""


def _table_for(measures: Path | None, preset: Preset) -> TwinParameters | None:
    """A simulated table for the game in a file of measures; None: for the assumed game."""
    return preset_parameters(preset, build_of(load(measures))) if measures else None


def run(
    *,
    headless: bool = False,
    seed: int = 1,
    speed: float = 1.0,
    broker: BrokerAddress | None = None,
    pages: BrokerAddress | None = None,
    web_port: int | None = None,
    web_host: str = "127.0.0.1",
    starter: bool = False,
    target: int | None = None,
    measures: Path | None = None,
    preset: str = "calm",
    people: str = "usual",
    pieces: str = "equal",
    longest_s: float = LONGEST_GAME_S,
    table: str = TABLE,
) -> int:
    """Play games of simulated players; only one when headless.

    Options are those of the command line (`lab.commands.demo`). `broker` is started when left out,
    `pages` is the same with the user of the pages, if that is another one. `target` is how many
    points win, as many as make a short game when left out, `longest_s` the table time after which
    a headless game is broken off, `preset`, `people` and `pieces` what table, what people and what
    set of pieces play.

    Returns:
        Exit code: 0 when it was played or interrupted, 2 after wrong use.
    """
    unknown = _unknown(preset, people, pieces)
    if unknown:
        print(f"demo: {unknown}", file=sys.stderr)
        return WRONG_USE
    chosen = cast("Preset", preset)
    # Sensors cannot tell colours; with two each, every turn would rest on a guess.
    evening = SimulatedEvening.begin(
        seed, chosen, players=2, two_colours=False, target=target or SHORT_TARGET,
        starter=starter, again=not headless, parameters=_table_for(measures, chosen),
        ways=WAYS[people], kind=OpenTable, pieces=cast("SetName", pieces),
    )  # fmt: skip
    tower = "starter table" if starter else "tower"
    try:
        with broker_for(broker) as where:
            way = "" if people == "usual" else f" ({people})"
            marks = "" if pieces == "equal" else f", {pieces} pieces"
            say(f"Topple on the simulated {tower}, seed {seed}, {preset} players{way}{marks}.")
            if pieces != "equal":
                say("Colours differ in mass: the weight of a piece helps to tell whose it is.")
            identity = Identity(table, new_id(), simulated=True)
            rules = pipeline(evening.tabletop, chance=fair_chance)
            evening.people.called = lambda: called(rules.state)
            demo = _Demo(
                evening, pages or where, rules, WAYS[people], seed=seed, goes_on=not headless,
                table=table,
            )  # fmt: skip
            if isinstance(evening.people, OpenTable):
                evening.people.referee = lambda: rules.state
                evening.people.phones = demo.phones
            with connected(
                evening, rules, NullJournal(), identity, where, home=Home(),
                listener=demo.listen,
            ) as (live, edge):  # fmt: skip
                if headless:
                    demo.at_full_speed(live, edge, longest_s)
                else:
                    port = FIRST_WEB_PORT if web_port is None else web_port
                    demo.in_real_time(live, speed, web_host, port)
    except ControllerError as error:
        print(f"demo: {error}", file=sys.stderr)
        return WRONG_USE
    return DONE


@contextlib.contextmanager
def broker_for(address: BrokerAddress | None) -> Iterator[BrokerPlace]:
    """Where the broker is that was named, or one of its own for as long as it is needed.

    An installed Mosquitto comes first: it speaks MQTT 5 as well. Both serve this computer only.
    """
    if address is not None:
        yield lambda: address
        return
    own = OwnBroker(FIRST_BROKER_PORT)
    own.where()
    try:
        yield own.where
    finally:
        own.stop()


class _Demo:
    """One evening at the table."""

    def __init__(
        self,
        evening: SimulatedEvening,
        broker: BrokerAddress | BrokerPlace,
        rules: Pipeline,
        ways: Ways,
        *,
        seed: int,
        goes_on: bool,
        table: str = TABLE,
    ) -> None:
        self.evening = evening
        self.answering = Answering(evening, errs=ways.errs, chance=Random(seed))
        self.objecting = Objecting(evening.people.names, ways.watches, Random(seed))
        self.goes_on = goes_on
        self._broker, self._rules = broker, rules
        self._table = table
        self._server: ScoreboardServer | None = None

    def phones(self) -> tuple[str, ...]:
        """Players whose seats are taken by phone."""
        return self._server.seated(self._table, PUT_AWAY_S) if self._server else ()

    def listen(self, outcome: Outcome, board: Scoreboard) -> None:
        """Tell the people and the terminal."""
        self.answering.note(outcome, board.game)
        tell(outcome, board)
        if outcome.type in ("started", "cleared") and self.goes_on:
            self._compare(board, agreeing=False)
        if outcome.type == "over" and self.goes_on:
            self._conclude(board)
            say("The next game begins in half a minute, or when guests want it.   (Ctrl-C ends)")

    def at_full_speed(self, table: LiveTable, edge: Mqtt, longest_s: float) -> None:
        """Play to the end as fast as the machine can."""
        await_broker(edge)
        say(f"Broker: {edge.connection.text}")
        now_s = 0.0
        while not table.ended and now_s < longest_s:
            now_s += STEP_S
            self._look(table.board, now_s)
            table.step(now_s, time.time())
        self._conclude(table.board)

    def in_real_time(self, table: LiveTable, speed: float, web_host: str, web_port: int) -> None:
        """Play game after game at the pace of the clock, with the page, until interrupted."""
        server = ScoreboardServer(
            self._broker,
            host=web_host,
            port=web_port,
            quiet=True,
            support=SupportDesk(self._table),
            phones="screen",
            visit=(self._table, self._pages(web_host, web_port)),
        )
        self._server = server
        stopping = Stopping()
        stop_on_signals(stopping)
        server.start()
        try:
            say(f"Scoreboard: {server.screen_url(self._table)}   (Ctrl-C ends)")
            say(f"Play:       {server.url}t/{self._table}/try")
            say(f"Broker:     {self._broker() if callable(self._broker) else self._broker}")
            keep_going(
                table,
                stopping,
                speed=speed,
                before_step=lambda t_s: self._watch(table.board, t_s),
            )
            if table.board.phase != "over":
                self._conclude(table.board)
        finally:
            server.stop()

    def _pages(self, web_host: str, web_port: int) -> list[Route]:
        people = self.evening.people
        if not isinstance(people, OpenTable):
            return []
        return TryPage(self._table, people.visitors, (web_host, web_port)).routes()

    def _watch(self, board: Scoreboard, now_s: float) -> None:
        self.answering.look(board)
        self._look(board, now_s)

    def _look(self, board: Scoreboard, now_s: float) -> None:
        """People answer what is asked, and object to what is wrong."""
        self.answering.act(board.pending, now_s)
        seen = self.evening.tower.truth.entries
        objection = self.objecting.look(seen, self._rules.state, now_s)
        if objection is not None and board.game == self.answering.own_game:
            self.evening.say(objection[0], **objection[1])

    def _conclude(self, board: Scoreboard) -> None:
        self._compare(board)
        say(final_line(board))

    def _compare(self, board: Scoreboard, *, agreeing: bool = True) -> None:
        """Say what the people counted themselves; `agreeing`: also when the table says so."""
        theirs = board.game == self.answering.own_game
        counted = self.evening.people.scores if theirs else {}
        told = {player.name: player.score for player in board.players}
        differs = told != dict(counted)
        people = self.evening.people
        if isinstance(people, OpenTable):
            people.visitors.counted = dict(counted) if counted and differs else None
        if counted and (agreeing or differs):
            same = "not what the table says" if differs else "the same"
            say(f"The players counted: {_scores(counted)} ({same}).")


def called(state: RefereeState) -> str | None:
    """Whom the screen calls to roll."""
    position = state.position
    return position.player if position.phase == "roll" else None


def _scores(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {points}" for name, points in counted.items())
