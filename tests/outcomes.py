"""Outcomes for tests that are about a part of their fields only, and outcomes in words."""

from collections.abc import Callable
from typing import Any

import msgspec

from engine.public_events import Outcome, event_of

USUAL: dict[str, Any] = {
    "ref": 1, "id": 7, "kind": "off_board", "status": "provisional", "changes": {}, "of": "placed",
    "valid_s": 6.0, "game_over": False, "text": "",
}  # fmt: skip
"""What fields hold of which a test says nothing."""


def outcome(
    seq: int, t_s: float, type_: str, player: str | None = None, data: dict[str, Any] | None = None
) -> Outcome:
    """An outcome of a type, with these fields and the usual ones."""
    event = event_of(type_, player, {**USUAL, **(data or {})})
    return msgspec.structs.replace(event, seq=seq, t_s=t_s)


SHOWN = {
    "ref", "cell", "colour", "points", "confidence", "cause", "kind", "mass_g", "colour_p",
    "weighs", "ways", "changes", "status", "assumed", "die", "was", "of", "reason", "probability",
    "valid_s", "id", "verb", "scores", "phase", "game_over", "text", "winners", "sensor", "player",
}  # fmt: skip
"""Fields that golden files show. A field that is not here changes their checksums only."""


def in_words(told: Outcome, text: Callable[[Any], str] = str) -> str:
    """An outcome as golden files have it: type, player or `-`, and the fields shown."""
    words = (f"{name}={text(value)}" for name, value in told.data.items() if name in SHOWN)
    return " ".join([told.type, told.player or "-", *words])
