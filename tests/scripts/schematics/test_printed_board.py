"""The files of the printed board against the plan, and each fault that they could have."""

import csv
import re
from collections.abc import Callable

import pytest
from gerbonara.layers import LayerStack

from scripts.schematics import plan as wiring
from scripts.schematics.output import PRINTED_BOARD, STRIPBOARD
from scripts.schematics.plan import PlanError
from scripts.schematics.printed_board import at, files
from scripts.schematics.printed_board_check import problems
from scripts.schematics.stripboard import hole_of, parse

PLAN = wiring.load()
TEXT = STRIPBOARD.read_text(encoding="utf-8")
BOARD = parse(TEXT)
FILES = {path.name: path.read_text() for path in PRINTED_BOARD.iterdir()}
TOP, BOTTOM, DRILL = "carrier.gtl", "carrier.gbl", "carrier-PTH.drl"
STROKES = [
    (name, number) for name in (TOP, BOTTOM)
    for number, line in enumerate(FILES[name].splitlines()) if line.endswith(("D01*", "D03*"))
]  # fmt: skip
SPARE = {
    f"{point}D01*" for point in (
        "X001571000Y005016000", "X001571000Y004635000", "X001444000Y004635000",
        "X001444000Y004508000", "X002460000Y001714000",
    )
}  # fmt: skip
"""Strokes between the two GND of the Nano and of the level shifter, which these join themselves."""


def said(name: str, text: str) -> str:
    """What is wrong when one file is another."""
    return "; ".join(problems(PLAN, BOARD, FILES | {name: text}))


def drawn(*points: tuple[float, float], pen_mm: float = 0.4) -> Callable[[str], str]:
    """A file with one more stroke, in mm."""
    (x, y), (to_x, to_y) = ([round(each * 100_000) for each in point] for point in points)
    stroke = f"%ADD99C,{pen_mm}*%\nD99*\nX{x}Y{y}D02*\nX{to_x}Y{to_y}D01*\n"
    return lambda text: text.replace("M02*", stroke + "M02*")


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


def test_the_committed_files_join_what_the_plan_wires_and_nothing_else() -> None:
    assert problems(PLAN, BOARD, FILES) == []
    assert files(PLAN, BOARD) == FILES


J1_1, J1_2, J2_3 = (at(BOARD, hole_of(name)) for name in ("R4", "S4", "T13"))
PAST_J2_3 = [(J2_3[0] - 1.15, J2_3[1] - 1), (J2_3[0] - 1.15, J2_3[1] + 0.1)]
SCREW = at(BOARD, hole_of("AC2"))


@pytest.mark.parametrize(
    ("name", "changed", "words"),
    [
        (TOP, drawn(J1_1, J1_2), "J1.1 and J1.2 are joined and must not be"),
        (BOTTOM, drawn(J1_1, J1_2), "J1.1 and J1.2 are joined and must not be"),
        (TOP, drawn(*PAST_J2_3), "copper on the parts' side only 0.15 mm apart at 3"),
        (BOTTOM, drawn((1, 0.6), (9, 0.6)), "copper on the solder side at the edge at 5.00, 0.60"),
        (TOP, drawn((1, SCREW[1]), (1.4, SCREW[1])), "at the head of a screw at 1.20, 6.98 mm"),
        (DRILL, replaced("X0009.36000Y0034.92000\n", ""), "J1.1 has no hole of 1 mm at 9.36, 34"),
        (DRILL, replaced("C0001.00000", "C0000.80000"), "J1.1 has no hole of 1 mm"),
        (DRILL, replaced("C0001.00000", "C0001.20000"), "no ring of 0.3 mm on the solder side"),
        ("carrier-NPTH.drl", replaced("X0004.28", "X0005.28"), "the screw P2 has no hole"),
        ("carrier.gto", drawn((0, 20), (60, 20)), "print on bare copper"),
    ],
)  # fmt: skip
def test_a_fault_of_the_files_is_found_and_named(
    name: str, changed: Callable[[str], str], words: str
) -> None:
    text = changed(FILES[name])

    assert text != FILES[name]
    assert words in said(name, text)


@pytest.mark.parametrize("first", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in range(3))])
def test_each_missing_stroke_and_ring_is_found(first: int) -> None:
    every = len(STROKES) // 3 if first == 3 else 3
    for name, number in STROKES[first::every]:
        lines = FILES[name].splitlines()
        if lines[number] in SPARE:
            continue
        lines[number] = lines[number][:-4] + "D02*"

        assert re.search("are not joined|no ring", said(name, "\n".join(lines))), lines[number]


def test_parts_too_close_for_any_track_are_named() -> None:
    walled = TEXT.replace("strips: 31", "strips: 18")  # fewer rows than the parts need

    with pytest.raises(PlanError, match=r"no way for the tracks of .* on a printed board"):
        files(PLAN, parse(walled))


def test_a_reader_of_the_folder_knows_each_layer_by_its_name_and_the_board_by_its_edge() -> None:
    stack = LayerStack.open_dir(PRINTED_BOARD)

    assert {f"{side} {use}" for side, use in stack.graphic_layers} == {
        "top copper", "bottom copper", "top mask", "bottom mask", "top silk", "mechanical outline"
    }  # fmt: skip
    assert [round(each) for corner in stack.board_bounds() for each in corner] == [0, 0, 100, 80]
    assert {hole.tool.diameter for hole in stack.drill_pth.objects} == {0.6, 1.0}


def test_each_command_of_a_gerber_file_ends_as_the_format_demands() -> None:
    for name in (TOP, BOTTOM, "carrier.gts", "carrier.gbs", "carrier.gto", "carrier.gm1"):
        assert {line[-1] for line in FILES[name].splitlines()} == {"*", "%"}
        assert FILES[name].index("G01*") < FILES[name].index("D10*")


def test_the_position_file_has_each_part_in_the_middle_of_its_contacts() -> None:
    rows = {row["part"]: row for row in csv.DictReader(FILES["positions.csv"].splitlines())}

    assert set(rows) == {row.name for row in BOARD.parts}
    (x, y), (to_x, to_y) = (at(BOARD, hole_of(name)) for name in ("A6", "O12"))
    assert float(rows["NANO1"]["x_mm"]) == pytest.approx((x + to_x) / 2)
    assert float(rows["NANO1"]["y_mm"]) == pytest.approx((y + to_y) / 2)
