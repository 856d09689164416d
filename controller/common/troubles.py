"""What the program says of journal, dice and the table's name, in English."""

from engine.trouble import TroubleKind

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
