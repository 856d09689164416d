"""The text file of a caller pack, and which sound says which clip. Pure."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from controller.common.files import clipped
from engine.errors import UNREADABLE
from engine.plainly import plainly

ENDINGS: Mapping[str, str] = {
    "mp3": "audio/mpeg", "m4a": "audio/mp4", "ogg": "audio/ogg", "opus": "audio/ogg",
    "wav": "audio/wav", "webm": "audio/webm", "flac": "audio/flac",
}  # fmt: skip
"""What a sound file may end with, and its media type; which of them it plays is the browser's."""

PACK_ID = re.compile(r"[a-z0-9-]{1,32}")
"""Names of folders: they stand in addresses and in what a browser remembers."""

Said = str | tuple[str, ...] | dict[str, str]
"""Clips and {gaps} of a call; several by turns; or one for each plural form of the language."""


class PackText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in `caller.toml`.

    Attributes:
        name: as it is offered.
        language: tag of the language that is spoken, two letters.
        licence: of the sounds; shown on the page.
        about: who speaks, and why the sounds may be used.
        voice: of the synthesiser that makes them; for the script that makes packs only.
        clips: clip -> what it says, for whoever speaks it; no page reads it.
        calls: call -> its clips; what is missing is taken from the shipped pack of the language.
    """

    name: Annotated[str, Meta(min_length=1, max_length=60)]
    language: Annotated[str, Meta(pattern="^[a-z]{2}$")]
    licence: Annotated[str, Meta(min_length=1, max_length=200)]
    about: Annotated[str, Meta(max_length=1000)] = ""
    voice: str = ""
    clips: dict[str, str] = {}
    calls: dict[str, Said] = {}


def parse(text: str) -> PackText:
    """The text of a pack.

    Raises:
        ValueError: with one line that says what is wrong.
    """
    try:
        given = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Besides its own error, the reader lets those of numbers and dates through.
        raise ValueError(clipped(f"this is no TOML: {error}")) from None
    try:
        return msgspec.convert(given, PackText)
    except UNREADABLE as error:
        raise ValueError(clipped(plainly(error))) from None


def missing(calls: Mapping[str, Said], sounds: Iterable[str]) -> tuple[str, ...]:
    """Clips that a call needs and no sound says."""
    there = set(sounds)
    needed = dict.fromkeys(part for said in calls.values() for part in _parts(said))
    return tuple(part for part in needed if not part.startswith("{") and part not in there)


def _parts(said: Said) -> Iterator[str]:
    several = (said,) if isinstance(said, str) else said
    for one in several.values() if isinstance(several, dict) else several:
        yield from one.split()


def sounds(names: Iterable[str]) -> dict[str, str]:
    """Clip -> name of its file, of all names that are those of sounds."""
    split = ((name, *name.rpartition(".")[::2]) for name in sorted(names))
    return {clip: name for name, clip, ending in split if clip and ending.lower() in ENDINGS}
