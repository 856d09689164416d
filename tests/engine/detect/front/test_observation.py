"""What a contact says of the hand that was there."""

import pytest

from engine.detect.front.contact import Touch
from engine.detect.front.observation import Felt
from engine.detect.front.pressing import MOST_PRESSED_G, Press
from engine.detect.front.shocks import Pushes


@pytest.mark.parametrize(
    ("press", "by_hand"),
    [
        (None, False),
        (Press((30.0, 0.0), 1.0, 20.0), True),
        (Press((0.0, 0.0), 0.5, MOST_PRESSED_G + 1.0), False),
    ],
)
def test_what_weighs_more_than_a_hand_presses_lies_on_the_plate(
    press: Press | None, *, by_hand: bool
) -> None:
    felt = Felt(Touch(0.0), Pushes(), press=press)

    assert felt.hand == (press if by_hand else None)
