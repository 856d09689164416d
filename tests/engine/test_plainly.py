"""Refusals of the decoder are said in words, whatever the shape that was asked for."""

import json
import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from engine.errors import UNREADABLE
from engine.plainly import PATTERNS, as_said, plainly

ROOT = Path(__file__).parents[2]


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    speed: float | dict[str, int] | None = None
    cell: Annotated[str, Meta(pattern="^[a-e][1-5]$")] = "c3"
    seed: Annotated[int, Meta(ge=0, le=9)] = 1
    name: Annotated[str, Meta(max_length=5)] = ""
    kind: Literal["x", "y"] = "x"
    pair: tuple[int, int] = (1, 2)
    ratio: Annotated[float, Meta(gt=0)] = 1


SAID = {
    '{"speed":"x"}': "speed must be a number, a group of keys or nothing, and is a text",
    '{"cell":"z9"}': "cell must be a cell, a1 to e5",
    '{"cell":3}': "cell must be a text, and is a whole number",
    '{"seed":12}': "seed must be a whole number at most 9",
    '{"seed":-1}': "seed must be a whole number at least 0",
    '{"seed":1.5}': "seed must be a whole number, and is a number",
    '{"seed":1e999}': "seed is too large",
    '{"name":"abcdefg"}': "name must be a text of at most 5 characters",
    '{"kind":"z"}': "kind cannot be 'z'",
    '{"pair":[1]}': "pair must be a list of length 2",
    '{"pair":[1,"a"]}': "pair[1] must be a whole number, and is a text",
    '{"ratio":0}': "ratio must be a number more than 0",
    '{"zz":1}': "there is no zz",
    "[1]": "it must be a group of keys, and is a list",
    '{"seed":': "it ends too early",
    "{a}": "it is no JSON from character 2 on",
}


@pytest.mark.parametrize("text", SAID)
def test_what_is_wrong_is_said_in_words(text: str) -> None:
    with pytest.raises(msgspec.DecodeError) as wrong:
        msgspec.json.decode(text, type=Asked)

    assert plainly(wrong.value) == SAID[text]


@pytest.mark.parametrize("data", [b'{"name":"\xff"}', b"[" * 100_000, b"{} {}", b'"\\q"', b"-"])
def test_whatever_the_decoder_says_no_type_or_regex_is_left(data: bytes) -> None:
    with pytest.raises(UNREADABLE) as wrong:
        msgspec.json.decode(data, type=Asked)
    words = plainly(wrong.value)

    assert words.startswith("it ")
    assert not re.search(r"[`^$|\\]|object|Expected|codec|malformed", words)


def test_every_pattern_of_the_program_has_its_words() -> None:
    rooms = ("engine", "hw", "firmware_bridge", "controller")
    sources = [path.read_text() for room in rooms for path in (ROOT / room).rglob("*.py")]
    used = {found for text in sources for found in re.findall(r'pattern="([^"]+)"', text)}

    assert used
    assert used <= set(PATTERNS)
    assert json.dumps(list(PATTERNS.values())).isprintable()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("O'Hara", "'O'Hara'"),
        ("a\nb\x1b[2J\u202e\ud800", "'a\ufffdb\ufffd[2J\ufffd\ufffd'"),
        ("x" * 41, f"'{'x' * 40}'..."),
        ("", "''"),
        (0, "0"),
        (-1.5, "-1.5"),
        (10**4000, "a number that is too large"),
        (float("nan"), "a number that is too large"),
        ((), "a list"),
        ([[[]]], "a list"),
        ({"a": None}, "an object"),
    ],
)
def test_a_value_is_said_without_words_of_a_program(value: object, words: str) -> None:
    assert as_said(value) == words


def test_no_refusal_of_the_rules_says_a_value_as_a_program_would() -> None:
    sources = [
        path for room in ("games", "referee") for path in (ROOT / "engine" / room).rglob("*.py")
    ]
    sources += [ROOT / "engine" / "record.py", ROOT / "controller" / "table" / "commands.py"]

    assert [path.name for path in sources if "!r}" in path.read_text(encoding="utf-8")] == []
