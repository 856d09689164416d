from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmware_bridge.errors import BadFrame, UnsendableMessage
from firmware_bridge.framing import (
    LONGEST_ENCODED,
    Frame,
    FrameReader,
    decode_frame,
    encode_frame,
)
from firmware_bridge.messages import MESSAGES, Hello, Ping, Scale, Switch, Unknown, encode_body


def crc_by_the_book(data: bytes) -> int:
    """CRC-16/CCITT-FALSE bit by bit, as a second opinion."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc


def stuff_by_the_book(data: bytes) -> bytes:
    """COBS for data of less than 254 bytes: each zero becomes the distance to the next."""
    return b"".join(bytes([len(run) + 1]) + run for run in data.split(b"\0"))


def read_all(reader: FrameReader) -> list[Frame]:
    frames = []
    while (frame := reader.next_frame()) is not None:
        frames.append(frame)
    return frames


numbers = st.integers(0, 0xFFFF)
frames = st.builds(
    Frame,
    st.builds(Scale, st.integers(0, 255), st.integers(0, 255), st.integers(-0x800000, 0x7FFFFF))
    | st.builds(Ping, st.integers(0, 255)),
    numbers,
    st.integers(0, 0xFFFFFFFF),
    st.integers(0, 255),
)


def test_the_second_opinion_has_the_check_value_of_the_catalogue() -> None:
    assert crc_by_the_book(b"123456789") == 0x29B1


@given(frames)
def test_a_frame_on_the_wire_is_as_the_document_says(frame: Frame) -> None:
    assert not isinstance(frame.message, Unknown)
    code = MESSAGES[type(frame.message)].code
    plain = bytes([code, frame.flags]) + frame.seq.to_bytes(2, "little")
    plain += frame.t_us.to_bytes(4, "little") + encode_body(frame.message)
    plain += crc_by_the_book(plain).to_bytes(2, "big")

    assert encode_frame(frame) == stuff_by_the_book(plain) + b"\0"


@given(frames)
def test_a_frame_survives_the_round_trip(frame: Frame) -> None:
    assert decode_frame(encode_frame(frame)[:-1]) == frame


@given(st.lists(frames, max_size=8), st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_how_the_bytes_are_cut_into_pieces_does_not_matter(
    sent: list[Frame], cuts: list[int]
) -> None:
    wire = b"".join(encode_frame(frame) for frame in sent)
    reader, at, turn = FrameReader(), 0, 0
    while at < len(wire):
        step = cuts[turn % len(cuts)]
        reader.receive_data(wire[at : at + step])
        at, turn = at + step, turn + 1

    assert read_all(reader) == sent
    assert reader.tally.frames == len(sent)
    assert reader.tally.bad == 0


@given(st.binary(max_size=600), frames)
@example(b"\0" * 50, Frame(Switch(0), 0, 0))
@example(b"\x01" * 500, Frame(Switch(0), 0, 0))
def test_after_any_garbage_the_next_frame_is_read(garbage: bytes, frame: Frame) -> None:
    reader = FrameReader()
    reader.receive_data(garbage)
    reader.receive_data(b"\0" + encode_frame(frame))

    assert read_all(reader)[-1] == frame
    assert reader.tally.bytes == len(garbage) + 1 + len(encode_frame(frame))


def passes(wire: bytes, *bits: int) -> bool:
    """True when `wire` with these bits flipped still gives a frame."""
    flipped = int.from_bytes(wire, "big")
    for bit in bits:
        flipped ^= 1 << bit
    reader = FrameReader()
    reader.receive_data(flipped.to_bytes(len(wire), "big") + b"\0")
    return reader.next_frame() is not None


@given(frames)
def test_no_single_damaged_bit_passes_for_a_frame(frame: Frame) -> None:
    wire = encode_frame(frame)[:-1]

    assert not any(passes(wire, bit) for bit in range(8 * len(wire)))


def test_two_damaged_bits_pass_as_seldom_as_a_16_bit_sum_allows() -> None:
    """All 9180 pairs of each. Two bits in COBS' own bytes move many bits of the content at once."""
    passed = 0
    for count in (0, -1, 0x123456):
        wire = encode_frame(Frame(Scale(1, 2, count), 300, 4_000_000))[:-1]
        pairs = combinations(range(8 * len(wire)), 2)
        passed += sum(passes(wire, *pair) for pair in pairs)

    assert passed <= 1


@pytest.mark.parametrize("fault", ["cobs", "crc", "short", "long"])
def test_the_first_failed_check_is_named(fault: str) -> None:
    whole = encode_frame(Frame(Scale(1, 2, 3), 4, 5))[:-1]
    broken = {
        "cobs": whole[:-1],
        "crc": whole[:-1] + bytes([whole[-1] ^ 1]),
        "short": b"\x03ab",
        "long": b"\x01" * (LONGEST_ENCODED + 1),
    }
    with pytest.raises(BadFrame) as caught:
        decode_frame(broken[fault])
    assert caught.value.fault == fault


def test_endless_noise_without_a_zero_takes_no_memory_and_counts_once() -> None:
    reader = FrameReader()
    for _ in range(1000):
        reader.receive_data(b"\x55" * 100)
    assert len(reader._pending) <= LONGEST_ENCODED + 1

    reader.receive_data(b"\0")
    assert reader.tally.bad_form == 1


def test_damage_and_lost_ends_are_counted_apart() -> None:
    whole = encode_frame(Frame(Scale(1, 2, 3), 4, 5))
    flipped = whole[:-2] + bytes([whole[-2] ^ 1]) + whole[-1:]
    reader = FrameReader()
    reader.receive_data(whole + flipped + whole[:7] + b"\0" + whole)

    assert len(read_all(reader)) == 2
    assert (reader.tally.frames, reader.tally.bad_crc, reader.tally.bad_form) == (2, 1, 1)


def test_a_message_of_a_newer_firmware_arrives_as_unknown() -> None:
    plain = bytes([0x7D, 0, 1, 0, 0, 0, 0, 0, 9, 9])
    reader = FrameReader()
    reader.receive_data(
        stuff_by_the_book(plain + crc_by_the_book(plain).to_bytes(2, "big")) + b"\0"
    )
    frame = reader.next_frame()

    assert frame == Frame(Unknown(0x7D), 1, 0)
    assert reader.tally.unknown == 1
    with pytest.raises(UnsendableMessage):
        encode_frame(Frame(Unknown(0x7D), 1, 0))


def test_after_the_line_was_cut_the_half_frame_is_forgotten() -> None:
    whole = encode_frame(Frame(Hello(1, 1, 0, 2, 1, 1, 1, 4), 0, 0))
    reader = FrameReader()
    reader.receive_data(whole[:9])
    reader.forget_partial()
    reader.receive_data(whole)

    assert len(read_all(reader)) == 1
    assert reader.tally.bad == 0
