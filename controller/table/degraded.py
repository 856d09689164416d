"""Says for players how the game goes on when a sensor is lost.

Pure. The detector and the sources name the sensor and what to check; the sentences here say what
it means for the game.
"""

import re
from collections.abc import Mapping

BY_HAND = "please enter each placement by hand"
LOST_WORDS: Mapping[str, str] = {
    "imu": "the table still weighs, and asks for the cell of each piece",
    "link": f"the table hears nothing, and the score is safe; {BY_HAND}",
    "name": "displays show both games in turns",
    "client": "the game goes on, and phones can say all of it",
    "journal": "the game goes on from there",
    "recording": "the game is not touched by it",
    "panel": "the phones do all that the buttons do",
    "tilt_switch": "nothing is lost, the other sensors see a topple too",
}
"""Sensor (or the journal, or the name) -> what its loss means for the game."""

ONE_CELL = "playing on with three"
MORE_CELLS = f"the table cannot weigh any more; {BY_HAND}"

_TWO_PARTS = re.compile(r"^(?P<what>.*?)[;.:]\s+(?P<check>.+?)\.?$", re.DOTALL)
_ORDER = ("link", "scale", "imu", "tilt_switch")


def mode(troubles: Mapping[str, str]) -> str:
    """One sentence for each kind of sensor that is lost; empty when none is.

    Args:
        troubles: sensor -> what is wrong and what to check next, as `Fault.reason`.

    >>> mode({"scale.1": "Load cell C1 gives no valid values; check its plug"})
    'Load cell C1 gives no valid values: playing on with three; check its plug.'
    """
    kinds: dict[str, list[str]] = {}
    for sensor, reason in troubles.items():
        kinds.setdefault(sensor.split(".")[0], []).append(reason)
    order = sorted(kinds, key=lambda kind: _ORDER.index(kind) if kind in _ORDER else len(_ORDER))
    return " ".join(_sentence(kind, kinds[kind], single=_is_one_cell(troubles)) for kind in order)


def _is_one_cell(troubles: Mapping[str, str]) -> bool:
    """Whether exactly one load cell is lost, and not the scale as a whole."""
    cells = [sensor for sensor in troubles if sensor.startswith("scale")]
    return len(cells) == 1 and cells[0] != "scale"


def _sentence(kind: str, reasons: list[str], *, single: bool) -> str:
    found = _TWO_PARTS.match(reasons[0])
    what, check = (found["what"], found["check"]) if found else (reasons[0].rstrip("."), "")
    if kind == "scale" and len(reasons) > 1:
        what = f"{len(reasons)} of the four load cells are lost"
    default = ONE_CELL if single else MORE_CELLS
    meaning = default if kind == "scale" else LOST_WORDS.get(kind, "playing on without it")
    parts = (meaning, check[:1].lower() + check[1:])
    return f"{what}: {'; '.join(filter(None, parts))}."
