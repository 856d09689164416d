"""95 % intervals of counted shares."""

from math import sqrt

Z_95 = 1.959964
"""Standard deviations that hold 95 % of a normal distribution."""


def wilson(hits: int, n: int) -> tuple[float, float]:
    """95 % interval of a share by Wilson's score; (0, 1) when nothing was counted.

    >>> tuple(round(limit, 3) for limit in wilson(25, 25))
    (0.867, 1.0)
    """
    if not n:
        return 0.0, 1.0
    share, spread = hits / n, Z_95**2 / n
    middle = (share + spread / 2) / (1 + spread)
    half = Z_95 / (1 + spread) * sqrt(share * (1 - share) / n + spread / (4 * n))
    return max(0.0, middle - half), min(1.0, middle + half)
