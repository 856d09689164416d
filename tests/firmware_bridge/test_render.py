import re
from pathlib import Path

import pytest

from firmware_bridge import messages
from firmware_bridge.framing import Frame, decode_frame, encode_frame
from firmware_bridge.render import c_header, markdown_tables, snake

BRIDGE = Path(messages.__file__).parent
PROTOCOL = (BRIDGE / "PROTOCOL.md").read_text(encoding="utf-8")

ROW = re.compile(
    r"^\| (?P<name>\w+)\((?P<values>.*)\) \| (?P<seq>\d+) \| (?P<t_us>\d+) \| (?P<flags>\d+) "
    r"\| `(?P<wire>[0-9a-f ]+)` \|$",
    re.MULTILINE,
)
CONSTANTS = {"SCHEMA_HASH": messages.SCHEMA_HASH, "FIRMWARE_ID": messages.FIRMWARE_ID}


def worked_frame(row: re.Match[str]) -> Frame:
    values = {}
    for part in filter(None, row["values"].split(", ")):
        key, value = part.split("=")
        values[key] = CONSTANTS[value] if value in CONSTANTS else int(value)
    message = getattr(messages, row["name"])(**values)
    return Frame(message, int(row["seq"]), int(row["t_us"]), int(row["flags"]))


WORKED = list(ROW.finditer(PROTOCOL))


def test_the_firmware_header_is_the_one_made_from_the_table() -> None:
    header = BRIDGE / "firmware" / "src" / "messages.h"
    assert header.read_text(encoding="ascii") == c_header(), (
        "run: python -m firmware_bridge.render c > firmware_bridge/firmware/src/messages.h"
    )


def test_the_tables_of_the_document_are_made_from_the_table() -> None:
    assert markdown_tables() in PROTOCOL


def test_every_message_has_worked_bytes_in_the_document() -> None:
    assert {row["name"] for row in WORKED} == {cls.__name__ for cls in messages.MESSAGES}


@pytest.mark.parametrize("row", WORKED, ids=lambda row: row["name"])
def test_the_worked_bytes_are_what_goes_on_the_wire(row: re.Match[str]) -> None:
    frame, wire = worked_frame(row), bytes.fromhex(row["wire"])

    assert encode_frame(frame) == wire
    assert decode_frame(wire[:-1]) == frame


def test_the_frame_explained_byte_by_byte_is_one_of_the_worked_ones() -> None:
    explained = PROTOCOL.split("byte by byte", 1)[1].split("## Conversation", 1)[0]
    wire = " ".join(re.findall(r"^\| `([0-9a-f ]+)` \|", explained, re.MULTILINE))

    assert wire in [row["wire"] for row in WORKED]


def test_names_become_c_names() -> None:
    assert [snake(name) for name in ("SetGain", "Imu", "ResetCell")] == [
        "set_gain",
        "imu",
        "reset_cell",
    ]
