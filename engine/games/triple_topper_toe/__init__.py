"""Triple Topper Toe: four in a line through a cube of cards."""

from engine.games.kind import GameKind
from engine.games.triple_topper_toe.chance import OUTCOMES
from engine.games.triple_topper_toe.player import choose_triple_topper
from engine.games.triple_topper_toe.rules import TRIPLE_TOPPER
from engine.games.triple_topper_toe.state import SEATS
from engine.games.triple_topper_toe.words import board_in_words, sentence

KIND = GameKind(
    rules=TRIPLE_TOPPER,
    example={"type": "start", "x": "Ann", "o": "Bob", "variant": "standard"},
    seats=(2, 2),
    sides=SEATS,
    player=choose_triple_topper,
    sentence=sentence,
    board_in_words=board_in_words,
    outcomes=OUTCOMES,
    counts="marks",
)
