"""What chance decides in Topominos: which pieces come out of the bag; racks stay hidden."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.games.chance import Chance, Filled, Outcomes, pick, sample, shuffled
from engine.games.topominos.dots import DOTS
from engine.games.topominos.start import TopominosMatch, pieces_of, rack_size
from engine.games.topominos.state import TopominosState, draw_count


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


def _start(state: Any, action: Filled, chance: Chance) -> Filled:  # noqa: ARG001
    """Racks are dealt, then everybody draws for the first turn (rule M18)."""
    players, patterns = action.get("players"), pieces_of(action.get("pieces", "default"))
    if not isinstance(players, (list, tuple)) or not all(isinstance(p, str) for p in players):
        return {}
    filled: Filled = {}
    if "racks" not in action:
        filled["racks"] = _dealt(players, len(patterns), chance)
    if "first" not in action and "firstdraw" not in action and players:
        racks = action.get("racks", filled.get("racks"))
        filled |= _first_draw(TopominosMatch(tuple(players), patterns), racks, chance)
    return filled


def _first_draw(match: TopominosMatch, racks: Any, chance: Chance) -> Filled:
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


OUTCOMES = Outcomes(
    fillers={
        "start": _start,
        "draw": _draw,
        "end": _drawn,
        "pass": _drawn,
        "next_round": _next_round,
    },
    by_chance={
        "draw": ("piece",),
        "end": ("drawn",),
        "pass": ("drawn",),
        "next_round": ("racks",),
    },
    secret={
        "start": ("racks",),
        "draw": ("piece",),
        "end": ("drawn",),
        "pass": ("give", "drawn"),
        "next_round": ("racks",),
    },
)
