"""Which dice belong to a table, and whose each of them is: a small JSON file.

    {"dice": [{"address": "C4:5D:83:0A:11:22", "name": "GoDice_0A1122", "owner": "red"}]}

`topple-table dice --pair` writes it; it may be edited by hand.
"""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from controller.common.errors import BadConfig
from controller.common.files import CONFIG_BYTES, read_bytes, write_whole
from controller.dice.telling import EVERYBODY
from engine.errors import UNREADABLE
from engine.games.checks import LONGEST_NAME


class PairedDie(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A die of this table.

    Attributes:
        address: of its Bluetooth, as Linux writes it.
        owner: the colour whose player rolls it, or a player's name, or `all`.
        name: as the die calls itself, for people.
    """

    address: Annotated[str, Meta(pattern="^([0-9A-F]{2}:){5}[0-9A-F]{2}$")]
    owner: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)] = EVERYBODY
    name: str = ""

    @property
    def subject(self) -> str:
        """The subject of a sentence about it.

        >>> PairedDie("C4:5D:83:0A:11:22", "red").subject
        'The die of red'
        """
        return f"The die of {self.owner}"


class PairedDice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: each die once."""

    dice: tuple[PairedDie, ...] = ()


def load(file: Path) -> tuple[PairedDie, ...]:
    """The dice in a file; none without it.

    Raises:
        BadConfig: it cannot be read, or is no such file; says what to check.
    """
    try:
        return msgspec.json.decode(read_bytes(file, CONFIG_BYTES), type=PairedDice).dice
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise BadConfig(f"{file}: {error.strerror}; check the path and its rights") from None
    except UNREADABLE as error:
        raise BadConfig(f"{file}: {error}; mend it, or delete it and pair the dice again") from None


def keep(file: Path, die: PairedDie) -> None:
    """Add a die to a file, or give it another owner.

    Raises:
        BadConfig: what is there cannot be read.
        OSError: it cannot be written.
    """
    others = [each for each in load(file) if each.address != die.address]
    document = msgspec.json.encode(PairedDice((*others, die)))
    write_whole(file, msgspec.json.format(document, indent=2) + b"\n")
