"""Templates, styles, scripts and pictures of the pages: each lies with its page.

They are served by their names alone, `/static/<name>`, so that a script asks for its neighbours
without knowing where they lie; no two have the same name.
"""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from starlette.staticfiles import StaticFiles

SERVED = {".css", ".html", ".js", ".json", ".svg"}
"""Endings of what browsers get; the server's own parts lie beside it."""


def _found() -> Mapping[str, Path]:
    paths = sorted(Path(__file__).parent.glob("*/*"))
    return {path.name: path for path in paths if path.suffix in SERVED}


FILES = _found()
"""Name -> where it lies."""


class PageFiles(StaticFiles):
    """Serves `FILES`, with the headers by which browsers keep what has not changed."""

    def __init__(self) -> None:
        super().__init__(directory=Path(__file__).parent)

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Where a file lies, and its size and date; nothing for any other path."""
        with contextlib.suppress(KeyError, OSError):
            return str(FILES[path]), FILES[path].stat()
        return "", None
