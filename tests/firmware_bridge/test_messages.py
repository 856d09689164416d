import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import BadFrame, BridgeError, UnsendableMessage
from firmware_bridge.messages import (
    BY_CODE,
    FIRMWARE_ID,
    MESSAGES,
    SCHEMA,
    SCHEMA_HASH,
    Direction,
    Imu,
    Layout,
    Message,
    Scale,
    Start,
    Status,
    Switch,
    Unknown,
    decode_body,
    encode_body,
)

# (message, body): one table for both directions, bytes worked out by hand.
BODIES: list[tuple[Message, str]] = [
    (Scale(cell=2, index=7, count=-5), "02 07 fb ff ff"),
    (Scale(cell=0, index=0, count=-0x800000), "00 00 00 00 80"),
    (Scale(cell=3, index=255, count=0x7FFFFF), "03 ff ff ff 7f"),
    (Imu(1, -1, 2, -32768, 32767, 0, 256, -256), "01 ff ff 02 00 00 80 ff 7f 00 00 00 01 00 ff"),
    (Switch(1), "01"),
    (Start(200), "c8"),
    (Status(1, 2, 3, 4, 5, 0x1234, 6, 7, 8), "01 00 02 00 03 00 04 00 05 34 12 06 00 07 08"),
]


def messages() -> st.SearchStrategy[Any]:
    """Any message of the table, with any values that fit."""
    return st.sampled_from(list(MESSAGES.items())).flatmap(_with_values)


def _with_values(row: tuple[type[Any], Layout]) -> st.SearchStrategy[Any]:
    cls, layout = row
    return st.builds(
        cls, **{f.name: st.integers(f.kind.lowest, f.kind.highest) for f in layout.fields}
    )


@pytest.mark.parametrize(("message", "body"), BODIES)
def test_a_message_and_its_body_are_as_worked_out_by_hand(message: Message, body: str) -> None:
    assert encode_body(message) == bytes.fromhex(body)
    assert decode_body(MESSAGES[type(message)].code, bytes.fromhex(body)) == message


@given(messages())
def test_every_message_survives_the_round_trip(message: Message) -> None:
    assert decode_body(MESSAGES[type(message)].code, encode_body(message)) == message


@given(messages(), st.binary(max_size=6))
def test_fields_that_a_newer_firmware_appends_are_ignored(message: Message, tail: bytes) -> None:
    body = encode_body(message) + tail
    assert decode_body(MESSAGES[type(message)].code, body) == message


@pytest.mark.parametrize("layout", [row for row in MESSAGES.values() if row.fields])
def test_a_body_that_is_one_byte_short_is_refused(layout: Layout) -> None:
    with pytest.raises(BadFrame, match=layout.name):
        decode_body(layout.code, bytes(layout.size - 1))


def test_a_type_outside_the_table_is_named_and_not_refused() -> None:
    assert decode_body(0x7E, b"anything") == Unknown(0x7E)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (Scale(cell=256, index=0, count=0), "cell"),
        (Scale(cell=0, index=-1, count=0), "index"),
        (Scale(cell=0, index=0, count=0x800000), "count"),
        (Scale(cell=0, index=0, count=-0x800001), "count"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_the_name_of_its_field(
    message: Message, field: str
) -> None:
    with pytest.raises(UnsendableMessage, match=field) as caught:
        encode_body(message)
    assert caught.value.field == field
    assert isinstance(caught.value, BridgeError)


def test_codes_are_unique_and_their_top_bit_is_the_direction() -> None:
    assert len(BY_CODE) == len(MESSAGES)
    for layout in MESSAGES.values():
        assert (layout.code & 0x80 != 0) == (layout.direction is Direction.TO_DEVICE)


def test_every_field_of_every_class_is_on_the_wire() -> None:
    for cls, layout in MESSAGES.items():
        assert [f.name for f in dataclasses.fields(cls)] == [f.name for f in layout.fields]


def test_the_schema_hash_is_that_of_the_schema_text() -> None:
    # A change here is a change of the protocol: raise the version in messages.py with it.
    assert "0x02 Scale cell:u8 index:u8 count:i24" in SCHEMA.splitlines()
    assert SCHEMA_HASH == 0x1C4ABA9B
    assert FIRMWARE_ID.to_bytes(4, "big") == b"TOPP"
