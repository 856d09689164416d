"""The steps of a scenario: the schema of its time line, as frozen values.

A step is a mapping with one verb and, if wanted, `at`, `pause` and `id`. Its short form is a
word or a number (`place: d4`); the long form names the details (`place: {cell: d4, grams: 6}`).
"""

from typing import Annotated, Any, Literal

import msgspec

Positive = Annotated[float, msgspec.Meta(gt=0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
Cell = Annotated[str, msgspec.Meta(pattern="^[a-e][1-5]$")]
Count = Annotated[int, msgspec.Meta(ge=1, le=50)]
Die = Annotated[int, msgspec.Meta(ge=1, le=6)]
BrokerWord = Literal["down", "up", "slow", "duplicate", "steady"]
LineWord = Literal[
    "garbage", "flip", "drop", "duplicate", "crowd", "unplug", "plug", "reset", "hang", "ok"
]
Turn = Annotated[str, msgspec.Meta(pattern="^[1-6]( (pass|[a-e][1-5]))?$")]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a scenario; unknown keys are errors."""


class Place(_Part, frozen=True):
    """A piece put down. `grams` is drawn from the box when left out; `slip` lets it fall."""

    cell: Cell
    grams: Positive | None = None
    colour: str = ""
    hold_s: Positive | None = None
    offset_mm: tuple[float, float] | None = None
    slip: Literal["offedge", "offstack"] | None = None


class Touch(_Part, frozen=True):
    """A hand that rests on the board."""

    cell: Cell
    seconds: Positive = 0.5
    depth_mm: Positive = 1.5


class Some(_Part, frozen=True):
    """Some pieces of a cell, from the top."""

    cell: Cell
    count: Count = 1


class Nudge(_Part, frozen=True):
    """The top piece of a cell, pushed sideways."""

    cell: Cell
    travel_mm: Positive = 4.0
    direction: tuple[float, float] = (1.0, 0.0)


class Bump(_Part, frozen=True):
    """Somebody walks into the table. `player` is the seat, for the truth."""

    m_s2: Positive = 2.0
    hz: Positive = 7.0
    seconds: Positive = 0.2
    player: int | None = None


class Tap(_Part, frozen=True):
    """Fingers drum on the table."""

    count: Count = 3
    m_s2: Positive = 0.8


class Lean(_Part, frozen=True):
    """An arm rests on the table."""

    deg: Positive = 0.3
    seconds: Positive = 3.0


class Knock(_Part, frozen=True):
    """An elbow hits the board."""

    cell: Cell
    newton: Positive = 0.6
    player: int | None = None


class Press(_Part, frozen=True):
    """A finger on the base plate."""

    x_mm: float
    y_mm: float
    grams: Positive = 250.0
    seconds: Positive = 1.0


class Weight(_Part, frozen=True):
    """A weight that stands on the base plate for a while, such as a full glass."""

    grams: Positive = 150.0
    seconds: Positive = 90.0


class FaultOrder(_Part, frozen=True):
    """A sensor fails, in the words of `hw.sim.twin.fault_words`, for good or for some seconds."""

    words: str
    seconds: Positive | None = None


class Command(_Part, frozen=True):
    """A message to `cmd/<verb>`, as any client may send it.

    Attributes:
        payload: sent as it is, instead of a well-formed command.
        rev: an integer, or `stale` for the one before the newest.
        exp_s: seconds from now on the wall clock; negative for one that is too late.
        times: how often the broker delivers it.
    """

    verb: str
    data: dict[str, Any] = {}
    id: str | None = None
    client: str = "bench"
    player: str | None = None
    rev: int | Literal["stale"] | None = None
    exp_s: float | None = None
    retained: bool = False
    payload: str | None = None
    times: Count = 1


class Line(_Part, frozen=True):
    """What happens on the serial line (target lab); `rate` in events per thousand bytes."""

    what: LineWord
    rate: Positive = 1.0


class Broker(_Part, frozen=True):
    """What happens to the broker; `seconds` is how slow it gets."""

    what: BrokerWord
    seconds: NotNegative = 1.0


ChipWords = Annotated[
    str,
    msgspec.Meta(
        pattern="^((unplug|plug|short|free) cell (C[0-3]|[1-4])"
        "|(unplug|plug|brown out|slow|quick) imu)$"
    ),
]
"""Faults of a chip in the lab: unplugged, data wire shorted, supply too low, clock held low."""

Button = Literal["pass", "undo", "cleared"]


class Views(_Part, frozen=True):
    """What the newest documents must say; keys are paths such as `turn.player`.

    Attributes:
        scores: exact, by player.
        board: colours of each occupied cell, bottom first; exact.
        state, status, health, summary: paths into the newest payload of that topic.
        reply: paths into the newest reply to the bench.
    """

    scores: dict[str, int] | None = None
    board: dict[Cell, tuple[str, ...]] | None = None
    state: dict[str, Any] = {}
    status: dict[str, Any] = {}
    health: dict[str, Any] = {}
    summary: dict[str, Any] = {}
    reply: dict[str, Any] = {}


class ScenarioStep(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"pass_": "pass"}
):
    """One step: exactly one verb.

    Attributes:
        at: table time at which it begins; right after the step before when left out.
        pause: seconds to wait afterwards; each verb has a usual length.
        id: a name that expectations can refer to.
    """

    at: NotNegative | None = None
    pause: NotNegative | None = None
    id: str = ""
    # Hands and table.
    turns: tuple[Turn | Die, ...] | None = None
    place: Cell | Place | None = None
    put_back: Cell | None = None
    hesitate: Cell | None = None
    lift: Cell | Some | None = None
    knock_off: Cell | Some | None = None
    touch: Cell | Touch | None = None
    nudge: Cell | Nudge | None = None
    bump: float | Bump | None = None
    tap: int | Tap | None = None
    lean: float | Lean | None = None
    knock: Cell | Knock | None = None
    press: Press | None = None
    weight: Weight | None = None
    clear: bool | None = None
    wait: NotNegative | None = None
    # What people say.
    start: dict[str, Any] | None = None
    roll: Die | None = None
    pass_: bool | None = None
    undo: bool | None = None
    redo: bool | None = None
    cleared: bool | None = None
    end: bool | None = None
    blame: str | None = None
    answer: str | None = None
    colour: str | None = None
    correct: dict[str, Any] | None = None
    enter: dict[str, Any] | None = None
    command: Command | None = None
    button: Button | None = None
    # What goes wrong.
    fault: str | FaultOrder | None = None
    mend: bool | None = None
    line: LineWord | Line | None = None
    chip: ChipWords | None = None
    broker: BrokerWord | Broker | None = None
    kill: bool | None = None
    clock: float | None = None
    disk: Literal["full", "free"] | None = None
    # What must be so now.
    check: Views | None = None

    @property
    def verb(self) -> str:
        """The one verb of this step; empty when there is none or more than one."""
        found = [name for name in VERBS if getattr(self, name) is not None]
        return found[0] if len(found) == 1 else ""


VERBS = tuple(name for name in ScenarioStep.__struct_fields__ if name not in ("at", "pause", "id"))
"""Every verb, by attribute name (`pass_` for `pass`)."""

MISHAPS = ("fault", "line", "chip", "broker", "kill", "clock", "disk")
"""Verbs that make something go wrong, for a while or for good."""

IN_LAB = ("line", "chip")
"""Verbs that need a serial line or a chip: target lab."""

BY_PEOPLE = (
    *("turns", "place", "put_back", "hesitate", "lift", "touch", "nudge", "bump", "tap", "lean"),
    "weight",
    *("clear", "wait", "start", "roll", "pass_", "undo", "redo", "cleared", "end", "blame"),
    *("answer", "colour", "correct", "enter", "command", "check"),
)
"""Verbs a person at a real table can be asked for: target rig."""
