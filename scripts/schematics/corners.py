"""The wiring at its worst: every supply at its least and at its most, in every combination.

What hangs on the same rail has the same voltage there, so that a level is not called too low for a
pin that sinks with it.
"""

import itertools
from collections.abc import Iterator, Mapping

import msgspec

from scripts.schematics.plan import Plan, PlanError, Rail, Variant


def volts_of_rails(plan: Plan) -> Iterator[dict[str, float]]:
    """The voltage of each rail, for each combination of extremes.

    Raises:
        PlanError: a rail has neither a range nor a rail that feeds it.
    """
    choices = (
        [(name, extreme) for extreme in rail.range_V or rail.drop_V]
        for name, rail in plan.rails.items()
    )
    for chosen in itertools.product(*choices):
        extremes = dict(chosen)
        yield {name: _volts(plan.rails, name, extremes) for name in plan.rails}


def _volts(rails: Mapping[str, Rail], name: str, extremes: Mapping[str, float]) -> float:
    rail = rails[name]
    if rail.range_V is not None:
        return extremes[name]
    if rail.feeds_from not in rails:
        raise PlanError(f"rail {name} has neither range_V nor a rail that it feeds from")
    return round(_volts(rails, rail.feeds_from, extremes) - extremes[name], 3)


def ranges(plan: Plan) -> dict[str, tuple[float, float]]:
    """The least and the most that each rail can have."""
    found = list(volts_of_rails(plan))
    return {name: (min(v[name] for v in found), max(v[name] for v in found)) for name in plan.rails}


def with_volts(plan: Plan, variant: Variant, volts: Mapping[str, float]) -> tuple[Plan, Variant]:
    """The plan and one variant with these voltages in place of the nominal ones."""
    kinds = {
        name: msgspec.structs.replace(kind, level_V=volts[kind.level_rail])
        if kind.level_rail
        else kind
        for name, kind in plan.kinds.items()
    }
    wires = tuple(
        msgspec.structs.replace(wire, volts=volts[wire.origin]) if wire.origin in volts else wire
        for wire in variant.wires
    )
    return (
        msgspec.structs.replace(plan, kinds=kinds),
        msgspec.structs.replace(variant, wires=wires),
    )
