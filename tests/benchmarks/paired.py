"""Whether the same evenings went worse with one version than with another, or just otherwise.

The sign-flip test of Fisher and Pitman, exact: if two versions are alike, each evening's difference
is as likely to be the other way round, so the distribution of their sum is known without any
assumption about how errors come in one evening (they come together: one turn that is lost spoils
the next pieces). Where an evening is right or wrong it is McNemar's exact test, the sign test on
those evenings that changed. Nothing is drawn by chance.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tests.benchmarks.detection_figures import Tally
from tests.benchmarks.detection_results import NOW
from tests.benchmarks.detection_sheets import Sheet

MEASURES: Mapping[str, Callable[[Tally], int]] = {
    "evenings not exact": lambda t: t.scored - t.exact,
    "silent errors": lambda t: t.silent,
    "topples missed": lambda t: t.lost + t.stacks - t.lost_seen - t.stacks_seen,
    "topples invented": lambda t: t.false_topples,
}
"""Errors that are compared evening by evening."""

BY_CHANCE = 0.05
"""A version that is no worse is called worse so often at most."""

FEWEST = next(n for n in range(1, 99) if len(MEASURES) * 0.5**n <= BY_CHANCE)
"""With fewer evenings nothing can be told from chance, though all of them went worse."""


def chance_of_worse(differences: Sequence[int]) -> float:
    """One-sided p: how often two versions alike would differ so much, or more, to the worse.

    Args:
        differences: errors more than before, of each evening.

    >>> chance_of_worse([1, 1, 1, 0, -1])
    0.3125
    """
    chances = np.ones(1)  # of each sum over the evenings that went worse
    for errors in map(abs, differences):
        either = np.zeros(errors + 1)
        either[0] += 0.5
        either[errors] += 0.5
        chances = np.convolve(chances, either)
    worse = sum(errors for errors in differences if errors > 0)
    return min(1.0, float(chances[worse:].sum()))


def holm(chances: Sequence[float]) -> list[float]:
    """The same p, corrected for how many there are (Holm 1979).

    However they hang together: of versions alike, one in twenty at most has any below 0.05.

    >>> holm([0.5, 0.01, 0.02])
    [0.5, 0.03, 0.04]
    """
    corrected, highest = [0.0] * len(chances), 0.0
    for rank, at in enumerate(sorted(range(len(chances)), key=lambda each: chances[each])):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[at]))
        corrected[at] = highest
    return corrected


class Change(NamedTuple):
    """One measure of a group, before and now.

    Attributes:
        before, now: errors in all evenings.
        better, worse: how many evenings.
        chance: that so much is chance, corrected for all measures.
    """

    measure: str
    before: int
    now: int
    better: int
    worse: int
    chance: float


def changes(before: Sequence[Tally], now: Sequence[Tally]) -> list[Change]:
    """Compare the same evenings, each with itself."""
    pairs = list(zip(before, now, strict=True))
    more = [[errors(has) - errors(was) for was, has in pairs] for errors in MEASURES.values()]
    chances = holm([chance_of_worse(each) for each in more])
    return [
        Change(
            name,
            sum(errors(was) for was, _ in pairs),
            sum(errors(has) for _, has in pairs),
            sum(each < 0 for each in differences),
            sum(each > 0 for each in differences),
            chance,
        )
        for (name, errors), differences, chance in zip(MEASURES.items(), more, chances, strict=True)
    ]


def changes_sheet(found: Sequence[Change], group: str, before: str) -> Sheet:
    """All measures of a group."""
    rows = [[*map(str, each[:-1]), f"{each.chance:.4f}"] for each in found]
    heads = ["errors", before, NOW, "evenings better", "worse", "p"]
    note = "p: how often versions alike differ so much to the worse; corrected for all lines (Holm)"
    return Sheet(f"{group}: the same evenings, paired", heads, rows, note)


def verdict(
    found: Sequence[Change], group: str, evenings: int, before: str, *, more: str = ""
) -> tuple[str, bool]:
    """In a sentence whether a group became worse by more than chance, and whether it did.

    Args:
        found: `changes`.
        group: of evenings.
        evenings: how many.
        before: the version they are compared with.
        more: how to come by more of them.
    """
    worse = [each for each in found if each.chance <= BY_CHANCE]
    if worse:
        words = "; ".join(
            f"{each.measure} {each.before} -> {each.now} ({each.worse} evenings worse, "
            f"{each.better} better, p = {each.chance:.4f})"
            for each in worse
        )
        return f"{group}: WORSE than {before} by more than chance: {words}.", True
    if evenings < FEWEST:
        words = f"{evenings} evenings are too few to tell anything from chance"
        hint = f": {more}" if more else ""
        return f"{group}: {words} ({FEWEST} at least){hint}.", False
    return f"{group}: no worse than {before} by more than chance ({evenings} evenings).", False
