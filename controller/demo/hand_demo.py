"""`topple-table demo --game ...`: the games without sensors, played by simulated players."""

import random

from engine.games.playthrough import play_through, transcript
from engine.games.registry import GAMES

DONE = 0


def play(game_id: str, seed: int = 0) -> int:
    """Play one game to its end, print every move and the result, and return the exit code."""
    print(f"{GAMES[game_id].rules.title}, seed {seed}")
    for line in transcript(game_id, play_through(game_id, random.Random(seed).random)):
        print(line)
    return DONE
