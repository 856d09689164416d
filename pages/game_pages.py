"""What the pages know of the games, and the parts of them that a game brings along.

A game's folder has a folder `page` with up to three modules: `board.js` draws its board on the
scoreboard, `phone.js` is its part of the phone page, `rules.js` the picture beside its rules. They
are served as `/static/games/<record id>/<module>`. `/static/games/board.js` and its like join those
of all games, and `facts.js` says what the registry says; so no page names a game.
"""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from engine.games.kind import GameKind
from engine.games.registry import DEFAULT_GAME, GAMES

PARTS = {"board": "BOARDS", "phone": "PHONES", "rules": "RULES"}
"""Module of a game -> the name under which those of all games are exported."""


def routes() -> list[Route]:
    """Everything under `/static/games`."""
    return [
        Route("/static/games/facts.js", _facts),
        Route("/static/games/{part}.js", _joined),
        Route("/static/games/{game}/{part}.js", _part_of_game),
    ]


def facts(kind: GameKind) -> Mapping[str, Any]:
    """What the pages need to know of a game."""
    return {
        "title": kind.rules.title,
        "names": kind.names,
        "seats": kind.seats,
        "sides": kind.sides,
        "by_sensors": kind.by_sensors,
        "in_rounds": kind.in_rounds,
        "counts": kind.counts,
        "hides": bool(kind.outcomes.secret),
        "options": kind.rules.options,
        **kind.page_facts,
    }


def module_of(kind: GameKind, part: str) -> Path:
    """Where a module of a game's pages lies, if the game has it."""
    return Path(inspect.getfile(type(kind.rules))).parent / "page" / f"{part}.js"


def _script(text: str) -> Response:
    return Response(text, media_type="text/javascript")


def script(name: str) -> str:
    """What is served as `/static/<name>` for a name that begins with `games/`.

    Raises:
        KeyError: there is no such script.
    """
    _, *names = name.removesuffix(".js").split("/")
    if names == ["facts"]:
        return _all_facts()
    if len(names) == 1:
        return _all_of(names[0])
    game, part = names
    return module_of(GAMES[game], part).read_text()


def modules() -> list[Path]:
    """Every module that a game brings along."""
    found = (module_of(kind, part) for kind in GAMES.values() for part in PARTS)
    return [path for path in found if path.is_file()]


async def _facts(_: Request) -> Response:
    return _script(_all_facts())


async def _joined(request: Request) -> Response:
    part = request.path_params["part"]
    return _script(_all_of(part)) if part in PARTS else _nothing()


def _all_facts() -> str:
    known = msgspec.json.encode({id_: facts(kind) for id_, kind in GAMES.items()}).decode()
    return f'export const DEFAULT_GAME = "{DEFAULT_GAME}";\nexport const GAMES = {known};\n'


def _all_of(part: str) -> str:
    having = [id_ for id_, kind in GAMES.items() if module_of(kind, part).is_file()]
    imports = "".join(
        f'import * as game{number} from "./{id_}/{part}.js";\n' for number, id_ in enumerate(having)
    )
    games = ", ".join(f'"{id_}": game{number}' for number, id_ in enumerate(having))
    return f"{imports}export const {PARTS[part]} = {{ {games} }};\n"


async def _part_of_game(request: Request) -> Response:
    kind, part = GAMES.get(request.path_params["game"]), request.path_params["part"]
    if kind is None or part not in PARTS or not module_of(kind, part).is_file():
        return _nothing()
    return FileResponse(module_of(kind, part), media_type="text/javascript")


def _nothing() -> Response:
    return PlainTextResponse("Not Found", 404)
