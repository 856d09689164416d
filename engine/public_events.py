"""The events that a table publishes: one struct for each type, together one tagged union.

The tag is the `type` of the MQTT topic `event`; `player` stands beside it, all other fields are its
`data`. JSON Schema, AsyncAPI and the tables of docs/mqtt.md are made from these structs. A field is
documented by the `Meta` of its type, an event by its docstring. Fields stand in the order in which
they are sent.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

Status = Literal["confirmed", "provisional", "asked"]
"""How sure the table is: people said so or play went on; sensors said so; it would like to know."""

# --- fields that several events have --------------------------------------------------------------

Ref = Annotated[int, Meta(description="Number of the move, as `correct` takes it.")]
Cell = Annotated[str | None, Meta(description="Cell of the board, or place in a game by hand.")]
Colour = Annotated[str | None, Meta(description="Colour of the piece.")]
Points = Annotated[int | None, Meta(description="Points of the move.")]
Confidence = Annotated[
    float | None, Meta(description="Probability that all of this is right, where sensors saw it.")
]
Cause = Annotated[str | None, Meta(description="Why pieces fell: `placing` or `bump`.")]
Kind = Annotated[
    str | None, Meta(description="How pieces fell: `off_board`, `off_stack` or `collapse`.")
]
MassG = Annotated[float | None, Meta(description="Weight of the piece in g, where it was weighed.")]
ColourP = Annotated[
    float | None,
    Meta(description="Probability of its colour by its weight, where weights tell colours."),
]
Weighs = Annotated[
    str | None,
    Meta(description="Colour that it weighs like, if that is another and nobody has said which."),
]
Ways = Annotated[
    tuple[dict[str, Any], ...],
    Meta(description="What made the points: `way`, `where` and `points` of each."),
]
Changes = Annotated[dict[str, int], Meta(description="Changes of score by colour.")]
PlayerChanges = Annotated[dict[str, int], Meta(description="Changes of score by player.")]
Sure = Annotated[
    Status,
    Meta(description="`provisional` and `asked` may still change; `confirmed` if left out."),
]
Assumed = Annotated[
    str | None, Meta(description="Why a part of it is assumed, where nobody witnessed it.")
]
Die = Annotated[int | None, Meta(description="What the die shows.")]
Was = Annotated[str | None, Meta(description="Cell on which it was taken to be before.")]
Of = Annotated[str, Meta(description="Type of the move now, or `nothing`.")]
QuestionId = Annotated[str, Meta(description="Id of the question, as `answer` takes it.")]
SuspicionId = Annotated[int, Meta(description="Number of the suspicion.")]
Sensor = Annotated[str, Meta(description="Name of the sensor, as in `health`.")]
Verb = Annotated[str, Meta(description="Verb of the command that was taken back or done again.")]


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """Something that happened, to be journalled, published and animated; the base of all events.

    Attributes:
        seq: running number over all events of a referee. What passes by and is no part of the
            game (`suspected`, `dismissed`, `refused`) has none of its own, but that of the last.
        t_s: table time at which it was known.
        player: whom it is about; None where it is about nobody, or nobody knows.
    """

    seq: int = 0
    t_s: float = 0.0
    player: str | None = None

    @property
    def type(self) -> str:
        """Type of the event as it is published."""
        return str(self.__struct_config__.tag)

    @property
    def data(self) -> dict[str, Any]:
        """All else that is published of it, JSON-ready."""
        fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return {name: value for name, value in fields.items() if name not in BESIDE}


# --- the game -------------------------------------------------------------------------------------


class StartedEvent(Outcome, frozen=True, kw_only=True, tag="started"):
    """A game has begun."""

    ref: Ref


class RolledEvent(Outcome, frozen=True, kw_only=True, tag="rolled"):
    """The die was told."""

    ref: Ref
    die: Die = None


class ColourEvent(Outcome, frozen=True, kw_only=True, tag="colour"):
    """The colour of the piece that is or was placed was told."""

    ref: Ref
    colour: Colour = None


class PlacedEvent(Outcome, frozen=True, kw_only=True, tag="placed"):
    """A piece stands on the board."""

    ref: Ref
    cell: Cell = None
    colour: Colour = None
    points: Points = None
    confidence: Confidence = None
    mass_g: MassG = None
    colour_p: ColourP = None
    weighs: Weighs = None
    ways: Ways = ()
    changes: Changes = {}
    status: Sure
    assumed: Assumed = None
    die: Die = None


class PassedEvent(Outcome, frozen=True, kw_only=True, tag="passed"):
    """The player passed."""

    ref: Ref
    status: Sure | None = None
    assumed: Assumed = None
    die: Die = None


class RetractedEvent(Outcome, frozen=True, kw_only=True, tag="retracted"):
    """A placement did not stand; without `cell`, a topple was none and its pieces stand."""

    ref: Ref
    reason: Annotated[str, Meta(description="Why, in English.")]
    cell: Cell = None
    colour: Colour = None
    changes: PlayerChanges


class SuspectedEvent(Outcome, frozen=True, kw_only=True, tag="suspected"):
    """Pieces may have fallen; changes nothing, and has the `seq` of the event before it.

    `dismissed` with its `id`, the next `toppled` or the end of `valid_s` ends it.
    """

    id: SuspicionId
    kind: Kind
    probability: Annotated[float, Meta(description="Probability that a topple follows.")]
    valid_s: Annotated[float, Meta(description="Seconds from hearing it for which it is valid.")]


class DismissedEvent(Outcome, frozen=True, kw_only=True, tag="dismissed"):
    """Nothing had fallen; has the `seq` of the event before it."""

    id: SuspicionId


class RefusedEvent(Outcome, frozen=True, kw_only=True, tag="refused"):
    """What the table's own buttons asked for was not done; has the `seq` of the event before it."""

    verb: Annotated[str, Meta(description="Verb of what was asked for.")]
    reason: Annotated[str, Meta(description="Why, as in the reply to a command.")]


class ToppledEvent(Outcome, frozen=True, kw_only=True, tag="toppled"):
    """Pieces fell."""

    ref: Ref
    confidence: Confidence = None
    cause: Cause = None
    kind: Kind = None
    changes: Changes = {}
    status: Sure
    assumed: Assumed = None
    die: Die = None


class FellEvent(Outcome, frozen=True, kw_only=True, tag="fell"):
    """A piece of an earlier turn fell, which was seen late."""

    ref: Ref
    colour: Colour = None
    status: Sure | None = None
    assumed: Assumed = None


class CorrectedEvent(Outcome, frozen=True, kw_only=True, tag="corrected"):
    """An earlier move is another one now; has the fields of that type."""

    ref: Ref
    cell: Cell = None
    colour: Colour = None
    points: Points = None
    confidence: Confidence = None
    cause: Cause = None
    kind: Kind = None
    mass_g: MassG = None
    colour_p: ColourP = None
    weighs: Weighs = None
    ways: Ways = ()
    status: Sure | None = None
    assumed: Assumed = None
    die: Die = None
    was: Was | UnsetType = UNSET
    of: Of
    changes: PlayerChanges


class UndoneEvent(Outcome, frozen=True, kw_only=True, tag="undone"):
    """A change was taken back."""

    ref: Ref
    verb: Verb
    cell: Cell
    changes: PlayerChanges


class RedoneEvent(Outcome, frozen=True, kw_only=True, tag="redone"):
    """A change that was taken back was done again."""

    ref: Ref
    verb: Verb
    cell: Cell
    changes: PlayerChanges


class ScoreEvent(Outcome, frozen=True, kw_only=True, tag="score"):
    """Scores have changed."""

    scores: Annotated[dict[str, int], Meta(description="New scores of all players.")]
    changes: PlayerChanges


class TurnEvent(Outcome, frozen=True, kw_only=True, tag="turn"):
    """Whose turn it is; with `ref` people or the weight of a piece said so."""

    phase: Annotated[str | None, Meta(description="`phase` of `state`.")] = None
    ref: Ref | None = None
    status: Sure | None = None
    assumed: Assumed = None


class RoundEvent(Outcome, frozen=True, kw_only=True, tag="round"):
    """A round is over."""

    reason: Annotated[str, Meta(description="Why: `topple`, `all_played` or `agreed`.")]
    game_over: Annotated[bool, Meta(description="Whether the game is over with it.")]


class ClearedEvent(Outcome, frozen=True, kw_only=True, tag="cleared"):
    """The board is empty."""

    ref: Ref
    status: Sure | None = None


class AskedEvent(Outcome, frozen=True, kw_only=True, tag="asked"):
    """The table asks; `pending` of `state` has the options."""

    id: QuestionId
    kind: Annotated[
        str, Meta(description="Kind of the question: `cell`, `colour`, `blame`, `turn`, `placed`.")
    ]
    ref: Ref
    text: Annotated[str, Meta(description="The question in English.")]


class SettledEvent(Outcome, frozen=True, kw_only=True, tag="settled"):
    """A question is answered or gone."""

    id: QuestionId


class EndedEvent(Outcome, frozen=True, kw_only=True, tag="ended"):
    """People ended the game."""

    ref: Ref


class OverEvent(Outcome, frozen=True, kw_only=True, tag="over"):
    """The game is over."""

    winners: Annotated[tuple[str, ...], Meta(description="Names of the winners.")]


class FaultEvent(Outcome, frozen=True, kw_only=True, tag="fault"):
    """A sensor fails."""

    sensor: Sensor
    reason: Annotated[str, Meta(description="What is wrong and what to check, in English.")]
    code: Annotated[str, Meta(description="Of the reason, for programs and translations.")] = ""
    args: Annotated[
        dict[str, str | int | float], Meta(description="What the reason has in its code's gaps.")
    ] = {}


class RestoredEvent(Outcome, frozen=True, kw_only=True, tag="restored"):
    """A sensor works again."""

    sensor: Sensor


class ByHandEvent(Outcome, frozen=True, kw_only=True, tag=""):
    """An action of a game that is played by hand; `type` is the type of the action."""

    action: Annotated[str, Meta(description="Type of the action.")]
    ref: Ref
    cell: Cell = None
    points: Points = None

    @property
    def type(self) -> str:
        """Type of the action."""
        return self.action


PublicEvent = (
    StartedEvent | RolledEvent | ColourEvent | PlacedEvent | PassedEvent | RetractedEvent
    | SuspectedEvent | DismissedEvent | RefusedEvent | ToppledEvent | FellEvent | CorrectedEvent
    | UndoneEvent | RedoneEvent | ScoreEvent | TurnEvent | RoundEvent | ClearedEvent | AskedEvent
    | SettledEvent | EndedEvent | OverEvent | FaultEvent | RestoredEvent | ByHandEvent
)  # fmt: skip

EVENTS: dict[str, type[PublicEvent]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(PublicEvent)
}
"""Every event by its type; that of a game by hand, which has many types, under the empty one."""

BESIDE = ("type", "player", "action", "seq", "t_s")
"""Fields that are no part of `data`."""


class LastShown(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last thing that happened, with its points and its probability.

    What happens to sensors is told in `event` and `status` only.

    Attributes:
        type: of the event; of a game played by hand, of the action.
        ref: of the move, for `correct`.
    """

    type: str
    player: str | None = None
    colour: Colour = None
    cell: Cell = None
    points: Points = None
    ways: Ways = ()
    changes: Annotated[
        dict[str, int], Meta(description="Changes of score by colour or player, as in the event.")
    ] = {}
    confidence: Confidence = None
    status: Sure | None = None
    kind: Kind = None
    cause: Cause = None
    ref: int | None = None
    of: Of | None = None
    was: Was = None
    mass_g: MassG = None
    colour_p: ColourP = None
    weighs: Weighs = None


def event_of(type_: str, player: str | None, data: dict[str, Any]) -> PublicEvent:
    """The event of a type.

    Args:
        type_: a key of `EVENTS`, or the type of an action of a game by hand.
        player: whom it is about.
        data: its other fields; what the type does not have is left out.
    """
    return made(EVENTS.get(type_, ByHandEvent), {**data, "player": player, "action": type_})


Made = TypeVar("Made", bound=Outcome)


def made(kind: type[Made], fields: Mapping[str, Any]) -> Made:
    """An event of a kind; fields that it does not have are left out."""
    names = set(kind.__struct_fields__)
    return kind(**{name: value for name, value in fields.items() if name in names})
