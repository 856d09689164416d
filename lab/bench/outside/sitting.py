"""Plays one case at a table that is heard by its messages only, in real time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from lab.bench.actions import ACTS, PAUSES_S, SPEAKING_S
from lab.bench.observed import ANSWER, SAID_BY_US, Mark, Order, Run, Sent
from lab.bench.outside.deeds import (
    HAND_VERBS,
    TOLD_BY_NOBODY,
    DeedAnswer,
    Done,
    coloured,
    shifted,
    truth_of,
)
from lab.bench.outside.hands import Hand, LeftOut
from lab.bench.outside.link import Link
from lab.bench.outside.promises import Overheard, broken_promises
from lab.bench.outside.told import seen_by
from lab.bench.scenario import Case
from lab.bench.steps import MISHAPS, SPEAKER, ScenarioStep
from lab.bench.verdict import describe

LOOK_S = 0.05
"""How often is looked whether a hand has answered."""

ANSWER_S = 10.0
"""Most tables answer at once. Who has none after two seconds asks again (docs/mqtt.md); a bench
that did would not know which of the two was answered."""

EMPTY_S = 4.0
"""The empty board is seen at rest before the game begins, and after that before anybody goes on."""

READY_S = 60.0
"""A table that has just been switched on, or connects again, is ready by then."""


@dataclass(slots=True)
class Conversation:
    """What steps want of a broker: `sent`, and to say something; `delivered` are our own orders.

    `asked` is as in `Run`.
    """

    link: Link
    sent: list[Sent] = field(default_factory=list)
    delivered: list[Order] = field(default_factory=list)
    awaited: list[str] = field(default_factory=list)
    asked: int = 0

    def command(self, verb: str, payload: bytes, *, retained: bool = False, times: int = 1) -> None:
        """Ask for something, and remember to wait for the answer."""
        for _ in range(times):
            place = len(self.sent)
            self.delivered.append(
                Order(self.link.now_s, verb, payload, retained=retained, place=place)
            )
            self.link.say(verb, payload)
            if SAID_BY_US in payload:
                self.asked = place
                self.awaited.append(verb)

    def pressed(self, verb: str, t_s: float, place: int) -> None:
        """A hand has pressed a button of the table after so many messages; nobody is answered."""
        self.delivered.append(Order(t_s, verb, b'{"data":{}}', by_mqtt=False, place=place))

    def take(self, message: Sent) -> None:
        """A message has come; by its boot and its absences it is known which life it is of."""
        self.sent.append(message)
        if message.suffix == ANSWER and self.awaited:
            self.awaited.pop()


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """The question that is asked; its id."""

    id: str


class ShownTable:
    """What steps want to know of the table: its newest document, and what time it is."""

    running = True

    def __init__(self, link: Link) -> None:
        self._link = link
        self.state: Mapping[str, Any] = {}

    @property
    def board(self) -> "ShownTable":
        """The document."""
        return self

    @property
    def rev(self) -> int:
        """Its revision."""
        return int(self.state.get("rev", 0))

    @property
    def pending(self) -> ShownQuestion | None:
        """Its question."""
        asked = self.state.get("pending")
        return None if not asked else ShownQuestion(asked["id"])

    @property
    def colour(self) -> str:
        """Of the pieces of whoever is in turn."""
        turn = self.state.get("turn") or {}
        for player in self.state.get("players", ()):
            if player["name"] == turn.get("player") and player["colours"]:
                return str(player["colours"][0])
        return "red"

    def unix_s(self, _now_s: float) -> float:
        """The wall clock."""
        return self._link.unix_s()


class Sitting:
    """One case.

    Args:
        case: what is done.
        table: id of the table.
        link: how it is heard.
        hand: who moves the pieces.

    Attributes:
        wire, table, marks, checks, now_s: as a `Stage` has them, so that what people say is the
            same on both.
    """

    def __init__(self, case: Case, table: str, link: Link, hand: Hand) -> None:
        self._case, self._id, self._link, self._hand = case, table, link, hand
        self.wire = Conversation(link)
        self.table = ShownTable(link)
        self.marks: list[Mark] = []
        self.checks: list[tuple[float, str, bool]] = []
        self._number = self._process = self._connection = 0
        self._boot = self._phase = ""
        self._online = True
        self._deeds: list[Done] = []
        self._begun_s = 0.0

    @property
    def now_s(self) -> float:
        """Bench time."""
        return self._link.now_s

    def play(self) -> tuple[Run, "Known"]:
        """Play it to its end; what was heard, and what is known of it.

        Raises:
            BegunAgain: the hand wants the case to begin again.
            LeftOut: the hand will not do something.
            HandGone: the hand has gone.
            BadTarget: the table cannot be heard.
        """
        joined = self._link.join()
        joined_s = self.now_s
        unix_s = self._link.unix_s() - joined_s
        for message in joined.values():
            self._note(message)
        left_out: LeftOut | None = None
        try:
            self._begin()
            try:
                for step in self._case.scenario.steps:
                    self._do(step)
                self._listen(self._case.scenario.settle)
            except LeftOut as why:
                left_out = why
            truth, whole = self._truth()
            kept_s, kept = self.now_s, self._link.kept()
            self._hear(LOOK_S)  # what was said meanwhile, and may be what is kept
        finally:
            self._link.close()
        heard = Overheard(
            self._id, joined, tuple(self.wire.sent), tuple(self.wire.delivered),
            kept, kept_s, unix_s, joined_s, self._link.flags,
        )  # fmt: skip
        run = self._run(heard, truth)
        if left_out is not None:
            if not run.broken and all(ok for _, _, ok in run.checks):
                raise left_out
            # What was wrong before is wrong, whoever went home afterwards.
            run = replace(run, stopped=str(left_out))
        return run, Known(whole, self._timed(truth), self._link.flags)

    def _run(self, heard: Overheard, truth: Sequence[Mapping[str, Any]]) -> Run:
        of_game = [message for message in heard.sent if message.t_s >= self._begun_s]
        return Run(
            end_s=heard.kept_s,
            seen=seen_by(of_game, truth),
            sent=heard.said,
            retained={suffix: message.payload for suffix, message in heard.kept.items()},
            marks=tuple(self.marks),
            checks=tuple(self.checks),
            asked=len(heard.before) + self.wire.asked,
            truth=tuple(dict(entry) for entry in truth),
            broken=broken_promises(heard),
            orders=heard.asked,
        )

    # --- the beginning -----------------------------------------------------------------------

    def _begin(self) -> None:
        """An empty board, sensors that are well, and a new game."""
        if "mend" in self._hand.can:
            self._by_hand("mend", True)
        if self.table.state.get("phase") not in (None, "idle", "over"):
            # A board that is emptied in the middle of a game has toppled, for all a table knows.
            self.command("end")
            self._heard_out()
        self._by_hand("clear", True)
        self._until(lambda: self._phase != "degraded")
        self._listen(EMPTY_S)
        setup = self._case.scenario.game
        if setup is not None:
            self.command("start", setup.command() | {"replace": True})
            self._heard_out()
            self._listen(EMPTY_S)
        self._begun_s = self.now_s
        self._deeds.clear()

    # --- listening ---------------------------------------------------------------------------

    def _listen(self, seconds: float) -> None:
        end_s = self.now_s + seconds
        while (left_s := end_s - self.now_s) > 0:
            self._hear(left_s)

    def _hear(self, seconds: float) -> None:
        for message in self._link.listen(seconds):
            self._note(message)
            process, connection = self._process, self._connection
            self.wire.take(replace(message, process=process, connection=connection))
            for seen in seen_by([message], ()):
                self._hand.tell(describe(seen))

    def _note(self, message: Sent) -> None:
        """Of which life of the table, and of which connection, the messages are from now on."""
        if message.suffix == "state":
            document = message.document()
            self.table.state = document if isinstance(document, dict) else {}
        elif message.suffix == "status":
            document = message.document()
            boot = str(document.get("boot")) if isinstance(document, dict) else ""
            self._process += boot != self._boot != ""
            self._boot = boot
            self._phase = str(document.get("phase")) if isinstance(document, dict) else ""
        elif message.suffix == "availability":
            self._online = message.payload == b"online"
            self._connection += not self._online

    def _heard_out(self) -> None:
        """Wait for the answers to what was asked."""
        end_s = self.now_s + ANSWER_S
        while self.wire.awaited and self.now_s < end_s:
            self._hear(min(LOOK_S, end_s - self.now_s))
        self.wire.awaited.clear()

    # --- steps -------------------------------------------------------------------------------

    def command(self, verb: str, data: dict[str, Any] | None = None) -> None:
        """What a phone at the table would send."""
        self._number += 1
        # Never twice the same, in no case of an evening: a table obeys an id once.
        fields = {"id": f"o{self._number}-{self.now_s:.3f}", "client": SPEAKER, "data": data or {}}
        self.wire.command(verb, msgspec.json.encode(fields))

    def _do(self, step: ScenarioStep) -> None:
        if step.at is not None:
            self._listen(self._begun_s + step.at - self.now_s)
        begin_s, value, place = self.now_s, getattr(step, step.verb), len(self.marks)
        match step.verb:
            case "turns":
                for turn in value:
                    self._turn(str(turn))
            case "wait":
                if "wait" in self._hand.can:
                    self._hand.ask("wait", value, self._progress())
                self._listen(value)
            case "weight" if "weight_off" in self._hand.can:
                self._by_hand("weight", value)
                self._listen(value.seconds)
                self._by_hand("weight_off", value)
            case verb if verb in HAND_VERBS:
                self._by_hand(verb, value)
            case verb:
                self._say(verb, value)
        if step.verb not in ("wait", "turns", "check"):
            usual_s = PAUSES_S.get(step.verb, SPEAKING_S)
            self._listen(usual_s if step.pause is None else step.pause)
        kind = "fault" if step.verb in MISHAPS else "step"
        self.marks.insert(place, Mark(begin_s, step.verb, kind, step.id, self.now_s))

    def _turn(self, turn: str) -> None:
        die, _, deed = turn.partition(" ")
        self._say("roll", int(die))
        self._listen(PAUSES_S["roll"])
        if deed == "pass":
            self._say("pass_", True)
        elif deed:
            self._by_hand("place", deed)
            self._listen(PAUSES_S["place"])

    def _say(self, verb: str, value: Any) -> None:
        stage: Any = self
        for _ in ACTS[verb](stage, value):
            self._heard_out()

    # --- hands -------------------------------------------------------------------------------

    def _by_hand(self, verb: str, value: Any) -> None:
        if verb == "place":
            value = coloured(value, self.table.colour)
        begin_s, heard = self.now_s, len(self.wire.sent)
        self._hand.ask(verb, value, self._progress())
        try:
            answer = self._answered(heard)
        except LeftOut as why:
            raise LeftOut(f"{verb} {describe_deed(value)}: {why}") from None
        done_s = self.now_s
        released_s = None if answer.released_ago_s is None else done_s - answer.released_ago_s
        colour = getattr(value, "colour", "")
        self._deeds.append(Done(verb, value, begin_s, done_s, released_s, colour))
        if verb == "button":
            self.wire.pressed(value, begin_s, heard)
        if verb == "broker" and value == "up":
            self._until(lambda: self._online)

    def _progress(self) -> str:
        return f"{self._case.id}, {len(self.marks) + 1} of {len(self._case.scenario.steps)}"

    def _answered(self, heard: int) -> DeedAnswer:
        while True:
            self._hear(LOOK_S)
            since = self.wire.sent[heard:]
            answer = self._hand.answer(told=any(_of_board(message) for message in since))
            if answer is not None:
                return answer

    def _until(self, so: Callable[[], bool]) -> None:
        """Wait for something, but not for ever."""
        end_s = self.now_s + READY_S
        while not so() and self.now_s < end_s:
            self._hear(LOOK_S)

    def _truth(self) -> tuple[list[dict[str, Any]], bool]:
        """What happened since the game began, and whether that is all."""
        if "truth" in self._hand.can:
            self._hand.ask("truth", True)
            answer = self._answered(len(self.wire.sent))
            now_s = self.now_s
            entries = [shifted(entry, now_s) for entry in answer.truth]
            return [entry for entry in entries if entry["t"] >= self._begun_s], True
        whole = not any(deed.verb in TOLD_BY_NOBODY for deed in self._deeds)
        return [entry for deed in self._deeds for entry in truth_of(deed)], whole

    def _timed(self, truth: Sequence[Mapping[str, Any]]) -> bool:
        """Whether each release is known to a moment."""
        return all("slid_from" not in e or e["slid_from"] != "somewhere" for e in truth)


@dataclass(frozen=True, slots=True)
class Known:
    """What somebody outside knows of a case.

    Attributes:
        whole: what truly happened is known.
        timed: when each piece was let go is known.
        flags: which messages were published as retained is known.
        sensors: what the sensors saw is known, not only what messages tell of it.
    """

    whole: bool
    timed: bool
    flags: bool
    sensors: bool = False


def describe_deed(value: Any) -> str:
    """Where a deed was to be done."""
    return str(getattr(value, "cell", "" if value is True else value))


def _of_board(message: Sent) -> bool:
    """Whether it tells that the board has changed."""
    if message.suffix != "event":
        return False
    document = message.document()
    return isinstance(document, dict) and document.get("type") in ("placed", "toppled", "retracted")
