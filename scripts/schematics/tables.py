"""The plan as tables of wiring and currents, in Markdown."""

from collections.abc import Mapping, Sequence

from scripts.schematics import budget, corners
from scripts.schematics.headers import contacts
from scripts.schematics.plan import Cable, Kind, Plan, Variant, Wire

COLOUR_WORDS = {
    "BK": "black", "BN": "brown", "RD": "red", "OG": "orange", "YE": "yellow", "GN": "green",
    "BU": "blue", "VT": "violet", "GY": "grey", "WH": "white", "PK": "pink",
}  # fmt: skip
MADE = "<!-- Made from ../pins.yaml by `make schematics`: change it there. -->\n"


def wiring(plan: Plan, name: str) -> str:
    """Wiring tables and current budget of a variant, as a Markdown page."""
    variant = plan.variants[name]
    panel = set(plan.panel.wires) if variant.panel else set()
    sensors = [wire for wire in variant.wires if wire not in panel]
    parts = [
        MADE,
        f"# Wiring: {variant.title}\n",
        f"{variant.about} Carrier: {variant.carrier}.\n",
        "![Harness](harness.svg)\n",
        "## Parts\n",
        _part_table(plan, variant),
        "## Sensors\n",
        _wire_table(plan, variant, sensors),
        "## Load cells\n",
        _cell_table(plan, variant),
    ]
    if panel:
        parts.append("Buttons, lights and buzzer: [panel](../panel/wiring.md).\n")
    parts += ["## Cables\n", _cable_table(plan, variant.cables, sensors, cells=True)]
    supplies = ["## Supplies at their worst\n", _supply_table(plan, variant)]
    return "\n".join([*parts, *supplies, "## Currents\n", _current_table(plan, variant)])


def panel(plan: Plan) -> str:
    """The wiring of buttons, lights and buzzer, the same in all variants that have them."""
    variant = next(variant for variant in plan.variants.values() if variant.panel)
    parts = [
        MADE,
        "# Wiring: panel\n",
        "Buttons, lights and buzzer; all of it may be left out.\n",
        "![Harness](harness.svg)\n",
        _wire_table(plan, variant, list(plan.panel.wires)),
        "## Cables\n",
        _cable_table(plan, plan.panel.cables, list(plan.panel.wires)),
    ]
    return "\n".join(parts)


def in_markdown(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _part_table(plan: Plan, variant: Variant) -> str:
    rows = []
    for label, part in variant.parts.items():
        address = "" if part.address is None else f"0x{part.address:02x}"
        rows.append((label, plan.kinds[part.kind].name, address, part.note))
    return in_markdown(("part", "what", "I2C address", "note"), rows)


def _wire_table(plan: Plan, variant: Variant, wires: list[Wire]) -> str:
    has_nano = any(wire.nano for wire in wires)
    head = ("signal", "Pi pin (contact)", *(("Nano pin", "via") if has_nano else ()))
    rows = []
    for wire in wires:
        on_header = f" ({contacts(wire.pi)})" if contacts(wire.pi) else ""
        nano = (wire.nano, wire.via) if has_nano else ()
        ends = (wire.at, COLOUR_WORDS.get(wire.colour, ""), _end(variant, plan, wire))
        rows.append((wire.signal, wire.pi + on_header or wire.start, *nano, *ends))
    rows = [(*row, f"{wire.volts:g}") for row, wire in zip(rows, wires, strict=True)]
    return in_markdown((*head, "plug", "colour", "ends at", "V"), rows)


def _end(variant: Variant, plan: Plan, wire: Wire) -> str:
    address = variant.parts[wire.part].address
    on_bus = address is not None and plan.kind(variant, wire.part).pins[wire.pin] == "open_drain"
    return f"{wire.to}, address 0x{address:02x}" if on_bus else wire.to


def _cell_table(plan: Plan, variant: Variant) -> str:
    pairs = ", ".join(f"{cell} to {board}" for board, cell in plan.amplifiers(variant))
    rows = [(wire.signal, wire.pin, COLOUR_WORDS[wire.colour]) for wire in plan.load_cell_wires]
    table = in_markdown(("signal", "pin of the board", "usual colour"), rows)
    return f"Each on its own board: {pairs}.\n\n{table}"


def _cable_table(
    plan: Plan, cables: Mapping[str, Cable], wires: Sequence[Wire], *, cells: bool = False
) -> str:
    used = {wire.at.partition(".")[0] or wire.part for wire in wires} | {"USB"}
    known = {name: cable for name, cable in cables.items() if name in used}
    if cells:
        known["load cells"] = plan.load_cell_cable
    rows = [(name, f"{cable.length_mm:g}", cable.kind) for name, cable in known.items()]
    return in_markdown(("plug or end", "at most, mm", "what"), rows)


def _least_v(kind: Kind, pin: str) -> float:
    """What a part needs at one of its pins; 0 if that is no supply of it."""
    needs = {kind.supply: kind.supply_min_V, kind.analogue_supply: kind.analogue_min_V}
    return needs.get(pin, 0.0)


def _supply_table(plan: Plan, variant: Variant) -> str:
    used = {wire.origin for wire in variant.wires}
    found = {rail: ends for rail, ends in corners.ranges(plan).items() if rail in used}
    rows = [(rail, f"{least:.2f}", f"{most:.2f}") for rail, (least, most) in found.items()]
    fed = [
        (wire.to, kind.name, f"{need:.2f}", f"{found[wire.origin][0]:.2f}")
        for wire in variant.wires
        for kind in (plan.kind(variant, wire.part),)
        for need in (_least_v(kind, wire.pin),)
        if need and wire.origin in found
    ]
    supplies = in_markdown(("supply", "least, V", "most, V"), rows)
    parts = in_markdown(("fed", "what", "needs, V", "gets at worst, V"), fed)
    return f"{supplies}\n{parts}"


def _current_table(plan: Plan, variant: Variant) -> str:
    rows = []
    for rail in budget.budgets(plan, variant):
        what = ", ".join(f"{load.part} {load.current_ma:.1f}" for load in rail.loads)
        rows.append((rail.rail, what, f"{rail.current_ma:.1f}", f"{rail.limit_ma:g}"))
    table = in_markdown(
        ("supply", "what hangs on it, mA at most", "together, mA", "may give, mA"), rows
    )
    return f"{table}\nWhere the figures are from stands beside them in [pins.yaml](../pins.yaml).\n"
