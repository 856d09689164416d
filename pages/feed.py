"""Sends one mirror to many browsers: one slot for each, no queue.

A browser that joins gets the whole state at once; a browser that reads slowly skips what it
missed and gets the newest. So memory is bounded whatever a browser does: one document each.
Lives in one event loop; nothing here is called from another thread.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable

BEAT_S = 10.0
"""Something is sent at least this often, so that a browser knows that the line still stands."""

MOST_BROWSERS = 500

MOST_EACH = 32
"""Streams of one address. A browser takes one for each page it shows."""

KEPT = 8
"""Beyond all others, for the own screen."""


class TooManyBrowsersError(Exception):
    """Every place is taken, or every one that this address may have; try again later."""


class Feed:
    """Documents (JSON bytes, made by `render`) under keys, and the browsers that watch them."""

    def __init__(self, render: Callable[[str], bytes]) -> None:
        self._render = render
        self._watchers: set[_Watcher] = set()
        self._closed = False

    @property
    def watching(self) -> int:
        """How many browsers watch now."""
        return len(self._watchers)

    def refresh(self) -> None:
        """Something may have changed: give every browser what is new to it, and only that."""
        rendered: dict[str, bytes] = {}
        for watcher in self._watchers:
            if watcher.key not in rendered:
                rendered[watcher.key] = self._render(watcher.key)
            watcher.offer(rendered[watcher.key])

    def tell(self, keys: Iterable[str], event: str, data: bytes) -> None:
        """Send one passing line to who watches one of `keys`; only the newest, if they are slow.

        The event's name is that of the server-sent event; not `table`.
        """
        for watcher in self._watchers:
            if watcher.key in keys:
                watcher.tell(event, data)

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        self._closed = True
        for watcher in self._watchers:
            watcher.news.set()

    def watch(self, key: str, who: str = "", *, own: bool = False) -> AsyncGenerator[bytes, None]:
        """The server-sent events of one browser, beginning with the whole document.

        Args:
            key: of the document.
            who: whose streams are counted together; nobody's when empty.
            own: for the own screen, which has some places more.

        Raises:
            TooManyBrowsersError: at once, before anything is streamed.
        """
        if len(self._watchers) >= MOST_BROWSERS + (KEPT if own else 0):
            raise TooManyBrowsersError
        if who and sum(watcher.who == who for watcher in self._watchers) >= MOST_EACH:
            raise TooManyBrowsersError
        watcher = _Watcher(key, who)
        watcher.offer(self._render(key))
        self._watchers.add(watcher)
        return self._stream(watcher)

    async def _stream(self, watcher: "_Watcher") -> AsyncGenerator[bytes, None]:
        try:
            # Browsers reconnect by themselves; three seconds is soon enough for a scoreboard.
            yield b"retry: 3000\n\n"
            while not self._closed:
                yield await watcher.next()
        finally:
            self._watchers.discard(watcher)


class _Watcher:
    """One browser: the newest document it has not got yet."""

    def __init__(self, key: str, who: str) -> None:
        self.key = key
        self.who = who
        self.news = asyncio.Event()
        self._slot: bytes | None = None
        self._sent: bytes | None = None
        self._told: dict[str, bytes] = {}

    def tell(self, event: str, data: bytes) -> None:
        self._told[event] = data
        self.news.set()

    def offer(self, document: bytes) -> None:
        if document not in (self._slot, self._sent):
            self._slot = document
            self.news.set()
        elif document == self._sent:
            # It changed and changed back before it was sent.
            self._slot = None

    async def next(self) -> bytes:
        try:
            await asyncio.wait_for(self.news.wait(), BEAT_S)
        except TimeoutError:
            return b"event: beat\ndata: {}\n\n"
        self.news.clear()
        parts = []
        if self._slot is not None:
            self._sent, self._slot = self._slot, None
            parts.append(b"event: table\ndata: " + self._sent + b"\n\n")
        for event, data in self._told.items():
            parts.append(b"event: " + event.encode() + b"\ndata: " + data + b"\n\n")
        self._told = {}
        return b"".join(parts) or b": nothing new\n\n"
