"""Caller packs for the pages: folders of sounds, each with a text file (docs/caller.md).

Those that are shipped lie in `packs` beside this module; the owner's are the folders in one of
their own, with `names` and `jingles` of players beside them. All are read anew when a page asks for
the list, at most every two seconds. Only files that were found then are given out, by a look-up of
their address: no path is put together from what a browser sends, and links are not followed.
"""

import logging
import stat
import threading
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from controller.common.files import CONFIG_BYTES, clipped, read_text
from pages.costly import CostlyWork
from pages.guard import payer_of
from pages.sounds.caller_text import (
    ENDINGS,
    PACK_ID,
    PackText,
    Said,
    missing,
    parse,
    sounds,
)

_log = logging.getLogger(__name__)

SHIPPED = Path(__file__).parent / "packs"
TEXT = "caller.toml"
PLAYERS = ("names", "jingles")
"""Folders of sounds of players: in a pack, and beside the owner's packs."""

FRESH_S = 2.0
"""However many browsers ask, the folders are read this often at most."""

MOST_PACKS = 32
MOST_FILES = 2000
"""In one folder: ten times those of a shipped pack."""

LONGEST_NAME = 80
"""Characters of a folder's name in a refusal."""

MOST_BYTES = 2 * 2**20
"""Of one sound: a minute of music for a jingle."""


class Pack(msgspec.Struct, frozen=True):
    """A pack as pages get it: sounds with their addresses, of players by name.

    Attributes:
        own: the owner's, not shipped.
        missing: clips that calls need and that have no sound.
    """

    id: str
    own: bool
    name: str
    language: str
    licence: str
    about: str
    calls: dict[str, Said]
    clips: dict[str, str]
    names: dict[str, str]
    jingles: dict[str, str]
    missing: tuple[str, ...]


class PackRefused(msgspec.Struct, frozen=True):
    """A folder that is no pack. The page words `code`; `why` is in English, as decoders say it."""

    id: str
    code: str
    why: str = ""


class CallersShown(msgspec.Struct, frozen=True):
    """All that there is to choose from; `names` and `jingles` hold for each pack."""

    packs: tuple[Pack, ...]
    names: dict[str, str]
    jingles: dict[str, str]
    refused: tuple[PackRefused, ...]


class Callers:
    """The packs of this machine.

    Args:
        own: the owner's folder; None or not there yet: only what is shipped.
        clock: steady, in seconds.
    """

    def __init__(
        self, own: Path | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._own = own
        self._clock = clock
        self._lock = threading.Lock()
        self._read_s = float("-inf")
        self._document = b""
        self._files: dict[str, Path] = {}
        self._refused: tuple[PackRefused, ...] = ()

    def document(self) -> bytes:
        """`CallersShown` as JSON, at most `FRESH_S` old. May be called from any thread."""
        with self._lock:
            if self._clock() - self._read_s >= FRESH_S:
                found, self._files = _read(self._own)
                self._document, self._read_s = msgspec.json.encode(found), self._clock()
                if found.refused != self._refused:
                    for one in found.refused:
                        _log.warning("No caller pack: %s (%s) %s", one.id, one.code, one.why)
                self._refused = found.refused
            return self._document

    def routes(self, work: CostlyWork) -> list[Route]:
        """The list of packs, and their sounds."""

        async def listed(request: Request) -> Response:
            found = await work.made(self.document, payer_of(request))
            # Pages ask again and again while somebody is called.
            tag = f'"{sha256(found).hexdigest()[:32]}"'
            known = request.headers.get("if-none-match") == tag
            return Response(
                b"" if known else found, 304 if known else 200, {"etag": tag}, "application/json"
            )

        return [Route("/callers.json", listed), Route("/callers/{pack}/{sound:path}", self._sound)]

    async def _sound(self, request: Request) -> Response:
        wanted = "{pack}/{sound}".format_map(request.path_params)
        if wanted not in self._files:
            # A page may have had the list from the server before a restart.
            await run_in_threadpool(self.document)
        path = self._files.get(wanted)
        if path is None or not await run_in_threadpool(_is_sound, path):
            return PlainTextResponse("Not Found", 404)
        return FileResponse(path, media_type=ENDINGS[path.suffix[1:].lower()])


def _is_sound(path: Path) -> bool:
    """Whether it is still a file of its own, and no more than a sound."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES


class _Reader:
    """Collects packs, refusals, and the files that may be given out by their addresses."""

    def __init__(self) -> None:
        self.files: dict[str, Path] = {}
        self.packs: dict[str, Pack] = {}
        self.refused: list[PackRefused] = []
        self.shipped_calls: dict[str, dict[str, Said]] = {}

    def pack(self, folder: Path, *, own: bool) -> None:
        id_ = folder.name
        if not PACK_ID.fullmatch(id_):
            self.refuse(id_, "id")
        elif folder.is_symlink() or (folder / TEXT).is_symlink():
            self.refuse(id_, "link")
        elif not (folder / TEXT).is_file():
            self.refuse(id_, "no_text")
        else:
            self._readable(folder, own=own)

    def _readable(self, folder: Path, *, own: bool) -> None:
        try:
            text = parse(read_text(folder / TEXT, CONFIG_BYTES))
            self.packs[folder.name] = self._made(folder, text, own=own)
        except OSError as error:
            self.refuse(folder.name, "unreadable", error.strerror or "")
        except ValueError as error:
            self.refuse(folder.name, "bad_text", str(error))

    def _made(self, folder: Path, text: PackText, *, own: bool) -> Pack:
        calls = {**self.shipped_calls.get(text.language, {}), **text.calls}
        clips = self._addresses(folder.name, folder)
        return Pack(
            folder.name, own, text.name, text.language, text.licence, text.about, calls, clips,
            *self.players(folder.name, folder), missing(calls, clips),
        )  # fmt: skip

    def players(self, id_: str, folder: Path) -> tuple[dict[str, str], dict[str, str]]:
        """Names and jingles of players."""
        names, jingles = (self._addresses(f"{id_}/{kind}", folder / kind) for kind in PLAYERS)
        return names, jingles

    def _addresses(self, at: str, folder: Path) -> dict[str, str]:
        if folder.is_symlink() or not folder.is_dir():
            return {}
        there = dict(_sizes_and_dates(folder))
        found = {}
        for said, name in sounds(there).items():
            self.files[f"{at}/{name}"] = folder / name
            # With its date, so that a page which has the sound asks again when it has changed.
            found[said] = f"/callers/{quote(f'{at}/{name}')}?{there[name]}"
        return found

    def refuse(self, id_: str, code: str, why: str = "") -> None:
        # A name that is no text can be shown all the same.
        shown = clipped(id_.encode("utf-8", "replace").decode(), LONGEST_NAME)
        self.refused.append(PackRefused(shown, code, why))


def _read(own: Path | None) -> tuple[CallersShown, dict[str, Path]]:
    reader = _Reader()
    for folder in _folders(SHIPPED):
        reader.pack(folder, own=False)
    reader.shipped_calls = {pack.language: pack.calls for pack in reader.packs.values()}
    names: dict[str, str] = {}
    jingles: dict[str, str] = {}
    if own is not None and own.is_dir():
        try:
            names, jingles = reader.players("_", own)
            for number, folder in enumerate(_folders(own)):
                if number == MOST_PACKS:
                    reader.refuse(folder.name, "too_many", str(MOST_PACKS))
                    break
                reader.pack(folder, own=True)
        except OSError as error:
            reader.refuse(own.name, "unreadable", error.strerror or "")
    packs = tuple(reader.packs.values())
    return CallersShown(packs, names, jingles, tuple(reader.refused)), reader.files


def _folders(folder: Path) -> list[Path]:
    inside = (one for one in folder.iterdir() if one.is_dir())
    return sorted(one for one in inside if one.name not in PLAYERS and one.name[0] not in "._")


def _sizes_and_dates(folder: Path) -> Iterator[tuple[str, str]]:
    """Name of each file that may be a sound, and what changes with its content."""
    for number, path in enumerate(folder.iterdir()):
        if number >= MOST_FILES:
            return
        found = path.lstat()
        # A name that is no text has no address.
        if stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES and path.name.isprintable():
            yield path.name, f"{found.st_size:x}-{found.st_mtime_ns:x}"
