"""The public document: the whole game as one value, the same for every display.

This is the payload of the retained MQTT topic `state`. A display that knows only this document
is always right. It holds nothing hidden: no hand, no rack. The structs here are the one
definition; encoding, validation and JSON Schema are made from them.
"""

from typing import Any, Literal

import msgspec

API_VERSION = 1
"""`v` in every payload and the `1` in `topple/1/...`; raised only when old displays would break."""

Status = Literal["confirmed", "provisional", "asked"]


class PieceShown(msgspec.Struct, frozen=True, omit_defaults=True):
    """One piece of a stack. `ref` is the move it came from (for `correct`)."""

    colour: str
    ref: int | None = None
    status: Status = "confirmed"


class PlayerShown(msgspec.Struct, frozen=True):
    """One player, in seating order.

    Attributes:
        mark: shape shown beside the colour, for the colour-blind.
        score: points now; None in a game without scores.
        provisional: true while the score rests on a placement that may still change.
        left: pieces still off the board, by colour.
        out: true once eliminated (young people's version).
    """

    name: str
    colours: tuple[str, ...]
    mark: str
    score: int | None
    provisional: bool = False
    left: dict[str, int] = {}
    colour_scores: dict[str, int] = {}
    out: bool = False


class TurnShown(msgspec.Struct, frozen=True):
    """Whose turn it is, and what the die allows (`cells` None: not rolled, or die not told)."""

    player: str
    die: int | None = None
    cells: tuple[str, ...] | None = None
    colour: str | None = None


class LastShown(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last thing that happened, with its points and its probability.

    `type` is `placed`, `passed`, `toppled`, `rolled`, `started`, `cleared`, `undone`, `redone`,
    `corrected`, or an action type of a game played by hand.
    """

    type: str
    player: str | None = None
    colour: str | None = None
    cell: str | None = None
    points: int | None = None
    ways: tuple[dict[str, Any], ...] = ()
    changes: dict[str, int] = {}
    confidence: float | None = None
    status: Status | None = None
    kind: str | None = None
    cause: str | None = None
    ref: int | None = None


class OptionShown(msgspec.Struct, frozen=True):
    """One answer to a question. `value` goes back in `answer`; `p` is its probability."""

    value: str
    label: str
    p: float | None = None


class QuestionShown(msgspec.Struct, frozen=True):
    """What the table asks. `kind`: `cell`, `blame`, `placed` (did a placement happen?)."""

    id: str
    kind: str
    text: str
    options: tuple[OptionShown, ...]
    ref: int | None = None


class Scoreboard(msgspec.Struct, frozen=True):
    """The payload of `topple/1/<table>/state`.

    Attributes:
        boot: new at each start of the table process.
        game: new for each game, kept across restarts; None before the first.
        rev: raised by one with every change, undo included; never goes back within a game.
        seq: number of the last event contained in this document.
        kind: record id of the game (`topple`, ...), None before the first.
        phase: `idle` no game; `roll`, `act` as in RULES.md; `clear` pieces must come off the
            board; `over`; other games use their own phases.
        board: occupied cells only, bottom piece first.
        can: verbs allowed now, per player name, and `any` for everybody.
        history: scores after each finished turn, one row a turn, in the order of `players`.
        view: the rule engine's public view, for the games that are more than stacks.
    """

    table: str
    boot: str
    game: str | None
    rev: int
    seq: int
    kind: str | None
    phase: str
    round: int
    target: int | None
    turn: TurnShown | None
    players: tuple[PlayerShown, ...]
    board: dict[str, tuple[PieceShown, ...]]
    last: LastShown | None
    pending: QuestionShown | None
    can: dict[str, tuple[str, ...]]
    undo_depth: int
    redo_depth: int
    winners: tuple[str, ...] = ()
    history: tuple[tuple[int, ...], ...] = ()
    view: dict[str, Any] | None = None
    simulated: bool = False
    v: int = API_VERSION
