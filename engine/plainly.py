"""Turns the messages of the JSON and TOML decoder into plain words.

Its `float | object | null` becomes "a number, a group of keys or nothing". Used for configurations,
commands, records and all else.
"""

import re
from collections.abc import Mapping
from typing import Any

PATTERNS = {
    "^[a-z0-9-]{1,32}$": "1 to 32 lower-case letters, digits and hyphens",
    "^[A-Za-z0-9_-]{1,32}(/[A-Za-z0-9_-]{1,32})?$": (
        "one or two levels of a topic: letters, digits, '_' and '-'"
    ),
    "^[a-z]{2}$": "two lower-case letters",
    "^[a-e][1-5]$": "a cell, a1 to e5",
    "^([a-e][1-5]|any)$": "a cell, a1 to e5, or any",
    "^([a-e][1-5]|unknown)$": "a cell, a1 to e5, or unknown",
    "^([0-9A-F]{2}:){5}[0-9A-F]{2}$": "a Bluetooth address, such as 00:1A:7D:DA:71:13",
    "^[1-6]( (pass|[a-e][1-5]))?$": "a roll, 1 to 6, and what followed: 4 c2, or 4 pass",
    "^((unplug|plug|short|free) cell (C[0-3]|[1-4])|(unplug|plug|brown out|slow|quick) imu)$": (
        "such as 'unplug cell C1', 'plug cell C1', 'short cell C0', 'free cell C0', 'unplug imu', "
        "'plug imu', 'brown out imu', 'slow imu' or 'quick imu'"
    ),
}
"""Every pattern that a text must match in this program, and its meaning; a test finds new ones."""

LONGEST_SAID = 40
"""Characters of a value that a sentence repeats: who sent a book does not get it back."""

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "null": "nothing",
    "object": "a group of keys",
    "array": "a list",
}
_EXPECTED = re.compile(
    r"Expected `(?P<kinds>[^`]+)`(?P<limit>.*?)(?:, got (?:`(?P<got>\w+)`|(?P<count>\d+)))?",
    re.DOTALL,
)
_LIMITS = (
    ("<=", "at most"),
    (">=", "at least"),
    ("<", "less than"),
    (">", "more than"),
)


def plainly(error: Exception | str, *, place: str | None = None) -> str:
    """A decoder's error as a sentence for a person.

    Args:
        error: of msgspec, or what else `engine.errors.UNREADABLE` holds; or its text.
        place: what the value is called, if the caller knows better than the error.

    >>> plainly("Expected `float | object | null`, got `str` - at `$.speed`")
    'speed must be a number, a group of keys or nothing, and is a text'
    >>> plainly("Object missing required field `action`")
    'action is missing'
    >>> plainly("JSON is malformed: invalid character (byte 4)")
    'it is no JSON from character 5 on'
    """
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it holds bytes that are no text (no UTF-8)"
    message, _, path = str(error).partition(" - at `")
    where = path.removesuffix("`").removeprefix("$").removeprefix(".") if place is None else place
    return _shape(message, where) or _json(message) or str(error)


def _shape(message: str, where: str) -> str:
    inside = f" in {where}" if where else ""
    if missing := re.fullmatch(r"Object missing required field `(.*)`", message, re.DOTALL):
        return f"{missing[1]} is missing{inside}"
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", message, re.DOTALL):
        return f"there is no {unknown[1]}{inside}"
    if odd := re.fullmatch(r"Invalid (?:enum )?value (.*)", message, re.DOTALL):
        return f"{where or 'it'} cannot be {odd[1]}"
    if message == "Number out of range":
        return f"{where or 'it'} is too large"
    found = _EXPECTED.fullmatch(message)
    if found is None:
        return ""
    got = _KINDS.get(found["got"] or "", found["got"] or found["count"])
    return f"{where or 'it'} must be {wanted(message)}" + (f", and is {got}" if got else "")


def as_said(value: Any, quote: str = "'") -> str:
    """A value out of somebody's JSON, as a sentence may repeat it.

    Args:
        value: of any kind.
        quote: what stands around a text.

    >>> print(*map(as_said, ("d9", None, True, 7, 2.5, ["a1"], {"a": 1})), sep=", ")
    'd9', nothing, true, 7, 2.5, a list, an object
    """
    if isinstance(value, str):
        shown = "".join(c if c.isprintable() else "\ufffd" for c in value[:LONGEST_SAID])
        return f"{quote}{shown}{quote}" + ("..." if len(value) > LONGEST_SAID else "")
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"{value}" if abs(value) < 10**LONGEST_SAID else "a number that is too large"
    return "an object" if isinstance(value, Mapping) else "a list"


def wanted(message: str) -> str:
    """What a value must be, of the decoder's "Expected ..."."""
    found = _EXPECTED.fullmatch(message)
    if found is None:
        return message
    if pattern := re.search(r"matching regex '(.*)'", found["limit"], re.DOTALL):
        return PATTERNS.get(pattern[1], "a text of another form")
    kinds = [_KINDS.get(kind.strip(), kind.strip()) for kind in found["kinds"].split("|")]
    named = kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} or {kinds[-1]}"
    limit = found["limit"]
    for sign, meant in _LIMITS:
        limit = limit.replace(f" {sign} ", f" {meant} ")
    limit = limit.removesuffix(".0")
    if "str" in found["kinds"] and " of length " in limit:
        limit = limit.replace(" of length ", " of ") + " characters"
    return named + limit


def _json(message: str) -> str:
    if message.startswith("Input data was truncated"):
        return "it ends too early"
    if message.startswith("JSON is malformed"):
        at = re.search(r"\(byte (\d+)\)", message)
        return f"it is no JSON from character {int(at[1]) + 1} on" if at else "it is no JSON"
    return "it holds bytes that are no text (no UTF-8)" if "UTF-8" in message else ""
