"""The wiring plan: `schematics/pins.yaml` read strictly into frozen values.

Only shape is checked here (keys, types, references to things that exist); whether the plan is
sound electrically is judged by `scripts.schematics.rules`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "schematics"
PINS_FILE = FOLDER / "pins.yaml"

Role = Literal["supply", "ground", "in", "out", "open_drain", "contact", "load", "bridge"]
"""What a pin of a part does; pins of processors are not listed, their use says what they do."""


class PlanError(ValueError):
    """A plan or a build cannot be used; the message says what, where and what next."""


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Unknown keys are typing errors, and typing errors in a wiring plan burn parts."""


class Level(Strict, frozen=True):
    """A logic level: in volts, or as a share of the supply."""

    volts: float | None = None
    share: float | None = None

    def at(self, supply_v: float) -> float:
        """The level in volts at a supply voltage."""
        return self.volts if self.volts is not None else (self.share or 0.0) * supply_v


class Kind(Strict, frozen=True):
    """What the datasheet says of a kind of part; see the head of `pins.yaml`.

    Attributes:
        level_V: supply of its logic, of processors; `level_rail` is the rail that it is.
        over_level_V: by how much a pin may be over that supply.
        supply: name of the pin that feeds the part and sets its logic levels.
        low_supply: of a level shifter: the pin that feeds its low side.
        own_mA, low_mA: what it takes at `supply` and at `low_supply`, at most.
        from_pin_mA: what it takes from the processor's pin that drives it.
        analogue_supply: name of a pin that feeds its analogue part apart; at least
            `analogue_min_V`, and it takes `analogue_mA` there.
        excitation_V: what its regulator gives to a load cell.
        closes_deg: angles between which a tilt switch closes.
        bridge_ohm: of a load cell.
        addresses: those it can have on an I2C bus.
    """

    name: str
    pins: dict[str, Role]
    source: str
    level_V: float | None = None  # noqa: N815 - units as they are written
    level_rail: str = ""
    over_level_V: float = 0.0  # noqa: N815
    supply: str = ""
    low_supply: str = ""
    supply_min_V: float = 0.0  # noqa: N815
    supply_max_V: float = 0.0  # noqa: N815
    input_high: Level = Level(volts=0.0)
    input_low: Level = Level(volts=0.0)
    output_high: Level = Level(volts=0.0)
    output_low: Level = Level(volts=0.0)
    own_mA: float = 0.0  # noqa: N815
    low_mA: float = 0.0  # noqa: N815
    from_pin_mA: float = 0.0  # noqa: N815
    analogue_supply: str = ""
    analogue_min_V: float = 0.0  # noqa: N815
    analogue_mA: float = 0.0  # noqa: N815
    excitation_V: float = 0.0  # noqa: N815
    closes_deg: tuple[float, float] | None = None
    bridge_ohm: float | None = None
    addresses: tuple[int, ...] = ()


class Part(Strict, frozen=True):
    """One thing on one table: `A0` is an HX711 board."""

    kind: str
    note: str = ""
    address: int | None = None


class Wire(Strict, frozen=True, rename={"start": "from"}):
    """One wire; the head of `pins.yaml` explains the columns."""

    signal: str
    to: str
    volts: float
    pi: str = ""
    nano: str = ""
    start: str = ""
    via: str = ""
    at: str = ""
    colour: str = ""

    @property
    def origin(self) -> str:
        """Where it starts: `pi.GPIO5`, `nano.D4`, or a part's pin."""
        if self.pi:
            return f"pi.{self.pi}"
        return f"nano.{self.nano}" if self.nano else self.start

    @property
    def part(self) -> str:
        """The part it ends at."""
        return self.to.partition(".")[0]

    @property
    def pin(self) -> str:
        """The pin it ends at."""
        return self.to.partition(".")[2]


class CellWire(Strict, frozen=True):
    """One of the four wires between a load cell and its HX711 board."""

    signal: str
    pin: str
    colour: str


class Cable(Strict, frozen=True):
    """The wires from a plug, or to a part that hangs on no plug: their length and what they are."""

    length_mm: float
    kind: str

    @property
    def stranded_mm2(self) -> str:
        """Section of the stranded wire that it is cut from; empty for a cable that is bought."""
        found = re.match(r"stranded ([\d.]+) mm2", self.kind)
        return found[1] if found else ""


class Rail(Strict, frozen=True):
    """A supply and what it may give.

    Attributes:
        volts: its name in the wiring.
        range_V: the least and the most it can have; of a rail without regulator given by `drop_V`.
        feeds_from: the rail it takes its current from.
        drop_V: the least and the most that is lost on the way from there.
    """

    limit_mA: float  # noqa: N815
    volts: float
    source: str
    range_V: tuple[float, float] | None = None  # noqa: N815
    feeds_from: str = ""
    drop_V: tuple[float, float] = (0.0, 0.0)  # noqa: N815


class PinLimits(Strict, frozen=True):
    """What the output pins of a processor may give, each and together."""

    pin_mA: dict[str, float]  # noqa: N815
    all_pins_mA: dict[str, float]  # noqa: N815


class Panel(Strict, frozen=True):
    """Buttons, lights and buzzer."""

    parts: dict[str, Part]
    wires: tuple[Wire, ...]
    cables: dict[str, Cable]


class Variant(Strict, frozen=True):
    """One way to build the table; its cables by plug, or by the part that they end at."""

    title: str
    about: str
    panel: bool
    carrier: str
    parts: dict[str, Part]
    wires: tuple[Wire, ...]
    cables: dict[str, Cable]

    def cable(self, wire: Wire) -> Cable | None:
        """What a wire runs in; None on the carrier, and for the short leads from part to part."""
        plug = wire.at.partition(".")[0] or wire.part
        return self.cables.get("USB" if wire.signal == "USB" else plug)


Shop = Literal[
    "electronics", "market place", "screws", "tools", "toys", "cut to order", "printed", "home made"
]


class Priced(Strict, frozen=True):
    """Something to have: a part, what is used up, a tool.

    Attributes:
        part: what it is.
        order_1, order_2: makers' numbers.
        exactly: a description that can be checked with calliper, multimeter and eye.
        shop: the kind of shop that has it.
        size_mm: length and width, where the drawings have room for just that.
        eur, usd: of one, estimated; see the head of the list in `pins.yaml`.
        instead: what does as well.
        only: variants that need it; empty: all.
    """

    part: str
    exactly: str
    shop: Shop
    eur: float
    usd: float
    size_mm: tuple[float, float] | None = None
    order_1: str = ""
    order_2: str = ""
    instead: str = ""
    only: tuple[str, ...] = ()


class Purchase(Priced, frozen=True):
    """One line of the parts list: counted per kind of part, or a fixed number."""

    per: str = ""
    count: int = 0


class Plan(Strict, frozen=True):
    """All of `pins.yaml`. The wires of the panel are part of each variant that has one.

    Attributes:
        priced: month of the prices.
    """

    version: Literal[1]
    kinds: dict[str, Kind]
    rails: dict[str, Rail]
    limits: PinLimits
    load_cell_wires: tuple[CellWire, ...]
    load_cell_cable: Cable
    panel: Panel
    variants: dict[str, Variant]
    priced: str
    bom: tuple[Purchase, ...]
    consumables: tuple[Priced, ...]
    tools: tuple[Priced, ...]

    def kind(self, variant: Variant, part: str) -> Kind:
        """The kind of a part of a variant."""
        return self.kinds[variant.parts[part].kind]

    def is_amplifier(self, part: Part) -> bool:
        """Whether it is a board that reads a load cell."""
        return self.kinds[part.kind].excitation_V > 0

    def amplifiers(self, variant: Variant) -> list[tuple[str, str]]:
        """Each HX711 board with its load cell: `("A0", "C0")`."""
        boards = [name for name, part in variant.parts.items() if self.is_amplifier(part)]
        return [(board, "C" + board[1:]) for board in boards]


def load(path: Path = PINS_FILE) -> Plan:
    """The plan in a file.

    Raises:
        PlanError: it cannot be read, or names something that does not exist.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise PlanError(f"{path}: {error.strerror}") from None
    return parse(text)


def parse(text: str) -> Plan:
    """The plan in a text; see `load`."""
    try:
        plan = msgspec.yaml.decode(text, type=Plan)
    except msgspec.MsgspecError as error:  # of YAML itself: over several lines
        raise PlanError(f"pins.yaml: {' '.join(str(error).split())}") from None
    variants = {name: _with_panel(plan, variant) for name, variant in plan.variants.items()}
    plan = msgspec.structs.replace(plan, variants=variants)
    for problem in _loose_ends(plan):
        raise PlanError(f"pins.yaml: {problem}")
    return plan


def _with_panel(plan: Plan, variant: Variant) -> Variant:
    if not variant.panel:
        return variant
    return msgspec.structs.replace(
        variant,
        parts=variant.parts | plan.panel.parts,
        wires=variant.wires + plan.panel.wires,
        cables=variant.cables | plan.panel.cables,
    )


def _loose_ends(plan: Plan) -> Iterator[str]:  # noqa: C901 - one loop for each thing named
    """Everything that is named but not there."""
    for name, variant in plan.variants.items():
        for label, part in variant.parts.items():
            if part.kind not in plan.kinds:
                yield f"{name}: {label} is a {part.kind!r}, which is no kind"
                return
        for wire in variant.wires:
            if sum(map(bool, (wire.pi, wire.nano, wire.start))) != 1:
                yield f"{name}: {wire.signal} to {wire.to} must start at one of pi, nano and from"
            for end in filter(None, (wire.to, wire.start, wire.via)):
                if not _exists(plan, variant, end):
                    yield f"{name}: {wire.signal}: there is no {end}"
        for board, cell in plan.amplifiers(variant):
            if cell not in variant.parts:
                yield f"{name}: {board} has no load cell {cell}"
    for line in plan.bom:
        if line.per and line.per not in plan.kinds and line.per != "connector":
            yield f"bom: {line.part!r} counts {line.per!r}, which is no kind"


def _exists(plan: Plan, variant: Variant, end: str) -> bool:
    part, _, pin = end.partition(".")
    if part not in variant.parts:
        return False
    kind = plan.kind(variant, part)
    is_channel = kind.low_supply and pin in {"1", "2", "3", "4"}
    return kind.level_V is not None or bool(is_channel) or pin in kind.pins
