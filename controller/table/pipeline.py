"""The table without input and output: samples and commands in, decisions out.

Sans-IO: no clock, no file, no network. The live table, a replay and the tests drive the same
`Pipeline`; what it returns is journalled and published by others, in this order.

    for item in source:
        for output in pipeline.feed(item):
            journal.write(output)       # first, so that nothing shown can be lost
            publish(output)
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any, Protocol

from engine.detect.front.health import TableHealth
from engine.errors import IllegalAction
from engine.events import Expectation, Fault, HumanInput, Restored, TableEvent
from engine.games.chance import Chance
from engine.games.registry import DEFAULT_GAME
from engine.referee import (
    Outcome,
    RefereeState,
    Ruling,
    blamed_for_unseen,
    dealt,
    expectation,
    handle_input,
    in_one_spelling,
    objection,
    observe,
    pressed_for_the_last,
    rematch,
    spelled_out,
    standing,
)
from engine.samples import Samples
from hw.source import Item

Cause = TableEvent | HumanInput
"""What a decision answers to; the journal keeps these, and they alone rebuild the game."""


class Detecting(Protocol):
    """What the pipeline asks of a detector; see `engine.detect.detector.Detector`."""

    @property
    def now_s(self) -> float:
        """Table time processed so far."""

    def feed(self, samples: Samples) -> None:
        """Buffer samples."""

    def next_event(self, until_s: float = inf) -> TableEvent | None:
        """The next event decided with samples up to `until_s`; None when there is none."""

    def expect(self, expectation: Expectation) -> None:
        """The rules' prior from now on."""

    def amend(self, ref: int, cell: str | None) -> None:
        """People said where placement `ref` really was; None: it never happened."""

    def restore(self, placements: tuple[tuple[int, str], ...]) -> None:
        """What stands on the board as a run begins: placement and cell, in order."""

    def press_cleared(self, t_s: float) -> bool:
        """People said that the board is clear; false when that was known before."""

    def press_blame(self, t_s: float) -> None:
        """People said who bumped the table before a topple had been decided."""

    def health(self) -> TableHealth:
        """What the signals say about the table."""


@dataclass(frozen=True, slots=True)
class Output:
    """One decision.

    Attributes:
        cause: the event or the input it answers to, in the referee's time and numbers.
        before, state: the referee before and after.
        outcomes: what happened, to be published; empty when nobody can notice anything. Those of
            a decision that is not remembered pass by: a suspicion, and its end.
        refused: why an input was not accepted.
    """

    cause: Cause
    before: RefereeState
    state: RefereeState
    outcomes: tuple[Outcome, ...] = ()
    refused: IllegalAction | None = None

    @property
    def remembered(self) -> bool:
        """Whether it must be journalled: the referee would be another without it."""
        return self.state is not self.before


class Pipeline:
    """Detector and referee, joined.

    Args:
        detector: fresh.
        state: the referee to go on with, from the journal.
        resume_s: table time at which the journal ended. A new run counts its time from zero
            and its events from one; both are carried on, so that the ledger stays in order.
        new_game_id: names games that nobody named; without it they are numbered.
        house_rules: of this table, for games of Topple; those said at the start are stronger.
        masses: what the pieces of the table weigh, see `engine.pieces.PieceSet.of`; None when
            nothing is known of it.
        chance: shuffles, deals and draws what players of a game by hand leave out. Without it
            they must say everything.

    Attributes:
        resume_s: as above.
    """

    def __init__(
        self,
        detector: Detecting,
        state: RefereeState | None = None,
        *,
        resume_s: float = 0.0,
        new_game_id: Callable[[], str] | None = None,
        house_rules: Mapping[str, Any] | None = None,
        masses: Mapping[str, Any] | None = None,
        chance: Chance | None = None,
    ) -> None:
        self.state = RefereeState() if state is None else state
        self._chance = chance
        self._new_game_id = new_game_id
        self._house_rules = dict(house_rules or {})
        self._masses = masses
        self._detector = detector
        self.resume_s = resume_s
        self._id_offset = self.state.last_source
        self._told_s = -inf
        if stood := standing(self.state):
            detector.restore(tuple((event - self._id_offset, cell) for event, cell in stood))
        detector.expect(expectation(self.state))

    @property
    def now_s(self) -> float:
        """Table time up to which everything is decided."""
        return self._detector.now_s + self.resume_s

    def health(self) -> TableHealth:
        """What the signals say about the table: noise, drift, rates, the pivot."""
        return self._detector.health()

    def feed(self, item: Item) -> list[Output]:
        """Take the next item of the source, in order of table time; decisions come in order too."""
        if isinstance(item, HumanInput):
            return self.say(item)
        self._detector.feed(item)
        return self._decide()

    def say(self, said: HumanInput) -> list[Output]:
        """Take what a person said, in the source's time; the last output is the answer to it."""
        outputs = self._decide(said.t_s)
        if said.type == "cleared" and not self._detector.press_cleared(said.t_s):
            # Pressed late, in the next round perhaps: nothing that the table has not seen.
            told = replace(said, t_s=said.t_s + self.resume_s)
            known = pressed_for_the_last(self.state, told.t_s)
            return [*outputs, self._conclude(told, Ruling(known))]
        if said.type == "cleared":
            outputs += self._decide(said.t_s)
        elif said.type == "blame" and blamed_for_unseen(self.state, said):
            self._detector.press_blame(said.t_s)
            outputs += self._decide(said.t_s)
        said = spelled_out(replace(said, t_s=said.t_s + self.resume_s))
        said = self._opened(in_one_spelling(self.state, rematch(self.state, said)))
        refused = objection(said)
        if refused is not None:
            return [*outputs, self._conclude(said, Ruling(self.state, refused=refused))]
        if self._chance is not None:
            said = dealt(self.state, said, self._chance)
        outputs.append(self._conclude(said, handle_input(self.state, said)))
        return outputs

    def _opened(self, said: HumanInput) -> HumanInput:
        """A start with what the table adds: a name for the game and the house rules."""
        if said.type != "start":
            return said
        data = {key: value for key, value in said.data.items() if key != "masses"}
        if self._new_game_id is not None:
            data.setdefault("id", self._new_game_id())
        options = {} if data.get("options") is None else data["options"]
        if data.get("game", DEFAULT_GAME) == DEFAULT_GAME and isinstance(options, Mapping):
            data["options"] = {**self._house_rules, **options}
            if self._masses is not None:
                data["masses"] = self._masses
        return replace(said, data=data)

    def _decide(self, until_s: float = inf) -> list[Output]:
        outputs = []
        while (event := self._detector.next_event(until_s)) is not None:
            known = self._in_our_numbers(event)
            outputs.append(self._conclude(known, observe(self.state, known)))
        return outputs

    def _conclude(self, cause: Cause, ruling: Ruling) -> Output:
        output = Output(cause, self.state, ruling.state, ruling.outcomes, ruling.refused)
        self.state = ruling.state
        self._told_s = max(self._told_s, _told_at(cause))
        for ref, cell in ruling.amendments:
            self._detector.amend(ref - self._id_offset, cell)
        if output.remembered:
            self._detector.expect(expectation(self.state))
        return output

    def _in_our_numbers(self, event: TableEvent) -> TableEvent:
        """An event in the referee's time and numbers, which go on over restarts.

        While a sensor is silent the detector is behind, and people are heard at once: what it
        decides then is told after them, and dated so.
        """
        later = dict.fromkeys(("t_s", "decided_s"), self.resume_s)
        later |= dict.fromkeys(("id", "ref"), self._id_offset)
        changes: dict[str, Any] = {
            field.name: getattr(event, field.name) + later[field.name]
            for field in fields(event)
            if field.name in later
        }
        told = "decided_s" if "decided_s" in changes else "t_s"
        changes[told] = max(changes[told], self._told_s)
        return replace(event, **changes)


def _told_at(cause: Cause) -> float:
    """The time with which something is told."""
    return cause.t_s if isinstance(cause, HumanInput | Fault | Restored) else cause.decided_s


def replayed(causes: Iterable[Cause], state: RefereeState | None = None) -> RefereeState:
    """The referee's state after these causes, as it was when they happened."""
    state = RefereeState() if state is None else state
    for cause in causes:
        ruled = (
            handle_input(state, cause) if isinstance(cause, HumanInput) else observe(state, cause)
        )
        state = ruled.state
    return state
