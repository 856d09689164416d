"""The referee: joins what the sensors see with what people say, and keeps the game.

    ruling = observe(state, event)      # from the detector
    ruling = handle_input(state, said)          # from people
    state = ruling.state

Pure and event-sourced: `ledger` holds what was witnessed, `fold` works out what it means under
the rules, `state` keeps both and knows how to go back, `sighting` reads one placement, `settled`
says what no sensor takes back, `turns` whose turn it is when people say so, `stories` when weights
do, `asking` what is worth a question, `witness` and `human_input` turn events and inputs into
changes, `corrections` what people say of earlier moves, `ending` finds what is to be asked before
the winner is called, `admission` says which names are accepted, `dealing` draws what players leave
to chance, `ruling` says what has changed.
"""

from dataclasses import replace
from math import hypot

from engine.events import ANYTHING, Expectation
from engine.games.topple.board import UNTOLD_SHARES, cells_for
from engine.public_events import Outcome
from engine.referee.admission import objection
from engine.referee.corrections import corrections
from engine.referee.dealing import choices, dealt, in_one_spelling, rematch, spelled_out
from engine.referee.ending import handle_input, observe
from engine.referee.human_input import VERBS, blamed_for_unseen, pressed_for_the_last
from engine.referee.position import Applied, Choice, JudgedMove, Position, Question
from engine.referee.ruling import Amendment, Ruling
from engine.referee.state import RefereeState
from engine.referee.turns import follows
from engine.referee.witness import rolled_while_clearing, topple_told
from engine.tabletop import CELLS, ColourPiece

__all__ = [
    "VERBS",
    "Amendment",
    "Applied",
    "Choice",
    "JudgedMove",
    "Outcome",
    "Position",
    "Question",
    "RefereeState",
    "Ruling",
    "blamed_for_unseen",
    "choices",
    "corrections",
    "dealt",
    "expectation",
    "handle_input",
    "in_one_spelling",
    "objection",
    "observe",
    "pressed_for_the_last",
    "rematch",
    "spelled_out",
    "standing",
]


def expectation(state: RefereeState) -> Expectation:
    """What the rules expect of the board next: the detector's prior."""
    position = state.position
    if position.game_state is None or not position.by_sensors:
        return ANYTHING
    expected, colours = _by_the_rules(state), _in_play(position)
    if position.die_is_told or not colours:
        return replace(expected, colours=colours)
    return replace(expected, colours=colours, follows=follows(state))


def _in_play(position: Position) -> tuple[ColourPiece, ...]:
    """What the pieces of each colour in play weigh; nothing if they are not known to differ."""
    names, pieces = position.game_state.match.colours, position.pieces
    if pieces is None or not pieces.tell_apart(names):
        return ()
    masses = {name: pieces.mass(name) for name in names}
    return tuple(
        ColourPiece(name, each.mean_g, hypot(each.spread_g, each.mean_sd_g))
        for name, each in masses.items()
    )


def _by_the_rules(state: RefereeState) -> Expectation:
    position = state.position
    rolled = rolled_while_clearing(state)
    if rolled is not None:
        # They go on playing: the sensors' topple was none. The next placement will withdraw it.
        return Expectation(legal_cells=cells_for(rolled), may_place=True)
    if position.phase in ("over", "clear"):
        # No piece is to come before those on the board are gone: what moves now is clearing.
        fallen = topple_told(state)
        return Expectation(legal_cells=None, may_place=False, pieces_left=0, fallen=fallen)
    view = position.view
    cells = view["cells"]
    told = cells is not None and len(cells) < len(CELLS)
    if told and position.ahead is not None:
        # Whose piece comes next is not known yet.
        ahead = cells_for(position.ahead.data["value"])
        cells = [cell for cell in CELLS if cell in cells or cell in ahead]
        told = len(cells) < len(CELLS)
    return Expectation(
        legal_cells=tuple(cells) if told else None,
        may_place=position.phase == "act",
        pieces_left=sum(view["left"].values()),
        ahead=position.ahead is not None,
        shares=None if position.die_is_told else UNTOLD_SHARES,
    )


def standing(state: RefereeState) -> tuple[tuple[int, str], ...]:
    """The pieces on the board as (event number, cell), bottom to top and in playing order.

    Pieces entered by hand have no event; they get a negative number made from their move, so
    that the detector knows that something stands there.
    """
    source = {move.ref: move.source for move in state.ledger}
    found = [
        (ref, source.get(ref), cell) for cell, refs in state.position.refs.items() for ref in refs
    ]
    return tuple(
        (-ref if event is None else event, cell) for ref, event, cell in sorted_by_move(found)
    )


def sorted_by_move(
    pieces: list[tuple[int, int | None, str]],
) -> list[tuple[int, int | None, str]]:
    """Pieces in the order in which they were played."""
    return sorted(pieces, key=lambda piece: piece[0])
