"""What the league raises."""

from controller.common.errors import ControllerError


class LeagueError(ControllerError):
    """Base of the league's errors; its text is one line for a person."""


class DatabaseError(LeagueError):
    """The database cannot be used, and waiting will not help: says what to change."""


class DatabaseAway(LeagueError):  # noqa: N818
    """The database cannot be reached or is busy just now; trying again may help."""
