"""What to buy for one way of building: as CSV to order from, and as a page with sums."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scripts.schematics.plan import Plan, Priced, Purchase, Variant
from scripts.schematics.tables import MADE, in_markdown

COLUMNS = (
    "reference", "quantity", "part", "order_1", "order_2", "exactly", "eur_each", "usd_each",
    "instead",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShoppingLine:
    """One line of a variant's list.

    Attributes:
        reference: labels of the wiring, or a number.
        count: how many.
        what: to order.
    """

    reference: str
    count: int
    what: Priced

    @property
    def eur(self) -> float:
        """Of all of them."""
        return self.count * self.what.eur

    @property
    def usd(self) -> float:
        """Of all of them."""
        return self.count * self.what.usd


def parts(plan: Plan, name: str) -> list[ShoppingLine]:
    """The parts of a variant."""
    return list(_parts(plan, name))


def _parts(plan: Plan, name: str) -> Iterator[ShoppingLine]:
    variant = plan.variants[name]
    number = 0
    for line in plan.bom:
        if line.only and name not in line.only:
            continue
        references = _references(variant, line)
        if line.per and not references:
            continue
        number += not references
        label = " ".join(references) or f"M{number}"
        yield ShoppingLine(label, len(references) or line.count, line)


def others(lines: Sequence[Priced], name: str) -> list[ShoppingLine]:
    """What is used up, or the tools, of a variant."""
    return [ShoppingLine("", 1, line) for line in lines if not line.only or name in line.only]


def _references(variant: Variant, line: Purchase) -> list[str]:
    if line.per == "connector":
        return sorted({wire.at.partition(".")[0] for wire in variant.wires if wire.at})
    return [label for label, part in variant.parts.items() if part.kind == line.per]


def bom(plan: Plan, name: str) -> str:
    """The parts list of a variant as CSV."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    for line in [*parts(plan, name), *others(plan.consumables, name)]:
        what = line.what
        table.writerow((
            line.reference, line.count, what.part, what.order_1, what.order_2, what.exactly,
            f"{what.eur:g}", f"{what.usd:g}", what.instead,
        ))  # fmt: skip
    return out.getvalue()


def page(plan: Plan, name: str) -> str:
    """Parts, consumables and tools of a variant with their sums, as a Markdown page."""
    bought, used = parts(plan, name), others(plan.consumables, name)
    tools = others(plan.tools, name)
    together = [*bought, *used]
    return "\n".join([
        MADE,
        f"# Parts: {plan.variants[name].title}\n",
        (f"Together about **{_eur(together):.0f} euro or {_usd(together):.0f} dollars**: parts "
         f"{_eur(bought):.0f}, what is used up {_eur(used):.0f} euro; without tools (some "
         f"{_eur(tools):.0f} euro if nothing is there).\n"),
        ("Prices are estimates of November 2026, for small numbers, without postage. Nobody has "
         "asked a shop, and nobody has built it.\n"),
        "## Parts\n",
        _table(bought),
        "## Used up\n",
        _table(used),
        "## Tools\n",
        _table(tools),
    ])  # fmt: skip


def _eur(lines: Sequence[ShoppingLine]) -> float:
    return sum(line.eur for line in lines)


def _usd(lines: Sequence[ShoppingLine]) -> float:
    return sum(line.usd for line in lines)


def _table(lines: Sequence[ShoppingLine]) -> str:
    rows = [
        (line.reference, str(line.count), line.what.part,
         " or ".join(filter(None, (line.what.order_1, line.what.order_2))),
         line.what.exactly, f"{line.eur:g}", line.what.instead)
        for line in lines
    ]  # fmt: skip
    head = ("for", "n", "part", "order", "exactly", "euro", "instead")
    return in_markdown(head, rows)
