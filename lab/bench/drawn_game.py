"""A short game by commands alone, drawn anew for each case: rows, stacks, topples, undo.

Every table plays one after its scenario, so that each rule is tried at each table, by the house
rules of other families as well. What it must come to is asked of the rules oracle.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from lab.bench.rules_oracle import ROWS

Said = tuple[str, dict[str, Any]]

OPTIONS: dict[str, tuple[Any, ...]] = {
    "share": ("each", "once"),
    "bonus_to": ("previous_turn", "last_placer"),
    "first_move_bonus": ("none", "right_neighbour", "previous_round"),
    "next_starter": ("continue", "same", "rotate"),
    "tie": ("shared", "another_round"),
    "floor_zero": (False, True),
    "two_colour_winner": ("best", "sum", "both"),
}
TARGETS = (4, 40, 40)
"""In a third of the games somebody may have won when the round ends; in the others play goes on."""

USUAL_SHARE = 0.5
"""Half of all families play by the book."""

NAMES = ("Ann", "Zoë", "Łukasz", "Мария", "李雷", "محمد", "Åsa 🎲", "Ame\u0301lie",
         "O'Neil \"Tip\" <b>", "Wolfeschlegelsteinhausen-Ünal-Çağlayan")  # fmt: skip
"""In letters of one to four bytes, from right to left, with an accent of its own, with what other
languages than ours take for their own signs, and nearly as long as a name may be."""

COLOURS = ("red", "blue", "green", "yellow")


def drawn_game(chance: Random) -> Iterator[Said]:
    """What people say in it, in order."""
    two = chance.random() < 0.25
    names = chance.sample(NAMES, 2 if two else chance.randint(2, 4))
    hands = [COLOURS[:2], COLOURS[2:]] if two else [(colour,) for colour in COLOURS]
    told = chance.random() < 0.3
    options = {} if chance.random() < USUAL_SHARE else _house_rules(chance)
    players = [{"name": n, "colours": list(h)} for n, h in zip(names, hands, strict=False)]
    variant = {"variant": "two-colour"} if two else {}
    yield (
        "start",
        {
            "players": players,
            "first": chance.randrange(len(names)),
            "target": chance.choice(TARGETS),
            "options": {**options, "dice": "told" if told else "untold"},
            "replace": True,
            **variant,
        },
    )
    row = chance.sample(chance.choice([*ROWS.values()]), 5)
    stack = chance.choice(row)
    for cell in (*row, stack, stack, chance.choice(row), stack):
        yield from _turn(cell, told=told)
    if told:
        yield from (("roll", {"value": 5}), ("pass", {}), ("roll", {"value": 6}))
    bumped = {"cause": "bump", "player": chance.choice(names)}
    yield "topple", chance.choice((bumped, {"cause": "placing"}))
    yield from (("undo", {}), ("redo", {}), ("cleared", {}))
    yield from _turn(chance.choice(row), told=told)
    yield from (("undo", {}), ("redo", {}))


def _house_rules(chance: Random) -> dict[str, Any]:
    return {name: chance.choice(values) for name, values in OPTIONS.items()}


def _turn(cell: str, *, told: bool) -> Iterator[Said]:
    if told:
        yield "roll", {"value": 6}
    yield "place", {"cell": cell}
