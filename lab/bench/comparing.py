"""Compares documents with expected values: values at paths, limits as text. Pure."""

from typing import Any

from controller.common.files import clipped
from lab.bench.limits import limit_of

MISSING = "nothing"


def at_path(document: Any, path: str) -> Any:
    """The value at a path such as `turn.player` or `sensors.scale.1.ok`; `MISSING` if nothing.

    A key may hold dots itself; the longest that fits is taken.

    >>> at_path({"sensors": {"scale.1": {"ok": True}}}, "sensors.scale.1.ok")
    True
    """
    parts = path.split(".")
    if not path:
        return document
    if isinstance(document, list):
        index = int(parts[0]) if parts[0].lstrip("-").isdigit() else len(document)
        inside = -len(document) <= index < len(document)
        return at_path(document[index], ".".join(parts[1:])) if inside else MISSING
    if isinstance(document, dict):
        for count in range(len(parts), 0, -1):
            key = ".".join(parts[:count])
            if key in document:
                return at_path(document[key], ".".join(parts[count:]))
    return MISSING


def agrees(value: Any, wanted: Any) -> bool:
    """Whether a value is as expected: equal, within a limit, or containing the text.

    `at least 3` and the like are limits; `contains words` looks for words; `any` takes whatever
    is there, and null what is missing or null.
    """
    if wanted is None:
        return value is None or value is MISSING
    if wanted == "any":
        return value is not None and value is not MISSING
    if isinstance(wanted, str) and isinstance(value, int | float) and not isinstance(value, bool):
        limit = limit_of(wanted)
        return limit is not None and limit.holds(value)
    if isinstance(wanted, str) and wanted.startswith("contains "):
        return wanted.removeprefix("contains ") in str(value)
    return bool(value == wanted)


def differences(document: Any, wanted: dict[str, Any]) -> list[str]:
    """What differs from the expected values, one sentence for each path."""
    found = {path: at_path(document, path) for path in wanted}
    return [
        f"{path} is {shown(found[path])}, not {shown(want)}"
        for path, want in wanted.items()
        if not agrees(found[path], want)
    ]


def distance(document: Any, wanted: dict[str, Any]) -> tuple[bool, int]:
    """How unlike the expected values it is; first of all by its id, if one is expected."""
    unlike = [path for path, want in wanted.items() if not agrees(at_path(document, path), want)]
    return "id" in unlike, len(unlike)


def refusal(document: Any) -> list[str]:
    """Why a command was refused, if this is the reply to such a one."""
    if not isinstance(document, dict) or document.get("ok") is not False:
        return []
    why = (document.get(key) for key in ("code", "msg"))
    return [f"it was refused: {', '.join(str(words) for words in why if words)}"]


def shown(value: Any) -> str:
    """A value as short text."""
    return clipped(str(value), 80)
