"""What to buy: as CSV to order from for each way of building, and as one page for all with sums."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from hw.building.mechanics import Mechanics
from hw.building.purchases import Purchased, as_csv, cut
from scripts.schematics.plan import Plan, Priced, Purchase, Variant
from scripts.schematics.tables import COLOUR_WORDS, MADE, in_markdown

SPARE = 1.2
"""For ends that were cut too short."""


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
    number = 0
    for line in plan.bom:
        references, count = _of(plan, name, line)
        if count:
            number += not references
            yield ShoppingLine(" ".join(references) or f"M{number}", count, line)


def others(lines: Sequence[Priced], name: str) -> list[ShoppingLine]:
    """What is used up, or the tools, of a variant."""
    return [ShoppingLine("", 1, line) for line in lines if not line.only or name in line.only]


def _of(plan: Plan, name: str, line: Priced) -> tuple[list[str], int]:
    """Labels of the wiring that a line is for in a variant, and how many are needed."""
    if line.only and name not in line.only:
        return [], 0
    if not isinstance(line, Purchase):
        return [], 1
    references = _references(plan.variants[name], line)
    return references, len(references) if line.per else line.count


def _references(variant: Variant, line: Purchase) -> list[str]:
    if line.per == "connector":
        return sorted({wire.at.partition(".")[0] for wire in variant.wires if wire.at})
    return [label for label, part in variant.parts.items() if part.kind == line.per]


def listed(plan: Plan, name: str) -> tuple[Purchased, ...]:
    """The list of a variant as it is shipped."""
    wires = wire_lengths(plan, [name])
    return tuple(
        Purchased(
            line.reference, line.count, line.what.part, line.what.order_1, line.what.order_2,
            line.what.exactly.replace(WIRES, wires), line.what.shop, plan.priced, line.what.eur,
            line.what.usd, line.what.instead,
        )
        for line in (*parts(plan, name), *others(plan.consumables, name))
    )  # fmt: skip


WIRES = "{wires}"
"""In a description: the stranded wire of the plan."""


def wire_lengths(plan: Plan, names: Iterable[str]) -> str:
    """How much stranded wire of each section and colour any of these variants takes, in words."""
    most_mm: dict[str, dict[str, float]] = {}
    for name in names:
        variant = plan.variants[name]
        taken_mm: dict[tuple[str, str], float] = {}
        for wire in variant.wires:
            cable = variant.cable(wire)
            if cable and cable.stranded_mm2:
                key = cable.stranded_mm2, wire.colour
                taken_mm[key] = taken_mm.get(key, 0.0) + SPARE * cable.length_mm
        for (section, colour), mm in taken_mm.items():
            colours = most_mm.setdefault(section, {})
            colours[colour] = max(colours.get(colour, 0.0), mm)
    return "; ".join(
        f"{section} mm2: "
        + ", ".join(f"{COLOUR_WORDS[colour]} {ceil(mm / 500) / 2:g} m"
                    for colour, mm in sorted(colours.items()))
        for section, colours in sorted(most_mm.items())
    )  # fmt: skip


def bom(plan: Plan, name: str, build: Mechanics) -> str:
    """The parts list of a variant as CSV, for the build of the drawings."""
    return as_csv(listed(plan, name), build)


def page(plan: Plan, build: Mechanics) -> str:
    """Parts, consumables and tools of all variants with their sums, as a Markdown page."""
    return "\n".join([
        MADE.replace("../", ""),
        "# Parts to buy\n",
        *(_in_words(plan, name) for name in plan.variants),
        (f"\nPrices are estimates of {plan.priced}, for small numbers, without postage; without "
         "tools. Nobody has asked a shop, and nobody has built it. To order from: `bom.csv` "
         "beside each wiring.\n"),
        "## Parts\n",
        _table(plan, plan.bom, build),
        "## Used up\n",
        _table(plan, plan.consumables, build),
        "## Tools\n",
        _table(plan, plan.tools, build),
    ])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sums:
    """What one way to build costs: all in two currencies; what is used up, and tools, in euro."""

    eur: float
    usd: float
    used_eur: float
    tools_eur: float


def sums(plan: Plan, name: str) -> Sums:
    """The sums of a variant."""
    bought, used = parts(plan, name), others(plan.consumables, name)
    return Sums(
        eur=sum(line.eur for line in (*bought, *used)),
        usd=sum(line.usd for line in (*bought, *used)),
        used_eur=sum(line.eur for line in used),
        tools_eur=sum(line.eur for line in others(plan.tools, name)),
    )


def _in_words(plan: Plan, name: str) -> str:
    found = sums(plan, name)
    return (
        f"* {plan.variants[name].title}: about **{found.eur:.0f} euro or {found.usd:.0f} "
        f"dollars**, of which {found.used_eur:.0f} are used up; tools {found.tools_eur:.0f} euro "
        "if nothing is there"
    )


def _table(plan: Plan, lines: Sequence[Priced], build: Mechanics) -> str:
    rows = []
    for what in lines:
        found = [_of(plan, name, what) for name in plan.variants]
        references = max((references for references, _ in found), key=len)
        counts = (str(count or "") for _, count in found)
        order = " or ".join(filter(None, (what.order_1, what.order_2)))
        rows.append((
            what.part, " ".join(references), *counts, order,
            cut(what.exactly.replace(WIRES, wire_lengths(plan, plan.variants)), build),
            what.shop, f"{what.eur:g}", what.instead,
        ))  # fmt: skip
    head = ("part", "for", *plan.variants, "order", "exactly", "shop", "euro each", "instead")
    return in_markdown(head, rows)
