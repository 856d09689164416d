"""Heap of Pearls in words."""

from engine.games.contract import Action
from tests.engine.games.fifth_game.rules import PearlState


def sentence(who: str, before: PearlState, action: Action, after: PearlState) -> str:
    verb = {"take": "takes", "dip": "dips in and gets"}[action["type"]]
    return f"{who} {verb} {before.heap - after.heap}"


def board_in_words(state: PearlState) -> list[str]:
    return [f"{state.heap} pearls"]
