"""What to buy for a table, with the sizes of one's own: plates, stem, spacers cut to measure.

The lists are shipped as they stand in `schematics/pins.yaml`; sizes that follow from the game stand
in braces there.
"""

import csv
import io
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from hw.building.mechanics import Mechanics

LISTS_FILE = "purchases.json"
COLUMNS = (
    "reference", "quantity", "part", "order_1", "order_2", "exactly", "shop", "priced", "eur_each",
    "usd_each", "instead",
)  # fmt: skip


class Purchased(msgspec.Struct, frozen=True):
    """One line of a list.

    Attributes:
        reference: labels of the wiring, or a number; empty for what is used up.
        count: how many.
        part: what it is.
        order_1, order_2: makers' numbers.
        exactly: a description that can be checked, with sizes of the build in braces.
        shop: the kind of shop that has it.
        priced: month of the prices.
        eur, usd: of one, estimated.
        instead: what does as well.
    """

    reference: str
    count: int
    part: str
    order_1: str
    order_2: str
    exactly: str
    shop: str
    priced: str
    eur: float
    usd: float
    instead: str


@cache
def lists() -> dict[str, tuple[Purchased, ...]]:
    """The shipped list of each way to build a table, by its name."""
    text = files(__package__).joinpath(LISTS_FILE).read_bytes()
    return msgspec.json.decode(text, type=dict[str, tuple[Purchased, ...]])


def cut(text: str, build: Mechanics) -> str:
    """A text with the sizes of this build in the place of its braces.

    Raises:
        KeyError: the text names a size that no build has.
    """
    return text.format_map(sizes(build))


def sizes(build: Mechanics) -> dict[str, str]:
    """What is cut or chosen to measure, in the unit of its name."""
    bar, base, pivot = build.load_cell, build.base, build.pivot
    measured = {
        "plate_side_mm": 2 * build.design.base_half_mm,
        "base_plate_mm": base.plate_mm,
        "foot_plate_mm": base.foot_plate_mm,
        "stem_mm": build.design.stem_diameter_mm,
        "stem_wall_mm": pivot.stem_wall_mm,
        "stem_length_mm": build.stem_length_mm + base.plate_mm,
        "needle_mm": pivot.needle_diameter_mm,
        "needle_length_mm": pivot.needle_length_mm,
        "needle_cone_mm": pivot.needle_cone_mm,
        "cup_length_mm": build.cup_length_mm,
        "cup_cone_deg": pivot.cup_cone_deg,
        "spacer_mm": base.gap_mm,
        "spacer_length_mm": 2 * bar.end_mm,
        "bar_width_mm": bar.width_mm,
        "tip_under_c3_mm": build.measures.centre_height_mm,
        "cell_pitch_mm": build.measures.cell_pitch_mm,
    }
    return {name: f"{round(value, 1):g}" for name, value in measured.items()}


def as_csv(lines: Sequence[Purchased], build: Mechanics) -> str:
    """A list for this build."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    for line in lines:
        table.writerow((
            line.reference, line.count, line.part, line.order_1, line.order_2,
            cut(line.exactly, build), line.shop, line.priced, f"{line.eur:g}", f"{line.usd:g}",
            line.instead,
        ))  # fmt: skip
    return out.getvalue()
