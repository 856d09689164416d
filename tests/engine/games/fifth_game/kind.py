"""Heap of Pearls as everybody else meets it."""

from engine.games.kind import GameKind
from tests.engine.games.fifth_game.chance import OUTCOMES
from tests.engine.games.fifth_game.player import choose
from tests.engine.games.fifth_game.rules import HEAP_OF_PEARLS
from tests.engine.games.fifth_game.words import board_in_words, sentence

KIND = GameKind(
    rules=HEAP_OF_PEARLS,
    example={"type": "start", "players": ["Ann", "Bob"]},
    seats=(1, 3),
    player=choose,
    sentence=sentence,
    board_in_words=board_in_words,
    outcomes=OUTCOMES,
    names={"de": "Perlenhaufen", "fr": "Tas de perles"},
    page_facts={"colour": "teal"},
)
