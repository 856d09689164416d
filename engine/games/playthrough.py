"""A whole game between simulated players, and its transcript for people to read."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine.games.chance import Chance, completed
from engine.games.contract import Action
from engine.games.hints import counted_tilt, topple_risk
from engine.games.players import DECENT_PLAYERS
from engine.games.registry import GAMES
from engine.games.topple import ToppleState
from engine.games.topple_board import INDEX
from engine.games.words import action_in_words, board_in_words

STARTS: Mapping[str, Action] = {
    "topple": {
        "type": "start",
        "players": [
            {"name": "Ann", "colours": ["pink"]},
            {"name": "Bob", "colours": ["blue"]},
            {"name": "Cat", "colours": ["yellow"]},
        ],
        "target": 40,
        "variant": "standard",
    },
    "topolo": {"type": "start", "red": "Ann", "black": "Bob"},
    "triple-topper-toe": {"type": "start", "x": "Ann", "o": "Bob", "variant": "standard"},
    "topominos": {"type": "start", "players": ["Ann", "Bob"], "pieces": "default", "match": None},
}
"""A usual opening of each game; what chance decides is left out."""

MOST_ACTIONS = 20_000
"""No game of decent players comes near; a bound against a game that cannot end."""


class PlayedAction(NamedTuple):
    """One action and the states around it; `before` is None for the start."""

    before: Any
    action: Action
    after: Any


def play_through(
    game: str, chance: Chance, options: Mapping[str, Any] | None = None
) -> Iterator[PlayedAction]:
    """A game of decent players from the start to the end.

    In Topple the pieces fall now and then, with the probability the players themselves expect.

    Args:
        game: record id.
        chance: dice, shuffles, wobbles and the players' luck.
        options: house rules.
    """
    rules, choose = GAMES[game], DECENT_PLAYERS[game]
    start = completed(game, None, STARTS[game], chance)
    state = rules.start(start, options)
    yield PlayedAction(None, start, state)
    for _ in range(MOST_ACTIONS):
        if rules.is_over(state):
            return
        action = choose(state, chance)
        if game == "topple":
            action = _may_fall(state, action, chance)
        after = rules.apply(state, action)
        yield PlayedAction(state, action, after)
        state = after


def _may_fall(state: ToppleState, action: Action, chance: Chance) -> Action:
    if action["type"] != "place":
        return action
    tilt_rad = counted_tilt(state.board)(action["cell"])
    risk = topple_risk(tilt_rad, len(state.board[INDEX[action["cell"]]]))
    if chance() >= risk:
        return action
    colour = action["colour"]
    return {"type": "topple", "cause": "placing", "colour": colour}


def transcript(game: str, actions: Iterator[PlayedAction]) -> Iterator[str]:
    """Numbered sentences, the board before each end of a round, and the result."""
    rules, last = GAMES[game], None
    for number, played in enumerate(actions):
        words = action_in_words(game, played.before, played.action, played.after)
        yield f"{number:4d}  {words}"
        if played.before is not None and _cleared(game, played):
            yield from _indented(board_in_words(game, played.before))
        last = played.after
    if last is not None:
        if game != "topple":  # the tower has been cleared
            yield from _indented(board_in_words(game, last))
        yield _result(rules.scores(last), rules.winners(last), over=rules.is_over(last))


def _cleared(game: str, played: PlayedAction) -> bool:
    return game == "topple" and played.after.round_end is not None


def _indented(lines: list[str]) -> Iterator[str]:
    return (f"      {line}".rstrip() for line in lines)


def _result(scores: Mapping[str, int], winners: tuple[str, ...], *, over: bool) -> str:
    points = ", ".join(f"{name} {score}" for name, score in scores.items())
    if not over:
        return f"not finished: {points}"
    end = f"{' and '.join(winners)} won" if winners else "a draw"
    return f"result: {points}; {end}" if points else f"result: {end}"
