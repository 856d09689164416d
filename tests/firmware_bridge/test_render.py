import re
from pathlib import Path

import pytest

from firmware_bridge import messages
from firmware_bridge.framing import Frame, decode_frame, encode_frame
from firmware_bridge.render import c_header, main, snake

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


def test_header_and_document_are_the_ones_made_from_the_table() -> None:
    assert main(["--check"]) == 0, "run: make contract"


def test_old_files_are_found_by_a_check_and_renewed_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = tmp_path / "firmware" / "src" / "messages.h"
    header.parent.mkdir(parents=True)
    header.write_text("old\n")
    old = PROTOCOL.replace("firmware_id u32,", "firmware_id u16,")
    assert old != PROTOCOL
    (tmp_path / "PROTOCOL.md").write_text(old, encoding="utf-8")

    assert main(["--check"], tmp_path) == 1
    assert header.read_text() == "old\n"
    assert main([], tmp_path) == 0
    assert (tmp_path / "PROTOCOL.md").read_text(encoding="utf-8") == PROTOCOL
    assert header.read_text() == c_header()
    assert main(["--check"], tmp_path) == 0
    assert main(["c"], tmp_path) == 2
    assert "[--check]" in capsys.readouterr().err


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
