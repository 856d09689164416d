"""What can happen at the table: events from the sensors, and inputs from the players.

Table events come out of `engine.detect`; they know cells and probabilities, never colours,
players or points. Inputs come from people: phone, buttons, or the `input` channel of a trace.
All times are seconds of table time; `decided_s` is the time of the last sample needed.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from engine.tabletop import ColourPiece
from engine.trouble import Args, Trouble

SURE = 0.95
"""Below this confidence in a placement the table asks its players; by it detection is judged."""

Ranked = tuple[tuple[str, float], ...]
"""Runner-up cells with their probabilities, best first."""


class ToppleKind(StrEnum):
    """How pieces fell."""

    OFF_BOARD = "off_board"
    OFF_STACK = "off_stack"
    COLLAPSE = "collapse"


class ToppleCause(StrEnum):
    """Why pieces fell: during a placement, or because somebody bumped the table."""

    PLACING = "placing"
    BUMP = "bump"


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece was put on the board and let go.

    Attributes:
        id: number of the piece, unique within one detector. A piece that was retracted and stands
            after all is placed again under its number.
        t_s: moment of release.
        cell: most probable cell, or None when the sensors cannot tell any (dead IMU).
        confidence: calibrated probability that a placement happened *and* the cell is right.
        alternatives: runner-up cells with probabilities.
        mass_g: weight of the piece, as the load cells saw it; NaN when they could not.
        mass_sd_g: its standard deviation.
        stands: where no cell can be told: probability that a placement happened.
    """

    id: int
    t_s: float
    decided_s: float
    cell: str | None
    confidence: float
    alternatives: Ranked = ()
    mass_g: float = float("nan")
    mass_sd_g: float = float("nan")
    stands: float = 1.0


@dataclass(frozen=True, slots=True)
class Corrected:
    """Later evidence moved an earlier placement to another cell, or settled a doubt about it."""

    ref: int
    decided_s: float
    cell: str
    confidence: float
    alternatives: Ranked = ()


@dataclass(frozen=True, slots=True)
class Reweighed:
    """A later rest weighed a placed piece otherwise: a hand had still borne a part of it."""

    ref: int
    decided_s: float
    mass_g: float
    mass_sd_g: float


@dataclass(frozen=True, slots=True)
class Retracted:
    """An earlier placement did not stand: the piece fell, or was taken back."""

    ref: int
    decided_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class Toppled:
    """One or more pieces fell off the board or off a stack.

    Attributes:
        fallen: how many pieces are thought to have fallen; None when unknown.
        cause_confidence: probability that `cause` is right.
        rested: probability that the piece placed last counts, whoever bumped the table (T16): the
            board had come to rest with it before anything fell, or, where no die is told, the next
            player had rolled. None when no sensor can tell.
        mass_g: weight of the piece that was being placed, if it lies on board or base plate; else
            NaN.
        mass_sd_g: its standard deviation.
    """

    id: int
    t_s: float
    decided_s: float
    kind: ToppleKind
    cause: ToppleCause
    confidence: float
    cause_confidence: float = 1.0
    fallen: int | None = None
    rested: float | None = None
    mass_g: float = float("nan")
    mass_sd_g: float = float("nan")


@dataclass(frozen=True, slots=True)
class Suspected:
    """Pieces may have fallen; told at once, and changes no score.

    It ends with a `Dismissed` that names it, or with the `Toppled` that it became.

    Attributes:
        t_s: moment at which the first of them may have begun to fall.
        probability: calibrated probability that a topple follows.
        kind: how they fell, if they did.
    """

    id: int
    t_s: float
    decided_s: float
    probability: float
    kind: ToppleKind


@dataclass(frozen=True, slots=True)
class Dismissed:
    """Nothing had fallen: the suspicion `ref` was none."""

    ref: int
    decided_s: float


PASSING = ("suspected", "dismissed", "refused")
"""Types of what is published and passes by: it is no part of the game and changes nothing."""


@dataclass(frozen=True, slots=True)
class Cleared:
    """The board is empty again and at rest: the next round may begin.

    Attributes:
        perhaps: a fall that may have ended the round, too improbable to be told: its `confidence`.
    """

    t_s: float
    decided_s: float
    perhaps: Toppled | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A sensor cannot be trusted from `t_s` on. `reason` says what to check next.

    Attributes:
        code, args: of the reason, as in `Trouble`; empty for one without.
    """

    t_s: float
    sensor: str
    reason: str
    code: str = ""
    args: Args = field(default_factory=dict)

    @classmethod
    def of(cls, t_s: float, sensor: str, trouble: Trouble) -> "Fault":
        """A sensor has this trouble."""
        return cls(t_s, sensor, trouble.sentence, trouble.code, trouble.args)


@dataclass(frozen=True, slots=True)
class Restored:
    """A sensor that was reported by `Fault` works again."""

    t_s: float
    sensor: str


LaterEvidence = Corrected | Reweighed | Retracted
"""What is decided later about an event before, its `ref`."""

TableEvent = Placed | LaterEvidence | Toppled | Suspected | Dismissed | Cleared | Fault | Restored


@dataclass(frozen=True, slots=True)
class HumanInput:
    """What a person said to the table.

    Attributes:
        t_s: table time.
        type: the verb: `start`, `roll`, `pass`, `blame`, `cleared`, `answer`, `correct`, `undo`,
            `redo`, `colour`, `place`, `topple`, `end`, ... (see `engine.referee`).
        data: the verb's own fields, as on the trace's `input` channel (`{"value": 5}`).
        command: client and id of the command that said it, if it had both; the rules do not look
            at it.
    """

    t_s: float
    type: str
    data: dict[str, Any] = field(default_factory=dict)
    command: tuple[str, str] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the rules expect of the board next: the detector's prior.

    Attributes:
        legal_cells: cells on which a piece may be placed now; None when nothing is known
            (no game, die not told), meaning any of the 25.
        may_place: false while the rules do not expect a placement (before the roll, game over,
            board to be cleared). A prior, not a veto: people forget to say things.
        pieces_left: how many pieces are still off the board, 0 also while it is to be cleared; None
            when unknown.
        ahead: the next player has rolled though the piece of this turn has not been seen: either
            it lies on the board already, or it is just being put down.
        colours: what the pieces of each colour in play weigh, as far as that is known.
        shares: how likely a piece is on each of `CELLS` where nobody tells the die, (25,); None
            where people tell it. Until they do, the next player has not rolled then.
        follows: how likely the next piece of a round is of each of `colours`, for each colour that
            the piece before it may have had, and last for the first piece of a round,
            (colours + 1, colours); empty where rolls tell whose turn it is, or colours cannot be
            told apart.
        fallen: people have said that a topple ended this round, and they clear the board now.
    """

    legal_cells: tuple[str, ...] | None = None
    may_place: bool = True
    pieces_left: int | None = None
    ahead: bool = False
    colours: tuple[ColourPiece, ...] = ()
    shares: tuple[float, ...] | None = None
    follows: tuple[tuple[float, ...], ...] = ()
    fallen: bool = False


ANYTHING = Expectation()
