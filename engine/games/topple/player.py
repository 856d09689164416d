"""A decent Topple player: takes points, shuns tilt, and does not set up rows for the next."""

from engine.games.chance import Chance, pick
from engine.games.contract import Action
from engine.games.topple.board import INDEX
from engine.games.topple.hints import Hint, Tilt, counted_tilt, gift, topple_hints, topple_risk
from engine.games.topple.rules import ToppleState, may_pass

GIFT_COST = 1.5
"""Points we expect to lose by leaving a row one short: 3 and some tops, times the chance that
the next player's die allows the cell and that it is not our turn again by then."""

PASS_WORTH = -1.5
"""A pass keeps the piece and hands over a board as it is; worse than a safe nothing, better than
a placement with one chance in eight of toppling."""

NEARLY_EQUAL = 0.15
"""Placements this close in worth are taken at random, so that no two games are alike."""


def choose_topple(state: ToppleState, chance: Chance, tilt_rad: Tilt | None = None) -> Action:
    """Roll, or the placement with the best balance of points and risk, or pass.

    Args:
        state: a game that is not over.
        chance: the player's own luck, also the die.
        tilt_rad: tilt a piece on a cell would cause; estimated from the stacks if left out.
    """
    if state.phase == "roll":
        return {"type": "roll", "value": pick(range(1, 7), chance)}
    weighed = [(_worth(state, hint), hint) for hint in topple_hints(state, tilt_rad)]
    best = max(worth for worth, _ in weighed)
    if best < PASS_WORTH and may_pass(state) and not _just_passed(state):
        return {"type": "pass"}
    good = [hint for worth, hint in weighed if worth >= best - NEARLY_EQUAL]
    hint = pick(good, chance)
    return {"type": "place", "colour": hint.colour, "cell": hint.cell}


def _just_passed(state: ToppleState) -> bool:
    """Whether the turn before was a pass: somebody must dare, or nobody ever would (rule T22)."""
    return state.previous is not None and state.previous.colour is None


def _worth(state: ToppleState, hint: Hint) -> float:
    """Worth of a hint, less what it gives away."""
    if state.match.target is None:
        return hint.worth
    return hint.worth - GIFT_COST * gift(state.board, INDEX[hint.cell], hint.colour)


def may_topple(state: ToppleState, action: Action, chance: Chance) -> Action:
    """Now and then the pieces fall, with the probability that the players themselves expect."""
    if action["type"] != "place":
        return action
    tilt_rad = counted_tilt(state.board)(action["cell"])
    risk = topple_risk(tilt_rad, len(state.board[INDEX[action["cell"]]]))
    if chance() >= risk:
        return action
    return {"type": "topple", "cause": "placing", "colour": action["colour"]}
