"""What `firmware_bridge` raises. One base; every leaf is also the standard error a caller expects.

Bytes from the line never raise: the receiver counts what it had to throw away and goes on. What
raises is wrong use by the program, a port that cannot be opened, and a board that is not ours.
"""

from firmware_bridge.troubles import LinkTrouble


class BridgeError(Exception):
    """Base of everything raised by `firmware_bridge`."""


class BadFrame(BridgeError, ValueError):  # noqa: N818 - reads like the sentence it opens
    """Bytes between two zeros that are no frame of ours; the link or another device is to blame.

    Attributes:
        fault: `cobs`, `crc`, `short` or `long`: the first check that failed.
    """

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault


class UnsendableMessage(BridgeError, ValueError):  # noqa: N818
    """A value that does not fit its field on the wire; the caller is to blame.

    Attributes:
        field: name of the field.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class PortUnavailable(BridgeError, OSError):  # noqa: N818
    """The serial port is missing, in use or forbidden. The message says which and what to do.

    Attributes:
        trouble: what the message says.
    """

    def __init__(self, trouble: LinkTrouble) -> None:
        super().__init__(trouble.sentence)
        self.trouble = trouble
