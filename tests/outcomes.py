"""Outcomes for tests that are about a part of their fields only."""

from typing import Any

from engine.public_events import event_of
from engine.referee import Outcome

USUAL: dict[str, Any] = {
    "ref": 1, "id": 7, "kind": "off_board", "status": "provisional", "changes": {}, "of": "placed",
    "valid_s": 6.0, "game_over": False, "text": "",
}  # fmt: skip
"""What fields hold of which a test says nothing."""


def outcome(
    seq: int, t_s: float, type_: str, player: str | None = None, data: dict[str, Any] | None = None
) -> Outcome:
    """An outcome of a type, with these fields and the usual ones."""
    return Outcome(seq, t_s, event_of(type_, player, {**USUAL, **(data or {})}))
