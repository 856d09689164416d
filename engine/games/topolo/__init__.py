"""Topolo: fill the board, own the largest group."""

from engine.games.kind import GameKind
from engine.games.topolo.player import choose_topolo
from engine.games.topolo.rules import TOPOLO
from engine.games.topolo.state import COLOURS
from engine.games.topolo.words import board_in_words, sentence

KIND = GameKind(
    rules=TOPOLO,
    example={"type": "start", "red": "Ann", "black": "Bob"},
    seats=(2, 2),
    sides=COLOURS,
    player=choose_topolo,
    sentence=sentence,
    board_in_words=board_in_words,
    counts="group",
)
