import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest

from pages import feed as feed_module
from pages.feed import Feed, TooManyBrowsersError
from tests.pages.loops import finished


class Source:
    """Documents that change when told to."""

    def __init__(self) -> None:
        self.documents = {"t1": b'{"n":0}', "t2": b'{"n":100}'}

    def __call__(self, key: str) -> bytes:
        return self.documents[key]


def run(play: Callable[[Feed, Source], Awaitable[None]]) -> None:
    source = Source()
    finished(_alive(play, source))


async def _alive(play: Callable[[Feed, Source], Awaitable[None]], source: Source) -> None:
    await play(Feed(source), source)


async def begun(feed: Feed, key: str = "t1") -> AsyncGenerator[bytes, None]:
    """A stream that has had the whole document, as a newcomer gets it at once."""
    stream = feed.watch(key)
    assert (await anext(stream)).startswith(b"retry:")
    first = {"t1": b'{"n":0}', "t2": b'{"n":100}'}[key]
    assert await anext(stream) == b"event: table\ndata: %s\n\n" % first
    return stream


def test_a_change_reaches_who_watches_it_and_nobody_else() -> None:
    async def play(feed: Feed, source: Source) -> None:
        one, two = await begun(feed, "t1"), await begun(feed, "t2")
        source.documents["t1"] = b'{"n":1}'
        feed.refresh()
        waiting = asyncio.ensure_future(anext(two))

        assert await anext(one) == b'event: table\ndata: {"n":1}\n\n'
        await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()

    run(play)


def test_a_slow_browser_skips_to_the_newest_and_holds_one_document_only() -> None:
    async def play(feed: Feed, source: Source) -> None:
        stream = await begun(feed)
        for number in range(1, 1000):
            source.documents["t1"] = b'{"n":%d}' % number
            feed.refresh()

        assert await anext(stream) == b'event: table\ndata: {"n":999}\n\n'
        source.documents["t1"] = b'{"n":"last"}'
        feed.refresh()
        assert await anext(stream) == b'event: table\ndata: {"n":"last"}\n\n'

    run(play)


def test_what_was_taken_back_in_time_is_not_sent_and_nothing_is_a_beat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def play(feed: Feed, source: Source) -> None:
        stream = await begun(feed)
        for document in (b'{"n":1}', b'{"n":0}'):
            source.documents["t1"] = document
            feed.refresh()

        assert await anext(stream) == b": nothing new\n\n"
        monkeypatch.setattr(feed_module, "BEAT_S", 0.0)
        assert await anext(stream) == b"event: beat\ndata: {}\n\n"

    run(play)


def test_one_address_cannot_take_every_place_and_the_own_screen_finds_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed_module, "MOST_BROWSERS", 5)
    monkeypatch.setattr(feed_module, "MOST_EACH", 3)

    async def play(feed: Feed, _source: Source) -> None:
        streams = [feed.watch("t1", "192.168.1.7") for _ in range(3)]
        with pytest.raises(TooManyBrowsersError):
            feed.watch("t2", "192.168.1.7")
        streams += [feed.watch("t1", "192.168.1.8"), await begun(feed)]
        with pytest.raises(TooManyBrowsersError):
            feed.watch("t1", "192.168.1.9")
        streams.append(feed.watch("t1", own=True))

        assert feed.watching == 6
        await streams[4].aclose()
        assert feed.watching == 5

    run(play)


def test_closing_ends_every_stream() -> None:
    async def play(feed: Feed, _source: Source) -> None:
        stream = await begun(feed)
        waiting = asyncio.ensure_future(_rest(stream))
        await asyncio.sleep(0)
        feed.close()

        assert len(await waiting) <= 1

    run(play)


async def _rest(stream: AsyncGenerator[bytes, None]) -> list[bytes]:
    return [part async for part in stream]


def test_what_passes_by_reaches_who_watches_that_key_and_only_the_newest() -> None:
    async def play(feed: Feed, _source: Source) -> None:
        one, two = await begun(feed, "t1"), await begun(feed, "t2")
        for number in range(100):
            feed.tell(("t1", "t1/health"), "trace", b'{"n":%d}' % number)
        feed.tell(("t2",), "trace", b"{}")

        assert await anext(one) == b'event: trace\ndata: {"n":99}\n\n'
        assert await anext(two) == b"event: trace\ndata: {}\n\n"

    run(play)


def test_a_document_comes_before_what_passes_by() -> None:
    async def play(feed: Feed, source: Source) -> None:
        stream = await begun(feed)
        feed.tell(("t1",), "trace", b"{}")
        source.documents["t1"] = b'{"n":1}'
        feed.refresh()

        both = await anext(stream)
        assert both == b'event: table\ndata: {"n":1}\n\nevent: trace\ndata: {}\n\n'

    run(play)
