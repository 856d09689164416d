"""What chance decides in Triple Topper Toe: the order of the cards, which stays hidden."""

from typing import Any

from engine.games.chance import Chance, Filled, Outcomes, shuffled
from engine.games.triple_topper_toe.cube import DECK
from engine.games.triple_topper_toe.state import TripleTopperState, unseen_cards


def _shuffled_deck(state: Any, action: Filled, chance: Chance) -> Filled:  # noqa: ARG001
    return {} if "deck" in action else {"deck": shuffled(DECK, chance)}


def _reshuffle(state: TripleTopperState, action: Filled, chance: Chance) -> Filled:
    thrown = action.get("cards", ()) if action["type"] == "discard" else ()
    if not isinstance(thrown, (list, tuple)) or not all(isinstance(c, str) for c in thrown):
        return {}
    wanted = len(thrown) or 1
    if "reshuffle" in action or len(state.pile) >= wanted:
        return {}
    used = sorted(unseen_cards(state).union(thrown))
    return {"reshuffle": shuffled(used, chance)}


OUTCOMES = Outcomes(
    fillers={"start": _shuffled_deck, "draw": _reshuffle, "discard": _reshuffle},
    by_chance={"draw": ("reshuffle",), "discard": ("reshuffle",)},
    secret={"start": ("deck",), "draw": ("reshuffle",), "discard": ("cards", "reshuffle")},
)
