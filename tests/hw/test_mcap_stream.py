import io

import pytest

from hw.errors import BadTrace
from hw.mcap_stream import McapStream
from tests.hw.test_recording import evening, hand_made, recorded


def stream(data: bytes) -> McapStream:
    return McapStream(io.BytesIO(data), "x.mcap")


def counted(one: McapStream) -> dict[str, int]:
    counts: dict[str, int] = {}
    for batch in one.batches():
        for topic, (times, payloads) in batch.items():
            assert len(times) == len(payloads)
            counts[topic] = counts.get(topic, 0) + len(times)
    return counts


def test_every_message_comes_once_under_its_topic() -> None:
    one = stream(recorded(evening(10.0)))

    assert counted(one) == {"scale": 800, "imu": 2000}
    assert not one.cut_off


def test_metadata_is_found_behind_the_messages_too() -> None:
    data = hand_made([("scale", 0.1, b"{}")] * 5, {"json": "text", "more": "words"})

    assert stream(data).metadata()["table"] == {"json": "text", "more": "words"}


def test_a_file_may_be_cut_at_any_byte_without_harm() -> None:
    data = recorded(evening(4.0))
    whole = counted(stream(data))
    for size in range(8, len(data), 397):
        one = stream(data[:size])
        counts = counted(one)
        assert one.cut_off
        assert all(counts[topic] <= whole[topic] for topic in counts)


def test_bytes_turned_over_anywhere_never_raise_anything_but_bad_trace() -> None:
    data = recorded(evening(4.0))
    for at in range(8, len(data), 211):
        spoilt = bytearray(data)
        spoilt[at] ^= 0xFF
        try:
            one = stream(bytes(spoilt))
            one.metadata()
            counted(one)
        except BadTrace:
            pass


def test_unknown_compression_is_named() -> None:
    data = recorded(evening(4.0)).replace(b"zstd", b"zstX")

    with pytest.raises(BadTrace, match="zstX"):
        counted(stream(data))
