"""Nobody but the registry names a game: a fifth one needs no line anywhere else."""

import re
from pathlib import Path

import pytest

from engine.games.registry import DEFAULT_GAME, GAMES
from tests.tree import ROOT, SHIPPED, relative, text_files

FOLDERS = {id_: type(kind.rules).__module__.split(".")[-2] for id_, kind in GAMES.items()}
"""Record id -> folder under engine/games."""

MAY_NAME: dict[str, str] = {
    "engine/games/registry.py": "a line for each game, and which is the default",
    "engine/referee/__init__.py": "which cells a die allows: what the sensors may expect to see",
    "engine/referee/corrections.py": "the same, of a roll that is told late and was wrong",
    "engine/referee/placing.py": "the same, of a roll that is told late",
    "lab/bench/account.py": "the rules oracle is of the tower's game",
    "lab/bench/encore.py": "the same",
    "lab/bench/foreign_game.py": "the same: a reading of docs/mqtt.md and docs/rules.md",
    "lab/bench/people_account.py": "the same",
    "lab/demo/open_table.py": "the same people, with visitors among them",
    "lab/people/players.py": "simulated people build the simulated tower; no other game",
    "lab/people/simulation.py": "the same people go on with an unfinished game",
    "controller/table/riskmap.py": "what a placement on the tower risks",
    "controller/table/tension.py": "how near the tower is to falling",
}
"""Path -> why it may. All but the first name the game of the tower, which the sensors follow."""


def names_of(game: str) -> re.Pattern[str]:
    """How code names a game: its folder in an import, or its record id.

    The default game's id is also what people say when the tower has fallen, so it is a game's only
    after a word for games.
    """
    folder = FOLDERS[game]
    imported = rf"engine\.games\.{folder}\b|from engine\.games import[^\n]*\b{folder}\b"
    if game == DEFAULT_GAME:
        of_a_game = rf"\b(?:kind|game\w*|GAMES|rules)\b[^\n;)]{{0,20}}[\"']{game}[\"']"
        return re.compile(f"{imported}|{of_a_game}")
    return re.compile(rf"{imported}|(?<![\w-])(?:{game}|{folder})(?![\w-])")


def code() -> list[Path]:
    kinds = (".py", ".js", ".html", ".css")
    return [
        path
        for path in text_files()
        if path.suffix in kinds and relative(path).split("/")[0] in (*SHIPPED, "scripts")
    ]


@pytest.mark.parametrize("game", list(GAMES))
def test_nobody_names_a_game_outside_its_folder(game: str) -> None:
    name, folder = names_of(game), f"engine/games/{FOLDERS[game]}/"
    naming = {
        f"{relative(path)}: {line.strip()}"
        for path in code()
        if not relative(path).startswith(folder) and relative(path) not in MAY_NAME
        for line in path.read_text().splitlines()
        if name.search(line)
    }

    assert naming == set()


def test_whoever_may_name_a_game_does() -> None:
    idle = [
        path
        for path in MAY_NAME
        if not any(names_of(game).search((ROOT / path).read_text()) for game in GAMES)
    ]

    assert idle == []


@pytest.mark.parametrize(
    ("game", "line"),
    [
        ("topple", 'if board.kind == "topple":'),
        ("topple", 'game: str = "topple"'),
        ("topple", 'board.kind === "topple" ? "turn" : "hand"'),
        ("topple", 'options = GAMES["topple"].rules.options'),
        ("topple", 'data.get("game", "topple")'),
        ("topple", "from engine.games.topple.rules import TOPPLE"),
        ("topolo", "from engine.games import topolo"),
        ("topolo", '.board[data-kind="topolo"] .plate {'),
        ("topominos", 'const ROUNDS = ["topominos"];'),
        ("triple-topper-toe", "from engine.games.triple_topper_toe import cube"),
        ("triple-topper-toe", '"triple-topper-toe": cube,'),
    ],
)
def test_a_name_would_be_noticed(game: str, line: str) -> None:
    assert names_of(game).search(line)


@pytest.mark.parametrize(
    "line",
    [
        '_AS_ACTIONS = ("roll", "pass", "place", "topple")',
        'action = {"type": "topple", "cause": "bump", "player": blamed}',
        'app.act("topple", { cause: "placing", player })',
        '{ kind: "big", allowed: app.can("topple") }',
    ],
)
def test_a_fall_is_no_game(line: str) -> None:
    assert not names_of("topple").search(line)
