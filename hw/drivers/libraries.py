"""The libraries that a wiring needs: which are missing here, and how to get them.

They are optional, and imported only where they are wanted. `python -m hw.drivers.libraries pi`
imports all that a table on a Raspberry Pi's pins needs, in a process of its own: some of these
libraries speak, look at the computer or leave files behind when they are imported.
"""

import importlib
import os
import sys
import tempfile
from collections.abc import Iterable
from importlib import metadata

NEEDED = {
    # gpiod is what Blinka's `board` takes the pins by, without asking pip for it.
    "pi": (
        *("gpiozero", "lgpio", "smbus2"),
        *("gpiod", "board", "digitalio", "microcontroller", "adafruit_hx711.hx711"),
    ),
    "bridge": ("serial", "cobs.cobs"),
    "panel": ("gpiozero", "lgpio"),
}
"""Wiring -> modules, in the order in which they need each other. The panel's are in `pi`."""


def how_to_get(extra: str) -> str:
    """What to type for the libraries of an extra; by path, since no package index has the wheel.

    >>> how_to_get("pi").endswith(".whl[pi]'")
    True
    """
    extra = "pi" if extra == "panel" else extra
    wheel = f"dist/topple_table-{metadata.version('topple-table')}-py3-none-any.whl"
    return f"in the folder of the release: pip install '{wheel}[{extra}]'"


def not_installed(error: ImportError, extra: str) -> str:
    """A library that could not be imported, as a person reads it.

    >>> not_installed(ImportError("libgpiod bindings not found"), "pi").split(";")[0]
    'libgpiod bindings not found'
    """
    missing = f"{error.name} is not installed" if error.name else str(error)
    return f"{missing}; {how_to_get(extra)}"


def quiet_blinka() -> None:
    """Keep Blinka from asking at a terminal whether it may install packages by itself.

    It would, as whoever runs this, for lights that no table has, and past the hashes that we keep.
    """
    os.environ["BLINKA_SKIP_DEPENDENCY_CHECK"] = "1"


def cannot_import(modules: Iterable[str]) -> dict[str, str]:
    """Those of the modules that cannot be imported, and why.

    >>> list(cannot_import(["json", "no_such_module"]))
    ['no_such_module']
    """
    quiet_blinka()
    why = {}
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - Blinka raises what it likes, by board
            why[name] = " ".join(str(error).split()) or type(error).__name__
    return why


def main(extra: str) -> int:
    """Print a line for each library of an extra that is missing, `all there` if none is."""
    with tempfile.TemporaryDirectory() as folder:
        # lgpio makes its pipes on import, in the current folder if it is not told another.
        os.environ.setdefault("LG_WD", folder)
        why = cannot_import(NEEDED[extra])
    for name, text in why.items():
        print(f"{name}: {text}")
    if not why:
        print("all there")
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
