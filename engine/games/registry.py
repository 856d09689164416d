"""The games by their record id. A fifth game is one folder and one line here."""

from engine.games import topolo, topominos, topple, triple_topper_toe
from engine.games.kind import GameKind

GAMES: dict[str, GameKind] = {
    kind.rules.id: kind
    for kind in (
        topple.KIND,
        topolo.KIND,
        triple_topper_toe.KIND,
        topominos.KIND,
    )
}

DEFAULT_GAME = topple.KIND.rules.id
"""The game that is meant where none is named, and whose house rules a configuration holds."""
