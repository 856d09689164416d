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
