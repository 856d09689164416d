"""Stories of a table as people tell them, and what the referee makes of each step.

`stories.txt` holds them: a heading, then one step a line; what is indented below a step is what
the referee tells, and what stands after `=` is where the story ends. After an intended change say
`make golden`, and read what has changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.events import (
    Cleared,
    Corrected,
    Fault,
    Ranked,
    Restored,
    Reweighed,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.referee import Ruling, expectation, standing
from engine.referee.position import Applied, Question
from engine.scoreboard import document
from engine.tabletop import CELLS
from tests.engine.referee.script import TWO_COLOURS, Script
from tests.outcomes import SHOWN, in_words

STORIES = Path(__file__).with_name("stories.txt")

MASSES = {
    "apart": {
        "mass_mean_g": 4.0, "mass_std_g": 0.5,
        "colours": {
            "blue": {"mass_mean_g": 3.5, "mass_std_g": 0.04},
            "red": {"mass_mean_g": 4.5, "mass_std_g": 0.04},
        },
    },
    "alike": {"mass_mean_g": 4.0, "mass_std_g": 0.1},
}  # fmt: skip
"""What the pieces of a set weigh: by colour a gram apart, or all the same."""

NOT_TOLD = {"ref", "cell", "colour", "points", "ways", "cause", "kind"}
"""Told when it happened, or said by the actions."""


def stories() -> dict[str, str]:
    """Every story by its heading, as written."""
    found = STORIES.read_text(encoding="utf-8").split("# ")[1:]
    return {"".join(each.partition("\n")[0]): each.partition("\n")[2].strip("\n") for each in found}


def played(story: str) -> str:
    """The story with what the referee tells now."""
    return "\n".join(_lines([line for line in story.split("\n") if line[:1] not in " ="]))


def _lines(steps: list[str]) -> Iterator[str]:
    table = Script()
    for step in steps:
        before = table.ruling
        do(table, *step.split())
        yield step
        if table.ruling is not before:
            yield from (f"    {line}" for line in _told(table.ruling))
    yield from (f"= {line}" for line in _end(table))


def do(table: Script, what: str, *words: str) -> None:
    """One step: who sees or says what."""
    given, named = _parsed(words)
    if what in STEPS and (given or what != "turn"):
        STEPS[what](table, given, named)
    else:
        table.say(what, **({"value": given[0]} if given else {}), **named)


def _parsed(words: Sequence[str]) -> tuple[list[Any], dict[str, Any]]:
    parts = [word.partition("=") for word in words]
    given = [_value(word) for word, equals, _ in parts if not equals]
    return given, {name: _value(value) for name, _, value in parts if value}


def _start(table: Script, given: list[Any], named: dict[str, Any]) -> None:
    players = {"players": TWO_COLOURS} if "two-colour" in given else {}
    options = {"dice": "untold"} if "untold" in given else {}
    options |= {"pass": named.pop("pass")} if "pass" in named else {}
    masses = {"masses": MASSES[named.pop("masses")]} if "masses" in named else {}
    table.start(**players, **({"options": options} if options else {}), **masses, **named)


def _piece(table: Script, given: list[Any], named: dict[str, Any]) -> None:
    (cell,) = given
    at_s = table.t_s + named.get("after_s", 2.0 - named.get("late_s", 0.0))
    more = {n: named[n] for n in ("mass_g", "mass_sd_g", "stands") if n in named}
    table.placed(
        None if cell == "somewhere" else cell,
        named.get("p", 0.99), at_s, alternatives=_others(named), **more,
    )  # fmt: skip


def _fall(table: Script, given: list[Any], named: dict[str, Any]) -> None:
    late_s = named.pop("late_s", None)
    at_s = None if late_s is None else table.t_s + named.get("after_s", 1.0) - late_s
    table.toppled(given[0], at=at_s, **named)


def _others(named: dict[str, Any]) -> Ranked:
    return tuple((cell, p) for cell, p in named.items() if cell in CELLS)


def _better(table: Script, given: list[Any], named: dict[str, Any]) -> None:
    event, cell = given
    p, others = named.get("p", 0.99), _others(named)
    table.see(Corrected(event, table.t_s + 0.5, cell, p, others))


def _wait(table: Script, given: list[Any], _named: dict[str, Any]) -> None:
    table.t_s += given[0]


def _perhaps(table: Script, given: list[Any], _named: dict[str, Any]) -> None:
    """The board is cleared, and the sensors believe by so much that something had fallen."""
    t_s, (p,) = table.t_s + 3.0, given
    cause = ToppleKind.OFF_BOARD, ToppleCause.PLACING
    table.t_s = t_s + 8.0
    fall = Toppled(90, t_s, table.t_s, *cause, p, 0.95, 1, 0.99)
    table.see(Cleared(table.t_s, table.t_s + 0.5, fall))


def _repeated(cells: list[str]) -> list[str]:
    """`a1 c3 *12`: the cells before it so many times."""
    *before, last = cells
    return before * int(last[1:]) if last[0] == "*" else cells


STEPS: Mapping[str, Callable[[Script, list[Any], dict[str, Any]], object]] = {
    "start": _start,
    "wait": _wait,
    "turn": lambda table, given, _: table.turn(*given),
    "turns": lambda table, given, _: [table.turn(6, cell) for cell in _repeated(given)],
    "pieces": lambda table, given, _: [table.placed(cell) for cell in _repeated(given)],
    "marked": lambda table, given, _: [
        table.placed(cell, mass_g=(3.5, 4.5)[at % 2]) for at, cell in enumerate(given)
    ],
    "piece": _piece,
    "fall": _fall,
    "gone": lambda table, given, _: table.retracted(given[0], " ".join(given[1:]) or "taken back"),
    "better": _better,
    "weighed": lambda table, given, _: table.see(
        Reweighed(given[0], table.t_s + 1.0, given[1], 0.06)
    ),
    "perhaps": _perhaps,
    "emptied": lambda table, _given, _: table.cleared(),
    "broken": lambda table, given, _: table.see(Fault(table.t_s + 1.0, given[0], "stuck")),
    "mended": lambda table, given, _: table.see(Restored(table.t_s + 1.0, given[0])),
}


def _value(word: str) -> Any:
    if word in ("yes", "no"):
        return word == "yes"
    try:
        return float(word) if "." in word else int(word)
    except ValueError:
        return word


def _told(ruling: Ruling) -> Iterator[str]:
    if ruling.refused is not None:
        yield f"refused ({ruling.refused.code}): {ruling.refused}"
    for outcome in ruling.outcomes:
        yield f"{outcome.seq} {in_words(outcome)}"
    for event, cell in ruling.amendments:
        yield f"to the detector: {event} was {cell or 'none'}"


def _end(table: Script) -> Iterator[str]:
    state, position = table.state, table.state.position
    yield f"{position.phase}, round {position.round}, {position.player}; {dict(position.scores)}"
    yield f"{state.game_id}, undo {state.undo_depth}, redo {state.redo_depth}, revision {state.rev}"
    for cell, stack in document(state, table="t1", boot="b").board.items():
        yield f"on {cell}: {', '.join(f'{p.colour} (move {p.ref}, {p.status})' for p in stack)}"
    yield f"events on the board {standing(state)}"
    awaited = expectation(state)
    cells = "anywhere" if awaited.legal_cells is None else " ".join(awaited.legal_cells)
    yield f"expects {'a piece' if awaited.may_place else 'none'} {cells}, {awaited.pieces_left}"
    yield from (f"asks {_asked(question)}" for question in state.questions())
    yield from (f"believes {_asked(question)}" for question in state.doubts())
    for judged in state.judged_moves:
        for applied in judged.applied:
            if applied.type != "started":
                yield f"{applied.ref} {applied.type}: {_meant(applied)}"
        if judged.refusal is not None:
            yield f"{judged.move.ref} counts for nothing ({judged.refusal.code}): {judged.refusal}"


def _asked(question: Question) -> str:
    choices = ", ".join(
        f"{c.value} ({c.label})" + ("" if c.p is None else f" {c.p:g}") for c in question.choices
    )
    return f"{question.player or 'all'} {question.id}: {question.text} {choices}"


def _meant(applied: Applied) -> str:
    told = {
        name: value
        for name in Applied.__slots__
        if name in SHOWN - NOT_TOLD and (value := getattr(applied, name)) not in (None, "", {}, ())
    }
    actions = "; ".join(" ".join(map(str, action.values())) for action in applied.actions)
    return " ".join([f"[{actions}]", *(f"{name}={value}" for name, value in told.items())])


if __name__ == "__main__":
    written = [f"# {name}\n{played(story)}\n" for name, story in stories().items()]
    STORIES.write_text("\n".join(written), encoding="utf-8")
