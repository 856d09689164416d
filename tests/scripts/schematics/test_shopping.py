"""Parts lists: every part has a line that can be ordered or checked, and the sums are right."""

import csv
import io
import re
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from hw.building.measures import STANDARD
from hw.building.mechanics import built
from scripts.schematics import plan, rules, shopping
from scripts.schematics.tables import COLOUR_WORDS

PLAN, BUILD = plan.load(), built(STANDARD)
VARIANTS = list(PLAN.variants)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_part_is_bought_once(variant: str) -> None:
    rows = list(csv.DictReader(io.StringIO(shopping.bom(PLAN, variant, BUILD))))

    bought = [label for row in rows for label in row["reference"].split()]
    assert set(PLAN.variants[variant].parts) <= set(bought)
    assert len(bought) == len(set(bought))
    assert all(int(row["quantity"]) > 0 for row in rows)
    assert all(row["exactly"] or (row["order_1"] and row["order_2"]) for row in rows)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_sum_is_that_of_the_table_as_it_is_ordered(variant: str) -> None:
    rows = list(csv.DictReader(io.StringIO(shopping.bom(PLAN, variant, BUILD))))
    title = re.escape(PLAN.variants[variant].title)
    told = re.search(rf"{title}: about \*\*(\d+) euro or (\d+) dollars", shopping.page(PLAN, BUILD))

    assert told is not None
    for currency, sum_told in zip(("eur_each", "usd_each"), told.groups(), strict=True):
        total = sum(int(row["quantity"]) * float(row[currency]) for row in rows)
        assert int(sum_told) == pytest.approx(total, abs=0.51)


def test_the_page_has_each_line_once_with_the_numbers_of_each_variant() -> None:
    rows = [row for row in shopping.page(PLAN, BUILD).splitlines() if row.startswith("| ")]

    assert len(rows) == 3 * 2 + len(PLAN.bom) + len(PLAN.consumables) + len(PLAN.tools)
    assert any(row.startswith("| Stop screws with nuts |  | 4 | 4 |  |") for row in rows)
    assert any("| A0 A1 A2 A3 | 4 |  |  |" in row for row in rows)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_readme_says_what_the_list_adds_up_to(variant: str) -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    linked = re.search(rf"\(schematics/{variant}/bom\.csv\)[^0-9(]*(\d+)", readme)

    assert linked is not None
    assert int(linked[1]) == round(shopping.sums(PLAN, variant).eur)


def test_the_readme_says_what_the_tools_add_up_to() -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    told = re.search(r"tools, if nothing is there: (\d+) euro \(starter: (\d+)\)", readme)

    assert told is not None
    assert [int(told[1]), int(told[2])] == [
        round(shopping.sums(PLAN, variant).tools_eur) for variant in ("bridge", "starter")
    ]


def test_a_starter_has_everything_between_its_game_and_the_table() -> None:
    lines = {line.part: line for line in shopping.listed(PLAN, "starter")}

    for part in ("Plate", "Feet", "Wire", "Glue", "Spacers of the load cell"):
        assert part in lines
    assert [lines[f"Screws of the {end} end"].count for end in ("loaded", "fixed")] == [2, 2]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("size_mm: [21.0, 16.0]", "size_mm: [25.4, 17.8]", "25.4 x 17.8 mm; the drawings have"),
        ("size_mm: [80.0, 12.7], ", "", "no size_mm; the drawings have room for 80 x 12.7 mm"),
    ],
)
def test_a_part_that_does_not_fit_the_drawings_is_refused(old: str, new: str, words: str) -> None:
    text = plan.PINS_FILE.read_text()
    (said,) = rules.part_sizes(plan.parse(text.replace(old, new)), BUILD.parts)

    assert old in text
    assert words in said
    assert list(rules.part_sizes(PLAN, BUILD.parts)) == []


def test_every_screw_of_the_plates_is_in_the_list() -> None:
    listed = " ".join(line.what.exactly for line in shopping.parts(PLAN, "bridge"))

    for size in ("M4 x 16", "M5 x 16", "M4 x 12", "M3 x 25"):
        assert size in listed


@pytest.mark.parametrize("left", ["order_1", "order_2", ""])
def test_a_line_that_nobody_can_order_or_check_is_refused(left: str) -> None:
    numbers = {"order_1": "", "order_2": ""} | ({left: "Maker 1"} if left else {})
    line = msgspec.structs.replace(PLAN.bom[0], exactly="", **numbers)
    spoilt = msgspec.structs.replace(PLAN, bom=(line, *PLAN.bom[1:]))

    assert rules.parts_list(PLAN) == []
    assert any("neither two numbers" in said for said in rules.parts_list(spoilt))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_list_has_wire_enough_of_each_colour_for_every_cable(variant: str) -> None:
    (wire,) = [line for line in shopping.listed(PLAN, variant) if line.part == "Wire"]
    bought_m = {
        (section, colour): float(metres)
        for section, colours in re.findall(r"([\d.]+) mm2: ([^;]+)", wire.exactly)
        for colour, metres in re.findall(r"(\w+) ([\d.]+) m", colours)
    }
    used_m = defaultdict[tuple[str, str], float](float)
    for each in PLAN.variants[variant].wires:
        cable = PLAN.variants[variant].cable(each)
        if cable and cable.kind.startswith("stranded"):
            section = cable.kind.split()[1]
            used_m[section, COLOUR_WORDS[each.colour]] += cable.length_mm / 1000

    assert set(bought_m) == set(used_m)
    assert all(used_m[key] <= metres < used_m[key] * 1.2 + 0.51 for key, metres in bought_m.items())
