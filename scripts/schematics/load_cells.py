"""Which load cells: what each capacity tells of a piece, and what it survives.

A full bridge of S mV/V gives S/1000 of its supply at capacity. The HX711 measures against the same
supply: at gain 128 half of it over 128 is full scale, 2^23 counts (HX711 datasheet V2.0, pages 3
and 4). So counts a gram depend on capacity alone, and neither on supply nor on reference.
"""

from dataclasses import dataclass
from math import sqrt

from scripts.schematics.geometry import Mechanics
from scripts.schematics.tables import in_markdown

CAPACITIES_KG = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
SENSITIVITY_MV_V = 1.0
GAIN = 128
FULL_SCALE_COUNTS = 2**23
NOISE_COUNTS = (45.0, 172.0)
"""Standard deviation of one conversion at 80 a second on real boards, the quietest and the
loudest of the recordings that were looked at."""
AVERAGED = 24
"""Conversions in 0.3 s of rest."""
CREEP = 0.001
"""Of a load, in minutes: 0.1 % is what sheets of such cells promise."""
ZERO_SHARE_K = 5e-5
"""Of the capacity, for each degree: 0.05 % in 10 degrees is usual."""
OVERLOAD = 1.5
"""Of the capacity, without damage."""
CELLS = 4


@dataclass(frozen=True, slots=True)
class Capacity:
    """What four cells of one capacity can tell on a table.

    Attributes:
        piece_counts: of one piece, all cells together.
        weight_noise_g: of the difference of two rests of 0.3 s, quietest and loudest.
        moment_noise_gmm: the same of the moment about the tip.
        drift_g_k: of the zero with temperature.
        survives_kg: a press on one cell without stop screws.
    """

    capacity_kg: float
    piece_counts: float
    weight_noise_g: tuple[float, float]
    moment_noise_gmm: tuple[float, float]
    drift_g_k: float
    survives_kg: float


def capacity(m: Mechanics, capacity_kg: float) -> Capacity:
    """What cells of a capacity in kg can tell."""
    counts_per_gram = SENSITIVITY_MV_V / 1000 * 2 * GAIN * FULL_SCALE_COUNTS / (1000 * capacity_kg)
    out_mm = abs(m.design.load_cell_positions_mm[0][0])
    # Two rests are compared, each the mean of many conversions.
    cell_g = [sqrt(2 / AVERAGED) * noise / counts_per_gram for noise in NOISE_COUNTS]
    quiet, loud = cell_g
    return Capacity(
        capacity_kg,
        m.measures.piece.mass_mean_g * counts_per_gram,
        (sqrt(CELLS) * quiet, sqrt(CELLS) * loud),
        (sqrt(CELLS) * out_mm * quiet, sqrt(CELLS) * out_mm * loud),
        1000 * capacity_kg * ZERO_SHARE_K,
        OVERLOAD * capacity_kg,
    )


def page(m: Mechanics) -> str:
    """The comparison as a Markdown page."""
    rows = [
        (f"{each.capacity_kg:g} kg", f"{each.piece_counts:,.0f}", _span(each.weight_noise_g, 3),
         _span(each.moment_noise_gmm, 1), f"{each.drift_g_k:g}", f"{each.survives_kg:g} kg")
        for each in (capacity(m, capacity_kg) for capacity_kg in CAPACITIES_KG)
    ]  # fmt: skip
    piece = m.measures.piece
    head = (
        "capacity", f"counts of a piece of {piece.mass_mean_g:g} g", "noise of the weight, g",
        "noise of the moment, g mm", "drift, g a degree", "survives without stop screws",
    )  # fmt: skip
    creep_g = CREEP * 20 * piece.mass_mean_g
    return "\n".join([
        "<!-- Made by `make schematics` from scripts/schematics/load_cells.py. -->\n",
        "# Which load cells\n",
        in_markdown(head, rows),
        (f"Computed for {SENSITIVITY_MV_V:g} mV/V, and for the difference of two rests of 0.3 s. "
         f"One conversion has {NOISE_COUNTS[0]:g} to {NOISE_COUNTS[1]:g} counts of noise on real "
         "boards, whatever the capacity.\n"),
        "* **Noise limits none of them**: even at 10 kg a piece is many times its noise.",
        (f"* **Creep** is a share of what stands on a cell, so it is the same for all: of twenty "
         f"pieces {creep_g:.2f} g in some minutes. The detector follows it."),
        ("* **The moment** is what larger cells tell worse. The tip passes on no moment but its "
         "friction, some 10 g mm on the assumed board; cells of 1 and 2 kg see it, those of 5 kg "
         "and more do not. Where a piece lies is told by the tilt all the same."),
        ("* **A hand** presses with 5 to 10 kg. Only cells of 10 kg survive that by themselves; "
         "all others need the stop screws, set to 0.3 mm."),
        ("\nSo: **1 kg** with stop screws; 2 and 3 kg do as well; 5 kg where small hands are "
         "rough.\n"),
    ])  # fmt: skip


def _span(values: tuple[float, float], digits: int) -> str:
    low, high = values
    return f"{low:.{digits}f} to {high:.{digits}f}"
