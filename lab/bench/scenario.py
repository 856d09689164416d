"""A scenario: what happens at the table, and the expected results. Values only."""

from collections.abc import Collection, Iterable
from typing import Annotated, Any, Literal

import msgspec

from engine.games.registry import DEFAULT_GAME
from lab.bench.steps import (
    BY_PEOPLE,
    IN_LAB,
    MISHAPS,
    Cell,
    Count,
    NotNegative,
    Positive,
    ScenarioStep,
    Views,
)
from lab.people.ways import Wanted
from lab.twin.sets import SetName

Target = Literal["sim", "lab", "rig"]
TARGETS: tuple[Target, ...] = ("sim", "lab", "rig")

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
CellOrAny = Annotated[
    str, msgspec.Meta(pattern="^([a-e][1-5]|any)$", title="cell, `a1` to `e5`, or `any`")
]
Fall = Literal["off_board", "off_stack", "collapse"]
CellOrUnknown = Annotated[
    str, msgspec.Meta(pattern="^([a-e][1-5]|unknown)$", title="cell, `a1` to `e5`, or `unknown`")
]


class Player(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player with the colours of the pieces.

    Attributes:
        name: as it is shown.
        colours: of the pieces; two in the two-colour game.
    """

    name: str
    colours: tuple[str, ...]


class GameSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The game that is started after a second.

    Attributes:
        kind: the tower's game, or one that is played by hand entry.
        players: in seating order.
        target: points that win.
        first: seat of the first player, counted from 0.
        options: house rules by name.
        data: more of what `cmd/start` takes.
    """

    kind: str = DEFAULT_GAME
    players: tuple[Player, ...] = (Player("Ann", ("red",)), Player("Bob", ("blue",)))
    target: Count = 40
    first: int = 0
    options: dict[str, Any] = {}
    data: dict[str, Any] = {}

    def command(self) -> dict[str, Any]:
        """The data of `cmd/start`."""
        if self.kind != DEFAULT_GAME:
            return {"game": self.kind, "options": self.options, **self.data}
        players = [{"name": player.name, "colours": player.colours} for player in self.players]
        said = {"players": players, "first": self.first, "options": self.options}
        if self.data.get("variant") != "young":
            said["target"] = self.target
        return said | self.data


class AccountSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which independent accounts are left out because the table cannot know, and why.

    Attributes:
        people: the board and the points as the people count them.
        encore: what is tried after the end.
        why: must be said for whatever is left out.
    """

    people: bool = True
    encore: bool = True
    why: str = ""


class EveningSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Simulated people play, and answer what the table asks.

    Attributes:
        players: how many.
        target: points that win.
        seconds: table time after which it is broken off.
        tell_dice: they say what they roll.
        answers: they answer questions.
        pieces: what the colours weigh.
    """

    players: Annotated[int, msgspec.Meta(ge=2, le=4)] = 2
    target: Count = 20
    seconds: Positive = 900.0
    tell_dice: bool = True
    answers: bool = True
    pieces: SetName = "equal"


class Expected(Views, frozen=True):
    """Something that must be seen or published, or that must never happen.

    One of: a table event (`placed`, `toppled`, `suspected`, `dismissed`, `retracted`,
    `corrected`, `restored`, `cleared`, `fault`), a message (`mqtt`), what must not happen
    (`never`), what must be so at the end (`scores`, `board`, `state`, ...), or `truth`: all that
    happened is seen as it was.

    Attributes:
        placed: the cell; `unknown` where the table asks for it.
        corrected: the cell that an earlier placement is put right to.
        toppled: the cause, or `any`.
        suspected: how pieces may have fallen, or `any`.
        fault, restored: the sensor as in `health`, such as `scale.1` or `imu`; or `any`.
        mqtt: something is published on this topic, named without `topple/1/<table>/`.
        never: nothing is published on this topic, or there is no event of this name.
        dismissed: a suspicion was none.
        cleared: the board was seen to be empty.
        retracted: the cell of the placement that is taken back, or `any`.
        truth: all that happened is seen as it was; placements and topples need no others then.
        after: id of the step it must follow.
        within: seconds after the beginning of that step, or of the scenario.
        at: table time in seconds when it happened.
        tolerance: how many seconds off that may be.
        confidence: of a placement, such as `at least 0.95`.
        fallen: how many pieces fell. kind: how they fell.
        payload: paths into the payload, with values or limits in words (`at least 0.9`).
        times: exactly how often; at least once when left out.
        words: part of a fault's reason.
        retain: whether the broker keeps the message for late joiners.
        qos: quality of service of the message.
    """

    placed: CellOrUnknown | None = None
    toppled: Literal["placing", "bump", "any"] | None = None
    suspected: Fall | Literal["any"] | None = None
    dismissed: bool | None = None
    retracted: CellOrAny | None = None
    corrected: Cell | None = None
    cleared: bool | None = None
    fault: str | None = None
    restored: str | None = None
    mqtt: str | None = None
    never: str | None = None
    truth: bool | None = None
    after: str = ""
    within: Positive | None = None
    at: NotNegative | None = None
    tolerance: Positive = 0.5
    confidence: str = ""
    fallen: int | None = None
    kind: Fall | None = None
    words: str = ""
    payload: dict[str, Any] = {}  # noqa: RUF012 - msgspec makes a fresh one
    times: Annotated[int, msgspec.Meta(ge=0)] | None = None
    retain: bool | None = None
    qos: int | None = None

    @property
    def what(self) -> str:
        """The thing expected, as its key; `views` for the documents at the end."""
        found = [name for name in EXPECTABLE if getattr(self, name) is not None]
        if len(found) > 1:
            return ""
        return found[0] if found else "views"


EVENTS = (
    "placed", "toppled", "suspected", "dismissed", "retracted", "corrected", "cleared", "fault",
    "restored",
)  # fmt: skip
EXPECTABLE = (*EVENTS, "mqtt", "never", "truth")

_TIMED = (*EVENTS, "mqtt", "never")
DETAILS: dict[str, tuple[str, ...]] = {
    "after": _TIMED, "within": _TIMED, "at": _TIMED, "tolerance": _TIMED,
    "times": (*EVENTS, "mqtt"),
    "confidence": ("placed", "corrected"),
    "fallen": ("toppled",), "kind": ("toppled",),
    "words": ("fault",),
    "payload": ("mqtt", "never"),
    "retain": ("mqtt",), "qos": ("mqtt",),
}  # fmt: skip
"""Detail of an expectation -> what it can be said of."""


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One scenario file.

    Attributes:
        about: one sentence for the report.
        name: of the file, without its ending.
        covers: rules, faults and messages that it is there for.
        targets: where it can be played; found out from its steps when left out.
        not_on: target -> why it makes no sense there.
        table: `quiet`, or how good pivot and manners are.
        drawn: how far the board and its owner's calibration differ from the plain ones (0 not at
            all, 1 as owners' do). Sensors are mounted, biased and wired anew for each case anyway.
        restarts: whether the process may be started again after one of the turns; left out, it
            may wherever no step makes anything go wrong.
        tower: other numbers of the simulated tower: `{body: {friction_band_deg: 0.4}}`.
        game: started at the beginning: Ann (red) and Bob (blue) when left out, null for none.
        people: how they handle pieces and table: one way (`lively`), `drawn` (by the seed), several
            ways put together (`[lifting, things]`), or habits (`{slides: 0.5, things: 2}`).
        evening: people play by themselves; `steps` then happen beside it.
        steps: what happens, in order.
        expect: what must be seen and published.
        settle: seconds the table is given at the end.
        account: what is not compared with independent accounts.
        measure: measurement -> limits, in words (`at most 1.2`).
        seeds: how many seeds, or which.
        sweep: name -> values; `$name` in the file stands for each of them in turn.
        unexpected: what becomes of placements, topples, faults and refusals nobody expects.
    """

    about: str
    name: str = ""
    covers: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    not_on: dict[Target, str] = {}
    table: Literal["quiet", "calm", "normal", "rough"] = "quiet"
    drawn: Share = 1.0
    restarts: bool | None = None
    tower: dict[str, dict[str, Any]] = {}
    game: GameSetup | None = GameSetup()
    people: Wanted = "usual"
    evening: EveningSetup | None = None
    steps: tuple[ScenarioStep, ...] = ()
    expect: tuple[Expected, ...] = ()
    measure: dict[str, str] = {}
    seeds: int | tuple[int, ...] = 1
    sweep: dict[str, tuple[Any, ...]] = {}
    unexpected: Literal["fail", "allow"] = "fail"
    settle: NotNegative = 2.0
    account: AccountSetup = AccountSetup()

    @property
    def can_restart(self) -> bool:
        """Whether a restart between two turns leaves everything else as the file says."""
        if self.restarts is not None:
            return self.restarts
        return self.evening is None and not any(step.verb in MISHAPS for step in self.steps)

    def is_among(self, covers: Collection[str]) -> bool:
        """Whether it covers one of these words, in whatever case; without any, all do."""
        own = {word.lower() for word in self.covers}
        return not covers or not own.isdisjoint(word.lower() for word in covers)

    def left_out(self, target: Target) -> str:
        """Why it cannot be played on a target; empty when it can."""
        verbs = {step.verb for step in self.steps}
        if target in self.not_on:
            return self.not_on[target]
        if self.targets and target not in self.targets:
            return f"it is written for {' and '.join(self.targets)}"
        if target == "sim" and verbs & set(IN_LAB):
            return f"it needs a serial line or a chip ({_words(verbs & set(IN_LAB))})"
        if target == "rig" and (self.evening is not None or self.people != "usual"):
            return "its people are simulated"
        if target == "rig" and verbs - set(BY_PEOPLE):
            return f"a person cannot do this: {_words(verbs - set(BY_PEOPLE))}"
        return ""


def _words(verbs: Iterable[str]) -> str:
    return ", ".join(sorted(verb.rstrip("_") for verb in verbs))


class Case(msgspec.Struct, frozen=True):
    """A scenario with everything decided: one seed, one value of each swept name.

    Attributes:
        places: where each expectation stands, file and line; empty where it stands in none.
    """

    scenario: Scenario
    seed: int
    swept: dict[str, Any] = {}
    places: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Name of this case, unique within a run of the bench."""
        details = [f"{name}={value}" for name, value in self.swept.items()]
        if self.seed != 1:
            details.append(f"seed={self.seed}")
        return self.scenario.name + (f"[{','.join(details)}]" if details else "")
