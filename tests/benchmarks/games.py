"""How fast the games are, beside peers: `python -m tests.benchmarks.games [--seconds 1]`.

Three figures each: actions a second in random playouts (legal actions listed, one chosen,
applied), lists of legal actions a second on the positions of such playouts, and actions a second
when a finished game is only scored again. Peers are measured in the same run where they are
installed (`pip install open_spiel chess`, `npm install boardgame.io` with BOARDGAME_IO naming the
directory that holds `node_modules`) and named where they are not.
"""

import argparse
import importlib
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
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
    """Random play as a peer does it: list, choose, apply."""
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

    title = f"{rules.title} (ours)"
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
    figure = Figure(
        "Topple (ours)", f"games scored from text, {lines} lines", games / elapsed, games
    )
    return figure, elapsed / games * GOAL_GAMES


def _topple_game(seed: int) -> Iterator[Any]:
    return play_through("topple", random.Random(seed).random)


# --- peers -----------------------------------------------------------------------------------

OPEN_SPIEL_GAMES = (
    ("python_tic_tac_toe", "Python"),
    ("python_block_dominoes", "Python"),
    ("python_team_dominoes", "Python"),
    ("tic_tac_toe", "C++"),
    ("connect_four", "C++"),
    ("breakthrough", "C++"),
    ("backgammon", "C++"),
)


def open_spiel_figures(seconds: float) -> Iterator[Figure | str]:
    """OpenSpiel's Python games and some of its C++ games, driven from Python."""
    try:
        pyspiel = importlib.import_module("pyspiel")
        importlib.import_module("open_spiel.python.games")
    except ImportError as error:
        yield f"OpenSpiel skipped: {error}"
        return
    for name, language in OPEN_SPIEL_GAMES:
        try:
            game = pyspiel.load_game(name)
        except pyspiel.SpielError:
            yield f"OpenSpiel {name} skipped: this version does not have it"
            continue
        title = f"OpenSpiel {name} ({language})"
        yield rate(title, "playout actions", _open_spiel_playout(game), seconds)


def _open_spiel_playout(game: Any) -> Playout:
    def playout(rng: random.Random) -> int:
        state, count = game.new_initial_state(), 0
        while count < MOST_ACTIONS and not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                action = outcomes[int(rng.random() * len(outcomes))][0]
            else:
                legal = state.legal_actions()
                action = legal[int(rng.random() * len(legal))]
            state.apply_action(action)
            count += 1
        return count

    return playout


def chess_figures(seconds: float) -> Iterator[Figure | str]:
    """python-chess: legal moves, push; and pop back to the beginning."""
    try:
        chess = importlib.import_module("chess")
    except ImportError as error:
        yield f"python-chess skipped: {error}"
        return

    def playout(rng: random.Random) -> int:
        board, count = chess.Board(), 0
        while count < MOST_ACTIONS and not board.is_game_over(claim_draw=False):
            legal = list(board.legal_moves)
            board.push(legal[int(rng.random() * len(legal))])
            count += 1
        return count

    board = chess.Board()
    moves = list(board.legal_moves)

    def push_pop(_: random.Random) -> int:
        for move in moves:
            board.push(move)
            board.pop()
        return len(moves)

    yield rate("python-chess", "playout actions", playout, seconds)
    yield rate("python-chess", "push and pop", push_pop, seconds)


BOARDGAME_IO = """
const { Client } = require('boardgame.io/client');
const TicTacToe = {
  setup: () => ({ cells: Array(9).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { click: ({ G, playerID }, id) => { G.cells[id] = playerID; } },
  endIf: ({ G }) => {
    const lines = [[0,1,2],[3,4,5],[6,7,8],[0,3,6],[1,4,7],[2,5,8],[0,4,8],[2,4,6]];
    const won = ([a,b,c]) => G.cells[a] !== null && G.cells[a] === G.cells[b] && G.cells[a] === G.cells[c];
    if (lines.some(won) || G.cells.every(c => c !== null)) return {};
  },
};
const end = Date.now() + 1000 * Number(process.argv[1]);
const begun = Date.now(); let count = 0;
while (Date.now() < end) {
  const client = Client({ game: TicTacToe, numPlayers: 2, debug: false }); client.start();
  while (!client.getState().ctx.gameover) {
    const open = client.getState().G.cells.map((c, i) => c === null ? i : -1).filter(i => i >= 0);
    client.moves.click(open[Math.floor(Math.random() * open.length)]); count += 1;
  }
  client.stop();
}
console.log(count, (Date.now() - begun) / 1000);
"""  # noqa: E501 - another language


def boardgame_io_figures(seconds: float) -> Iterator[Figure | str]:
    """boardgame.io's own example, tic-tac-toe, on Node."""
    node, home = shutil.which("node"), os.environ.get("BOARDGAME_IO")
    if node is None or home is None or not (Path(home) / "node_modules/boardgame.io").is_dir():
        yield "boardgame.io skipped: needs node, and BOARDGAME_IO naming where it is installed"
        return
    ran = subprocess.run(
        [node, "-e", BOARDGAME_IO, str(seconds)],
        cwd=home,
        env={**os.environ, "NODE_ENV": "production"},
        capture_output=True,
        text=True,
        timeout=60 + seconds,
        check=False,
    )
    if ran.returncode:
        yield f"boardgame.io skipped: {ran.stderr.strip().splitlines()[-1:]}"
        return
    count, elapsed = ran.stdout.split()[-2:]
    per_s = int(count) / float(elapsed)
    yield Figure("boardgame.io tic-tac-toe (Node)", "playout actions", per_s, int(count))


# --- the table -------------------------------------------------------------------------------


def measure(seconds: float, scored_games: int) -> tuple[list[Figure], list[str]]:
    """All figures, and what had to be said about those that are missing."""
    figures: list[Figure] = []
    remarks: list[str] = []
    for game in GAMES:
        figures += our_figures(game, seconds)
    scored, goal_s = scored_records(scored_games)
    figures.append(scored)
    verdict = "met" if goal_s < GOAL_S else "missed"
    remarks.append(
        f"{GOAL_GAMES} finished Topple games scored from text would take {goal_s:.0f} s "
        f"(measured on {scored_games}); goal {GOAL_S:.0f} s on one core: {verdict}"
    )
    for peers in (open_spiel_figures, chess_figures, boardgame_io_figures):
        for found in peers(seconds):
            if isinstance(found, Figure):
                figures.append(found)
            else:
                remarks.append(found)
    return figures, remarks


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    parser.add_argument("--games", type=int, default=SCORED_GAMES, help="records to score")
    arguments = parser.parse_args()
    figures, remarks = measure(arguments.seconds, arguments.games)
    table = Table("game", "measured")
    table.add_column("a second", justify="right")
    table.add_column("n", justify="right")
    for figure in figures:
        table.add_row(figure.what, figure.measured, f"{figure.per_s:,.0f}", f"{figure.n:,}")
    console = Console()
    console.print(table)
    for remark in remarks:
        console.print(remark, soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
