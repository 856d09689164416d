"""Says in which line and at which key of a scenario file a decoder's complaint is. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import yaml

from engine.plainly import plainly
from lab.bench.scenario import EXPECTABLE, Scenario
from lab.bench.scenario_checks import Keys, Problem
from lab.bench.scenario_words import (
    is_yes,
    known_keys,
    known_words,
    never_empty,
    only_words,
    suggested,
)
from lab.bench.steps import VERBS

SWEPT = re.compile(r"(?<!\S)\$([A-Za-z_]\w*)(?!\S)")
"""`$name` as a word of its own: what stands for a value of `sweep`."""

AS_WRITTEN = ("about", "sweep")
"""Parts of a file in which `$name` stands for nothing."""

_WHERE = re.compile(r" - at `(?P<key>key` in `)?\$(?P<path>.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([A-Za-z_][\w]*)|\[(\d+|\.\.\.)\]")
_NULL = "yaml.org,2002:null"


def line_of(node: yaml.Node, keys: Sequence[str]) -> int:
    """One-based line of the deepest key that is there."""
    return _reached(node, keys)[0]


def _reached(node: yaml.Node, keys: Sequence[str]) -> tuple[int, yaml.Node | None]:
    """That line, and the value of the last key if it is there."""
    at, line = node, 1
    for key in keys:
        if isinstance(at, yaml.MappingNode):
            pair = next((pair for pair in at.value if pair[0].value == key), None)
            if pair is None:
                return line, None
            line, at = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(at, yaml.SequenceNode) and key.isdigit() and int(key) < len(at.value):
            at = at.value[int(key)]
            line = at.start_mark.line + 1
        else:
            return line, None
    return line, at


def _text(node: yaml.Node, keys: Sequence[str]) -> str:
    """The word at a place as it is written; empty where there is none."""
    _, at = _reached(node, keys)
    return str(at.value) if isinstance(at, yaml.ScalarNode) else ""


# --- what is wrong however the sweep turns out -------------------------------------------------


def written_wrongly(node: yaml.Node, swept: Sequence[str]) -> Iterator[Problem]:
    """Keys without a value, and `$name` without a `sweep` of that name."""
    for keys, value in _scalars(node, []):
        if value.tag.endswith(_NULL) and keys[-1] in never_empty(keys[:-1]):
            yield keys, "it has no value; write it behind the colon, or indent it below the key"
        for name in SWEPT.findall(value.value) if keys[0] not in AS_WRITTEN else ():
            if name not in swept:
                yield keys, f"there is no `{name}` in sweep{suggested(name, swept)}"


def _scalars(node: yaml.Node, keys: Keys) -> Iterator[tuple[Keys, yaml.ScalarNode]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _scalars(value, [*keys, str(key.value)])
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _scalars(value, [*keys, str(index)])
    elif keys:
        yield keys, node


# --- what the decoder says ---------------------------------------------------------------------


def complaint(problem: str, plain: Any, node: yaml.Node) -> Problem:
    """Where it is, and msgspec's words as a sentence that says what to write instead.

    Args:
        problem: msgspec's words.
        plain: what it was to convert.
        node: the same as it is written.
    """
    place = _WHERE.search(problem)
    message = problem[: place.start()] if place else problem
    keys = [name or index for name, index in _STEP.findall(place["path"] if place else "")]
    if place and place["key"]:
        keys.append("...")
    keys = _exact(problem, plain, keys)
    if unknown := re.search(r"unknown field `([^`]+)`", message):
        keys.append(unknown[1])
    if unknown or (place and place["key"] and known_keys(keys[:-1])):
        return keys, f"there is no such key{suggested(keys[-1], known_keys(keys[:-1]))}"
    return keys, _instead(message, keys, _text(node, keys))


def _exact(problem: str, plain: Any, keys: Keys) -> Keys:
    """The keys with the true one for each `...`: without its neighbours the mistake is the same."""
    for place, key in enumerate(keys):
        if key == "...":
            each = _one_by_one(plain, keys[:place])
            found = (name for name, alone in each if _refusal(alone) == problem)
            keys[place] = str(next(found, key))
    return keys


def _one_by_one(plain: Any, keys: Keys) -> Iterator[tuple[Any, Any]]:
    """Each key of the mapping at a place, and the document with no other there."""
    if not keys:
        yield from ((name, {name: value}) for name, value in plain.items())
        return
    key: Any = int(keys[0]) if isinstance(plain, list) else keys[0]
    for name, inside in _one_by_one(plain[key], keys[1:]):
        copy = plain.copy()
        copy[key] = inside
        yield name, copy


def _refusal(plain: Any) -> str:
    try:
        msgspec.convert(plain, Scenario, strict=True)
    except msgspec.ValidationError as problem:
        return str(problem)
    return ""


def _instead(message: str, keys: Keys, text: str) -> str:
    """What can stand there, as exactly as it can be told."""
    if odd := re.fullmatch(r"Invalid enum value '(.*)'", message, re.DOTALL):
        return f"it cannot be {odd[1]!r}{suggested(odd[1], known_words(keys))}"
    if message.startswith("Expected `object`") and text in known_keys(keys):
        return f"a key needs a value; write `{text}: {_example([*keys, text])}`"
    if keys[2:3] == ["turns"] and "regex" in message:
        return _no_turn(text)
    return _of_kind(keys, text) or _decoders(message, keys)


def _of_kind(keys: Keys, text: str) -> str:
    """What can stand there, by the place alone."""
    if text and (keys[-1:] == ["confidence"] or (len(keys) == 2 and keys[0] == "measure")):
        return f"it must be a limit in words; say `at least {text}` or `at most {text}`"
    if is_yes(keys) and keys[-1] in (*EXPECTABLE, *(verb.rstrip("_") for verb in VERBS)):
        return f"it can only be `{keys[-1]}: yes`"
    words, inside = only_words(keys), known_keys(keys)
    more = f", or a group of {', '.join(inside)}" if inside else ""
    return f"it must be one of {', '.join(words)}{more}" if words else ""


def _decoders(message: str, keys: Keys) -> str:
    """The decoder's own words, without "or nothing": only the game can be null."""
    wanted = message if keys == ["game"] else message.replace(" | null`", "`")
    return plainly(wanted, place="it")


def _example(keys: Keys) -> str:
    """What can stand at a key: `yes`, `any` or the first word; dots where it is no word."""
    words = ["yes"] if is_yes(keys) else known_words(keys)
    return "any" if "any" in words else next(iter(words), "...")


def _no_turn(text: str) -> str:
    """Which half of a turn such as `3 f7` is none."""
    roll, _, rest = text.partition(" ")
    if not re.fullmatch("[1-6]", roll):
        return f"{roll!r} is no roll, 1 to 6, in {text!r}"
    return f"{rest!r} is neither a cell, a1 to e5, nor `pass`, in {text!r}"


def as_swept(node: yaml.Node, keys: Keys, swept: Mapping[str, Any]) -> str:
    """The end of a sentence about a value that comes from the sweep: which it is, and its line."""
    found = ""
    for name, value in swept.items():
        if re.search(rf"\${re.escape(str(name))}\b", _text(node, keys)):
            _, values = _reached(node, ["sweep", str(name)])
            inside = values.value if isinstance(values, yaml.SequenceNode) else ()
            same = (place for place, each in enumerate(inside) if each.value == str(value))
            line = line_of(node, ["sweep", str(name), str(next(same, ""))])
            found += f"; ${name} is {value!r} here, from line {line}"
    return found
