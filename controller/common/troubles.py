"""What the program says of journal, dice and the table's name; and all kinds that a table has."""

from collections.abc import Mapping

import engine.troubles
import firmware_bridge.troubles
import hw.troubles
from engine.trouble import TroubleKind
from firmware_bridge.troubles import LinkKind

JOURNAL_FROM_COPY = TroubleKind(
    "journal_from_copy",
    "The journal was damaged, and the game came back from its copy. Check the score",
)
JOURNAL_BOTH_LOST = TroubleKind(
    "journal_both_lost", "The journal and its copy have lost the last entries. Check the score"
)
JOURNAL_PART_MISSING = TroubleKind(
    "journal_part_missing",
    "A part of the journal is missing, so nothing can confirm the score. Check it",
)
JOURNAL_WENT_BACK = TroubleKind(
    "journal_went_back", "The journal has lost its last entries. Check the score"
)
JOURNAL_STRANGER = TroubleKind(
    "journal_stranger", "The journal is not the one that was played last. Check the score"
)
JOURNAL_GONE = TroubleKind(
    "journal_gone",
    "{path} is gone, in which games were kept, and this is a new table; check that the right card "
    "or stick is in",
)
JOURNAL_STOPPED = TroubleKind(
    "journal_stopped",
    "The table has stopped, since it can store nothing more; what was shown is safe. Make room on "
    "its disk, or check the card: sudo topple-table doctor",
)
STORAGE_FULL = TroubleKind(
    "storage_full",
    "The disk of {path} is full: games have {mb} MB left, old recordings make room. Delete "
    "something on it",
)

STORAGE_IN_MEMORY = TroubleKind(
    "storage_in_memory",
    "{path} lies in memory ({kind} on {point}) and is gone with the power; put it on the card or "
    "a stick",
)
STORAGE_LAYERED = TroubleKind(
    "storage_layered",
    "{path} lies in a layer over the disk ({kind} on {point}) that may end with the power; switch "
    "it off (sudo raspi-config, Performance Options, Overlay File System), or use a stick",
)
STORAGE_NOT_MOUNTED = TroubleKind(
    "storage_not_mounted",
    "{path} belongs on {point}, where nothing is mounted; plug in the stick, then sudo mount "
    "{point}",
)
STORAGE_READ_ONLY = TroubleKind(
    "storage_read_only",
    "{path} cannot be written, since {point} is read-only; sudo mount -o remount,rw {point}",
)
STORAGE_FAILED = TroubleKind(
    "storage_failed",
    "The file system of {path} ({point}) has had errors; back it up, check it with fsck, and put "
    "in another card soon",
)
STORAGE_UNPLUGGED = TroubleKind(
    "storage_unplugged",
    "The disk of {path} ({point}) was pulled out; plug it in and start the computer again",
)
STORAGE_WORN = TroubleKind(
    "storage_worn",
    "The card of {path} ({point}) is nearly worn out; copy it to a new one soon",
)

DIE_LOST = TroubleKind(
    "die_lost", "The die of {owner} has no connection; shake it beside the table, or charge it."
)
DIE_LOW = TroubleKind(
    "die_low", "The die of {owner} has {percent} % of its battery left; charge it."
)

DUPLICATE_ID = TroubleKind(
    "duplicate_id",
    "Another table on this broker is called {table} too; give one of them another [table] id",
)


def kinds_in(names: Mapping[str, object]) -> Mapping[str, str]:
    """Code -> sentence of the kinds among the names of a module."""
    found = [value for value in names.values() if isinstance(value, TroubleKind | LinkKind)]
    return {kind.code: kind.english for kind in found}


ENGLISH: Mapping[str, str] = {
    **kinds_in(vars(engine.troubles)),
    **kinds_in(vars(hw.troubles)),
    **kinds_in(vars(firmware_bridge.troubles)),
    **kinds_in(globals()),
}
"""Of all kinds: code -> sentence in English, with `{name}` for each argument."""
