"""The stripboard against the plan: the real one, and each way in which it could be wrong."""

import re
from xml.etree import ElementTree as ET

import msgspec
import pytest

from scripts.schematics import plan as wiring
from scripts.schematics.output import STRIPBOARD
from scripts.schematics.plan import PlanError
from scripts.schematics.stripboard import Stripboard, hole_of, name_of, nets, parse, problems
from scripts.schematics.stripboard_page import page, picture

PLAN = wiring.load()
TEXT = STRIPBOARD.read_text(encoding="utf-8")
BOARD = parse(TEXT)


def changed(old: str, new: str) -> Stripboard:
    assert old in TEXT
    return parse(TEXT.replace(old, new, 1))


def test_the_board_joins_what_the_plan_wires_and_nothing_else() -> None:
    assert problems(PLAN, BOARD) == []


def test_every_wire_of_the_nano_is_a_net_of_the_carrier() -> None:
    found = nets(PLAN, BOARD)
    supply = next(net for net in found if "NANO1.5V" in net)

    assert supply == {"NANO1.5V", "LS1.HV", "J1.1", "J2.1", "J3.1", "J4.1", "J9.1"}
    assert {"LS1.LV1", "J5.3"} in found  # behind the shifter, and not the Nano's A4
    assert len(found) == 18


@pytest.mark.parametrize("number", range(len(BOARD.cut_holes)))
def test_a_forgotten_cut_is_found(number: int) -> None:
    left = tuple(hole for n, hole in enumerate(BOARD.cut_holes) if n != number)
    board = msgspec.structs.replace(BOARD, cuts=left)

    assert any("are joined and must not be" in each for each in problems(PLAN, board))


@pytest.mark.parametrize("number", range(len(BOARD.wires)))
def test_a_forgotten_wire_is_found(number: int) -> None:
    left = tuple(wire for n, wire in enumerate(BOARD.wires) if n != number)
    board = msgspec.structs.replace(BOARD, wires=left)

    assert any("are not joined" in each for each in problems(PLAN, board))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('  - {name: J9, first: R36, contacts: ["1", "2"]}\n', "", "J9.1 is not on it"),
        ("from: I14, to: T6", "from: H14, to: T6", "J1.3 and NANO1.D4 are not joined"),
        ("from: L5, to: R6", "from: L5, to: R4", "5V at R4 are in one hole"),
        ("from: L5, to: R6", "from: L5, to: T8", "5V at T8 are in one hole"),
        ("from: L5, to: R6", "from: L5, to: R40", "5V at R40 is off the board"),
        ("T8 T18", "T7 T8 T18", "the cut at T8 parts nothing"),
        ("first: V20", "first: U20", "J5.3 and LS1.LV1 are not joined"),
        ("mounts: [P2", "mounts: [R6", "J1.1 is on the strip of the screw at R6"),
        ("name: J4, first", "name: J9, first", "J4.1 is not on it"),
        ("first: R36", "first: Q37", "J9 stands on the head of the screw"),
        ("first: R13", "first: Q13", "NANO1 and J2 stand in one place"),
        ("first: R36", "first: R35", "J4 and J9 stand in one place"),
        ("from: B30, to: U30", "from: B34, to: U36", "J9 is in the way of SCK3 from B34 to U36"),
        ("from: N5, to: S6", "from: N1, to: S1", "screw at P2 is in the way of GND from N1 to S1"),
    ],
)
def test_a_slip_of_the_pen_is_named(old: str, new: str, words: str) -> None:
    assert words in "; ".join(problems(PLAN, changed(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [("R4,", "R,", "'R' is no hole"), ("strips: 31", "strips: many", "strips")],
)
def test_what_cannot_be_read_is_one_line(old: str, new: str, words: str) -> None:
    with pytest.raises(PlanError, match=re.escape(words)):
        problems(PLAN, changed(old, new))


def test_a_wire_may_pass_below_a_module_in_sockets() -> None:
    assert "{signal: SDA, from: H7, to: V7}" in TEXT  # below Nano and level shifter
    assert problems(PLAN, BOARD) == []


def test_holes_have_names_and_names_holes() -> None:
    for hole in ((0, 0), (25, 38), (26, 14), (30, 0)):
        assert hole_of(name_of(hole)) == hole


def test_picture_and_page_show_every_cut_and_wire() -> None:
    shown = ET.fromstring(picture(BOARD))  # noqa: S314 - our own
    marks = [each.get("class") for each in shown.iter()]

    assert marks.count("cut") == len(BOARD.cut_holes)
    assert marks.count("wire") == len(BOARD.wires)
    for wire in BOARD.wires:
        assert f"| {wire.signal} | {wire.start} | {wire.to} |" in page(BOARD)
    assert "AA11" in page(BOARD)
