"""When a word is said: what it costs to say it wrongly, and what to wait.

A belief that is right with probability p is said once waiting on would cost more than the risk:
p times the time that waiting takes, against 1 - p times what a wrong word costs.
"""

from engine.detect.back.parameters import FALL_SETTLES_S, WAITING_TAKES_S, WRONG_COSTS_S


def piece_pays(p: float, steady_s: float) -> bool:
    """Whether a piece is announced that lies there with probability p, in a rest so long."""
    return _pays(p, steady_s)


def topple_pays(p: float, steady_s: float) -> bool:
    """Whether a topple is said that happened with probability p, in a rest so long."""
    return _pays(p, steady_s + FALL_SETTLES_S)


def _pays(p: float, further_s: float) -> bool:
    return p * min(further_s, WAITING_TAKES_S) >= (1.0 - p) * WRONG_COSTS_S
