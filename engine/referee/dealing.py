"""Shuffles, deals and draws for players who leave that to the table; and what a rematch is.

In a game played by hand the components may lie on the table, or not exist at all. Players who
give the deck or the racks at the start have real ones, and say what they draw. Who leaves them
out lets the table deal; from then on all chance of that game is the table's, so that nobody can
choose a piece or find out by trying what is in the bag.

What was drawn is put into the input itself. So it is journalled with it, and undo, redo and
resuming know nothing of chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import IllegalAction
from engine.events import HumanInput
from engine.games.chance import Chance
from engine.games.contract import Action
from engine.games.registry import DEFAULT_GAME, GAMES
from engine.referee.state import RefereeState

_DRAWN_FOR_FIRST = ("rolloff", "firstdraw")
"""Fields of a `start` that tell how it was decided who begins."""

_AS_ACTIONS = ("roll", "pass", "place", "topple")
"""Verbs that mean the action of the same name in a game played by hand."""


def spelled_out(said: HumanInput) -> HumanInput:
    """`action` with a start in it as the verb `start`; anything else as it is."""
    action = said.data.get("action", said.data) if said.type == "action" else None
    if not isinstance(action, Mapping) or action.get("type") != "start":
        return said
    return replace(said, type="start", data=_without_type(action))


def in_one_spelling(state: RefereeState, said: HumanInput) -> HumanInput:
    """The input with each colour of Topple in one spelling: `Red` is `red`.

    A start has small letters; later on it is as the game has it, which may have begun before.

    Args:
        state: the referee before it.
        said: as `rematch` gives it.
    """
    if said.type == "start":
        players = said.data.get("players")
        if not isinstance(players, (list, tuple)):
            return said
        return replace(said, data={**said.data, "players": [_in_small(each) for each in players]})
    if not state.position.by_sensors:
        return said
    colours = state.position.game_state.match.colours
    data, action = _as_known(said.data, colours), said.data.get("action")
    inside = {"action": _as_known(action, colours)} if isinstance(action, Mapping) else {}
    return replace(said, data={**data, **inside})


def _in_small(player: Any) -> Any:
    hand = player.get("colours") if isinstance(player, Mapping) else None
    if not isinstance(hand, (list, tuple)):
        return player
    colours = [each.strip().lower() if isinstance(each, str) else each for each in hand]
    return {**player, "colours": colours}


def _as_known(data: Mapping[str, Any], colours: Sequence[str]) -> dict[str, Any]:
    said = data.get("colour")
    if not isinstance(said, str) or said in colours:
        return dict(data)
    same = (each for each in colours if each.lower() == said.strip().lower())
    return {**data, "colour": next(same, said)}


def rematch(state: RefereeState, said: HumanInput) -> HumanInput:
    """A `start` with `again` as the start that it stands for; anything else as it is.

    It is the last game's opening once more. Sides are changed, and of a real die the next player
    begins; what else decided who begins, and what was dealt, is left out.

    Args:
        state: the referee before it.
        said: as `spelled_out` gives it.
    """
    if said.type != "start" or said.data.get("again") is not True or not state.ledger:
        return said
    before = state.ledger[0].data
    kind, opening = GAMES[before["game"]], dict(before["action"])
    begins = opening.get("first")
    for name in (*kind.outcomes.secret.get("start", ()), *_DRAWN_FOR_FIRST, "first"):
        opening.pop(name, None)
    if kind.sides:
        names = [opening[side] for side in kind.sides]
        opening |= dict(zip(kind.sides, (*names[1:], names[0]), strict=True))
    elif kind.by_sensors:
        names = [player["name"] for player in opening["players"]]
        opening["first"] = names[(names.index(begins) + 1) % len(names)]
    more = {name: value for name, value in said.data.items() if name != "again"}
    data = {"game": before["game"], "options": before["options"], **opening, **more}
    return replace(said, data=data)


def dealt(state: RefereeState, said: HumanInput, chance: Chance) -> HumanInput:
    """The input with every outcome of chance that its speaker left to the table.

    A game that the sensors follow is left alone: its die is real.

    Args:
        state: the referee before it.
        said: what a person said, as `spelled_out` gives it. What makes no sense comes back as it
            is; the referee refuses it with better words.
        chance: the shuffling hands.
    """
    try:
        if said.type == "start":
            return _dealt_start(said, chance)
        if state.position.game_state is None or state.position.by_sensors:
            return said
        return _dealt_action(state, said, chance)
    except IllegalAction:
        return said


def _dealt_start(said: HumanInput, chance: Chance) -> HumanInput:
    game = said.data.get("game", DEFAULT_GAME)
    if not isinstance(game, str) or game not in GAMES or GAMES[game].by_sensors:
        return said
    given = {**said.data, "type": "start"}
    outcomes = GAMES[game].outcomes
    filled = outcomes.completed(None, given, chance)
    secret = outcomes.secret.get("start", ())
    by_table = any(name in filled and given.get(name) is None for name in secret)
    told = _without_type(filled)
    return replace(said, data={**told, "dealt": True} if by_table else told)


def _dealt_action(state: RefereeState, said: HumanInput, chance: Chance) -> HumanInput:
    if said.type in _AS_ACTIONS:
        return replace(said, data=_without_type(_drawn(state, said.data, said.type, chance)))
    action = said.data.get("action", said.data)
    if said.type != "action" or not isinstance(action, Mapping):
        return said
    return replace(said, data={"action": _drawn(state, action, action.get("type"), chance)})


def _drawn(state: RefereeState, given: Mapping[str, Any], kind: Any, chance: Chance) -> Action:
    position = state.position
    action: Action = {**given, "type": kind}
    if not isinstance(kind, str) or position.over:
        return action
    if deals(state):
        action = position.kind.outcomes.bare(action)
    return position.kind.outcomes.completed(position.game_state, action, chance)


def deals(state: RefereeState) -> bool:
    """Whether the table deals in this game: its players left deck or racks out at the start."""
    return bool(state.ledger) and state.ledger[0].data.get("dealt") is True


def choices(state: RefereeState) -> tuple[Action, ...]:
    """What the player in turn may do now, without what chance decides; the few kinds first.

    These can be sent back as they are: `dealt` adds the draws.
    """
    position = state.position
    if position.game_state is None or position.over or position.clearing:
        return ()
    found: list[Action] = []
    for action in position.rules.legal_actions(position.game_state):
        stripped = position.kind.outcomes.bare(action)
        # Draws differ in nothing but what is drawn, and come one after the other.
        if not found or found[-1] != stripped:
            found.append(stripped)
    kinds = [str(action["type"]) for action in found]
    rarity = {kind: kinds.count(kind) for kind in set(kinds)}
    return tuple(sorted(found, key=lambda action: rarity[str(action["type"])]))


def _without_type(action: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in action.items() if name != "type"}
