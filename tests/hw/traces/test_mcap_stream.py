import io

import pytest
from mcap.writer import CompressionType

from hw.errors import BadTrace
from hw.traces.mcap_stream import CHUNK_MAX_BYTES, McapStream
from tests.hw.traces.test_recording import evening, hand_made, recorded


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


@pytest.mark.parametrize("way", [CompressionType.ZSTD, CompressionType.LZ4])
def test_a_chunk_that_unpacks_to_more_than_memory_is_damage(way: CompressionType) -> None:
    packed = hand_made([("scale", 0.1, b" " * (CHUNK_MAX_BYTES + 1000))], compression=way)
    one = stream(packed)

    assert len(packed) < 1e6
    assert counted(one) == {}
    assert one.damaged_chunks == 1


def test_lengths_that_lie_about_metadata_and_channels_are_passed_over() -> None:
    data = hand_made([("scale", 0.1, b"{}")], {"json": "text"}, use_chunking=False)
    for word in (b"table", b"scale"):
        spoilt = bytearray(data)
        spoilt[data.index(word) - 1] = 0xFF  # the highest byte of its length
        one = stream(bytes(spoilt))
        one.metadata()
        counted(one)


def test_unknown_compression_is_named() -> None:
    data = recorded(evening(4.0)).replace(b"zstd", b"zstX")

    with pytest.raises(BadTrace, match=r"x\.mcap: a chunk is compressed with 'zstX'"):
        counted(stream(data))
