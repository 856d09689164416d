"""`topple-table demo --game ...`: the games without sensors, played by simulated players."""

import random
import sys
from typing import TextIO

from engine.games.playthrough import play_through, transcript
from engine.games.registry import GAMES

DONE, BAD_INPUT = 0, 2


def play(game_id: str, seed: int = 0, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Play one game to its end and print every move and the result.

    Args:
        game_id: record id of the game.
        seed: the same seed gives the same game.
        out: where the moves go; standard output when left out.
        err: where a complaint goes; standard error when left out.

    Returns:
        0 when the game was played, 2 when there is no such game.
    """
    if game_id not in GAMES:
        print(f"there is no game {game_id!r}; choose {', '.join(GAMES)}", file=err or sys.stderr)
        return BAD_INPUT
    print(f"{GAMES[game_id].title}, seed {seed}", file=out)
    for line in transcript(game_id, play_through(game_id, random.Random(seed).random)):
        print(line, file=out)
    return DONE
