"""The `data` of each command, as structs for the generated documents.

The referee (`engine.referee.human_input`) validates the data itself, with better messages than a
decoder's. A test checks that whatever the table accepts fits the struct here. Unknown fields are
ignored.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engine.games.checks import LONGEST_ID, LONGEST_NAME, MOST_TARGET
from engine.games.registry import GAMES

Die = Annotated[int, Meta(ge=1, le=6)]
Target = Annotated[int, Meta(ge=1, le=MOST_TARGET)]
Ref = Annotated[int, Meta(ge=1)]
Cell = Annotated[str, Meta(pattern="^[a-e][1-5]$")]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
GameId = Annotated[str, Meta(max_length=LONGEST_ID)]
if TYPE_CHECKING:
    GameName = str
else:
    GameName = Literal[tuple(GAMES)]


class Nothing(msgspec.Struct, frozen=True):
    """This verb needs no data."""


class StartPlayer(msgspec.Struct, frozen=True):
    """A player of Topple: a name, and one colour, or two each in the two-colour game."""

    name: Name
    colours: tuple[Name, ...]


class Start(msgspec.Struct, frozen=True):
    """A new game. The games played by hand take the fields of their own `start` action besides.

    No text in it has more characters than a name may have, nor any that cannot be shown: control
    characters, line ends, changes of direction (`bad_name`). No two players may look or sound the
    same (`bad_players`).

    Attributes:
        game: which; `topple` when left out.
        players: in seating order. Topple: with colours; Topominos: names.
        first: who begins: a name or, in Topple, a seat counted from 0.
        target: points that win; null plays the young people's version.
        variant: `standard`, `two-colour` or `young`; found out when left out.
        options: house rules by name (docs/rules.md).
        id: names the game; the table finds a name when left out.
        replace: true breaks off the game that is being played.
        again: true plays the last game once more, with the same people and rules; whoever sat next
            begins, and nothing else need be said.
        red: player of red, in Topolo. black: of black.
        x: player of X, in Triple Topper Toe. o: of O.
    """

    game: GameName | UnsetType = UNSET
    players: tuple[StartPlayer | Name, ...] | UnsetType = UNSET
    first: int | Name | UnsetType | None = UNSET
    target: Target | UnsetType | None = UNSET
    variant: str | UnsetType | None = UNSET
    options: dict[str, Any] | UnsetType | None = UNSET
    id: GameId | int | UnsetType | None = UNSET
    replace: Any = UNSET
    again: Any = UNSET
    red: Name | UnsetType = UNSET
    black: Name | UnsetType = UNSET
    x: Name | UnsetType = UNSET
    o: Name | UnsetType = UNSET


class Roll(msgspec.Struct, frozen=True):
    """The die. In a game by hand the table rolls when `value` is left out."""

    value: Die | UnsetType | None = UNSET


class Place(msgspec.Struct, frozen=True):
    """A placement that the sensors did not see, or made without them.

    Attributes:
        cell: where, in Topple; the other games take the fields of their own `place` action.
        colour: in the two-colour game.
    """

    cell: Any = UNSET
    colour: str | UnsetType | None = UNSET


class Topple(msgspec.Struct, frozen=True):
    """The tower has fallen and the sensors did not see it.

    Attributes:
        cause: `placing`, or a `bump` of the table.
        player: who bumped it, by name or seat.
    """

    cause: Literal["placing", "bump"] | UnsetType | None = UNSET
    player: str | int | UnsetType | None = UNSET


class Blame(msgspec.Struct, frozen=True):
    """Who bumped the table, by name or by seat counted from 0."""

    player: str | int


class Turn(msgspec.Struct, frozen=True):
    """Whose turn it is, by name or by seat counted from 0."""

    player: str | int


class Colour(msgspec.Struct, frozen=True):
    """Which colour the coming placement has, or placement `ref` had, in the two-colour game."""

    colour: str
    ref: Ref | UnsetType | None = UNSET


class Answer(msgspec.Struct, frozen=True):
    """The answer to the question in `pending`, or better knowledge of what stands in `doubt`.

    Attributes:
        value: one of its options.
        question: its id; when left out, that of `pending`, or else of `doubt`.
    """

    value: str
    question: str | UnsetType | None = UNSET


class Correct(msgspec.Struct, frozen=True):
    """What an earlier move really was. Everything after it is scored again.

    Attributes:
        ref: number of the move, as in `board` and `last`.
        cell: of a placement. colour: of a placement or a topple.
        value: of a roll; with the cell of a placement, of its turn's roll, which was told wrong if
            the piece lies where the die does not allow it.
        cause: of a topple. player: who bumped the table.
        nothing: true: it never happened.
    """

    ref: Ref
    cell: Cell | UnsetType | None = UNSET
    colour: str | UnsetType | None = UNSET
    value: Die | UnsetType | None = UNSET
    cause: Literal["placing", "bump"] | UnsetType | None = UNSET
    player: str | int | UnsetType | None = UNSET
    nothing: Any = UNSET


class Action(msgspec.Struct, frozen=True):
    """An action of the rules, as `view` lists them in `legal`; its other fields are its own.

    Attributes:
        type: of the action; left out when the whole stands in `action`.
        action: the same a level deeper.
    """

    type: str | UnsetType = UNSET
    action: Any = UNSET


class Hints(msgspec.Struct, frozen=True):
    """The risk map on or off."""

    on: bool


class Record(msgspec.Struct, frozen=True):
    """Recording on or off."""

    on: bool


class Corrections(msgspec.Struct, frozen=True):
    """A move of this game by its number, as in `board` and `last`."""

    ref: Ref


class Moves(msgspec.Struct, frozen=True):
    """A finished game by its name, as in `results`."""

    game: str


class FilmOf(msgspec.Struct, frozen=True):
    """A fall of a finished game.

    Attributes:
        seq: number of its event `toppled`, as `moves` tells it.
    """

    game: str
    seq: int


class Forget(msgspec.Struct, frozen=True):
    """Which finished games: one by its name, as in `results`, or all of a player."""

    game: str | UnsetType = UNSET
    player: str | UnsetType = UNSET


VERB_DATA: dict[str, type[msgspec.Struct]] = {
    "start": Start,
    "roll": Roll,
    "pass": Nothing,
    "place": Place,
    "topple": Topple,
    "blame": Blame,
    "cleared": Nothing,
    "turn": Turn,
    "colour": Colour,
    "answer": Answer,
    "correct": Correct,
    "undo": Nothing,
    "redo": Nothing,
    "end": Nothing,
    "action": Action,
    "view": Nothing,
    "corrections": Corrections,
    "hints": Hints,
    "record": Record,
    "moves": Moves,
    "film": FilmOf,
    "past": Nothing,
    "forget": Forget,
}
"""The data of every verb a table knows."""

VERB_WORDS: dict[str, str] = {
    "start": "Start a game.",
    "roll": "Tell what the die shows.",
    "pass": "The player in turn passes.",
    "place": "Enter a placement by hand.",
    "topple": "Tell that the tower has fallen.",
    "blame": "Say who bumped the table.",
    "cleared": "Say that the board is empty.",
    "turn": "Say whose turn it is, whatever the table believes.",
    "colour": "Say which colour is or was placed (two-colour game).",
    "answer": "Answer the table's question.",
    "correct": "Correct an earlier move.",
    "undo": "Take back the last change; without limit, restarts included.",
    "redo": "Do again what was undone.",
    "end": "End the game.",
    "action": "An action of the rules, in a game played by hand.",
    "view": "Ask for the game as `player` may see it, and what that player may do. "
    "It changes nothing; the answer is on the reply only.",
    "corrections": "Ask what `correct` would take of a move now. It changes nothing; the answer is "
    "on the reply only.",
    "hints": "Switch the risk map.",
    "moves": "Ask for a finished game move by move. It changes nothing; the answer is on the reply "
    "only.",
    "film": "Ask for the film of a fall of a finished game, as `moves`.",
    "past": "Ask how all games ended that the table keeps. It changes nothing; the answer is on "
    "the reply only.",
    "forget": "Keep nothing of finished games any more: neither results nor moves nor films. It "
    "cannot be undone.",
    "record": "Begin or end to record the evening; `recording` in `health` says whether it is.",
}
"""What each verb is for, in a sentence."""
