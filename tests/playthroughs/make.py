"""Write the golden playthroughs anew: `python -m tests.playthroughs.make`.

Run it when the rules or the players are meant to change, and read the difference.
"""

import random
from pathlib import Path

from engine.games.playthrough import play_through, transcript
from engine.games.registry import GAMES

HERE = Path(__file__).resolve().parent
SEED = 7


def playthrough(game: str) -> str:
    """The transcript of one seeded game."""
    steps = play_through(game, random.Random(SEED).random)
    return "\n".join([f"{GAMES[game].rules.title}, seed {SEED}", *transcript(game, steps)]) + "\n"


def golden(game: str) -> Path:
    """Where the transcript of a game is kept."""
    return HERE / f"{game}.txt"


if __name__ == "__main__":
    for name in GAMES:
        golden(name).write_text(playthrough(name), encoding="utf-8")
        print(golden(name))
