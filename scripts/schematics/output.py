"""Which file holds what: everything made from the plan and the build, as texts by path.

Drawings of the harnesses are made last and apart, because they need Graphviz.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec

from hw.building import mechanics as building
from hw.building import plates, purchases, verdict
from hw.building.drawings import dxf, sheets
from hw.building.mechanics import Mechanics
from scripts.schematics import (
    budget,
    firmware_pins,
    harness,
    printed_board,
    printed_board_check,
    rules,
    settings,
    shopping,
    stripboard,
    stripboard_page,
    tables,
)
from scripts.schematics.harness import Document
from scripts.schematics.plan import FOLDER, ROOT, Plan

PANEL = "panel"
CARRIER = FOLDER / "carrier"
STRIPBOARD = CARRIER / "stripboard.yaml"
PRINTED_BOARD = CARRIER / "board"
SHIPPED = ROOT / "hw" / "building"
SHIPPED_PARTS, SHIPPED_LISTS = SHIPPED / building.PARTS_FILE, SHIPPED / purchases.LISTS_FILE


def objections(plan: Plan, mechanics: Mechanics) -> list[str]:
    """All that speaks against building this."""
    wiring = [
        text for name in plan.variants for text in rules.problems(plan, name)
        + budget.problems(plan, name)
    ]  # fmt: skip
    board = stripboard.parse(STRIPBOARD.read_text(encoding="utf-8"))
    wiring += stripboard.problems(plan, board) or printed_board_check.problems(
        plan, board, printed_board.files(plan, board)
    )
    wiring += rules.parts_list(plan) + list(rules.part_sizes(plan, mechanics.parts))
    wiring += rules.tilt_switch(plan, mechanics.design.stop_deg)
    return wiring + [str(each) for each in verdict.against(mechanics)]


def harnesses(plan: Plan) -> dict[str, Document]:
    """WireViz documents by folder."""
    found = {name: harness.harness(plan, name) for name in plan.variants}
    return found | {PANEL: harness.panel_harness(plan)}


def texts(plan: Plan, mechanics: Mechanics) -> dict[Path, str]:
    """Every made file but the drawings of the harnesses."""
    return dict(_texts(plan, mechanics))


def _texts(plan: Plan, mechanics: Mechanics) -> Iterator[tuple[Path, str]]:
    for name in plan.variants:
        yield FOLDER / name / "wiring.md", tables.wiring(plan, name)
        yield FOLDER / name / "bom.csv", shopping.bom(plan, name, mechanics)
        yield FOLDER / name / "config.toml", settings.snippet(plan, name)
    board = stripboard.parse(STRIPBOARD.read_text(encoding="utf-8"))
    yield STRIPBOARD.with_suffix(".svg"), stripboard_page.picture(board)
    yield STRIPBOARD.with_suffix(".md"), stripboard_page.page(board)
    for name, text in printed_board.files(plan, board).items():
        yield PRINTED_BOARD / name, text
    yield FOLDER / "parts.md", shopping.page(plan, mechanics)
    yield FOLDER / PANEL / "wiring.md", tables.panel(plan)
    for folder, document in harnesses(plan).items():
        yield FOLDER / folder / "harness.yml", harness.as_yaml(document)
    for name, sheet in mechanical(mechanics).items():
        yield FOLDER / "mechanics" / name, sheet
    for plate in get_args(plates.Plate):
        yield FOLDER / "mechanics" / f"{plate}-plate.dxf", dxf.drawing(mechanics, plate)
    yield FOLDER / "mechanics" / "holes.csv", dxf.hole_table(mechanics)
    yield firmware_pins.PINS_H, firmware_pins.header(plan)
    yield SHIPPED_PARTS, _shipped(mechanics.parts)
    lists = {name: shopping.listed(plan, name) for name in plan.variants}
    yield SHIPPED_LISTS, _shipped(lists)


def _shipped(facts: object) -> str:
    """Facts as the installed program reads them: without a reader of YAML."""
    return msgspec.json.format(msgspec.json.encode(facts)).decode() + "\n"


def mechanical(mechanics: Mechanics) -> dict[str, str]:
    """The mechanical drawings by file name."""
    return {
        "base-plate.svg": sheets.base_sheet(mechanics),
        "sensor-pocket.svg": sheets.board_sheet(mechanics),
    }


def stale(plan: Plan, mechanics: Mechanics) -> list[str]:
    """Files that are not what the sources make: paths, relative to the repository.

    Harness drawings are compared by what they say, not by where Graphviz put it.
    """
    old = [path for path, text in texts(plan, mechanics).items() if _read(path) != text]
    for folder, document in harnesses(plan).items():
        path = FOLDER / folder / "harness.svg"
        if not _says_the_same(_read(path), harness.draw(document)):
            old.append(path)
    return [path.relative_to(FOLDER.parent).as_posix() for path in old]


def write(plan: Plan, mechanics: Mechanics) -> list[str]:
    """Write all that is stale, and say what that was."""
    old = stale(plan, mechanics)
    fresh = texts(plan, mechanics)
    for name in old:
        path = FOLDER.parent / name
        if path.name == "harness.svg":
            text = harness.draw(harnesses(plan)[path.parent.name])
        else:
            text = fresh[path]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return old


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _says_the_same(old: str, new: str) -> bool:
    return bool(old) and harness.statements(old) == harness.statements(new)
