"""Topominos: see-through pieces stacked to nine dots."""

from engine.games.kind import GameKind
from engine.games.topominos.chance import OUTCOMES
from engine.games.topominos.pieces import DEFAULT
from engine.games.topominos.player import choose_topominos
from engine.games.topominos.rules import TOPOMINOS
from engine.games.topominos.start import MOST_PLAYERS
from engine.games.topominos.words import board_in_words, sentence

KIND = GameKind(
    rules=TOPOMINOS,
    example={"type": "start", "players": ["Ann", "Bob"], "pieces": "default", "match": None},
    seats=(1, MOST_PLAYERS),
    player=choose_topominos,
    sentence=sentence,
    board_in_words=board_in_words,
    outcomes=OUTCOMES,
    in_rounds=True,
    page_facts={"pieces": DEFAULT},
)
