"""Everything that can be fitted to an evening, in one call."""

from collections.abc import Callable, Sequence

from lab.fit import cells, hands, rests, seat, swing
from lab.fit.estimates import Estimate
from lab.fit.evening import EveningSignals

Family = Callable[[EveningSignals], Sequence[Estimate]]


def _pivot(evening: EveningSignals) -> Sequence[Estimate]:
    pivot = swing.fitted(evening)
    return (*pivot.estimates, *seat.fitted(evening, pivot))


FAMILIES: dict[str, Family] = {
    "pivot and seat": _pivot,
    "noise": rests.fitted,
    "load cells": cells.fitted,
    "hands": hands.fitted,
}


def fitted(evening: EveningSignals) -> dict[str, tuple[Estimate, ...]]:
    """All figures of a table, by family; those it could not give say what they need."""
    return {name: tuple(family(evening)) for name, family in FAMILIES.items()}
