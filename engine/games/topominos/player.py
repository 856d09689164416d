"""A decent Topominos player: tries A and B to the end of the turn and takes the better one.

It looks at the board and at its own rack, never at another rack or into the bag.
"""

from collections.abc import Sequence

from engine.games.chance import Chance, pick
from engine.games.contract import Action
from engine.games.topominos.chance import OUTCOMES
from engine.games.topominos.dots import DOTS, pattern_of
from engine.games.topominos.rules import TOPOMINOS
from engine.games.topominos.state import COMPARTMENTS, TopominosState, turn_points

OPENINGS = 6
"""First placements that are tried out to the end of the turn."""

TEMPTING_DOTS = 6
TEMPTATION = 1.5
"""A stack of 6 to 8 dots left behind is likely to be finished, or counted again, by the next."""


def choose_topominos(state: TopominosState, chance: Chance) -> Action:
    """The next step of the best turn found."""
    return OUTCOMES.redrawn(state, _choice(state, chance), chance)


def _choice(state: TopominosState, chance: Chance) -> Action:
    if state.phase in ("draw", "between"):
        return pick(TOPOMINOS.legal_actions(state), chance)
    placements = [a for a in TOPOMINOS.legal_actions(state) if a["type"] == "place"]
    if not placements:
        return {"type": "end"} if state.phase == "placing" else _exchange(state)
    tried = _best_first(state, placements, chance)[:OPENINGS]
    best = max(tried, key=lambda action: _turn_worth(TOPOMINOS.apply(state, action), chance))
    if state.phase == "placing":
        after = _turn_worth(TOPOMINOS.apply(state, best), chance)
        if after <= _worth(state):
            return {"type": "end"}
    return best


def _exchange(state: TopominosState) -> Action:
    """Nothing fits: change as much of the rack as the bag allows."""
    rack = state.racks[state.current]
    return {"type": "pass", "give": list(rack[: len(state.bag)])}


def _turn_worth(state: TopominosState, chance: Chance) -> float:
    """Worth of the turn if it goes on greedily from here, without what the bag may bring."""
    worth = _worth(state)
    while state.phase == "placing":
        placements = [a for a in TOPOMINOS.legal_actions(state) if a["type"] == "place"]
        if not placements:
            break
        state = TOPOMINOS.apply(state, _best_first(state, placements, chance)[0])
        worth = max(worth, _worth(state))
    return worth


def _worth(state: TopominosState) -> float:
    tempting = sum(DOTS[dots] >= TEMPTING_DOTS for dots in state.dots)
    return turn_points(state) - TEMPTATION * tempting


def _best_first(
    state: TopominosState, placements: Sequence[Action], chance: Chance
) -> list[Action]:
    """Placements by what they add to the turn at once; of equal ones any."""
    counted = set(state.touched)
    gains = []
    for action in placements:
        at, dots = action["compartment"] - 1, DOTS[pattern_of(action["dots"])]
        old = 0 if at in counted else DOTS[state.dots[at]]
        full = DOTS[state.dots[at]] + dots == COMPARTMENTS
        gains.append((dots + old + 4 * full + 0.5 * chance(), action))
    return [action for _, action in sorted(gains, key=lambda gain: -gain[0])]
