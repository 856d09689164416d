"""The steps of a scenario: the schema of its time line, as frozen values.

A step is a mapping with one verb and, if wanted, `at`, `pause` and `id`. Its short form is a
word or a number (`place: d4`); the long form names the details (`place: {cell: d4, grams: 6}`).
"""

from typing import Annotated, Any, Literal

import msgspec

Positive = Annotated[float, msgspec.Meta(gt=0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
Cell = Annotated[str, msgspec.Meta(pattern="^[a-e][1-5]$", title="cell, `a1` to `e5`")]
Count = Annotated[int, msgspec.Meta(ge=1, le=50)]
Die = Annotated[int, msgspec.Meta(ge=1, le=6)]
BrokerWord = Literal["down", "up", "slow", "duplicate", "steady"]
LineWord = Literal[
    "garbage", "flip", "drop", "duplicate", "crowd", "unplug", "plug", "reset", "hang", "ok"
]
Turn = Annotated[
    str,
    msgspec.Meta(pattern="^[1-6]( (pass|[a-e][1-5]))?$", title="`3 d4`, `3 pass` or a roll alone"),
]

SPEAKER = "bench"
"""The client that speaks for the people of a script, and is answered."""

UNIT = "x-unit"
"""Key of a unit in the JSON Schema, from which the table of steps takes it."""

Seconds = Annotated[float, msgspec.Meta(gt=0, extra_json_schema={UNIT: "s"})]
LONGEST_S = 7200.0
"""Nobody plays one game for two hours."""
Span = Annotated[float, msgspec.Meta(ge=0, le=LONGEST_S, extra_json_schema={UNIT: "s"})]
"""Seconds that may be none at all."""
Jump = Annotated[float, msgspec.Meta(extra_json_schema={UNIT: "s"})]
"""Seconds forwards or, below zero, backwards."""
Grams = Annotated[float, msgspec.Meta(gt=0, extra_json_schema={UNIT: "g"})]
Length = Annotated[float, msgspec.Meta(gt=0, extra_json_schema={UNIT: "mm"})]
Coordinate = Annotated[float, msgspec.Meta(extra_json_schema={UNIT: "mm"})]
"""A coordinate in millimetres; the middle of the board is 0."""
Acceleration = Annotated[float, msgspec.Meta(gt=0, extra_json_schema={UNIT: "m/s²"})]
Frequency = Annotated[float, msgspec.Meta(gt=0, extra_json_schema={UNIT: "Hz"})]
Angle = Annotated[float, msgspec.Meta(gt=0, extra_json_schema={UNIT: "°"})]
Force = Annotated[float, msgspec.Meta(gt=0, extra_json_schema={UNIT: "N"})]
Rate = Annotated[float, msgspec.Meta(gt=0, le=1000, extra_json_schema={UNIT: "per 1000 bytes"})]
Seat = Annotated[int, msgspec.Meta(ge=0, le=3)]
"""Counted from 0 in seating order."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a scenario; unknown keys are errors, and what is left out is not written."""


class Place(Part, frozen=True):
    """A piece put down.

    Attributes:
        cell: on top of which cell.
        grams: its mass in grams; that of a piece from the box when left out.
        colour: whose piece it is; of whoever's turn it is when left out.
        hold_s: seconds from first contact to release; drawn as people do when left out.
        offset_mm: x and y from the middle of the cell in millimetres; drawn when left out.
        slip: lets it fall instead, beside the board or off its stack.
    """

    cell: Cell
    grams: Grams | None = None
    colour: str = ""
    hold_s: Seconds | None = None
    offset_mm: tuple[Coordinate, Coordinate] | None = None
    slip: Literal["offedge", "offstack"] | None = None


class Touch(Part, frozen=True):
    """A hand that rests on the board.

    Attributes:
        cell: where.
        seconds: for how long.
        depth_mm: how far it presses the board down, in millimetres.
    """

    cell: Cell
    seconds: Seconds = 0.5
    depth_mm: Length = 1.5


class Some(Part, frozen=True):
    """Some pieces of a cell, from the top.

    Attributes:
        cell: of which cell.
        count: how many pieces.
    """

    cell: Cell
    count: Count = 1


class Nudge(Part, frozen=True):
    """The top piece of a cell, pushed sideways.

    Attributes:
        cell: of which cell.
        travel_mm: how far, in millimetres.
        direction: x and y of where to; only their ratio counts.
    """

    cell: Cell
    travel_mm: Length = 4.0
    direction: tuple[float, float] = (1.0, 0.0)


class Bump(Part, frozen=True):
    """Somebody walks into the table.

    Attributes:
        m_s2: largest acceleration of the table, in metres per second squared.
        hz: how fast it shakes, in hertz.
        seconds: for how long.
        player: seat of who did it, counted from 0, for the truth.
    """

    m_s2: Acceleration = 2.0
    hz: Frequency = 7.0
    seconds: Seconds = 0.2
    player: Seat | None = None


class Tap(Part, frozen=True):
    """Fingers drum on the table.

    Attributes:
        count: how many taps, one every 0.2 seconds.
        m_s2: acceleration of each, in metres per second squared.
    """

    count: Count = 3
    m_s2: Acceleration = 0.8

    @property
    def seconds(self) -> float:
        """How long that takes."""
        return 0.2 * self.count


class Lean(Part, frozen=True):
    """An arm rests on the table.

    Attributes:
        deg: how far the table leans, in degrees.
        seconds: for how long.
    """

    deg: Angle = 0.3
    seconds: Seconds = 3.0


class Knock(Part, frozen=True):
    """An elbow hits the board.

    Attributes:
        cell: where.
        newton: how hard, in newtons.
        player: seat of who did it, counted from 0, for the truth.
    """

    cell: Cell
    newton: Force = 0.6
    player: Seat | None = None


class Press(Part, frozen=True):
    """A finger on the base plate.

    Attributes:
        x_mm, y_mm: where, in millimetres from the middle of the plate.
        grams: how hard: the weight of so many grams.
        seconds: for how long.
    """

    x_mm: Coordinate
    y_mm: Coordinate
    grams: Grams = 250.0
    seconds: Seconds = 1.0


class Weight(Part, frozen=True):
    """A weight that stands on the base plate for a while, such as a full glass.

    Attributes:
        grams: its mass in grams.
        seconds: for how long it stands there.
    """

    grams: Grams = 150.0
    seconds: Seconds = 90.0


class FaultOrder(Part, frozen=True):
    """A sensor fails, for good or for some seconds.

    Attributes:
        words: the words of `diagnose --fault`, such as `unplugged cell C1` or `loose usb`.
        seconds: for how long; until `mend` when left out.
    """

    words: str
    seconds: Seconds | None = None


class Command(Part, frozen=True):
    """A message to `cmd/<verb>`, as any client may send it.

    Attributes:
        verb: the last word of the topic.
        data: of the command, sent as it is: `ref: last` is of the step `correct` alone.
        id: of the command; none when left out.
        client: who sends it, and is answered.
        player: whose seat it speaks for.
        payload: sent as it is, instead of a well-formed command.
        rev: an integer, or `stale` for the one before the newest.
        exp_s: seconds from now on the wall clock; negative for one that is too late.
        retained: sent with the retain flag: a broker delivers it now, without the flag, and again
            at each connection of the table, with it.
        times: how often the broker delivers it.
    """

    verb: Annotated[str, msgspec.Meta(pattern="^[^/+#]+$", title="text without `/`, `+` and `#`")]
    data: dict[str, Any] = {}
    id: str | None = None
    client: str = SPEAKER
    player: str | None = None
    rev: int | Literal["stale"] | None = None
    exp_s: Jump | None = None
    retained: bool = False
    payload: str | None = None
    times: Count = 1


class Line(Part, frozen=True):
    """What happens on the serial line (target lab).

    Attributes:
        what: bytes of `garbage`; bits that `flip`, bytes that `drop` or come twice
            (`duplicate`) from now on, until `ok`; `unplug`, `plug`; the microcontroller is `reset`
            or made to `hang`.
        rate: of flip, drop and duplicate: events per thousand bytes.
    """

    what: LineWord
    rate: Rate = 1.0


class Broker(Part, frozen=True):
    """What happens to the broker.

    Attributes:
        what: it goes `down`, comes `up`; is `slow`, or delivers each command twice
            (`duplicate`), until `steady`.
        seconds: how long each command is on its way while it is slow.
    """

    what: BrokerWord
    seconds: Span = 1.0


ChipWords = Annotated[
    str,
    msgspec.Meta(
        pattern="^((unplug|plug|short|free) cell (C[0-3]|[1-4])|(unplug|plug|brown out|slow|quick) imu)$",  # noqa: E501 - one piece, so that a test finds it
        title="`unplug`, `plug`, `short` or `free` `cell C0` to `C3`; `unplug`, `plug`, "
        "`brown out`, `slow` or `quick` `imu`",
    ),
]
"""Faults of a chip in the lab: unplugged, data wire shorted, supply too low, clock held low."""

Button = Literal["pass", "undo", "cleared"]


class Views(Part, frozen=True):
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


class ScenarioStep(Part, frozen=True, rename={"pass_": "pass"}):
    """One step: exactly one verb.

    Attributes:
        at: table time at which it begins; right after the step before when left out.
        pause: seconds to wait afterwards; each verb has a usual length.
        id: a name that expectations can refer to.
        turns: whole turns, one after the other: the roll, and `pass` or the cell of a piece. A
            roll alone is not followed by anything. Which cells a roll allows is said by T1 and T2
            of docs/rules.md.
        place: a piece is put down.
        put_back: a piece is put down and taken back at once.
        hesitate: a piece is set down and taken away again without letting go.
        lift: pieces are taken away.
        knock_off: pieces fall, whatever the reason.
        touch: a hand rests on the board.
        nudge: a piece is pushed sideways by accident.
        bump: somebody walks into the table.
        tap: fingers drum on the table.
        lean: an arm rests on the table.
        knock: an elbow hits the board.
        press: a finger presses the base plate.
        weight: something stands on the base plate for a while.
        clear: everything is taken off, one stack after the other.
        wait: nothing happens.
        start: a new game; the data of `cmd/start`.
        roll: what the die shows.
        pass: somebody passes.
        undo: what was said or seen last is taken back.
        redo: what was taken back counts again.
        cleared: the tower has been taken away.
        end: the game is ended.
        blame: who bumped the table.
        answer: the answer to the question that is shown; it fails when none is.
        colour: the colour of the coming piece, in the two-colour game.
        correct: what a placement really was; the data of `cmd/correct`, in which `ref: last` is
            the newest piece that the table has told.
        enter: a placement told by hand; the data of `cmd/place`.
        command: any message to `cmd/<verb>`.
        button: a button in the table is pressed.
        fault: a sensor fails.
        mend: every sensor is well again.
        line: something happens on the serial line.
        chip: something happens to a chip.
        broker: something happens to the broker.
        kill: the table's process is killed, and starts again after 1.5 seconds.
        clock: the wall clock jumps, forwards or (below zero) backwards.
        disk: no more room for the journal, or room again.
        check: what the newest documents must say now.
    """

    at: Span | None = None
    pause: Span | None = None
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
    bump: Acceleration | Bump | None = None
    tap: Count | Tap | None = None
    lean: Angle | Lean | None = None
    knock: Cell | Knock | None = None
    press: Press | None = None
    weight: Weight | None = None
    clear: bool | None = None
    wait: Span | None = None
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
    clock: Jump | None = None
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
