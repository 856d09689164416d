"""Pages as they go over the line: a script, a style and the words of one language, compressed.

They are made of the files (`pages/bundle.py`) when they are first asked for, again when a file was
written, and kept. Addresses carry a hash of the content, so that browsers keep what they name for
ever; the page itself they ask for each time, and get a line when it is the same.

Nothing secret is in them: compressing beside each other what somebody else may choose and what he
must not know would tell him of it (BREACH). So only what is made here is compressed.
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from pages import game_pages
from pages.bundle import alone, linked, script, scripts_of, style, styles_of
from pages.files import FILES, LANGUAGES, language_script, tags, text_of

FOR_EVER = "public, max-age=31536000, immutable"
"""How long a browser keeps what has its hash in its address: a year, the longest that is usual."""

_DIGITS = 16
"""Of the hash in an address: by accident two contents never share them."""

_MOST_PAGES = 64
"""Kept: 15 pages in four languages, some 75 kB each."""

_LATER = "+"
"""Between the names of a page and of a module that it imports later."""

_HTML = "text/html; charset=utf-8"
_SCRIPT = "text/javascript; charset=utf-8"
_STYLE = "text/css; charset=utf-8"

SHARED = (LANGUAGES, "feed.js")
"""Modules that stay files of their own. The words are the same on all pages; the stream begins
while the rest is still on its way."""

Own = tuple[tuple[str, Path], ...]
"""Files of a page that are not among those of all pages: name, and where it lies."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A content, as it is and compressed."""

    plain: bytes
    zipped: bytes
    kind: str
    mark: str


@dataclass(frozen=True, slots=True)
class _Parts:
    """All of a page; `files` by name: its style, its script, and what this imports later."""

    html: Packed
    files: Mapping[str, Packed]


@dataclass(frozen=True, slots=True)
class PackedPage:
    """A page of ours.

    Attributes:
        template: its HTML, which names its scripts and styles.
        own: files that lie elsewhere than those of the other pages.
    """

    template: Path
    own: Own = ()

    async def answer(self, request: Request, status: int = 200) -> Response:
        """The page, in the language of who asks."""
        found = (await self._made(language_of(request))).html
        headers = {"etag": f'"{found.mark}"', "vary": "accept-language, cookie"}
        if status == 200 and found.mark in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return _sent(found, request, headers, status)

    async def part(self, request: Request) -> Response:
        """One of its files, in a language."""
        tag, file = request.path_params["tag"], request.url.path.rpartition("/")[2]
        found = (await self._made(tag)).files.get(file) if tag in tags() else None
        return _nothing() if found is None else _kept(found, request)

    async def _made(self, tag: str) -> _Parts:
        # In a thread: to ask the card when a hundred files were written takes a Pi milliseconds.
        return await run_in_threadpool(self._parts, tag)

    def _parts(self, tag: str) -> _Parts:
        own = tuple(path for _, path in self.own)
        return _parts(self.template, self.own, tag, _written_ns((self.template, *own)))


PAGES = {name: PackedPage(path) for name, path in FILES.items() if path.suffix == ".html"}
"""Name of a template -> its page."""


def at(file: str) -> str:
    """The path of a part, such as the script of a page."""
    return f"/static/packed/{{mark}}/{{tag}}/{file}"


def language_of(request: Request) -> str:
    """In which language a page is shown: asked for in its address, chosen before, or preferred.

    The scripts choose alike (pages/words/strings.js). Browsers name languages with the dearest
    first, so the weights that they add say nothing new.
    """
    preferred = request.headers.get("accept-language", "").split(",")
    asked = [request.query_params.get("lang", ""), request.cookies.get("language", ""), *preferred]
    short = (one.strip()[:2].lower() for one in asked)
    return next((tag for tag in short if tag in tags()), "en")


async def part(request: Request) -> Response:
    """A part of any page: its script, its style, or what it has in common with others."""
    tag, file = request.path_params["tag"], request.path_params["file"]
    if file in SHARED and tag in tags():
        return _kept(await run_in_threadpool(_shared_now, file, tag), request)
    page = PAGES.get(f"{file.partition('.')[0].partition(_LATER)[0]}.html")
    return await page.part(request) if page else _nothing()


def _kept(found: Packed, request: Request) -> Response:
    """A part; for ever, unless an old page asks by the hash of what it was."""
    same = request.path_params["mark"] == found.mark
    return _sent(found, request, {"cache-control": FOR_EVER} if same else {})


def _sent(
    found: Packed, request: Request, headers: Mapping[str, str], status: int = 200
) -> Response:
    vary = ", ".join(["accept-encoding", *([headers["vary"]] if "vary" in headers else [])])
    told = {**headers, "vary": vary}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(found.plain, status, told, found.kind)
    return Response(found.zipped, status, {**told, "content-encoding": "gzip"}, found.kind)


def _nothing() -> Response:
    return Response("Not Found", 404, media_type="text/plain")


def _written_ns(also: Sequence[Path] = ()) -> tuple[int, ...]:
    """When each file was written last of which a page may be made."""
    paths = (*FILES.values(), *game_pages.modules(), *also)
    return tuple(path.stat().st_mtime_ns for path in paths)


@lru_cache(maxsize=_MOST_PAGES)
def _parts(template: Path, own: Own, tag: str, _written: tuple[int, ...]) -> _Parts:
    html, ours = template.read_text(encoding="utf-8"), dict(own)

    def read(path: str) -> str:
        name = path.removeprefix("/static/")
        return ours[name].read_text(encoding="utf-8") if name in ours else served(path)

    def address(packed: Packed, file: str) -> str:
        return at(file).format(mark=packed.mark, tag=tag)

    files: dict[str, Packed] = {}

    def kept(file: str, text: str, kind: str = _SCRIPT) -> str:
        files[file] = _packed(text, kind)
        return address(files[file], file)

    def later(path: str, text: str) -> str:
        return kept(f"{template.stem}{_LATER}{Path(path).name}", text)

    shared = {f"/static/{name}": address(_shared_now(name, tag), name) for name in SHARED}
    text = script(scripts_of(html), read, shared, later)
    page = linked(
        html,
        language=tag,
        style_at=kept(f"{template.stem}.css", style(styles_of(html), read), _STYLE),
        script_at=kept(f"{template.stem}.js", text),
        apart=[one for one in shared.values() if f'"{one}"' in text],
    )
    return _Parts(_packed(page, _HTML), files)


def _shared_now(name: str, tag: str) -> Packed:
    return _shared(name, tag, _written_ns())


@lru_cache(maxsize=_MOST_PAGES)
def _shared(name: str, tag: str, _written: tuple[int, ...]) -> Packed:
    text = language_script(tag) if name == LANGUAGES else alone(f"/static/{name}", served)
    return _packed(text, _SCRIPT)


def _packed(text: str, kind: str) -> Packed:
    plain = text.encode()
    # Level 9 takes some milliseconds more than 6, once.
    zipped = gzip.compress(plain, 9, mtime=0)
    return Packed(plain, zipped, kind, sha256(plain).hexdigest()[:_DIGITS])


def served(path: str) -> str:
    """What stands under a path of the pages, as text.

    Raises:
        KeyError: nothing does.
    """
    name = path.removeprefix("/static/")
    return game_pages.script(name) if name.startswith("games/") else text_of(name)
