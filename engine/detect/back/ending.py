"""How the rounds of a table end: by a topple, or because its people agree to stop."""

from math import exp, lgamma, log, log1p

from engine.detect.back.parameters import (
    HARDLY_STOPS,
    HIGH_TOWER,
    LOW_FOR_NOTHING,
    NEVER_STOP,
    SURELY_HIGH,
)


def how_often_stopped(stopped: float, fallen: float) -> float:
    """Share of the rounds to come that the people of a table agree to stop.

    A share of people hardly ever does (`NEVER_STOP`); of the others any share is as likely.

    Args:
        stopped: rounds that were stopped so far; a probability counts as a part of one.
        fallen: rounds with a high tower that came down.
    """
    never = log(NEVER_STOP) + stopped * log(HARDLY_STOPS) + fallen * log1p(-HARDLY_STOPS)
    # The integral of q^stopped (1 - q)^fallen over all shares q: a beta function.
    some = log1p(-NEVER_STOP) + lgamma(stopped + 1.0) + lgamma(fallen + 1.0)
    some -= lgamma(stopped + fallen + 2.0)
    p_some = 1.0 / (1.0 + exp(never - some))
    often = (stopped + 1.0) / (stopped + fallen + 2.0)
    return p_some * often + (1.0 - p_some) * HARDLY_STOPS


def stopped_for_nothing(pieces: int) -> float:
    """How likely people clear a board of so many pieces on which nothing fell, before the rules do.

    >>> stopped_for_nothing(5), stopped_for_nothing(14), stopped_for_nothing(24)
    (0.03, 0.5, 1.0)
    """
    high = (pieces - HIGH_TOWER) / (SURELY_HIGH - HIGH_TOWER)
    return min(max(high, LOW_FOR_NOTHING), 1.0)
