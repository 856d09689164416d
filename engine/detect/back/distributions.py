"""How steps of weight and errors in the plane are spread: normal with a few wild ones, or any."""

from math import exp, inf, log, log1p

import numpy as np

from engine.detect.back.location import LOG_TWO_PI
from engine.detect.back.parameters import (
    AT_MOST_G,
    LEAST_LOAD_G,
    LIGHT_G,
    LIGHT_POWER,
    PIECES_SHARE,
    WIDE_SDS,
    WIDE_SHARE,
)
from engine.samples import Floats


def any_load(load_g: float, as_a_piece: float) -> float:
    """Log density of a thing's weight: any on a scale of its own size, often that of a piece."""
    thing = log(1.0 - PIECES_SHARE) - log(max(load_g, LIGHT_G) * log(AT_MOST_G / LEAST_LOAD_G))
    thing += LIGHT_POWER * min(log(load_g / LIGHT_G), 0.0)
    return float(np.logaddexp(thing, log(PIECES_SHARE) + as_a_piece))


def wide_normal(gap: float, sd: float) -> float:
    """Log density of a normal error with a few wild ones."""
    square = (gap / sd) ** 2
    near = log1p(-WIDE_SHARE) - 0.5 * square
    far = log(WIDE_SHARE / WIDE_SDS) - 0.5 * square / WIDE_SDS**2
    return max(near, far) + log1p(exp(-abs(near - far))) - log(sd) - LOG_TWO_PI / 2


def wide_normals(gaps: Floats, sds: Floats) -> Floats:
    """The same of several, (n,)."""
    squares = (gaps / sds) ** 2
    near = log1p(-WIDE_SHARE) - 0.5 * squares
    far = log(WIDE_SHARE / WIDE_SDS) - 0.5 * squares / WIDE_SDS**2
    return np.asarray(np.logaddexp(near, far) - np.log(sds) - LOG_TWO_PI / 2)


def round_normal(distance: float, sd: float, most_sds: float = inf) -> float:
    """Log density of an error in the plane, the same in all directions."""
    return -LOG_TWO_PI - 2 * log(sd) - 0.5 * min(distance / sd, most_sds) ** 2
