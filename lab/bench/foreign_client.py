"""The contract client: what docs/mqtt.md promises any display, held against all messages. Pure.

It can know every promise that messages alone can break, in order, numbers, fields and answers, and
with `lab.bench.foreign_game` what the game must be by the events; it shares no code with the table.
It cannot know what happened at the tower, nor when a message was due that never came.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lab.bench.foreign_game import ReadersGame, same_game_shown, unexplained
from lab.bench.observed import Order, Sent

PASSING = ("suspected", "dismissed", "refused")
"""They have the `seq` of the event before them (rule 7 of a display)."""

SAME_MOMENT_S = 1e-6
"""Times are sums of tenths of a second; they differ by rounding only."""

LONGEST_DECISION_S = 30.0
"""A sensor that fails is named within half a minute; all else is decided sooner."""

SILENT_S = 5.0
"""A sensor that gives nothing for so long is not well; the slowest gives ten samples a second."""


@dataclass(slots=True)
class ForeignClient:
    """Hears everything and remembers what docs/mqtt.md says one may rely on.

    Attributes:
        state: the newest document. events: what came since.
        seq, rev, t_s: of the newest event; None before the first.
        gap: messages may have been missed since the last document.
        broken: promises that were not kept, in words.
        game: the game, kept by its events and by the rules.
    """

    state: dict[str, Any] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    seq: int | None = None
    rev: int | None = None
    t_s: float | None = None
    gap: bool = True
    broken: list[str] = field(default_factory=list)
    game: ReadersGame = field(default_factory=ReadersGame)
    _there: str = ""
    _boots: list[str] = field(default_factory=list)
    _stretch: tuple[int, int] = (-1, -1)
    _ahead_s: dict[int, list[float]] = field(default_factory=dict)
    _summary_due: dict[str, Any] | None = None
    _failing: set[str] = field(default_factory=set)
    _said_failing: set[str] | None = None
    _health_old: bool = False

    def hear(self, message: Sent) -> None:
        """Take the next message."""
        if message.connection != self._stretch[1]:
            # What happened while the broker was away is told by the state alone.
            self.gap, self._failing = True, set()
            self._health_old = self._stretch[1] >= 0
        if message.process != self._stretch[0]:
            self._failing, self._said_failing = set(), None
        self._stretch = (message.process, message.connection)
        document = message.document()
        if self._summary_due is not None and message.suffix != "summary":
            self._say(message, "a state is not followed by its summary")
            self._summary_due = None
        handler = _HANDLERS.get(message.suffix)
        if handler is not None:
            handler(self, message, document)
        elif message.suffix.startswith("reply/"):
            self._reply(message, document)

    def said_to_start(self, command: dict[str, Any]) -> None:
        """A game was started: its house rules stand in no document."""
        self.game.options = (command.get("data") or {}).get("options") or {}

    def _say(self, message: Sent, words: str) -> None:
        self.broken.append(f"client: at {message.t_s:.1f} s: {words}")

    # --- events ------------------------------------------------------------------------------

    def _event(self, message: Sent, event: dict[str, Any]) -> None:
        if event["boot"] != self._boot:
            self._say(message, f"an event of boot {event['boot']}, this is {self._boot}")
        self._check_time(message, event)
        if event["type"] in PASSING:
            # A piece that waits for its roll is a revision, and nothing to tell.
            ahead = event["rev"] - (self.rev or 0)
            if not self.gap and (event["seq"] != self.seq or ahead not in (0, 1)):
                self._say(message, f"{event['type']} has a number of its own")
            return
        if not self.gap:
            self._check_numbers(message, event)
        elif self.seq is not None and event["seq"] <= self.seq:
            # A new game, a new process and a new connection count on.
            self._say(message, f"event {self.seq} is followed by {event['seq']}")
        self.seq, self.rev = event["seq"], event["rev"]
        self.events.append(event)
        if event["type"] == "fault":
            self._failing.add(event["data"]["sensor"])
        elif event["type"] == "restored":
            self._failing.discard(event["data"]["sensor"])

    @property
    def _boot(self) -> str:
        return self._boots[-1] if self._boots else ""

    def _check_numbers(self, message: Sent, event: dict[str, Any]) -> None:
        if self.seq is not None and event["seq"] != self.seq + 1:
            self._say(message, f"event {self.seq} is followed by {event['seq']}")
        # A piece that came before its roll, and its roll, may be told in one breath.
        shown = self.state["rev"] if self.state else None
        if shown is not None and not self.events and event["rev"] - shown not in (1, 2):
            self._say(message, f"revision {shown} is followed by an event of {event['rev']}")
        if self.events and event["rev"] - self.events[-1]["rev"] not in (0, 1, 2):
            self._say(message, f"an event of revision {event['rev']} after one of {self.rev}")

    def _check_time(self, message: Sent, event: dict[str, Any]) -> None:
        if self.t_s is not None and event["t"] < self.t_s - SAME_MOMENT_S:
            self._say(
                message, f"event {event['seq']} is {self.t_s - event['t']:.3f} s back in time"
            )
        self.t_s = max(event["t"], self.t_s or event["t"])
        self._ahead_s.setdefault(message.process, []).append(event["t"] - message.t_s)

    # --- documents ---------------------------------------------------------------------------

    def _state(self, message: Sent, state: dict[str, Any]) -> None:
        before, events, gap = self.state, self.events, self.gap
        for words in self._state_problems(before, state, events, gap=gap):
            self._say(message, words)
        for words in self.game.follow(before or state, state, events, gap=gap):
            self._say(message, f"state: {words}")
        self.state, self.events, self.gap = state, [], False
        self.seq, self.rev = state["seq"], state["rev"]
        self._summary_due = state

    def _state_problems(
        self,
        before: dict[str, Any] | None,
        state: dict[str, Any],
        events: Sequence[dict[str, Any]],
        *,
        gap: bool,
    ) -> Iterator[str]:
        if before is None:
            return
        if state["rev"] < before["rev"] or state["seq"] < before["seq"]:
            yield f"state: revision {before['rev']} is followed by {state['rev']}"
        if state["rev"] == before["rev"] and (changed := same_game_shown(before, state)):
            yield f"state: {changed} is another one in the same revision {state['rev']}"
        if gap:
            return
        # A piece that waits for its roll can be undone: another revision, and nothing to tell.
        if state["seq"] != self.seq or state["rev"] < self.rev:
            yield (
                f"state: number {state['seq']} and revision {state['rev']}, the newest event has "
                f"{self.seq} and {self.rev}"
            )
        if state["rev"] != before["rev"] and not (events or same_game_shown(before, state)):
            yield f"state: revision {state['rev']} and no event that tells of it"
        yield from (f"state: {words}" for words in unexplained(before, state, events))

    def _summary(self, message: Sent, summary: dict[str, Any]) -> None:
        state, self._summary_due = self._summary_due or self.state, None
        for words in summary_problems(summary, state or {}):
            self._say(message, f"summary: {words}")

    def _reply(self, message: Sent, reply: dict[str, Any]) -> None:
        shown = None if self.state is None else self.state["rev"]
        if reply["ok"] and not reply.get("view") and (self.events or reply["rev"] != shown):
            self._say(message, f"a reply speaks of {reply['rev']} when {shown} is shown")

    # --- the table itself --------------------------------------------------------------------

    def _status(self, message: Sent, status: dict[str, Any]) -> None:
        if status["boot"] != self._boot:
            if status["boot"] in self._boots or status["phase"] != "init":
                self._say(message, f"boot {status['boot']} begins with {status['phase']}")
            self._boots.append(status["boot"])
        failing = {trouble["sensor"] for trouble in status["troubles"]}
        self._said_failing = failing
        if status["phase"] == "degraded" and not failing:
            self._say(message, "status: degraded, and nothing is named")
        if status["phase"] == "ready" and (failing or self._failing):
            self._say(message, f"status: ready, though {sorted(failing | self._failing)} fail")
        missing = self._failing - failing
        if status["phase"] == "degraded" and missing:
            self._say(message, f"status: degraded, and {sorted(missing)} are not named")

    def _health(self, message: Sent, health: dict[str, Any]) -> None:
        if health["boot"] != self._boot:
            self._say(message, f"health of boot {health['boot']}, this is {self._boot}")
        # The first one after a broker was away was measured meanwhile; the status is of now.
        old, self._health_old = self._health_old, False
        if old or self._said_failing is None:
            return
        bad = {name for name, sensor in health["sensors"].items() if not sensor["ok"]}
        named = {name for name in self._said_failing if name in health["sensors"]}
        if bad != named:
            self._say(message, f"health: {sorted(bad)} fail, status names {sorted(named)}")
        for name, sensor in health["sensors"].items():
            if sensor["ok"] and (sensor["age_s"] or 0.0) > SILENT_S:
                self._say(message, f"health: {name} is ok, and silent for {sensor['age_s']:.0f} s")

    def _availability(self, message: Sent, word: str) -> None:
        word = str(word)
        if word not in ("online", "offline"):
            self._say(message, f"availability: {word!r}")
        if word == "online" and (self.state is None or self.state["boot"] != self._boot):
            self._say(message, "availability: online before the state of this boot")
        self._there = word

    def at_the_end(self) -> None:
        """What only the whole run shows."""
        for ahead in self._ahead_s.values():
            # Replies to people come at once: their moments tell how table time lies.
            now = max(ahead)
            if now - min(ahead) > LONGEST_DECISION_S:
                self.broken.append(f"client: an event was told {now - min(ahead):.0f} s late")


_HANDLERS: dict[str, Callable[[ForeignClient, Sent, Any], None]] = {
    "event": ForeignClient._event,  # noqa: SLF001
    "state": ForeignClient._state,  # noqa: SLF001
    "summary": ForeignClient._summary,  # noqa: SLF001
    "status": ForeignClient._status,  # noqa: SLF001
    "health": ForeignClient._health,  # noqa: SLF001
    "availability": ForeignClient._availability,  # noqa: SLF001
}


def summary_problems(summary: dict[str, Any], state: dict[str, Any]) -> Iterator[str]:
    """Where the small document differs from the whole one, field by field."""
    turn, players = state.get("turn"), state.get("players", [])
    wanted = {"v": 1, "ph": state.get("phase"), "r": state.get("rev")}
    if turn is not None:
        wanted["d"] = turn["die"]
    for key, value in wanted.items():
        if summary.get(key) != value:
            yield f"{key} is {summary.get(key)}, the state has {value}"
    names = list(summary.get("p", {}))
    if list(summary.get("p", {}).values()) != [player["score"] for player in players]:
        yield f"points are {summary.get('p')}"
        return
    short = dict(zip((player["name"] for player in players), names, strict=True))
    for name, cut in short.items():
        if not name.startswith(cut.rstrip("1234")):
            yield f"{name} is called {cut}"
    if summary.get("t") != (None if turn is None else short.get(turn["player"])):
        yield f"{summary.get('t')} is in turn, the state has {turn}"
    if list(summary.get("w", [])) != [short[name] for name in state.get("winners", [])]:
        yield f"winners are {summary.get('w')}"


Reply = dict[str, Any]


def answers(
    orders: Sequence[Order], sent: Sequence[Sent]
) -> tuple[list[Reply | None], list[Reply]]:
    """The answer to each order, None where there is none, and the answers to nobody."""
    replies = [
        (place, message.suffix.removeprefix("reply/"), message.document())
        for place, message in enumerate(sent)
        if message.suffix.startswith("reply/")
    ]
    found: list[Reply | None] = []
    for order in orders:
        command = order.document()
        asks = order.by_mqtt and not order.retained and isinstance(command, dict)
        client, name = (command.get("client"), command.get("id")) if asks else (None, None)
        fits = (
            each
            for each in replies
            if each[0] >= order.place and each[1] == client and each[2].get("id") == name
        )
        answer = next(fits, None) if client is not None else None
        if answer is not None:
            replies.remove(answer)
        found.append(None if answer is None else answer[2])
    return found, [reply for _, _, reply in replies]


def unanswered(orders: Sequence[Order], sent: Sequence[Sent]) -> Iterator[str]:
    """Each command that names a client gets one answer, a repeated one the same again."""
    first: dict[tuple[Any, Any], Reply] = {}
    found, left_over = answers(orders, sent)
    for order, answer in zip(orders, found, strict=True):
        command = order.document()
        if not order.by_mqtt or order.retained or not isinstance(command, dict):
            continue
        client, name = command.get("client"), command.get("id")
        if answer is None:
            if client is not None and _somebody_there(order, sent):
                yield f"client: {order.verb} {name} at {order.t_s:.1f} s got no answer"
            continue
        reply = {key: value for key, value in answer.items() if key != "now"}
        if name is not None and (client, name) in first:
            if first[client, name] != reply:
                yield f"client: the answer to {name} was repeated as another one: {reply}"
            continue
        first[client, name] = reply
        yield from unlocked(order, command, answer, sent[: order.place])
        if answer["ok"]:
            yield from _undone_orders(order, command, answer, sent)
    for reply in left_over:
        if reply.get("code") not in ("bad-json", "too-large"):
            yield f"client: an answer that nobody waits for: {reply!s:.80}"


IN_TURN = ("pass", "place")
"""Verbs that only the player in turn may say; who rolls is believed."""

SAME_SECOND_S = 1.0
"""A command may be looked at as late as its answer is dated, or before."""


def unlocked(
    order: Order, command: dict[str, Any], answer: Reply, before: Sequence[Sent]
) -> Iterator[str]:
    """What was done though it was too late or another player's turn, or refused without need."""
    asked = f"client: {order.verb} {command.get('id')} at {order.t_s:.1f} s"
    yield from (f"{asked} {words}" for words in _ill_locked(order.verb, command, answer, before))


def _ill_locked(
    verb: str, command: dict[str, Any], answer: Reply, before: Sequence[Sent]
) -> Iterator[str]:
    saw, shown = command.get("rev"), _newest(before, "rev")
    if isinstance(saw, int) and answer["ok"] and shown is not None and saw < shown:
        yield f"was done, though it saw {saw} when {shown} was shown"
    if answer.get("code") == "stale-rev" and answer["rev"] == saw:
        yield f"is refused as old, and {saw} is the newest"
    end_s, now_s = _moment(command.get("exp")), answer.get("now")
    if end_s is not None and now_s is not None:
        if answer["ok"] and now_s > end_s + SAME_SECOND_S:
            yield f"was done {now_s - end_s:.0f} s after it was void"
        if answer.get("code") == "expired" and now_s < end_s - SAME_SECOND_S:
            yield f"has expired {end_s - now_s:.0f} s too early"
    who, turn = command.get("player"), _newest(before, "player")
    if verb in IN_TURN and answer["ok"] and who is not None and turn not in (None, who):
        yield f"was done for {who} in {turn}'s turn"


def _newest(before: Sequence[Sent], what: str) -> Any:
    """Revision or player in turn, as it was told last."""
    for message in reversed(before):
        document = message.document()
        if message.suffix == "state":
            return document["rev"] if what == "rev" else (document["turn"] or {}).get("player")
        if message.suffix == "event" and (what == "rev" or document["type"] == "turn"):
            return document.get(what)
    return None


def _moment(exp: Any) -> float | None:
    """Unix seconds of an `exp`; None where there is none, or a text without its zone."""
    if isinstance(exp, str):
        try:
            moment = datetime.fromisoformat(exp)
        except ValueError:
            return None
        return moment.timestamp() if moment.tzinfo else None
    return None if isinstance(exp, bool) or not isinstance(exp, (int, float)) else float(exp)


DONE = {
    "roll": ("rolled",), "pass": ("passed",), "place": ("placed",), "undo": ("undone",),
    "redo": ("redone",), "end": ("ended",), "start": ("started",), "topple": ("toppled",),
    "colour": ("colour", "corrected"), "correct": ("corrected", "retracted"),
}  # fmt: skip
"""Verb -> events of which one tells that it was done; a board may have been seen to be cleared."""

SAID = {"value": "die", "cell": "cell", "colour": "colour", "ref": "ref", "cause": "cause"}
"""Field of a command -> field of its event that must say the same."""


def _undone_orders(
    order: Order, command: dict[str, Any], answer: Reply, sent: Sequence[Sent]
) -> Iterator[str]:
    """What is done is told before the answer, by an event that says the same."""
    data, told = command.get("data") or {}, []
    for message in sent[int(order.place) :]:
        if message.suffix.startswith("reply/") and message.document() == answer:
            break
        if message.suffix == "event" and message.document()["type"] in DONE.get(order.verb, ()):
            told.append(message.document()["data"])
        elif message.suffix == "state" and order.verb == "start" and told:
            players = [[p["name"], p["colours"]] for p in message.document()["players"]]
            wanted = [[p["name"], [*p["colours"]]] for p in data.get("players", ())]
            if wanted and players != wanted:
                yield f"client: a game of {players} was started, said were {wanted}"
    # A pass that is said before its roll waits for it.
    if order.verb in DONE and order.verb != "pass" and not told:
        yield f"client: {order.verb} {command.get('id')} is answered as done, and no event tells it"
    for field_, key in SAID.items() if told and order.verb != "start" else ():
        if field_ in data and told[-1].get(key, data[field_]) != data[field_]:
            yield f"client: {order.verb} of {data} was done as {told[-1]}"


def _somebody_there(order: Order, sent: Sequence[Sent]) -> bool:
    """Whether the table says so; one that dies on the way to the answer says offline at once."""
    said = [m for m in sent[: order.place] if m.suffix == "availability"]
    then = [m for m in sent[order.place :] if m.t_s <= order.t_s + SAME_MOMENT_S]
    gone = any(m.suffix == "availability" and m.payload == b"offline" for m in then)
    return bool(said) and said[-1].payload == b"online" and not gone


def heard(orders: Sequence[Order], sent: Sequence[Sent]) -> tuple[str, ...]:
    """Every promise of docs/mqtt.md that these messages break."""
    client = ForeignClient()
    begun = [order for order, reply in zip(orders, answers(orders, sent)[0], strict=True)
             if order.verb == "start" and (reply is None or reply["ok"])]  # fmt: skip
    for place, message in enumerate(sent):
        while begun and begun[0].place <= place:
            client.said_to_start(begun.pop(0).document() or {})
        client.hear(message)
    client.at_the_end()
    return (*client.broken, *unanswered(orders, sent))
