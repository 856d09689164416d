"""Which names may come in at all, whoever carries them: phone, button, recording.

The rules do not ask how long a name is, since a journal of an older version may hold any; so what
stands in a journal is not asked again. Everything new is asked here, once: a name is shown on
every screen, printed on terminals and in logs, and published in documents whose size is promised.
All names come with a `start`; later they must be those of the game.
"""

from engine.errors import IllegalAction
from engine.events import HumanInput
from engine.games.checks import check_start


def objection(said: HumanInput) -> IllegalAction | None:
    """Why an input is not let in; None when it is.

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
