"""Whether the same evenings went worse with one version than with another, or just otherwise.

The sign-flip test of Fisher and Pitman, exact: if two versions are alike, each evening's difference
is as likely to be the other way round, so the distribution of their sum is known without any
assumption about how errors come in one evening (they come together: one turn that is lost spoils
the next pieces). Where an evening is right or wrong it is McNemar's exact test, the sign test on
those evenings that changed. Nothing is drawn by chance.
"""

from collections.abc import Sequence

import numpy as np


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
