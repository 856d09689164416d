"""What may be done in Topominos: every legal action of a moment, in the form of the records.

Positions repeat in a turn, so what does not depend on the whole state is remembered.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations

from engine.games.contract import Action
from engine.games.topominos.dots import ORBITS, TEXTS
from engine.games.topominos.start import rack_size
from engine.games.topominos.state import Pieces, TopominosState, draw_count


def mode_in(mode: str | None, opened: int | None, at: int, dots: int) -> str | None:
    """The option that a piece in compartment `at` belongs to; None if forbidden (M1 to M3)."""
    if mode == "A":
        return "A" if at == opened else None
    option = "B" if dots else "A"
    return option if mode in (None, option) else None


def _placements(state: TopominosState) -> list[Action]:
    patterns = state.match.patterns
    actions: list[Action] = []
    for piece in state.racks[state.current]:
        actions += _lying(piece, patterns[piece], state.dots, state.mode, state.opened)
    return actions


@lru_cache(maxsize=1 << 12)
def _lying(
    piece: int, pattern: int, stacks: tuple[int, ...], mode: str | None, opened: int | None
) -> tuple[Action, ...]:
    """The ways a piece fits on the board; the same values each time, for speed."""
    return tuple(
        placement
        for at, dots in enumerate(stacks)
        if mode_in(mode, opened, at, dots)
        for placement in _lying_at(piece, pattern, at, dots)
    )


@lru_cache(maxsize=1 << 15)
def _lying_at(piece: int, pattern: int, at: int, dots: int) -> tuple[Action, ...]:
    return tuple(
        {"type": "place", "piece": piece, "compartment": at + 1, "dots": TEXTS[way]}
        for way in ORBITS[pattern]
        if not way & dots
    )


def _ends(state: TopominosState) -> list[Action]:
    return [{"type": "end", "drawn": list(state.bag[: draw_count(state)])}]


def _draws(state: TopominosState) -> list[Action]:
    return [{"type": "draw", "piece": piece} for piece in state.bag]


def _passes(state: TopominosState) -> Sequence[Action]:
    if state.opening:
        return ()
    rack = state.racks[state.current]
    return _exchanges(rack, state.bag[: len(rack)])


@lru_cache(maxsize=1 << 10)
def _exchanges(rack: Pieces, drawn: Pieces) -> tuple[Action, ...]:
    """Every way to give pieces back (rule M10); the same values each time, for speed."""
    actions: list[Action] = []
    for count in range(len(drawn) + 1):
        taken = list(drawn[:count])
        actions += [
            {"type": "pass", "give": list(give), "drawn": taken}
            for give in combinations(rack, count)
        ]
    return tuple(actions)


def _next_rounds(state: TopominosState) -> list[Action]:
    size = rack_size(len(state.racks))
    racks = {
        name: list(range(at * size, (at + 1) * size)) for at, name in enumerate(state.match.players)
    }
    return [
        {"type": "next_round", "first": state.match.players[winner], "racks": racks}
        for winner in state.winners
    ]


OFFERS: dict[str, tuple[Callable[[TopominosState], Sequence[Action]], ...]] = {
    "turn": (_placements, _passes),
    "placing": (_placements, _ends),
    "draw": (_draws,),
    "between": (_next_rounds,),
    "over": (),
}
