"""What the engine raises. One base; every leaf is also the standard error a caller expects."""

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding somebody else's JSON may end in: no JSON or of the wrong shape, no UTF-8 inside a
string, nested too deeply. Catch all three, or one message stops a table."""


class EngineError(Exception):
    """Base of everything raised by `engine`."""


class IllegalAction(EngineError, ValueError):  # noqa: N818 - the rule book's word
    """An action the rules refuse. The state is as before.

    Attributes:
        code: short stable name of the reason, for programs (`not_rolled`, `cell_not_allowed`, ...).
        message: one sentence for the players.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message


class BadRecord(EngineError, ValueError):  # noqa: N818
    """A game record that cannot be read at all: no JSON, or no action.

    Attributes:
        line: one-based number of the offending line.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class UnusableTabletop(EngineError, ValueError):  # noqa: N818
    """The description of the table cannot be right (no cells, no weight, wrong shape)."""
