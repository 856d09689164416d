"""What a contact felt like: a hand that placed, a bump, pieces that fell.

A hand that places turns the board about its tip and leaves the tip alone; a table that is pushed
shakes the tip, and the accelerometer leaves the vertical that the gyroscope keeps. An elbow that
hits the board turns it far more abruptly than a hand. Without the inertial sensor the weight must
do: a shaken table presses on the cells as hard as it leaves them, pieces that fall do not.
"""

from math import exp

from engine.detect.back.parameters import (
    BUMP_CAUSED,
    BUMP_JUST_PLACED,
    BUMP_OUT_OF_TURN,
    BUMP_STRUCK,
    BUMP_TREMBLED,
    BUMP_UNFELT,
    BUMP_UNWEIGHED,
    BUMP_WEIGHED,
    FALL_FELT,
    FALL_GRASPED,
    FALL_IMPACTS,
    FALL_IMPACTS_FELT,
    FALL_TIPPED,
    FALL_UNTOUCHED,
    GRASPED_S,
    SAME_TURN_S,
    SEVERAL_G,
    UNTOUCHED_S,
    UP_AGAIN_G,
)
from engine.detect.front.observation import Felt


def bump_probability(felt: Felt, *, in_turn: bool, since_release_s: float) -> float:
    """Probability that what fell in a contact was bumped, and not brought down by a placing hand.

    Args:
        felt: the contact.
        in_turn: whether the rules expected a piece.
        since_release_s: from the last release to the beginning of the contact.
    """
    touch, pushes = felt.touch, felt.pushes
    odds = -BUMP_OUT_OF_TURN if in_turn else BUMP_OUT_OF_TURN
    if since_release_s < SAME_TURN_S:
        odds += BUMP_JUST_PLACED
    if pushes.caused:
        odds += BUMP_CAUSED
    elif pushes.struck:
        odds += BUMP_STRUCK
    elif pushes.heard:
        up_again = touch.shaken and touch.highest_g > UP_AGAIN_G
        odds += BUMP_TREMBLED if up_again and pushes.trembled_first else BUMP_UNFELT
    else:
        odds += BUMP_WEIGHED if touch.shaken or touch.knocked else BUMP_UNWEIGHED
    return 1.0 / (1.0 + exp(-odds))


def fall_log_odds(felt: Felt) -> float:
    """How much likelier a contact feels like pieces that fall than like a hand that takes them."""
    touch = felt.touch
    odds = FALL_FELT if felt.pushes.near or felt.pushes.struck else 0.0
    if touch.pressed_s > GRASPED_S:
        odds += FALL_GRASPED
    elif touch.lighter_s < UNTOUCHED_S and touch.lowest_g < -SEVERAL_G:
        odds += FALL_UNTOUCHED
    if touch.impacts >= FALL_IMPACTS:
        odds += FALL_IMPACTS_FELT
    return odds + FALL_TIPPED * felt.tipped
