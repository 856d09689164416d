"""How long rests last: hands move on soon, and a board that is left alone is touched again."""

from functools import lru_cache
from math import exp, log

from engine.detect.back.account import Explained
from engine.detect.back.parameters import A_FEW_HANDS, SOME_THINK, Priors
from engine.detect.front.contact import HOVERING_S


def held_steady(steady_s: float, mean_s: float) -> float:
    """Log probability that a hand keeps a weight steady for so long; a few manage for seconds."""
    return lasts(steady_s, mean_s, *A_FEW_HANDS)[0]


@lru_cache
def lasts(t_s: float, mean_s: float, share: float, stretch: float) -> tuple[float, float]:
    """What lasts `mean_s`, but for a share of a longer kind: log probability to last, and rate.

    Remembered, since all hypotheses ask for the same rest.

    Returns:
        (logarithm of the probability that it lasts longer than `t_s`, rate of its end then, 1/s).
    """
    near = (1.0 - share) * exp(-min(t_s / mean_s * (1.0 - 1.0 / stretch), 700.0))
    lasting = log(near + share) - t_s / mean_s / stretch
    return lasting, (near + share / stretch) / (near + share) / mean_s


def come_by(t_s: float, median_s: float) -> float:
    """Probability that hands have come so long after what they come for; half by the median.

    None come at once: the rate grows with time.
    """
    return 1.0 - exp(-log(2.0) * (max(t_s, 0.0) / median_s) ** 2)


def left_alone(priors: Priors, t_s: float, *, taking: bool) -> tuple[float, float]:
    """The same for a board that is left alone: who has begun to clear it does not stop."""
    mean_s = priors.clearing_pause_s if taking else priors.turn_s
    return lasts(t_s, mean_s, *SOME_THINK)


def ends_now(priors: Priors, steady_s: float, explained: Explained) -> float:
    """Rate (1/s) at which a rest that has lasted so long ends: a hand is never steady for long."""
    if not explained.free:
        return lasts(steady_s, priors.hand_steady_s, *A_FEW_HANDS)[1]
    taking = explained.account.taking
    hovering = 0.0 if taking else priors.hovering * exp(-steady_s / HOVERING_S)
    return left_alone(priors, steady_s, taking=taking)[1] + hovering
