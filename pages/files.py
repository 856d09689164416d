"""Templates, styles, scripts and pictures of the pages: each lies with its page.

They are served by their names alone, `/static/<name>`, so that a script asks for its neighbours
without knowing where they lie; no two have the same name. The script with the words of all
languages is made of their files.
"""

import contextlib
import os
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from controller.common.troubles import ENGLISH

SERVED = {".css", ".html", ".js", ".json", ".svg"}
"""Endings of what browsers get; the server's own parts lie beside it."""


def _found() -> Mapping[str, Path]:
    paths = sorted(Path(__file__).parent.glob("*/*"))
    return {path.name: path for path in paths if path.suffix in SERVED}


FILES = _found()
"""Name -> where it lies."""


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


def written_ns() -> tuple[int, ...]:
    """When each language was written last."""
    return tuple(FILES[f"{tag}.json"].stat().st_mtime_ns for tag in tags())


def language_script(tag: str = "") -> str:
    """The words of one language as a script, or of all, and what each language calls itself."""
    found = languages()
    tongues = [[one, found[one]["tongue"]] for one in sorted(found, key=lambda one: one != "en")]
    told = {tag: found[tag]} if tag else found
    words, names = msgspec.json.encode(told).decode(), msgspec.json.encode(tongues).decode()
    return f"export const LANGUAGES = {words};\nexport const TONGUES = {names};\n"


@lru_cache(maxsize=1)
def _languages_script(_written_ns: tuple[int, ...]) -> tuple[str, str]:
    """The words of all languages as a script, and its tag; made anew when one was written."""
    script = language_script()
    return script, f'"{sha256(script.encode()).hexdigest()}"'


def text_of(name: str) -> str:
    """What is served as `/static/<name>`, as text.

    Raises:
        KeyError: there is no such file.
    """
    if name == LANGUAGES:
        return _languages_script(written_ns())[0]
    return FILES[name].read_text(encoding="utf-8")


class PageFiles(StaticFiles):
    """Serves `FILES`, with the headers by which browsers keep what has not changed."""

    def __init__(self) -> None:
        super().__init__(directory=Path(__file__).parent)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or the words of all languages as a script."""
        if path != LANGUAGES:
            return await super().get_response(path, scope)
        script, tag = await run_in_threadpool(_languages_script, written_ns())
        response = Response(script, media_type="text/javascript", headers={"etag": tag})
        if self.is_not_modified(response.headers, Headers(scope=scope)):
            return NotModifiedResponse(response.headers)
        return response

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Where a file lies, and its size and date; nothing for any other path."""
        with contextlib.suppress(KeyError, OSError):
            return str(FILES[path]), FILES[path].stat()
        return "", None
