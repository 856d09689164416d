"""Carries out each verb of a scenario: as hands, as commands from people, or as a fault.

An act is a generator that yields the bench time at which it continues, like the scripts of the
simulated people.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from controller.common.errors import BadScenario
from engine.events import HumanInput
from lab.bench.boards import Board
from lab.bench.checking import broken_views
from lab.bench.observed import Mark, Run
from lab.bench.steps import (
    Broker,
    BrokerWord,
    Bump,
    Command,
    FaultOrder,
    Knock,
    Lean,
    Line,
    LineWord,
    Nudge,
    Place,
    Press,
    ScenarioStep,
    Some,
    Tap,
    Touch,
    Views,
    Weight,
)
from lab.twin.fault_words import parse_fault
from lab.twin.tower import Tower

if TYPE_CHECKING:
    from lab.bench.stage import Stage

Act = Iterator[float]
Part = TypeVar("Part", bound=msgspec.Struct)

PAUSES_S = {
    # Nobody takes a piece and reaches the board in less (1.42 s, the quickest of 410 recorded).
    "roll": 1.2, "place": 2.4, "put_back": 2.4, "hesitate": 2.0, "lift": 2.4, "knock_off": 6.0,
    "touch": 2.0, "nudge": 2.4, "bump": 3.0, "tap": 2.5, "lean": 1.5, "knock": 4.0, "press": 1.5,
    "clear": 2.0, "kill": 0.0,
}  # fmt: skip
"""How long people wait after each verb before they go on; 0.3 s after all others."""

SPEAKING_S = 0.3
LOOK_S = 0.1
"""As long as a step of the table: nothing changes in between."""

RESTART_S = 1.5
"""A process that is started again by the system."""


def perform(stage: "Stage", step: ScenarioStep, then: ScenarioStep | None = None) -> Act:
    """Do a step, then wait as long as a person would before the next one (`then`)."""
    yield from ACTS[step.verb](stage, getattr(step, step.verb))
    if step.verb in ("wait", "turns", "check"):
        return
    pause_s = PAUSES_S.get(step.verb, SPEAKING_S) if step.pause is None else step.pause
    if step.pause is None and then is not None and then.clear:
        yield from _looking(stage, stage.habits.pause_before_clearing(pause_s))
    else:
        yield stage.now_s + pause_s


def _looking(stage: "Stage", script: Act) -> Act:
    """Let people look once in each step of the table, however often they would."""
    for wake_s in script:
        yield max(wake_s, stage.now_s + LOOK_S)


# --- hands -----------------------------------------------------------------------------------


def _seat(stage: "Stage") -> tuple[int | None, str]:
    """Whose turn it is, and the colour of the pieces."""
    if not stage.table.running:
        return None, "red"
    board = stage.table.board
    for seat, player in enumerate(board.players):
        if board.turn is not None and player.name == board.turn.player:
            return seat, player.colours[0] if player.colours else "red"
    return None, "red"


def _turns(stage: "Stage", turns: tuple[str | int, ...]) -> Act:
    for turn in turns:
        die, _, deed = str(turn).partition(" ")
        yield from _said("roll")(stage, int(die))
        yield stage.now_s + stage.habits.pause_s(PAUSES_S["roll"])
        if deed == "pass":
            yield from _said("pass")(stage, True)
            yield stage.now_s + SPEAKING_S
        elif deed:
            yield from _place(stage, deed)
            yield stage.now_s + stage.habits.pause_s(PAUSES_S["place"])
        if deed:
            yield from stage.after_turn()


def _long(kind: type[Part], what: Any) -> Part:
    """The long form of what a step has in its short one."""
    return what if isinstance(what, kind) else kind(what)


def _place(stage: "Stage", what: str | Place) -> Act:
    place = _long(Place, what)
    seat, colour = _seat(stage)
    script = stage.habits.put(
        place.cell,
        place.colour or colour,
        player=seat,
        grams=place.grams,
        hold_s=place.hold_s,
        offset_mm=place.offset_mm,
        slip=place.slip,
    )
    yield from _looking(stage, script)


def _put_back(stage: "Stage", cell: str) -> Act:
    yield from _place(stage, cell)
    yield stage.now_s + 0.4
    stage.played.tower.remove(cell)


def _hesitate(stage: "Stage", cell: str) -> Act:
    deed = stage.played.tower.touch_with_piece(cell, 0.4)
    while not deed.done:
        yield stage.now_s + 0.1


def _lift(stage: "Stage", what: str | Some) -> Act:
    some = _long(Some, what)
    if not stage.played.tower.remove(some.cell, some.count):
        raise BadScenario(f"there is no piece on {some.cell} to lift")
    yield stage.now_s


def _bodily(kind: type[Part], do: Callable[[Tower, Part], object]) -> Callable[["Stage", Any], Act]:
    """Something that hands or bodies do at once; it lasts for its `seconds`, if it has some."""

    def act(stage: "Stage", what: Any) -> Act:
        part = _long(kind, what)
        do(stage.played.tower, part)
        yield stage.now_s + getattr(part, "seconds", 0.0)

    return act


def _weight(stage: "Stage", weight: Weight) -> Act:
    """Beside the board, at a corner of the plate."""
    tower = stage.played.tower
    side_mm = 0.6 * tower.parameters.body.base_half_mm
    tower.put_weight(weight.grams, side_mm, side_mm)
    yield stage.now_s + weight.seconds
    tower.take_weights()
    yield stage.now_s


def _clear(stage: "Stage", _: bool) -> Act:
    yield from _looking(stage, stage.habits.clear())


def _wait(stage: "Stage", seconds: float) -> Act:
    yield stage.now_s + seconds


# --- words -----------------------------------------------------------------------------------

_DATA: dict[str, Callable[[Any], dict[str, Any]]] = {
    "start": dict,
    "roll": lambda value: {"value": value},
    "blame": lambda name: {"player": name},
    "colour": lambda colour: {"colour": colour},
    "place": dict,
}


def _said(verb: str) -> Callable[["Stage", Any], Act]:
    """Send a command as a phone does."""

    def act(stage: "Stage", value: Any) -> Act:
        stage.command(verb, _DATA.get(verb, lambda _value: {})(value))
        yield stage.now_s

    return act


def _correct(stage: "Stage", data: dict[str, Any]) -> Act:
    """Correct a move; `ref: last` is the newest piece that the table has told."""
    told = (m.document() for m in reversed(stage.wire.sent) if m.suffix == "event")
    newest = next((event["data"]["ref"] for event in told if event["type"] == "placed"), None)
    last = {"ref": newest} if data.get("ref") == "last" else {}
    stage.command("correct", data | last)
    yield stage.now_s


def _answer(stage: "Stage", value: str) -> Act:
    """Answer the question on the scoreboard, if there is one."""
    pending = stage.table.board.pending
    if pending is None:
        stage.checks.append((stage.now_s, f"answer {value}: the table asks nothing", False))
    else:
        stage.command("answer", {"question": pending.id, "value": value})
    yield stage.now_s


def _command(stage: "Stage", command: Command) -> Act:
    if command.payload is not None:
        payload = command.payload.encode()
    else:
        rev = stage.table.board.rev - 1 if command.rev == "stale" else command.rev
        unix_s = stage.table.unix_s(stage.now_s)
        fields = {
            "id": command.id,
            "client": command.client,
            "player": command.player,
            "rev": rev,
            "exp": None if command.exp_s is None else unix_s + command.exp_s,
            "data": command.data,
        }
        payload = msgspec.json.encode({k: v for k, v in fields.items() if v is not None})
    stage.wire.command(command.verb, payload, retained=command.retained, times=command.times)
    yield stage.now_s


def _button(stage: "Stage", verb: str) -> Act:
    """A button in the table: it arrives with the samples, not by MQTT."""
    tower = stage.played.tower
    tower.put_events([HumanInput(tower.now_s, verb)])
    yield stage.now_s


# --- what goes wrong -------------------------------------------------------------------------


def _fault(stage: "Stage", what: str | FaultOrder) -> Act:
    order = _long(FaultOrder, what)
    tower = stage.played.tower
    fault = parse_fault(order.words, tower.now_s)
    if order.seconds is not None:
        fault = replace(fault, end_s=tower.now_s + order.seconds)
    tower.faults.append(fault)
    yield stage.now_s


def _mend(stage: "Stage", _: bool) -> Act:
    tower = stage.played.tower
    tower.faults[:] = [
        replace(fault, end_s=max(fault.start_s, min(fault.end_s, tower.now_s)))
        for fault in tower.faults
    ]
    yield stage.now_s


def _board(stage: "Stage") -> Board:
    board = stage.played.board
    if board is None:
        raise BadScenario("line and chip need a board between tower and table, as target lab has")
    return board


def _line(stage: "Stage", what: LineWord | Line) -> Act:
    line = _long(Line, what)
    _board(stage).disturb(line, stage.case.seed)
    yield stage.now_s


def _chip(stage: "Stage", order: str) -> Act:
    _board(stage).handle_chip(order)
    yield stage.now_s


def _broker(stage: "Stage", what: BrokerWord | Broker) -> Act:
    broker = _long(Broker, what)
    wire = stage.wire
    match broker.what:
        case "down":
            wire.go_down()
        case "up":
            wire.come_up()
        case "slow":
            wire.delay_s = broker.seconds
        case "duplicate":
            wire.deliveries = 2
        case "steady":
            wire.delay_s, wire.deliveries = 0.0, 1
    yield stage.now_s


def _kill(stage: "Stage", _: bool) -> Act:
    stage.table.kill()
    yield stage.now_s + RESTART_S
    stage.table.start(stage.now_s)


def _clock(stage: "Stage", seconds: float) -> Act:
    stage.table.clock_jump_s += seconds
    yield stage.now_s


def _disk(stage: "Stage", what: str) -> Act:
    if what == "full":
        stage.table.fill_disk()
    else:
        stage.table.free_disk(stage.now_s)
    yield stage.now_s


def _check(stage: "Stage", views: Views) -> Act:
    run = Run(sent=tuple(stage.wire.sent), asked=stage.wire.asked)
    problems = broken_views(views, run)
    text = "; ".join(problems) or "as it should be"
    stage.checks.append((stage.now_s, text, not problems))
    stage.marks.append(Mark(stage.now_s, text, "check"))
    yield stage.now_s


ACTS: dict[str, Callable[["Stage", Any], Act]] = {
    **{verb: _said(verb) for verb in ("start", "roll", "undo", "redo", "cleared", "end", "blame")},
    "pass_": _said("pass"), "colour": _said("colour"), "enter": _said("place"),
    "turns": _turns, "place": _place, "put_back": _put_back, "hesitate": _hesitate, "lift": _lift,
    "knock_off": _bodily(Some, lambda tower, some: tower.knock_off(some.cell, some.count)),
    "touch": _bodily(Touch, lambda tower, it: tower.touch(it.cell, it.seconds, it.depth_mm)),
    "nudge": _bodily(Nudge, lambda tower, it: tower.nudge(it.cell, it.travel_mm, it.direction)),
    "bump": _bodily(
        Bump, lambda tower, it: tower.bump(it.m_s2, it.hz, it.seconds, player=it.player)
    ),
    "tap": _bodily(Tap, lambda tower, it: tower.tap(it.count, it.m_s2)),
    "lean": _bodily(Lean, lambda tower, it: tower.lean(it.deg, it.seconds)),
    "knock": _bodily(Knock, lambda tower, it: tower.knock(it.cell, it.newton, player=it.player)),
    "press": _bodily(
        Press, lambda tower, it: tower.press_base(it.x_mm, it.y_mm, it.grams, it.seconds)
    ),
    "weight": _weight, "clear": _clear,
    "wait": _wait, "correct": _correct, "answer": _answer, "command": _command, "button": _button,
    "fault": _fault, "mend": _mend, "line": _line, "chip": _chip, "broker": _broker, "kill": _kill,
    "clock": _clock, "disk": _disk, "check": _check,
}  # fmt: skip
