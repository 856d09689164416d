"""The current budget: what each supply and each processor's pins must give, and may."""

from collections.abc import Iterator
from dataclasses import dataclass

from scripts.schematics.plan import Plan, Variant, Wire


@dataclass(frozen=True, slots=True)
class Load:
    """What one part takes from one rail."""

    part: str
    current_ma: float


@dataclass(frozen=True, slots=True)
class RailBudget:
    """One supply: what hangs on it, at most, and what it may give."""

    rail: str
    loads: tuple[Load, ...]
    limit_ma: float

    @property
    def current_ma(self) -> float:
        """All loads together."""
        return sum(load.current_ma for load in self.loads)


def budgets(plan: Plan, variant: Variant) -> list[RailBudget]:
    """The supplies that a variant uses. A rail fed by another counts there as well."""
    direct = {rail: tuple(_loads(plan, variant, rail)) for rail in plan.rails}
    return [
        RailBudget(rail, loads, plan.rails[rail].limit_mA)
        for rail in plan.rails
        if (loads := _with_fed(plan, direct, rail))
    ]


def pin_budget(plan: Plan, variant: Variant, processor: str) -> tuple[Load, ...]:
    """What parts take from the output pins of a processor."""
    driven = (wire for wire in variant.wires if wire.origin.startswith(processor + "."))
    return tuple(
        Load(wire.to, current_ma)
        for wire in driven
        if (current_ma := plan.kind(variant, wire.part).from_pin_mA)
        and plan.kind(variant, wire.part).pins.get(wire.pin) in {"in", "load"}
    )


def problems(plan: Plan, name: str) -> list[str]:
    """Every rail and pin of a variant that is asked for too much, in words."""
    variant = plan.variants[name]
    said = [
        f"{name}: {b.rail} must give {b.current_ma:.1f} mA; it may give {b.limit_ma:g} mA"
        for b in budgets(plan, variant)
        if b.current_ma > b.limit_ma
    ]
    for processor, limit_ma in plan.limits.pin_mA.items():
        loads = pin_budget(plan, variant, processor)
        said += [
            f"{name}: {load.part} takes {load.current_ma:g} mA from its pin, which may give "
            f"{limit_ma:g} mA"
            for load in loads
            if load.current_ma > limit_ma
        ]
        total_ma = sum(load.current_ma for load in loads)
        if total_ma > plan.limits.all_pins_mA[processor]:
            said.append(f"{name}: the pins of the {processor} must give {total_ma:.1f} mA together")
    return said


def _with_fed(plan: Plan, direct: dict[str, tuple[Load, ...]], rail: str) -> tuple[Load, ...]:
    fed = [other for other, facts in plan.rails.items() if facts.feeds_from == rail]
    return direct[rail] + tuple(load for other in fed for load in _with_fed(plan, direct, other))


def _loads(plan: Plan, variant: Variant, rail: str) -> Iterator[Load]:
    for wire in variant.wires:
        if wire.origin != rail:
            continue
        kind = plan.kind(variant, wire.part)
        if wire.pin == kind.supply or (kind.level_V is not None and not kind.supply):
            own_ma = kind.own_mA + (0 if kind.analogue_supply else _bridge_ma(plan, variant, wire))
            yield Load(wire.part, own_ma)
        elif kind.analogue_supply and wire.pin == kind.analogue_supply:
            yield Load(wire.part, kind.analogue_mA + _bridge_ma(plan, variant, wire))
        elif wire.pin == kind.low_supply:
            yield Load(f"{wire.part} ({wire.pin})", kind.low_mA)
    if rail == "pi.3V3":
        pins = pin_budget(plan, variant, "pi")
        yield from (Load(f"{load.part} (pin)", load.current_ma) for load in pins)


def _bridge_ma(plan: Plan, variant: Variant, wire: Wire) -> float:
    """What the load cell behind an HX711 board takes."""
    cell = dict(plan.amplifiers(variant)).get(wire.part)
    ohm = plan.kind(variant, cell).bridge_ohm if cell else None
    if ohm is None:
        return 0.0
    return 1000 * plan.kind(variant, wire.part).excitation_V / ohm
