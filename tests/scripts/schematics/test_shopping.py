"""Parts lists: every part has a line that can be ordered or checked, and the sums are right."""

import csv
import io
import re

import msgspec
import pytest

from hw.building.measures import STANDARD
from hw.building.mechanics import built
from scripts.schematics import plan, rules, shopping

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
