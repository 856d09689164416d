"""What a contact says of the hand that was there."""

import pytest

from engine.detect.back.rest import Contact
from engine.detect.front.contact import Touch
from engine.detect.front.pressing import MOST_PRESSED_G, Press


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
    contact = Contact(1, 0.0, Touch(0.0), True, 0.05, 0.0, press=press)

    assert contact.hand == (press if by_hand else None)
