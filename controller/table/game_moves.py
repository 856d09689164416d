"""A finished game move by move: the board as it stood, the scores, what was asked, how bold it was.

All is read off the moves as they are judged at the end, so a correction counts and what was taken
back is not there; only the questions are as they were put. Nothing hidden is in it: of a game by
hand it has what the public document had. Pure.
"""

import base64
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from controller.table.riskmap import RISK_DIGITS, placement_risk
from engine.public_events import LastShown
from engine.referee import Applied, RefereeState
from engine.referee.position import Position
from engine.results import GameResult
from engine.scoreboard import API_VERSION, status_of
from engine.tabletop import Tabletop

MOST_MOMENTS = 1500
"""Five times a long game of Topple."""

PACKED_LIMIT = 60_000
"""Characters; with the rest of a reply they fit the 66,000 bytes that the shipped brokers take."""

UNPACKED_LIMIT_BYTES = 4_000_000
"""Of what a table said; honest games have a tenth of it."""

_NO_MOVES = ("rolled", "colour", "turn", "fell", "cleared")
"""What belongs to the move after it, or changes nothing that is looked at afterwards."""


class QuestionPut(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the table asked.

    Attributes:
        ref: number of the move it was about.
        kind: as in `pending`.
        text: in English.
        player: whom it was about.
        answer: what people answered; left out when it went away without an answer.
    """

    ref: int
    kind: str
    text: str
    player: str | None = None
    answer: str | None = None


class Moment(msgspec.Struct, frozen=True, omit_defaults=True):
    """The game after one move; what is left out is as it was after the move before.

    Attributes:
        t_s: seconds since the game began.
        last: the move, as in `state`.
        phase, round: as in `state`.
        scores: in seating order; None in a game without points.
        turn: who was to act next.
        die: what the die showed for this move, if that was told.
        board: cells whose stack has changed: colours, the bottom piece first; none: it is empty.
        view: fields of the public view of a game by hand that have changed.
        risk: probability, 0 to 1, that something would have fallen; of a placement.
        seq: number of the event `toppled`, by which a film is asked for.
        asked: what the table asked about this move.
    """

    t_s: float
    last: LastShown
    phase: str
    round: int
    scores: tuple[int | None, ...] = ()
    turn: str | None = None
    die: int | None = None
    board: dict[str, tuple[str, ...]] = {}
    view: dict[str, Any] = {}
    risk: float | None = None
    seq: int | None = None
    asked: tuple[QuestionPut, ...] = ()


class GameMoves(msgspec.Struct, frozen=True):
    """A finished game, move by move; of a very long one the end.

    Attributes:
        result: how it ended, as in `results`.
        target: points that won; None in a game without.
        moments: the first is the beginning, unless it was left out.
    """

    result: GameResult
    target: int | None
    moments: tuple[Moment, ...]
    simulated: bool = False
    v: int = API_VERSION


@dataclass(frozen=True, slots=True)
class Told:
    """What was published while the game was played: the questions, and the falls' numbers.

    `falls`: number of the move -> number of the event.
    """

    asked: Sequence[QuestionPut] = ()
    falls: Mapping[int, int] = field(default_factory=dict)


def game_moves(
    state: RefereeState,
    result: GameResult,
    tabletop: Tabletop,
    told: Told,
    *,
    simulated: bool = False,
) -> GameMoves:
    """The moves of a game, as they are judged now.

    Args:
        state: the referee at the end of the game.
        result: of this game.
        tabletop: by whose risk map placements are called bold.
        told: what was published of it.
        simulated: no real tower stands behind it.
    """
    moments = _with_questions(tuple(_moments(state, tabletop, told)), told.asked)
    opening = next((a.actions[0] for j in state.judged_moves for a in j.applied if a.actions), {})
    target = opening.get("target", 100) if state.position.by_sensors else None
    return GameMoves(result, target, moments, simulated)


def packed(moves: GameMoves) -> str:
    """The game for a reply, without what did not change; see `deflated`."""
    most = MOST_MOMENTS
    while True:
        short = replace(moves, moments=_changes_only(moves.moments[-most:]))
        text = deflated(short)
        if len(text) <= PACKED_LIMIT or most == 1:
            return text
        most //= 2


def deflated(document: Any) -> str:
    """A document for a reply: JSON, deflated (zlib), in base64."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(document), 9)).decode()


def unpacked(text: str) -> bytes:
    """The JSON of what `packed` or `deflated` made.

    Raises:
        ValueError: it is damaged, or would have more than `UNPACKED_LIMIT_BYTES`.
    """
    try:
        reader = zlib.decompressobj()
        found = reader.decompress(base64.b64decode(text, validate=True), UNPACKED_LIMIT_BYTES)
    except (zlib.error, ValueError) as error:
        raise ValueError(f"these are no moves or games: {error}") from None
    if not reader.eof:
        raise ValueError("these are no moves or games: they have no end")
    return found


def _moments(state: RefereeState, tabletop: Tabletop, told: Told) -> Iterator[Moment]:
    understood, before, die = state.applied(), Position(), None
    colours = {ref: applied.colour or "" for ref, applied in understood.items()}
    began_t_s, names = state.position.began_t_s or 0.0, _names(state)
    for judged in state.judged_moves:
        for applied in judged.applied:
            die = _die(applied, die)
            if applied.type in _NO_MOVES or applied != understood.get(applied.ref):
                continue
            yield replace(
                _moment(judged.after, _shown(applied, state), names, colours),
                t_s=round(max(0.0, judged.move.t_s - began_t_s), 1),
                die=die,
                risk=_risk(applied, before, tabletop),
                seq=told.falls.get(applied.ref) if applied.type == "toppled" else None,
            )
            die = None
        before = judged.after


def _moment(
    after: Position, last: LastShown, names: Sequence[str], colours: Mapping[int, str]
) -> Moment:
    refs = (after.standing or after.refs) if after.by_sensors else {}
    return Moment(
        t_s=0.0,
        last=last,
        phase=after.phase,
        round=after.round,
        scores=tuple(after.scores.get(name) for name in names),
        turn=after.player,
        board={cell: tuple(colours[ref] for ref in stack) for cell, stack in refs.items()},
        view={} if after.by_sensors else dict(after.rules.public_view(after.game_state)),
    )


def _names(state: RefereeState) -> tuple[str, ...]:
    return tuple(state.position.scores) or tuple(state.position.view.get("players", ()))


def _shown(applied: Applied, state: RefereeState) -> LastShown:
    status = status_of(state, applied)
    return LastShown(
        type=applied.type, player=applied.player, colour=applied.colour, cell=applied.cell,
        points=applied.points, ways=tuple(map(dict, applied.ways)), changes=dict(applied.changes),
        confidence=applied.confidence, status=None if status == "confirmed" else status,
        kind=applied.kind, cause=applied.cause, ref=applied.ref,
    )  # fmt: skip


def _die(applied: Applied, before: int | None) -> int | None:
    """What the die showed, as far as somebody told."""
    if applied.assumed:
        return None
    rolled = [action.get("value") for action in applied.actions if action.get("type") == "roll"]
    return next((value for value in reversed(rolled) if isinstance(value, int)), before)


def _risk(applied: Applied, before: Position, tabletop: Tabletop) -> float | None:
    if applied.type != "placed" or applied.cell is None or not before.by_sensors:
        return None
    stacks = {cell: len(refs) for cell, refs in before.refs.items()}
    return round(placement_risk(tabletop, stacks, applied.cell), RISK_DIGITS)


def _with_questions(
    moments: tuple[Moment, ...], asked: Iterable[QuestionPut]
) -> tuple[Moment, ...]:
    """Each question with its move, or with the next one if that is none by itself (a roll)."""
    found: dict[int, list[QuestionPut]] = {}
    for question in asked:
        refs = [moment.last.ref or 0 for moment in moments]
        later = [at for at, ref in enumerate(refs) if ref >= question.ref]
        at = refs.index(question.ref) if question.ref in refs else later[0] if later else -1
        found.setdefault(at % len(moments) if moments else 0, []).append(question)
    return tuple(
        replace(moment, asked=tuple(found.get(at, ()))) for at, moment in enumerate(moments)
    )


def _changes_only(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    short, board, view = [], dict[str, tuple[str, ...]](), dict[str, Any]()
    for moment in moments:
        gone = {cell: () for cell in board if cell not in moment.board}
        new = {cell: stack for cell, stack in moment.board.items() if board.get(cell) != stack}
        seen = {name: value for name, value in moment.view.items() if view.get(name) != value}
        short.append(replace(moment, board={**new, **gone}, view=seen))
        board, view = moment.board, moment.view
    return tuple(short)
