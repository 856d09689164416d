"""What chance decides, supplied from a source the caller injects; and what must stay hidden.

Records hold the outcome of every die, draw and shuffle, so the rules themselves are without
chance. When a table plays instead of replaying, somebody must supply those outcomes: `completed`
fills in what an action leaves out. `public_action` takes out what other players may not see.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from engine.games.contract import Action
from engine.games.topominos.dots import DOTS
from engine.games.topominos.start import Match, rack_size
from engine.games.topominos.start import pieces_of as topominos_patterns
from engine.games.topominos.state import TopominosState, draw_count
from engine.games.triple_topper_toe.cube import DECK
from engine.games.triple_topper_toe.state import TripleTopperState, unseen_cards

Chance = Callable[[], float]
"""A source of numbers in 0 <= x < 1, such as `random.Random(seed).random`."""

Item = TypeVar("Item")
Filled = dict[str, Any]

CHANCE_FIELDS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("topple", "roll"): ("value",),
    ("triple-topper-toe", "draw"): ("reshuffle",),
    ("triple-topper-toe", "discard"): ("reshuffle",),
    ("topominos", "draw"): ("piece",),
    ("topominos", "end"): ("drawn",),
    ("topominos", "pass"): ("drawn",),
    ("topominos", "next_round"): ("racks",),
}
"""Game and action type -> fields that chance decides. Starts are dealt only where empty."""

SECRET_FIELDS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("triple-topper-toe", "start"): ("deck",),
    ("triple-topper-toe", "draw"): ("reshuffle",),
    ("triple-topper-toe", "discard"): ("cards", "reshuffle"),
    ("topominos", "start"): ("racks",),
    ("topominos", "draw"): ("piece",),
    ("topominos", "end"): ("drawn",),
    ("topominos", "pass"): ("give", "drawn"),
    ("topominos", "next_round"): ("racks",),
}
"""Game and action type -> fields that only the acting player, or nobody, may see."""


def pick(items: Sequence[Item], chance: Chance) -> Item:
    """One of `items`, each as likely as the other."""
    return items[min(int(chance() * len(items)), len(items) - 1)]


def shuffled(items: Sequence[Item], chance: Chance) -> list[Item]:
    """All of `items` in a random order."""
    return sample(items, len(items), chance)


def sample(items: Sequence[Item], count: int, chance: Chance) -> list[Item]:
    """`count` of `items` in a random order, as from a bag; all of them if there are fewer."""
    left, taken = list(items), []
    for _ in range(min(count, len(left))):
        at = min(int(chance() * len(left)), len(left) - 1)
        left[at], left[-1] = left[-1], left[at]
        taken.append(left.pop())
    return taken


def completed(game: str, state: Any, action: Action, chance: Chance) -> Action:
    """`action` with every outcome of chance that it leaves out.

    Args:
        game: record id.
        state: the state it will be applied to; None for a `start`.
        action: an action as a person or a player gives it. Senseless ones come back as they are:
            the rules refuse them with better words.
        chance: the die and the shuffling hands.
    """
    filler = _FILLERS.get((game, str(action.get("type"))))
    if filler is None:
        return action
    filled = {name: value for name, value in action.items() if value is not None}
    return {**action, **filler(state, filled, chance)}


def redrawn(game: str, state: Any, action: Action, chance: Chance) -> Action:
    """A legal action with its outcomes of chance drawn afresh.

    `legal_actions` names one outcome for all; a simulated player must not always have that one.
    """
    chosen = bare(game, action)
    return action if chosen is action else completed(game, state, chosen, chance)


def bare(game: str, action: Action) -> Action:
    """`action` without what chance decides: only what its player chose."""
    by_chance = CHANCE_FIELDS.get((game, str(action.get("type"))), ())
    if not by_chance:
        return action
    return {name: value for name, value in action.items() if name not in by_chance}


def public_action(game: str, action: Action) -> Action:
    """`action` without what other players may not see."""
    secret = SECRET_FIELDS.get((game, str(action.get("type"))), ())
    return {name: value for name, value in action.items() if name not in secret}


# --- Topple ----------------------------------------------------------------------------------


def _roll(state: Any, action: Filled, chance: Chance) -> Filled:  # noqa: ARG001
    return {"value": action.get("value", pick(range(1, 7), chance))}


def _topple_start(state: Any, action: Filled, chance: Chance) -> Filled:  # noqa: ARG001
    """The roll-off, when nobody has been named to start."""
    players = action.get("players")
    if "first" in action or "rolloff" in action or not isinstance(players, (list, tuple)):
        return {}
    named = [player.get("name") for player in players if isinstance(player, Mapping)]
    names = [name for name in named if isinstance(name, str)]
    if not names:
        return {}
    rounds, tied = [], sorted(set(names))
    while len(tied) > 1:
        rolls = {name: pick(range(1, 7), chance) for name in tied}
        rounds.append(rolls)
        tied = [name for name in tied if rolls[name] == max(rolls.values())]
    return {"first": tied[0], **({"rolloff": rounds} if rounds else {})}


# --- Triple Topper Toe -----------------------------------------------------------------------


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


# --- Topominos -------------------------------------------------------------------------------


def _drawn(state: TopominosState, action: Filled, chance: Chance) -> Filled:
    if "drawn" in action:
        return {}
    given = action.get("give", ())
    is_pass = action["type"] == "pass"
    count = len(given) if is_pass and isinstance(given, (list, tuple)) else draw_count(state)
    return {"drawn": sample(state.bag, count, chance)}


def _draw(state: TopominosState, action: Filled, chance: Chance) -> Filled:
    return {} if "piece" in action or not state.bag else {"piece": pick(state.bag, chance)}


def _dealt(players: Sequence[str], pieces: int, chance: Chance) -> dict[str, list[int]]:
    size, bag = rack_size(len(players)), shuffled(range(pieces), chance)
    return {name: bag[at * size : (at + 1) * size] for at, name in enumerate(players)}


def _next_round(state: TopominosState, action: Filled, chance: Chance) -> Filled:
    match = state.match
    filled: Filled = {}
    if "first" not in action and state.winners:
        filled["first"] = match.players[pick(state.winners, chance)]
    if "racks" not in action:
        filled["racks"] = _dealt(match.players, len(match.patterns), chance)
    return filled


def _topominos_start(state: Any, action: Filled, chance: Chance) -> Filled:  # noqa: ARG001
    """Racks are dealt, then everybody draws for the first turn (rule M18)."""
    players, patterns = action.get("players"), topominos_patterns(action.get("pieces", "default"))
    if not isinstance(players, (list, tuple)) or not all(isinstance(p, str) for p in players):
        return {}
    filled: Filled = {}
    if "racks" not in action:
        filled["racks"] = _dealt(players, len(patterns), chance)
    if "first" not in action and "firstdraw" not in action and players:
        racks = action.get("racks", filled.get("racks"))
        filled |= _first_draw(Match(tuple(players), patterns), racks, chance)
    return filled


def _first_draw(match: Match, racks: Any, chance: Chance) -> Filled:
    """Most dots begins; the tied draw again, and give up when the bag is empty."""
    if not isinstance(racks, Mapping) or not all(
        isinstance(r, (list, tuple)) for r in racks.values()
    ):
        return {}
    held = [piece for rack in racks.values() for piece in rack]
    bag = shuffled([p for p in range(len(match.patterns)) if p not in held], chance)
    rounds, tied = [], sorted(set(match.players))
    while len(tied) > 1 and len(bag) >= len(tied):
        drawn = {name: bag.pop() for name in tied}
        rounds.append(drawn)
        most = max(DOTS[match.patterns[piece]] for piece in drawn.values())
        tied = [name for name in tied if DOTS[match.patterns[drawn[name]]] == most]
    if len(tied) > 1:
        return {"first": pick(tied, chance)}
    return {"first": tied[0], **({"firstdraw": rounds} if rounds else {})}


_FILLERS: Mapping[tuple[str, str], Callable[[Any, Filled, Chance], Filled]] = {
    ("topple", "start"): _topple_start,
    ("topple", "roll"): _roll,
    ("triple-topper-toe", "start"): _shuffled_deck,
    ("triple-topper-toe", "draw"): _reshuffle,
    ("triple-topper-toe", "discard"): _reshuffle,
    ("topominos", "start"): _topominos_start,
    ("topominos", "draw"): _draw,
    ("topominos", "end"): _drawn,
    ("topominos", "pass"): _drawn,
    ("topominos", "next_round"): _next_round,
}
