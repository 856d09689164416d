"""What makes a wiring plan sound: pins, plugs, levels, addresses.

Each rule yields sentences; no sentence, no objection. Currents are in `scripts.schematics.budget`.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hw.building.mechanics import Parts
from scripts.schematics import corners
from scripts.schematics.headers import I2C_ONLY, RESERVED, SHARED, exists
from scripts.schematics.plan import Kind, Plan, Variant, Wire

COLOURS = {"BK", "BN", "RD", "OG", "YE", "GN", "BU", "VT", "GY", "WH", "PK"}
BUS_SIGNALS = ("SDA", "SCL")
POWER = {"supply", "ground"}
VOLTS = re.compile(r"[\d.]+ V")
BEFORE_STOP_DEG = 4.0
"""A board that falls swings into its stop; a switch that closes so far before it closes surely."""


@dataclass(frozen=True, slots=True)
class End:
    """One end of a signal wire, electrically.

    Attributes:
        role: what the pin does; `io` for pins of processors.
        supply_v: what its logic runs on; nan is never, a part without supply is refused before.
        most_v: the most it survives.
    """

    name: str
    role: str
    kind: Kind
    supply_v: float
    most_v: float


def problems(plan: Plan, name: str) -> list[str]:
    """Everything that is wrong with one variant, in words."""
    variant = plan.variants[name]
    rules = (pins, plugs, supplies, rails, contacts, levels, addresses, load_cells, cables)
    said = [text for rule in rules for text in rule(plan, variant)]
    return [f"{name}: {text}" for text in (*said, *_at_worst(plan, variant, said))]


def _at_worst(plan: Plan, variant: Variant, said: list[str]) -> list[str]:
    """What is wrong only when some supply is at its least or most, each thing once."""
    known = {VOLTS.sub("", text) for text in said}
    found = []
    for volts in sorted(corners.volts_of_rails(plan), key=lambda each: sum(each.values())):
        there = corners.with_volts(plan, variant, volts)
        for text in (*supplies(*there), *levels(*there)):
            if VOLTS.sub("", text) not in known:
                known.add(VOLTS.sub("", text))
                found.append(f"at worst {text}")
    return found


def pins(_plan: Plan, variant: Variant) -> Iterator[str]:
    """No pin twice, none that is reserved, none that does not exist."""
    processors = {part.kind for part in variant.parts.values()} & {"pi", "nano"}
    used = Counter(wire.origin for wire in variant.wires if not wire.start)
    ends = Counter(wire.to for wire in variant.wires)
    for pin, count in used.items():
        processor, _, bare = pin.partition(".")
        signals = [wire.signal for wire in variant.wires if wire.origin == pin]
        if processor not in processors:
            yield f"{pin} is used, but there is no {processor}"
        elif not exists(pin):
            yield f"there is no pin {pin}"
        elif pin in RESERVED:
            yield f"{pin} cannot be {signals[0]}: {RESERVED[pin]}"
        elif pin in I2C_ONLY and signals != [I2C_ONLY[pin]]:
            yield f"{pin} can only be {I2C_ONLY[pin]}, not {', '.join(signals)}"
        elif pin not in I2C_ONLY and signals[0] in BUS_SIGNALS:
            yield f"{pin} cannot be {signals[0]}: it has no I2C"
        elif count > 1 and bare not in SHARED:
            yield f"{pin} is used {count} times: {', '.join(signals)}"
    yield from (f"{end} is wired {count} times" for end, count in ends.items() if count > 1)


def plugs(_plan: Plan, variant: Variant) -> Iterator[str]:
    """No contact of a plug twice, no gaps, no colour twice in a plug but black, which is ground."""
    at = Counter(wire.at for wire in variant.wires if wire.at)
    yield from (f"contact {contact} is used {n} times" for contact, n in at.items() if n > 1)
    for plug in sorted({contact.partition(".")[0] for contact in at}):
        numbers = sorted(int(c.partition(".")[2]) for c in at if c.startswith(plug + "."))
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"plug {plug} has contacts {numbers}; they must count from 1 without a gap"
        colours = Counter(w.colour for w in variant.wires if w.at.startswith(plug + "."))
        twice = (colour for colour, n in colours.items() if n > 1 and colour != "BK")
        yield from (f"plug {plug} has two {colour} wires" for colour in twice)
    for wire in variant.wires:
        if wire.at and wire.colour not in COLOURS:
            yield f"{wire.signal} at {wire.at}: {wire.colour!r} is no colour of a wire"
        if wire.volts == 0 and wire.colour not in {"BK", ""}:
            yield f"{wire.signal} to {wire.to} is ground; its wire must be BK"


def supplies(plan: Plan, variant: Variant) -> Iterator[str]:
    """Each part that needs a supply and a ground has them, within its limits."""
    for label in variant.parts:
        kind = plan.kind(variant, label)
        for pin, role in kind.pins.items():
            wire = _wire_to(variant, f"{label}.{pin}")
            if role in POWER and wire is None:
                yield f"{label} ({kind.name}) has no wire at {pin}"
        fed = _wire_to(variant, f"{label}.{kind.supply}")
        if fed is not None and not kind.supply_min_V <= fed.volts <= kind.supply_max_V:
            yield (
                f"{label} ({kind.name}) gets {fed.volts:g} V at {kind.supply}; "
                f"it takes {kind.supply_min_V:g} to {kind.supply_max_V:g} V"
            )
        fed = _wire_to(variant, f"{label}.{kind.analogue_supply}")
        if fed is not None and fed.volts < kind.analogue_min_V:
            yield (
                f"{label} ({kind.name}) gets {fed.volts:g} V at {kind.analogue_supply}; its "
                f"regulator for the load cell needs {kind.analogue_min_V:g} V"
            )


def rails(plan: Plan, variant: Variant) -> Iterator[str]:
    """Each wire from a supply is called what that supply has."""
    for wire in variant.wires:
        rail = plan.rails.get(wire.origin)
        if rail is not None and rail.volts != wire.volts:
            yield f"{wire.origin} to {wire.to} is called {wire.volts:g} V; it has {rail.volts:g} V"


def contacts(plan: Plan, variant: Variant) -> Iterator[str]:
    """No contact puts more on a processor's pin than that survives."""
    for wire in variant.wires:
        if wire.start or wire.origin in plan.rails or wire.volts == 0:
            continue
        start = _processor_end(plan, wire)
        if _part_end(plan, variant, wire) is None and wire.volts > start.most_v:
            yield f"{wire.signal}: {wire.volts:g} V at {start.name} is over {start.most_v:g} V"


def levels(plan: Plan, variant: Variant) -> Iterator[str]:
    """No pin gets more than it survives, and every level is understood at the other end."""
    for wire in variant.wires:
        if wire.start or wire.origin in plan.rails or wire.volts == 0:
            continue
        start, end = _processor_end(plan, wire), _part_end(plan, variant, wire)
        if end is None:
            continue
        if wire.via:
            yield from _through_shifter(plan, variant, wire, start, end)
        else:
            yield from _link(wire, start, end)


def _link(wire: Wire, a: End, b: End) -> Iterator[str]:
    """Both directions that a wire may have."""
    if b.role in {"out", "open_drain"}:
        yield from _understood(wire.signal, b, a)
    if b.role in {"in", "open_drain"}:
        yield from _understood(wire.signal, a, b)


def _understood(signal: str, driver: End, receiver: End) -> Iterator[str]:
    if driver.supply_v > receiver.most_v:
        yield (
            f"{signal}: {driver.name} drives {driver.supply_v:g} V, {receiver.name} survives "
            f"{receiver.most_v:g} V; feed it with less or put a level shifter between"
        )
        return
    high_v = (
        driver.supply_v
        if driver.role == "open_drain"
        else driver.kind.output_high.at(driver.supply_v)
    )
    need_v = receiver.kind.input_high.at(receiver.supply_v)
    if high_v < need_v:
        yield (
            f"{signal}: {driver.name} promises {high_v:.2f} V for high, {receiver.name} needs "
            f"{need_v:.2f} V; put a level shifter between"
        )
    low_v, most_low_v = (
        driver.kind.output_low.at(driver.supply_v),
        receiver.kind.input_low.at(receiver.supply_v),
    )
    if low_v > most_low_v:
        yield (
            f"{signal}: {driver.name} promises {low_v:.2f} V for low, {receiver.name} needs "
            f"{most_low_v:.2f} V"
        )


def _through_shifter(
    plan: Plan, variant: Variant, wire: Wire, start: End, end: End
) -> Iterator[str]:
    """The processor meets the high side, the part the low side."""
    shifter = wire.via.partition(".")[0]
    kind = plan.kind(variant, shifter)
    for side, other in ((kind.supply, start), (kind.low_supply, end)):
        fed = _wire_to(variant, f"{shifter}.{side}")
        volts = fed.volts if fed else 0.0
        facing = End(f"{shifter} ({side})", "open_drain", kind, volts, volts)
        yield from _understood(wire.signal, facing, other)
        if other.role in {"out", "open_drain", "io"} and other.supply_v > volts + 0.5:
            yield f"{wire.signal}: {other.name} runs on {other.supply_v:g} V, {side} on {volts:g} V"
    channel = [w.signal for w in variant.wires if w.via == wire.via]
    if len(channel) > 1:
        yield f"channel {wire.via} is used {len(channel)} times: {', '.join(channel)}"


def _processor_end(plan: Plan, wire: Wire) -> End:
    kind = plan.kinds["pi" if wire.pi else "nano"]
    role = "open_drain" if wire.signal in BUS_SIGNALS else "io"
    supply_v = kind.level_V or 0.0
    return End(wire.origin, role, kind, supply_v, supply_v + kind.over_level_V)


def _part_end(plan: Plan, variant: Variant, wire: Wire) -> End | None:
    """Where the wire ends, if that has levels; a contact or a light has none."""
    kind = plan.kind(variant, wire.part)
    role = kind.pins.get(wire.pin, "io")
    if role in {"contact", "load"}:
        return None
    fed = _wire_to(variant, f"{wire.part}.{kind.supply}")
    supply_v = fed.volts if fed else 0.0
    most_v = supply_v + 0.5 if kind.input_high.share else kind.supply_max_V
    return End(wire.to, role, kind, supply_v, most_v)


def addresses(plan: Plan, variant: Variant) -> Iterator[str]:
    """Each device on the bus answers to an address it can have, and no two to the same."""
    seen: dict[int, str] = {}
    for label, part in variant.parts.items():
        possible = plan.kinds[part.kind].addresses
        if not possible:
            continue
        if part.address not in possible:
            told = "none" if part.address is None else f"0x{part.address:02x}"
            choice = " or ".join(f"0x{a:02x}" for a in possible)
            yield f"{label} has the I2C address {told}; it can have {choice}"
        elif part.address in seen:
            yield f"{label} and {seen[part.address]} have the same I2C address"
        else:
            seen[part.address] = label


def load_cells(plan: Plan, variant: Variant) -> Iterator[str]:
    """Each HX711 board has a data and a clock line of its own: a shared clock loses conversions."""
    for label, part in variant.parts.items():
        if plan.is_amplifier(part):
            for pin in ("DT", "SCK"):
                if _wire_to(variant, f"{label}.{pin}") is None:
                    yield f"{label} has no wire at {pin}"


MICROVOLTS_MOST_MM = 300.0
"""A load cell's wires carry 1 mV/V x 4.3 V, 0.2 mV a piece: shorter than what hums beside them."""


def cables(plan: Plan, variant: Variant) -> Iterator[str]:
    """Each plug and each plate has wires of a length and a kind, and no others have."""
    ends = {wire.at.partition(".")[0] for wire in variant.wires if wire.at}
    ends |= {wire.signal for wire in variant.wires if wire.signal == "USB"}
    ends |= {
        wire.part for wire in variant.wires
        if wire.start and plan.kind(variant, wire.part).pins.get(wire.pin) == "ground"
    }  # fmt: skip
    for end in sorted(ends - variant.cables.keys()):
        yield f"nobody says what cable {end} has (cables)"
    for end in sorted(variant.cables.keys() - ends):
        yield f"there is no {end} for its cable"
    if plan.load_cell_cable.length_mm > MICROVOLTS_MOST_MM:
        yield (
            f"the load cells' wires are {plan.load_cell_cable.length_mm:g} mm long; "
            f"{MICROVOLTS_MOST_MM:g} is the most for microvolts"
        )


def parts_list(plan: Plan) -> list[str]:
    """Every line that nobody could order or check, in words."""
    return [
        f"parts list: {line.part!r} has neither two numbers to order by nor an exact description"
        for line in (*plan.bom, *plan.consumables, *plan.tools)
        if not (line.order_1 and line.order_2) and not line.exactly
    ]


SIZE_OFF_MM = 0.5
"""Makers' boards and bars differ by so much within one drawing."""


def part_sizes(plan: Plan, parts: Parts) -> Iterator[str]:
    """A sensor must fit its pocket, and a load cell its holes, whichever is ordered first."""
    sensor, bar = parts.sensor, parts.load_cell
    drawn = {
        "mpu6050": (sensor.length_mm, sensor.width_mm),
        "load_cell": (bar.length_mm, bar.width_mm),
    }
    for line in plan.bom:
        room = drawn.get(line.per)
        if room is None:
            continue
        size = line.size_mm
        if size is None or any(abs(a - b) > SIZE_OFF_MM for a, b in zip(size, room, strict=True)):
            told = "no size_mm" if size is None else f"{size[0]:g} x {size[1]:g} mm"
            yield (
                f"parts list: {line.part!r} has {told}; the drawings have room for "
                f"{room[0]:g} x {room[1]:g} mm: order another, or change schematics/mechanics.yaml"
            )


def tilt_switch(plan: Plan, stop_deg: float) -> list[str]:
    """A switch must close well before the stem stops the board, and never in play."""
    return [
        f"{kind.name} closes at {low:g} to {high:g} degrees, and the board is stopped at "
        f"{stop_deg:.0f}: take one that closes under {stop_deg - BEFORE_STOP_DEG:.0f}, lower the "
        "stop, or leave the switch out and let the inertial sensor see the tilt"
        for kind in plan.kinds.values()
        if kind.closes_deg is not None
        for low, high in (kind.closes_deg,)
        if high > stop_deg - BEFORE_STOP_DEG
    ]


def _wire_to(variant: Variant, end: str) -> Wire | None:
    return next((wire for wire in variant.wires if wire.to == end), None)
