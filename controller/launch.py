#!/usr/bin/env python3
"""The command `topple-table`: the program, or one sentence when its own files are not whole.

A lost package, a cut file or another Python than it was installed with would end in a traceback
before the program could say anything. So this is a script of its own (`shared-scripts` in
pyproject.toml), imports nothing but the standard library, and keeps to what older Pythons read.
"""

import os
import sys
from pathlib import Path

OLDEST = (3, 11)

INSTALLED = "/opt/topple-table"
"""`PROGRAMS` of controller/common/installed.py, which may be what is lost."""

DAMAGED = 2
"""Exit code, as of all else that only people can put right."""


def main() -> int:
    """Run the program and return its exit code."""
    try:
        from controller.cli import main as program  # noqa: PLC0415

        return program()
    except Exception as error:
        if os.environ.get("TOPPLE_TABLE_TRACEBACK"):
            raise
        print("topple-table: " + sentence(error), file=sys.stderr)
        return DAMAGED


def sentence(error: Exception, prefix: str = sys.prefix, version: tuple[int, ...] = ()) -> str:
    """What is the matter, and the command that mends it.

    Args:
        error: what ended the import.
        prefix: folder of the installation.
        version: of this Python, unless told otherwise.
    """
    version = version or sys.version_info[:3]
    running = _dotted(version)
    before = _pythons(prefix)
    if before and running not in before:
        cause = f"it was installed with Python {before[0]}, and this computer has {running} now"
    elif version < OLDEST:
        cause = f"it needs Python {_dotted(OLDEST)} or newer, and this is {running}"
    else:
        cause = f"its own files are not whole ({_words(error)})"
    return f"{cause}; games and settings lie elsewhere; {_remedy(prefix)}"


def _words(error: Exception) -> str:
    where = getattr(error, "filename", None) or getattr(error, "path", None)
    words = " ".join(str(error).split())
    return words if where is None or str(where) in words else f"{where}: {words}"


def _remedy(prefix: str) -> str:
    if Path(INSTALLED) in Path(prefix).resolve().parents:
        return "in the folder of the release type: sudo sh deploy/install.sh"
    return f"install it again into {prefix}"


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version[:2]))


def _pythons(prefix: str) -> list[str]:
    """Versions of Python for which the program was installed there."""
    places = Path(prefix).glob("lib/python3*/site-packages/controller")
    return sorted(place.parents[1].name[len("python") :] for place in places)


if __name__ == "__main__":
    sys.exit(main())
