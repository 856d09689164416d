"""How fast the games are: `python -m tests.benchmarks.games [--seconds 1]`.

Three figures each: actions a second in random playouts (legal actions listed, one chosen,
applied), lists of legal actions a second on the positions of such playouts, and actions a second
when a finished game is only scored again.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from engine.games.playthrough import play_through
from engine.games.registry import GAMES
from engine.record import score_lines
from tests.records import record_lines

MOST_ACTIONS = 500
"""Random players may pass for ever; a playout is cut here."""

SCORED_GAMES = 200
GOAL_GAMES, GOAL_S = 10_000, 60.0

Playout = Callable[[random.Random], int]
"""Plays one random game and returns the number of actions."""


class Figure(NamedTuple):
    """One line of the table; `n` is the number of actions (or lists, or games) measured."""

    what: str
    measured: str
    per_s: float
    n: int


def rate(what: str, measured: str, work: Callable[[random.Random], int], seconds: float) -> Figure:
    """Repeat `work` with fresh seeds for about `seconds` and count what it returns."""
    work(random.Random(0))  # fill caches: a game evening is longer than a first move
    count, seed, begun = 0, 0, time.perf_counter()
    while (elapsed := time.perf_counter() - begun) < seconds:
        seed += 1
        count += work(random.Random(seed))
    return Figure(what, measured, count / elapsed, count)


# --- our games -------------------------------------------------------------------------------


def our_states(game: str, rng: random.Random) -> Iterator[tuple[Any, Any]]:
    """Positions and chosen actions of one random playout."""
    rules = GAMES[game].rules
    state = rules.start(GAMES[game].outcomes.completed(None, GAMES[game].example, rng.random))
    for _ in range(MOST_ACTIONS):
        if rules.is_over(state):
            return
        legal = rules.legal_actions(state)
        action = GAMES[game].outcomes.redrawn(
            state, legal[int(rng.random() * len(legal))], rng.random
        )
        yield state, action
        state = rules.apply(state, action)


def our_playout(game: str) -> Playout:
    """Random play: list, choose, apply."""
    rules = GAMES[game].rules

    def playout(rng: random.Random) -> int:
        state = rules.start(GAMES[game].outcomes.completed(None, GAMES[game].example, rng.random))
        count = 0
        while count < MOST_ACTIONS and not rules.is_over(state):
            legal = rules.legal_actions(state)
            action = legal[int(rng.random() * len(legal))]
            state = rules.apply(state, GAMES[game].outcomes.redrawn(state, action, rng.random))
            count += 1
        return count

    return playout


def our_figures(game: str, seconds: float) -> list[Figure]:
    """Playouts, legal actions and scoring of one of our games."""
    rules, played = GAMES[game].rules, list(our_states(game, random.Random(1)))
    states, actions = [state for state, _ in played], [action for _, action in played]

    def list_all(_: random.Random) -> int:
        for state in states:
            rules.legal_actions(state)
        return len(states)

    def apply_all(_: random.Random) -> int:
        state = states[0]
        for action in actions:
            state = rules.apply(state, action)
        return len(actions)

    title = rules.title
    return [
        rate(title, "playout actions", our_playout(game), seconds),
        rate(title, "legal action lists", list_all, seconds),
        rate(title, "actions scored again", apply_all, seconds),
    ]


def scored_records(games: int) -> tuple[Figure, float]:
    """Finished Topple games read from record text and scored; and seconds for the goal."""
    texts = [
        list(record_lines("topple", str(seed), [step.action for step in _topple_game(seed)]))
        for seed in range(games)
    ]
    begun = time.perf_counter()
    lines = sum(1 for text in texts for _ in score_lines(text))
    elapsed = time.perf_counter() - begun
    figure = Figure("Topple", f"games scored from text, {lines} lines", games / elapsed, games)
    return figure, elapsed / games * GOAL_GAMES


def _topple_game(seed: int) -> Iterator[Any]:
    return play_through("topple", random.Random(seed).random)


# --- the table -------------------------------------------------------------------------------


def measure(seconds: float, scored_games: int) -> tuple[list[Figure], str]:
    """All figures, and whether the goal is met."""
    figures: list[Figure] = []
    for game in GAMES:
        figures += our_figures(game, seconds)
    scored, goal_s = scored_records(scored_games)
    figures.append(scored)
    verdict = "met" if goal_s < GOAL_S else "missed"
    remark = (
        f"{GOAL_GAMES} finished Topple games scored from text would take {goal_s:.0f} s "
        f"(measured on {scored_games}); goal {GOAL_S:.0f} s on one core: {verdict}"
    )
    return figures, remark


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    parser.add_argument("--games", type=int, default=SCORED_GAMES, help="records to score")
    arguments = parser.parse_args()
    figures, remark = measure(arguments.seconds, arguments.games)
    table = Table("game", "measured")
    table.add_column("a second", justify="right")
    table.add_column("n", justify="right")
    for figure in figures:
        table.add_row(figure.what, figure.measured, f"{figure.per_s:,.0f}", f"{figure.n:,}")
    console = Console()
    console.print(table)
    console.print(remark, soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
