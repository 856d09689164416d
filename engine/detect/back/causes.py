"""What a contact felt like: a hand that placed, a bump, pieces that fell.

A hand that places turns the board about its tip and leaves the tip alone; a table that is pushed
shakes the tip, and the accelerometer leaves the vertical that the gyroscope keeps. An elbow that
hits the board turns it far more abruptly than a hand. Without the inertial sensor the weight must
do: a shaken table presses on the cells as hard as it leaves them, pieces that fall do not.
"""

from math import exp

from engine.detect.front.contact import Touch
from engine.detect.front.shocks import Pushes

UP_AGAIN_G = 20.0
"""A table that was shaken presses on the cells as hard as it leaves them. Pieces that fall leave
them by 18 to 94 g and press, when they bounce, with 11 g at most (5 collapses on twin tables)."""

PRESSED_S = 0.15
"""Who takes a piece touches it first; one that falls by itself presses on nothing."""

UNTOUCHED_S, SEVERAL_G = 0.05, 10.0
"""A board that is lighter by three pieces so soon was not touched before: a hand that takes a stack
holds it first. (One piece may be lifted off as gently as it falls.)"""

SAME_TURN_S = 1.2
"""A tower that a placement brings down begins to fall within two swings of it (0.7 s each)."""


def bump_probability(
    touch: Touch, pushes: Pushes, *, in_turn: bool, since_release_s: float
) -> float:
    """Probability that what fell in a contact was bumped, and not brought down by a placing hand.

    Args:
        touch: the contact.
        pushes: what the inertial sensor felt.
        in_turn: whether the rules expected a piece.
        since_release_s: from the last release to the beginning of the contact.
    """
    odds = -0.5 if in_turn else 0.5
    if since_release_s < SAME_TURN_S:
        odds -= 1.0
    if pushes.caused:
        odds += 4.0
    elif pushes.struck:
        odds += 3.0
    elif pushes.heard:
        up_again = touch.shaken and touch.highest_g > UP_AGAIN_G
        odds += 3.0 if up_again and pushes.trembled_first else -2.5
    else:
        odds += 2.0 if touch.shaken or touch.knocked else -1.5
    return 1.0 / (1.0 + exp(-odds))


def fall_log_odds(touch: Touch, pushes: Pushes, *, tipped: bool) -> float:
    """How much likelier a contact feels like pieces that fall than like a hand that takes them."""
    odds = 0.0
    if pushes.near or pushes.struck:
        odds += 1.5
    if touch.pressed_s > PRESSED_S:
        odds -= 1.0
    elif touch.lighter_s < UNTOUCHED_S and touch.lowest_g < -SEVERAL_G:
        odds += 1.0
    if touch.impacts >= 2:
        odds += 0.7
    return odds + 3.0 * tipped
