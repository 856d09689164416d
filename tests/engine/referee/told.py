"""Games in which much goes wrong, with everything that the referee ruled written down.

People roll late, take back, contradict and correct, sensors err and think better of it, all drawn
by seed. What the referee makes of it is right by the rules as far as the other tests can say;
here none of it changes unnoticed. Two games are written down to be read; the last line has a
checksum of all fields of each ruling of all games. Whoever means to change it says `make golden`,
and looks at the difference before it is committed.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import msgspec

from engine.events import (
    SURE,
    Cleared,
    Corrected,
    HumanInput,
    Placed,
    Retracted,
    ToppleCause,
    Toppled,
)
from engine.events import ToppleKind as Kind
from engine.referee import RefereeState, Ruling, expectation, handle_input, observe
from engine.scoreboard import document
from engine.summary import summary
from engine.tabletop import CELLS
from tests.engine.referee.script import ANN_AND_BOB, TWO_COLOURS
from tests.outcomes import in_words

WRITTEN = Path(__file__).parent / "told.txt"

STEPS = 90
THREE = [{"name": name, "colours": [colour]} for name, colour in
         (("Ann", "blue"), ("Bob", "red"), ("Cid", "green"))]  # fmt: skip

OPENINGS: tuple[dict[str, Any], ...] = (
    {"players": ANN_AND_BOB, "target": 30},
    {"players": TWO_COLOURS, "target": 60},
    {"players": THREE, "target": 25},
    {"players": ANN_AND_BOB, "options": {"dice": "untold"}},
    {"players": TWO_COLOURS, "options": {"pass": "never"}},
)
GAMES, READ = 10, 2

WAITS_S = (0.3, 1.0, 1.5, 2.0, 4.0, 12.0, 40.0)


class Evening:
    """One game, and what people and sensors do next."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.state = RefereeState()
        self.t_s, self.last_id = 1.0, 0

    def rulings(self, opening: dict[str, Any]) -> Iterator[tuple[str, Ruling]]:
        """What happens, and what the referee makes of it."""
        yield self._say("start", {"first": 0, "target": 100, **opening})
        for _ in range(STEPS):
            self.t_s += self.chance.choice(WAITS_S)
            yield self._next()

    def _next(self) -> tuple[str, Ruling]:
        position = self.state.position
        if position.phase == "over" and self.chance.random() < 0.3:
            return self._say("start", {"players": THREE, "target": 40, "first": 1})
        if self.chance.random() < 0.35:
            return self._trouble()
        if position.phase == "clear":
            return self._see(Cleared(self.t_s, self.t_s + 0.4))
        if position.phase == "roll" and self.chance.random() < 0.8:
            return self._say("roll", {"value": self.chance.randint(1, 6)})
        return self._placed(self.chance.choice((0.6, SURE, 0.97, 0.999)))

    def _placed(self, p: float) -> tuple[str, Ruling]:
        cells = expectation(self.state).legal_cells or CELLS
        cell = self.chance.choice(cells if self.chance.random() < 0.9 else CELLS)
        others = tuple((other, 0.1) for other in self.chance.sample(CELLS, 2))
        late_s = self.chance.choice((0.2, 0.5, 3.0))
        seen = None if p < 0.9 and self.chance.random() < 0.3 else cell
        alternatives = others if p < 0.99 else ()
        return self._see(
            Placed(self._id(), self.t_s - late_s, self.t_s, seen, p, alternatives, 3.02)
        )

    def _trouble(self) -> tuple[str, Ruling]:
        chance, t_s = self.chance, self.t_s
        old = max(1, self.last_id - chance.choice((0, 0, 0, 1, 2)))
        ref = max(0, self.state.next_ref - chance.randint(1, 5))
        player = chance.randint(0, 2)
        cell = chance.choice(CELLS)
        what = chance.choice((
            "topple", "topple", "retract", "correct", "cleared", "answer", "answer", "answer",
            "undo", "undo", "redo", "roll", "pass", "blame", "said", "colour", "place",
            "topple_said",
        ))  # fmt: skip
        if what == "topple":
            kind, cause = chance.choice(list(Kind)), chance.choice(list(ToppleCause))
            sure, at_s = chance.choice((0.6, 0.95, 0.99)), t_s - chance.choice((0.2, 1.0, 5.0))
            fallen = chance.choice((None, 1, 2, 5))
            return self._see(Toppled(self._id(), at_s, t_s, kind, cause, sure, sure, fallen))
        if what == "retract":
            return self._see(Retracted(old, t_s, chance.choice(("it fell", "taken back"))))
        if what == "correct":
            return self._see(Corrected(old, t_s, cell, chance.choice((0.7, 0.99)), (("c3", 0.2),)))
        if what == "answer":
            return self._answer()
        said: dict[str, tuple[str, dict[str, Any]]] = {
            "roll": ("roll", {"value": chance.randint(1, 6)}),
            "blame": ("blame", {"player": player}),
            "colour": ("colour", {"colour": chance.choice(("blue", "green", "red"))}),
            "place": ("place", {"cell": cell}),
            "topple_said": ("topple", chance.choice(({}, {"cause": "bump", "player": player}))),
            "said": ("correct", {"ref": ref, **chance.choice((
                {"cell": cell}, {"value": 3}, {"nothing": True}, {"cause": "placing"},
                {"cause": "bump", "player": "Bob"}, {"colour": "green"},
            ))}),
        }  # fmt: skip
        return self._say(*said.get(what, (what, {})))

    def _answer(self) -> tuple[str, Ruling]:
        open_now = (*self.state.questions(), *self.state.doubts())
        if not open_now:
            return self._say("pass", {})
        question = self.chance.choice(open_now)
        value = self.chance.choice(question.choices).value if question.choices else "none"
        return self._say("answer", {"question": question.id, "value": value})

    def _id(self) -> int:
        self.last_id += 1
        return self.last_id

    def _say(self, verb: str, data: dict[str, Any]) -> tuple[str, Ruling]:
        return self._take(verb, handle_input(self.state, HumanInput(self.t_s, verb, data)))

    def _see(self, event: Any) -> tuple[str, Ruling]:
        return self._take(type(event).__name__, observe(self.state, event))

    def _take(self, what: str, ruling: Ruling) -> tuple[str, Ruling]:
        self.state = ruling.state
        return what, ruling


def told() -> Iterator[str]:
    """What was ruled: two games in words, and of all games a checksum of each ruling."""
    sums = []
    for seed in range(GAMES):
        evening = Evening(seed)
        for number, (what, ruling) in enumerate(evening.rulings(OPENINGS[seed % len(OPENINGS)])):
            if seed < READ:
                yield f"{seed}.{number} {what}: {_in_words(ruling)}"
            sums.append(f"{seed}.{number}:{_checksum(ruling)}")
    yield " ".join(sums)


def _in_words(ruling: Ruling) -> str:
    refused = (f"refused {ruling.refused.code}",) if ruling.refused else ()
    return "; ".join((*refused, *map(in_words, ruling.outcomes)))


def _checksum(ruling: Ruling) -> int:
    """Of all that can be known of a ruling."""
    shown = document(ruling.state, table="t1", boot="b")
    found = (
        [(o.type, o.player, sorted(o.data.items())) for o in ruling.outcomes],
        ruling.refused.code if ruling.refused else "",
        msgspec.to_builtins((ruling.state.position.scores, ruling.amendments)),
        msgspec.json.encode(shown).decode(), summary(shown).decode(),
        str(expectation(ruling.state)), str(ruling.state.questions()),
        str(ruling.state.doubts()), ruling.state.undo_depth,
    )  # fmt: skip
    return crc32(repr(found).encode())


def written() -> list[str]:
    """What was ruled when it was last looked at."""
    return WRITTEN.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    WRITTEN.write_text("".join(f"{line}\n" for line in told()), encoding="utf-8")
