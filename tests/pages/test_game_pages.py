"""What the pages are told of the games, and which modules of them they load."""

import json
import re
from typing import Any

import pytest

from engine.games.registry import DEFAULT_GAME, GAMES
from pages.app import SECURITY_HEADERS
from tests.pages.test_app import get

ALL = pytest.mark.parametrize("game", list(GAMES))


def told() -> dict[str, dict[str, Any]]:
    _, _, script = get("/static/games/facts.js")
    found: dict[str, dict[str, Any]] = json.loads(
        script.partition("GAMES = ")[2].removesuffix(";\n")
    )
    return found


def test_the_pages_learn_house_rules_and_pieces_from_the_rules_themselves() -> None:
    facts = told()
    hiding = {game for game, of_it in facts.items() if of_it["hides"]}

    assert list(facts) == list(GAMES)
    assert facts["topple"]["options"]["pass"] == ["always", "not_on_one", "never"]
    assert len(facts["topominos"]["pieces"]) == 56
    assert hiding == {"triple-topper-toe", "topominos"}
    assert f'DEFAULT_GAME = "{DEFAULT_GAME}"' in get("/static/games/facts.js")[2]


@ALL
@pytest.mark.parametrize("part", ["board", "phone", "rules"])
def test_a_module_is_joined_to_the_others_where_a_game_has_one(game: str, part: str) -> None:
    status, headers, script = get(f"/static/games/{game}/{part}.js")
    joined = get(f"/static/games/{part}.js")[2]

    assert (f'from "./{game}/{part}.js"' in joined) is (status == 200)
    assert (f'"{game}": game' in joined) is (status == 200)
    if status == 200:
        assert headers["content-type"].startswith("text/javascript")
        assert SECURITY_HEADERS.items() <= headers.items()
        assert f"Served as\n// /static/games/{game}/{part}.js." in script or (
            f"Served as /static/games/{game}/{part}.js." in script
        )


@ALL
def test_every_game_has_a_part_of_the_phone_page_and_a_board_unless_it_is_the_tower(
    game: str,
) -> None:
    exported = {
        part: set(re.findall(r"^export (?:function|const) (\w+)", get(path)[2], re.MULTILINE))
        for part in ("board", "phone")
        for path in [f"/static/games/{game}/{part}.js"]
    }

    assert ("draw" in exported["board"]) is not GAMES[game].by_sensors
    assert ("panel" in exported["phone"]) is not GAMES[game].by_sensors


@pytest.mark.parametrize(
    "path", ["chess/board.js", "topolo/tricks.js", "topolo/%2e%2e/board.js", "tricks.js", ""]
)
def test_nothing_else_of_a_game_can_be_had(path: str) -> None:
    assert get(f"/static/games/{path}")[0] == 404
