"""Where a game stands after each move, and what each move came to mean. Values only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from engine.errors import IllegalAction
from engine.events import Ranked
from engine.games.contract import Action, Game, View
from engine.games.kind import GameKind
from engine.games.registry import GAMES
from engine.pieces import PieceSet, Weighing
from engine.public_events import Status
from engine.referee.ledger import Move, MoveKind

BELIEVED = 0.85
"""From this probability on, what made pieces fall is believed and not asked about: a question
stops the whole evening, and a wrong belief costs one tap of whoever knows better."""

Refs = Mapping[str, tuple[int, ...]]
"""Which moves the pieces on the board came from: cell -> refs, bottom first."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question; `p` is its probability where the sensors gave one."""

    value: str
    label: str
    p: float | None = None


UNKNOWN = Choice("unknown", "I do not know")
"""Ends a question and changes nothing."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the table would like to know.

    Attributes:
        kind: `cell` where did this piece go, `colour` is it another player's, `placed` what
            happened in this turn, `blame` who made the pieces fall, `turn` who begins.
        ref: the move it is about.
        quiet: the table believes it knows. It does not ask, but may be told better until the next
            roll.
        spared: too little hangs on it to ask at once. It is asked at the end of the game, if the
            winner hangs on it (`ending`).
        player: whom it is about, as far as that is one player.
        cell: where the piece that is meant lies by what the table believes.
        worth: points that hang on the answer at most, as far as that is known.
    """

    kind: str
    ref: int
    text: str
    choices: tuple[Choice, ...]
    quiet: bool = False
    spared: bool = False
    player: str | None = None
    cell: str | None = None
    worth: int | None = None

    @property
    def id(self) -> str:
        """Name of the question, the same as long as it is about the same thing."""
        return f"{self.kind}-{self.ref}"


@dataclass(frozen=True, slots=True)
class Applied:
    """What a move came to mean in the game.

    Attributes:
        ref: the move.
        type: `started`, `rolled`, `placed`, `passed`, `toppled`, `fell` (a placement that did
            not stand), `cleared`, `ended`, or the action type of a game played by hand.
        actions: what the rules were told, in order; several when something had to be assumed.
        points: of a placement.
        changes: score changes by colour.
        die: of a roll told ahead of its turn, whose actions come with that turn.
        status: `asked`, `confirmed` (people said so), or `provisional` (the sensors said so; it
            counts as confirmed once the game went on).
        assumed: why part of it was not witnessed; empty as a rule.
        mass_g: of a placement, the weight of the piece; None where it was not weighed.
        colour_p: probability of its colour by that weight; None where weights tell nothing.
        weighs: the colour it weighs like, where that is another one and nobody has said which.
    """

    ref: int
    type: str
    actions: tuple[Action, ...] = ()
    player: str | None = None
    cell: str | None = None
    colour: str | None = None
    points: int | None = None
    ways: tuple[Mapping[str, Any], ...] = ()
    changes: Mapping[str, int] = field(default_factory=dict)
    confidence: float | None = None
    status: Status = "confirmed"
    cause: str | None = None
    kind: str | None = None
    assumed: str = ""
    die: int | None = None
    mass_g: float | None = None
    colour_p: float | None = None
    weighs: str | None = None


@dataclass(frozen=True, slots=True)
class BeforePlacement:
    """A snapshot from before the last placement, in case the piece falls after all (rule T16).

    `confidence` says how sure its cell was; None when people said it.
    """

    game_state: Any
    refs: Refs
    ref: int
    t_s: float
    player: str
    colour: str
    confidence: float | None = None


@dataclass(frozen=True)
class Position:
    """The game, and what the referee keeps in mind beside it.

    Attributes:
        game_kind: which game: the key of its rules in `GAMES`; empty before the first.
        game_state: as its rules keep it; None before the first game.
        clearing: the round is over and the pieces are still to be taken off the board.
        standing: the pieces of a round that ended with all of them played; nobody has taken
            them off yet. The rules have put them back already.
        clears: how many times the board was cleared; questions lapse by it.
        ended: people ended the game early.
        colour: announced for the placement to come (two-colour version).
        waiting: a placement seen, or a pass told, before anybody told the roll.
        untold: placements and passes that count although nobody has told their rolls, the oldest
            first, with their players; those rolls may still be told late.
        ahead: a roll told before the piece of the turn that goes on was seen: the next player's.
        fell: the placement of this turn that did not stand, with its player.
        dropped: the colour of that piece, where its weight tells (two-colour version).
        tried_t_s: when a piece was last let go that did not stand, and whose roll nobody had told;
            None once the board was cleared.
        rolls_astray: rolls were told late or early in this game, so more of them may be.
        rolled_t_s: when the die of this turn was told; `die_confirmed` that people have said it
            again, corrected.
        cleared_t_s: when the board was cleared last.
        pressed_t_s: when people said so; None while only the sensors have.
        began_t_s: when the game began.
        given: what the pieces of each colour weighed as far as was known when the game began;
            None when nothing is known of it.
        pieces: the same, with what the finished rounds have taught.
        weighed: the pieces of this game as they were weighed, with whose they were.
    """

    game_kind: str = ""
    game_state: Any = None
    refs: Refs = field(default_factory=dict)
    clearing: bool = False
    standing: Refs = field(default_factory=dict)
    clears: int = 0
    ended: bool = False
    colour: str | None = None
    waiting: Move | None = None
    untold: tuple[tuple[Move, str], ...] = ()
    ahead: Move | None = None
    before_placement: BeforePlacement | None = None
    fell: tuple[int, str] | None = None
    dropped: str | None = None
    tried_t_s: float | None = None
    rolled_t_s: float | None = None
    die_confirmed: bool = False
    rolls_astray: bool = False
    cleared_t_s: float | None = None
    pressed_t_s: float | None = None
    began_t_s: float | None = None
    given: PieceSet | None = None
    pieces: PieceSet | None = None
    weighed: tuple[Weighing, ...] = ()

    @property
    def kind(self) -> GameKind:
        """What is peculiar to the game. Only to be asked once a game has started."""
        return GAMES[self.game_kind]

    @property
    def rules(self) -> Game[Any]:
        """The rules in force. Only to be asked once a game has started."""
        return self.kind.rules

    @cached_property
    def view(self) -> View:
        """What the rules say of the game. Only to be asked once a game has started."""
        return self.rules.view(self.game_state)

    @property
    def by_sensors(self) -> bool:
        """Whether the sensors can follow this game; the others are played by hand entry."""
        return self.game_kind != "" and self.kind.by_sensors

    @property
    def die_is_told(self) -> bool:
        """Whether people tell what they roll, where the game has a die."""
        return bool(self.game_state.match.rules.get("dice") != "untold")

    @property
    def let_go_alone(self) -> bool:
        """Whether no piece counts as placed in this round, but one was let go.

        It did not stand, or nobody has told its roll yet.
        """
        waits = self.waiting is not None and self.waiting.kind is MoveKind.PLACE
        let_go = waits or self.fell is not None or self.tried_t_s is not None
        return let_go and not (self.refs or self.clearing or self.over)

    @property
    def over(self) -> bool:
        """Whether the game has ended, by the rules or by people."""
        return self.game_state is not None and (self.ended or self.rules.is_over(self.game_state))

    @property
    def phase(self) -> str:
        """`idle`, `clear`, `over`, or the phase the rules are in."""
        if self.game_state is None:
            return "idle"
        if self.over:
            return "over"
        return "clear" if self.clearing else str(self.view["phase"])

    @property
    def round(self) -> int:
        """Number of the round; while its pieces are taken off, still that of the one that ended.

        0 before the first game; 1 in a game that knows no rounds.
        """
        if self.game_state is None:
            return 0
        return int(self.view.get("round", 1)) - self.clearing

    @property
    def player(self) -> str | None:
        """Who is to act; None before the first game and after the end."""
        playing = self.game_state is not None and not self.over
        return self.rules.current_player(self.game_state) if playing else None

    @property
    def scores(self) -> Mapping[str, int]:
        """Points by player; empty without a game or in a game without points."""
        return {} if self.game_state is None else self.rules.scores(self.game_state)


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move and what it led to.

    Attributes:
        after: the position after it; the one before, if the move had no effect.
        applied: what it came to mean; also of earlier moves, when it decided about them.
        questions: what is uncertain about it.
        refusal: why the rules did not take it.
    """

    move: Move
    after: Position
    applied: tuple[Applied, ...] = ()
    questions: tuple[Question, ...] = ()
    # Two exceptions are never equal, whatever they say.
    refusal: IllegalAction | None = field(default=None, compare=False)


def likely(cells: Ranked, among: tuple[str, ...]) -> Ranked:
    """Those of the ranked cells that are among the given ones."""
    return tuple((cell, p) for cell, p in cells if cell in among)
