"""What the controller raises. One base; every message says what, where and what to do next."""


class ControllerError(Exception):
    """Base of everything raised by `controller`; its text is one line for a person."""


class BadConfig(ControllerError, ValueError):  # noqa: N818
    """A configuration that cannot be used: names the key, the value and the limit."""


class BadInput(ControllerError, ValueError):  # noqa: N818
    """A file or an argument that cannot be used."""


class BadScenario(BadInput):
    """A scenario of the bench that cannot be played: names file, line and key."""


class BadTarget(ControllerError):  # noqa: N818
    """A target of the bench that is not available here: names what is missing."""


class JournalError(ControllerError, OSError):
    """The journal cannot be read or written."""


class NewerJournal(JournalError):  # noqa: N818
    """The journal was written by a newer version; it is left untouched."""
