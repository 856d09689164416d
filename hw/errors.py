"""What `hw` raises. One base; every leaf is also the standard error a caller expects.

Each message says what is wrong, where, and what to check next, in words for the person who
owns the table. The command line prints it as it stands.
"""

from engine.trouble import Trouble


class HardwareError(Exception):
    """Base of everything raised by `hw`."""


class NoSuchStep(HardwareError, ValueError):  # noqa: N818
    """A step that the assembly guide does not have."""


class BadTrace(HardwareError, ValueError):  # noqa: N818 - reads like the sentence it opens
    """A recording that cannot be replayed: no MCAP file, no table metadata, a broken message."""


class BadCalibration(HardwareError, ValueError):  # noqa: N818
    """A calibration no table can have. The message names the key, the value and the limit.

    Attributes:
        key: dotted name of the offending entry (`scale.counts_per_gram[2]`); empty when the
            whole document cannot be read.
    """

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class BadMeasures(HardwareError, ValueError):  # noqa: N818
    """Measures of a game that no game can have. The message names the key, the value, the limit."""


class BadReferenceMass(HardwareError, ValueError):  # noqa: N818
    """A reference mass that is unknown, too light or too heavy."""


class BadTwin(HardwareError, ValueError):  # noqa: N818
    """Parameters or a request the simulated tower cannot follow (no such cell, no such fault)."""


class MissingDriver(HardwareError, ImportError):  # noqa: N818
    """A library that talks to the hardware is not installed. The message says which, and how."""


class BadSensor(HardwareError, OSError):  # noqa: N818
    """A sensor that does not answer, or not as the one it should be. It may come back.

    Attributes:
        trouble: what is wrong.
    """

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.sentence)
        self.trouble = trouble


class NoPins(HardwareError, OSError):  # noqa: N818
    """This machine has no pins, no I2C bus or no driver for them: the table cannot start."""
