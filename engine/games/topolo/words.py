"""Topolo in words: what an action was, and the board."""

from engine.games.contract import Action
from engine.games.topolo.state import HEIGHTS, INDEX, TopoloState


def sentence(who: str, before: TopoloState, action: Action, after: TopoloState) -> str:
    """One sentence about an accepted action. Says nothing that is hidden."""
    size = {"S": "small", "M": "mid", "L": "large"}[action["size"]]
    colour = after.board[INDEX[action["cell"]]].split("-")[0]
    said = f"{who} places a {size} {colour} piece ({HEIGHTS[action['size']]}) on {action['cell']}"
    if before.odd_first is None:
        said += f"; the {'odd' if after.odd_first else 'even'} rows come first"
    return said


def board_in_words(state: TopoloState) -> list[str]:
    """The board as text, a line a row, the far row first."""
    cells = [f"{piece[0]}{piece[-1]}" if piece else ".." for piece in state.board]
    return [
        f"{rank + 1} " + " ".join(cells[8 * rank : 8 * rank + 8]) for rank in reversed(range(8))
    ] + ["  " + " ".join(file + " " for file in "abcdefgh")]
