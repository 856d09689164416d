"""How sure a counted rate is: 95 % intervals."""

from math import sqrt

from controller.common.intervals import Z_95


def rate_interval(count: int, exposure: float) -> tuple[float, float]:
    """95 % interval of a rate of rare events, score method (Wilson's for a Poisson count)."""
    if exposure <= 0:
        return 0.0, float("inf")
    middle, half = count + Z_95**2 / 2, Z_95 * sqrt(count + Z_95**2 / 4)
    return max(0.0, middle - half) / exposure, (middle + half) / exposure
