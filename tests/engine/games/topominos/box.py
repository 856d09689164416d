"""What is in the box of Topominos, and where."""

from engine.games.topominos.state import TopominosState


def is_complete(state: TopominosState) -> bool:
    """Whether every piece is on a rack, in a stack, in the bag or set aside, exactly once."""
    racks = [piece for rack in state.racks for piece in rack]
    stacks = [piece for stack in state.stacks for piece in stack]
    everywhere = sorted([*racks, *stacks, *state.bag, *state.aside])
    return everywhere == list(range(len(state.match.patterns)))
