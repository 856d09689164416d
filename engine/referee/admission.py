"""Checks the names in an input, whether it comes from a phone, a button or a recording.

A name is shown on every screen, printed on terminals and in logs, and published in documents of
limited size, so every new one is checked here. Names from a journal are not checked again, because
an older version may have allowed longer ones. All names come with a `start`; later ones must be
those of the game.
"""

from engine.errors import IllegalAction
from engine.events import HumanInput
from engine.games.checks import check_start


def objection(said: HumanInput) -> IllegalAction | None:
    """Why an input is refused; None if it is accepted.

    Args:
        said: as `engine.referee.spelled_out` gives it, so that a start is called one.

    >>> objection(HumanInput(0.0, "start", {"red": "Ann", "black": "B" * 41})).code
    'bad_name'
    """
    try:
        if said.type == "start":
            check_start(said.data)
    except IllegalAction as refused:
        return refused
    return None
