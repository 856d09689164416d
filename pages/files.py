"""Templates, styles, scripts and pictures of the pages: each lies with its page.

They are served by their names alone, `/static/<name>`, so that a script asks for its neighbours
without knowing where they lie; no two have the same name. The script with the words of all
languages is made of their files.
"""

import contextlib
import os
from pathlib import Path
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from controller.common.troubles import ENGLISH

SERVED = {".css", ".html", ".js", ".json", ".svg"}
"""Endings of what browsers get; the server's own parts lie beside it."""


class _Files(dict[str, Path]):
    """Name -> where it lies; `[…]` looks again for a name that it does not know.

    So an update under a running server may bring files that its new scripts import.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._look()

    def __missing__(self, name: str) -> Path:
        self._look()
        if name in self:
            return self[name]
        raise KeyError(name)

    def _look(self) -> None:
        paths = sorted(self._folder.glob("*/*"))
        self.update((path.name, path) for path in paths if path.suffix in SERVED)


FILES = _Files(Path(__file__).parent)

LANGUAGES = "languages.js"
"""The script with the words of all languages."""


def languages() -> dict[str, dict[str, Any]]:
    """Tag of each language -> its words; the table's own sentences are in English by themselves."""
    found = {tag: _catalogue(tag)[0] for tag in tags()}
    found["en"] |= {f"trouble_{code}": english for code, english in ENGLISH.items()}
    return found


def as_in_english(tag: str) -> frozenset[str]:
    """Keys whose text, as the language's own file says, is the English one and yet translated."""
    return _catalogue(tag)[1]


def tags() -> list[str]:
    """Tag of each language."""
    paths = [path for path in FILES.values() if path.parent.name == "words"]
    return [path.stem for path in paths if path.suffix == ".json"]


def _catalogue(tag: str) -> tuple[dict[str, Any], frozenset[str]]:
    """The words of a language, and which of them are as in English."""
    words = msgspec.json.decode(FILES[f"{tag}.json"].read_bytes())
    return words, frozenset(words.pop("as_in_english", ()))


def language_script(tag: str = "") -> str:
    """The words of one language as a script, or of all, and what each language calls itself."""
    found = languages()
    tongues = [[one, found[one]["tongue"]] for one in sorted(found, key=lambda one: one != "en")]
    told = {tag: found[tag]} if tag else found
    words, names = msgspec.json.encode(told).decode(), msgspec.json.encode(tongues).decode()
    return f"export const LANGUAGES = {words};\nexport const TONGUES = {names};\n"


def text_of(name: str) -> str:
    """What is served as `/static/<name>`, as text.

    Raises:
        KeyError: there is no such file.
    """
    if name == LANGUAGES:
        return language_script()
    return FILES[name].read_text(encoding="utf-8")


class PageFiles(StaticFiles):
    """Serves `FILES`, with the headers by which browsers keep what has not changed."""

    def __init__(self) -> None:
        super().__init__(directory=Path(__file__).parent)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or the words of all languages as a script (pages themselves get one language)."""
        if path != LANGUAGES:
            return await super().get_response(path, scope)
        return Response(await run_in_threadpool(text_of, path), media_type="text/javascript")

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Where a file lies, and its size and date; nothing for any other path."""
        if (found := FILES.get(path)) is None:
            return "", None
        with contextlib.suppress(OSError):
            return str(found), found.stat()
        return "", None
