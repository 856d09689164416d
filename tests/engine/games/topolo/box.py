"""What is in the box of Topolo, and where."""

from engine.games.topolo.state import COLOURS, PIECES, SIZES, TopoloState


def is_complete(state: TopoloState) -> bool:
    """Whether every piece is on the board or left, exactly once."""
    return all(
        state.board.count(f"{colour}-{size}") + left == count
        for colour, lefts in zip(COLOURS, state.left, strict=True)
        for size, left, count in zip(SIZES, lefts, PIECES, strict=True)
    )
