"""The public document: the whole game as one value, the same for every display.

This is the payload of the retained MQTT topic `state`. A display that knows only this document
is always right. It holds nothing hidden: no hand, no rack. The structs here are the one
definition; encoding, validation and JSON Schema are made from them. `document` makes it from
the referee's state, `summary` a small one for small displays, `event` one for animation.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from engine.acceptable import acceptable
from engine.games.registry import GAMES
from engine.public_events import ColourP, LastShown, MassG, Outcome, Status, Weighs
from engine.referee import Applied, Question, RefereeState
from engine.referee.basics import as_shown
from engine.referee.turns import belief
from engine.tabletop import CELLS

API_VERSION = 1
"""`v` in every payload and the `1` in `topple/1/...`; raised only when old displays would break."""


class PieceShown(msgspec.Struct, frozen=True, omit_defaults=True):
    """One piece of a stack. `ref` is the move it came from (for `correct`)."""

    colour: str
    ref: int | None = None
    status: Status = "confirmed"
    mass_g: MassG = None
    colour_p: ColourP = None
    weighs: Weighs = None


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
    """Whose turn it is, and what the die allows (`cells` None: not rolled, or die not told).

    Attributes:
        p: probability that it is this player's turn; left out where no sensor follows the game.
    """

    player: str
    die: int | None = None
    cells: tuple[str, ...] | None = None
    colour: str | None = None
    p: float | msgspec.UnsetType = msgspec.UNSET


class OptionShown(msgspec.Struct, frozen=True):
    """One answer to a question. `value` goes back in `answer`; `p` is its probability."""

    value: str
    label: str
    p: float | None = None


class QuestionShown(msgspec.Struct, frozen=True):
    """What the table asks. `kind`: `cell`, `colour`, `blame`, `turn`, `placed` (was something?).

    A `blame` is asked beside the game: play goes on without an answer. `player`: whom it is about.

    Attributes:
        worth: points that hang on the answer at most, as far as that is known.
        cell: where the piece that is meant is believed to lie, to be pointed at.
        round: in which round it was, in `before_winner`.
        of: of a `blame`: `cleared` if the board was emptied and nothing was seen to fall.
    """

    id: str
    kind: str
    text: str
    options: tuple[OptionShown, ...]
    ref: int | None = None
    player: str | None = None
    worth: int | msgspec.UnsetType = msgspec.UNSET
    cell: str | msgspec.UnsetType = msgspec.UNSET
    round: int | msgspec.UnsetType = msgspec.UNSET
    of: Literal["cleared"] | msgspec.UnsetType = msgspec.UNSET


class HintShown(msgspec.Struct, frozen=True):
    """What placing on a cell would score, and the probability (0 to 1) that pieces fall."""

    points: int
    risk: float


class TensionShown(msgspec.Struct, frozen=True):
    """How near the tower is to falling: 0 an empty board, 1 where half of all towers fall.

    Attributes:
        low, high: as far as one table in ten would differ from it, each way.
        tilt_deg: how far the board hangs at rest, by all pieces that are known.
    """

    value: float
    low: float
    high: float
    tilt_deg: float


class Scoreboard(msgspec.Struct, frozen=True):
    """The payload of `topple/1/<table>/state`.

    Attributes:
        boot: new at each start of the table process.
        game: new for each game, kept across restarts; None before the first.
        rev: raised by one with every change, undo included; never goes back within a game.
        seq: number of the last event contained in this document.
        kind: record id of the game (`topple`, ...), None before the first.
        phase: `idle` no game; `roll`, `act` as in docs/rules.md; `clear` pieces must come off the
            board; `over`; other games use their own phases.
        round: the one being played; in `clear` still the one that has just ended.
        board: occupied cells only, bottom piece first. A round that ended with all pieces
            played stands in it until it is cleared, the last one until the next game.
        can: verbs allowed now, per player name, and `any` for everybody.
        history: scores after each finished turn, one row a turn, in the order of `players`; of a
            very long game the last 500.
        view: the rule engine's public view, for the games that are more than stacks.
        hints: risk map by cell, for the player in turn; None unless switched on.
        tension: how near the tower is to falling; None while none stands.
        doubt: what the table believes and does not ask, such as who was placing when pieces fell.
            Until the next roll it takes an `answer` from whoever knows better; to be shown quietly.
        result: of a game that is over: `open` while the winner should not be called, because
            answers may still change who it is; `final`. None while a game goes on.
        before_winner: what is asked together at the end, the first of it also in `pending`.
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
    hints: dict[str, HintShown] | None = None
    tension: TensionShown | None = None
    doubt: QuestionShown | None = None
    result: Literal["open", "final"] | None = None
    before_winner: tuple[QuestionShown, ...] = ()
    simulated: bool = False
    v: int = API_VERSION


class EventPayload(msgspec.Struct, frozen=True, omit_defaults=True):
    """The payload of `topple/1/<table>/event`: one outcome, for animation only.

    Attributes:
        t: table time in seconds.
        type: what happened; or, of a game played by hand, the type of the action.
        data: the fields of that type.
        rev: revision of the document that contains it.
    """

    table: str
    boot: str
    game: str | None
    seq: int
    rev: int
    t: float
    type: str
    player: str | None = None
    data: dict[str, Any] = {}
    # Not left out as a default: a reader decides by it what the rest means.
    v: int | None = None


MOST_HISTORY = 500
"""Turns in `history`: five times a long game. The document must never outgrow what a broker takes,
however often somebody passes."""

MARKS = "●▲■◆"
"""Shapes by seat, so that nobody has to tell red from green."""


def document(
    state: RefereeState,
    *,
    table: str,
    boot: str,
    simulated: bool = False,
    hints: dict[str, HintShown] | None = None,
    tension: TensionShown | None = None,
    awaited: bool = True,
) -> Scoreboard:
    """The whole game as every display may see it.

    Args:
        state: the referee's state.
        table: id of the table.
        boot: id of this run of the table process.
        simulated: true when no real tower stands behind it.
        hints: risk map, when it is wanted.
        tension: how near the tower is to falling, when somebody knows.
        awaited: whether somebody may still answer what is asked before the winner is called.
    """
    position, started = state.position, state.position.game_state is not None
    view = position.rules.public_view(position.game_state) if started else {}
    applied = state.applied()
    in_rounds = ((q, state.judged_move(q.ref).after.round) for q in state.last_questions())
    last_ones = tuple(_shown(asked, applied, at) for asked, at in in_rounds)
    return Scoreboard(
        table=table,
        boot=boot,
        game=state.game_id if started else None,
        rev=state.rev,
        seq=state.seq,
        kind=position.game_kind or None,
        phase=position.phase,
        round=position.round,
        target=_opening(state).get("target", 100) if position.by_sensors else None,
        turn=_turn(state, view),
        players=_players(state, view, applied),
        board=_board(state, applied) if position.by_sensors else {},
        last=_last(state, applied),
        pending=_pending(state.questions(), applied),
        can=acceptable(state),
        undo_depth=state.undo_depth,
        redo_depth=state.redo_depth,
        winners=position.rules.winners(position.game_state) if started else (),
        history=history(state),
        view=dict(view) if view and not position.by_sensors else None,
        hints=hints,
        tension=tension,
        doubt=_pending(state.doubts(), applied),
        result=("open" if awaited and last_ones else "final") if position.over else None,
        before_winner=last_ones,
        simulated=simulated,
    )


def _opening(state: RefereeState) -> Mapping[str, Any]:
    found: Mapping[str, Any] = state.ledger[0].data["action"] if state.ledger else {}
    return found


def seats(state: RefereeState) -> dict[str, tuple[str, ...]]:
    """Names in seating order, with the colours they play; empty before the first game."""
    opening = _opening(state)
    if isinstance(opening.get("players"), (list, tuple)):
        return dict(_seat(player) for player in opening["players"])
    sides = GAMES[state.ledger[0].data["game"]].sides if opening else ()
    return {str(opening[side]): (side,) for side in sides if side in opening}


def _seat(player: Any) -> tuple[str, tuple[str, ...]]:
    if isinstance(player, Mapping):
        return str(player["name"]), tuple(player.get("colours", ()))
    return str(player), ()


def _turn(state: RefereeState, view: Mapping[str, Any]) -> TurnShown | None:
    position = as_shown(state.position)
    player, p = belief(state)
    if player is None:
        return None
    if position is not state.position:
        view = position.view
    cells = view.get("cells") if position.by_sensors and not position.clearing else None
    told = view.get("die") is not None
    return TurnShown(
        player=player,
        die=view.get("die"),
        cells=tuple(cells) if cells and told else None,
        colour=position.colour,
        p=round(p, 2) if position.by_sensors else msgspec.UNSET,
    )


def _players(
    state: RefereeState, view: Mapping[str, Any], applied: Mapping[int, Applied]
) -> tuple[PlayerShown, ...]:
    scores = state.position.scores
    unsettled = _unsettled(state, applied)
    left, points = view.get("left") or {}, view.get("colour_scores") or {}
    return tuple(
        PlayerShown(
            name=name,
            colours=colours,
            mark=MARKS[seat % len(MARKS)],
            score=scores.get(name),
            provisional=name in unsettled,
            left={colour: left[colour] for colour in colours if isinstance(left.get(colour), int)},
            colour_scores={c: points[c] for c in colours if c in points}
            if len(colours) > 1
            else {},
            out=name in view.get("out", ()),
        )
        for seat, (name, colours) in enumerate(seats(state).items())
    )


def _unsettled(state: RefereeState, applied: Mapping[int, Applied]) -> set[str]:
    """Whose score may still change: something is open about it, or was decided just now."""
    doubts = () if state.position.over else state.doubts()
    open_questions = (*state.questions(), *doubts)
    # Points for a topple go to others than who made it fall.
    if any(question.kind == "blame" for question in open_questions):
        return set(seats(state))
    asked = {question.ref for question in open_questions}
    open_ones = [a for a in applied.values() if a.ref in asked or _is_latest(state, a)]
    return {a.player for a in open_ones if a.player and status_of(state, a) != "confirmed"}


def status_of(state: RefereeState, applied: Applied) -> Status:
    """How sure the table is of a move now.

    What the sensors said is confirmed by play going on, and by the end of the game: nothing
    comes after it that could show it in another light.
    """
    doubted = any(question.ref == applied.ref for question in state.doubts())
    open_still = (doubted or _is_latest(state, applied)) and not state.position.over
    open_still = open_still or any(q.ref == applied.ref for q in state.last_questions())
    return "confirmed" if applied.status == "provisional" and not open_still else applied.status


def _is_latest(state: RefereeState, applied: Applied) -> bool:
    judged = reversed(state.judged_moves)
    latest = next((move.applied for move in judged if move.applied), ())
    return any(found.ref == applied.ref for found in latest)


def _board(
    state: RefereeState, applied: Mapping[int, Applied]
) -> dict[str, tuple[PieceShown, ...]]:
    """What stands on the board, also when the rules have put the pieces back already."""
    refs = state.position.standing or state.position.refs
    return {
        cell: tuple(_piece(state, applied[ref]) for ref in refs[cell])
        for cell in CELLS
        if cell in refs
    }


def _piece(state: RefereeState, applied: Applied) -> PieceShown:
    return PieceShown(
        applied.colour or "", applied.ref, status_of(state, applied),
        applied.mass_g, applied.colour_p, applied.weighs,
    )  # fmt: skip


def _last(state: RefereeState, applied: Mapping[int, Applied]) -> LastShown | None:
    if state.last is None:
        return None
    fields = {
        name: value
        for name in LastShown.__struct_fields__
        if (value := getattr(state.last, name, None)) not in (None, msgspec.UNSET)
    }
    now = applied.get(fields.get("ref", 0))
    if now is not None and fields.get("status") == "provisional":
        fields["status"] = status_of(state, now)
    return LastShown(**fields)


def _pending(
    questions: tuple[Question, ...], applied: Mapping[int, Applied]
) -> QuestionShown | None:
    return _shown(questions[0], applied) if questions else None


def _shown(
    asked: Question,
    applied: Mapping[int, Applied],
    at: int | msgspec.UnsetType = msgspec.UNSET,
) -> QuestionShown:
    options = tuple(OptionShown(c.value, c.label, c.p) for c in asked.choices)
    worth = msgspec.UNSET if asked.worth is None else asked.worth
    cell = msgspec.UNSET if asked.cell is None else asked.cell
    told = (asked.id, asked.kind, asked.text, options, asked.ref, asked.player)
    about = applied.get(asked.ref)
    emptied = asked.kind == "blame" and about is not None and about.type == "cleared"
    return QuestionShown(*told, worth, cell, at, "cleared" if emptied else msgspec.UNSET)


def history(state: RefereeState) -> tuple[tuple[int, ...], ...]:
    """Scores after each finished turn, in seating order; the newest `MOST_HISTORY`.

    A piece that fell as it was placed is no turn of its own: the topple is that turn.
    """
    fell = {ref for ref, applied in state.applied().items() if applied.type == "fell"}
    rows = [
        tuple(judged.after.scores.values())
        for judged in state.judged_moves
        if any(
            found.type in ("placed", "passed", "toppled") and found.ref not in fell
            for found in judged.applied
        )
    ]
    return tuple(rows[-MOST_HISTORY:])


def event(outcome: Outcome, state: RefereeState, *, table: str, boot: str) -> EventPayload:
    """An outcome as it is published."""
    return EventPayload(
        table=table,
        boot=boot,
        game=state.game_id,
        seq=outcome.seq,
        rev=state.rev,
        t=outcome.t_s,
        type=outcome.type,
        player=outcome.player,
        data=outcome.data,
        v=API_VERSION,
    )
