"""What is in the box of Heap of Pearls, and where."""

from tests.engine.games.fifth_game.rules import HEAPS, PearlState


def is_complete(state: PearlState) -> bool:
    """Whether every pearl is on the heap or taken."""
    return state.heap + sum(state.taken) in HEAPS.values()
