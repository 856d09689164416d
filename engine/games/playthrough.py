"""A whole game between simulated players, and its transcript for people to read."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine.games.chance import Chance
from engine.games.contract import Action
from engine.games.registry import GAMES

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

    Args:
        game: record id.
        chance: dice, shuffles, wobbles and the players' luck.
        options: house rules.
    """
    kind, rules = GAMES[game], GAMES[game].rules
    start = kind.outcomes.completed(None, kind.example, chance)
    state = rules.start(start, options)
    yield PlayedAction(None, start, state)
    for _ in range(MOST_ACTIONS):
        if rules.is_over(state):
            return
        action = kind.mishap(state, kind.player(state, chance), chance)
        after = rules.apply(state, action)
        yield PlayedAction(state, action, after)
        state = after


def transcript(game: str, actions: Iterator[PlayedAction]) -> Iterator[str]:
    """Numbered sentences, the board before each end of a round, and the result."""
    kind, rules, last = GAMES[game], GAMES[game].rules, None
    for number, played in enumerate(actions):
        yield f"{number:4d}  {kind.in_words(*played)}"
        if played.before is not None and kind.cleared(played.after):
            yield from _indented(kind.board_in_words(played.before))
        last = played.after
    if last is not None:
        if not kind.cleared(last):
            yield from _indented(kind.board_in_words(last))
        yield _result(rules.scores(last), rules.winners(last), over=rules.is_over(last))


def _indented(lines: list[str]) -> Iterator[str]:
    return (f"      {line}".rstrip() for line in lines)


def _result(scores: Mapping[str, int], winners: tuple[str, ...], *, over: bool) -> str:
    points = ", ".join(f"{name} {score}" for name, score in scores.items())
    if not over:
        return f"not finished: {points}"
    end = f"{' and '.join(winners)} won" if winners else "a draw"
    return f"result: {points}; {end}" if points else f"result: {end}"
