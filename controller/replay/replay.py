"""Replays a trace through the table's own code: events and scores, one line each.

`lines` is pure and yields dictionaries in the form of docs/traces.md; `print_json` and
`print_table` write them for programs and for people.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

import msgspec
from rich.table import Table
from rich.text import Text

from controller.common.terminal import console_on
from controller.replay.in_step import Believed, TrueTurn, out_of_step
from controller.table.pipeline import Output, Pipeline
from engine.events import SURE, HumanInput, Placed, Reweighed, TableEvent
from engine.referee import Outcome, RefereeState
from engine.referee.turns import belief
from engine.scoreboard import seats
from hw.source import Item, item_time_s

Line = dict[str, Any]

ROUNDING = 4
"""Decimals of printed numbers: a tenth of a millisecond is finer than any sample."""


@dataclass(slots=True)
class Tally:
    """What the summary counts; `asked` are the questions, early and answered ones too.

    `turn` says whose it is and how sure that is, as printed last; `believed` are its seats, by
    time.
    """

    placements: int = 0
    topples: int = 0
    asked: int = 0
    end_s: float = 0.0
    turn: tuple[str | None, float | None] = (None, None)
    believed: list[Believed] = field(default_factory=list)


def lines(
    pipeline: Pipeline,
    items: Iterable[Item],
    *,
    dice: bool = True,
    truth: Sequence[TrueTurn] | None = None,
) -> Iterator[Line]:
    """Replay items through a fresh pipeline.

    Without `dice` the rolls are ignored; the turn then passes with each placement or pass. With the
    truth of who really played when, the summary says how long the table was out of step with it.

    Yields:
        One line for each event, each change of score and turn, and the summary at the end
        (without `wall_s`, which only the caller can know).
    """
    tally = Tally()
    for item in items:
        tally.end_s = max(tally.end_s, item_time_s(item))
        heard = item if dice else _without_dice(item)
        if heard is None:
            continue
        for output in pipeline.feed(heard):
            yield from _lines_of(output, tally)
    summary = _summary(pipeline.state, tally)
    yield summary if truth is None else summary | _out_of_step(tally, truth)


def _without_dice(item: Item) -> Item | None:
    if not isinstance(item, HumanInput):
        return item
    if item.type == "roll":
        return None
    if item.type != "start":
        return item
    options = {**item.data.get("options", {}), "dice": "untold"}
    return HumanInput(item.t_s, item.type, {**item.data, "options": options})


def _lines_of(output: Output, tally: Tally) -> Iterator[Line]:
    # Weights are not printed, so neither is that one was mended.
    if not isinstance(output.cause, HumanInput | Reweighed):
        line = line_of(output.cause, output.state)
        _count(line, tally)
        yield line
    for outcome in output.outcomes:
        if outcome.type in {"score", "started"}:
            yield _score(outcome, output.state)
        if outcome.type == "asked":
            tally.asked += 1
            yield _question(outcome, output.state)
    yield from _turn(output, tally)


def _turn(output: Output, tally: Tally) -> Iterator[Line]:
    """Whose turn it is, when that or the probability of it has changed: in a game of Topple."""
    state, cause = output.state, output.cause
    turn = belief(state) if state.position.by_sensors else (None, None)
    player, probability = turn if turn[0] is not None else (None, None)
    if (player, probability) == tally.turn:
        return
    tally.turn = (player, probability)
    decided_s: float = getattr(cause, "decided_s", getattr(cause, "t_s", tally.end_s))
    seat = None if player is None else list(seats(state)).index(player)
    tally.believed.append(Believed(decided_s, seat))
    yield {
        "type": "turn",
        "t": _rounded(getattr(cause, "t_s", decided_s)),
        "decided": _rounded(decided_s),
        "player": player,
        "probability": _rounded(probability),
        "rev": state.rev,
    }


_CALLED = {"t_s": "t", "decided_s": "decided"}
_IF_KNOWN = ("fallen", "rested")
_NOT_PRINTED = ("mass_g", "mass_sd_g", "perhaps", "stands")


def line_of(event: TableEvent, state: RefereeState) -> Line:
    """An event as it is printed; the colour of a placement is the referee's."""
    fields = msgspec.to_builtins(event)
    for name in _NOT_PRINTED:
        fields.pop(name, None)
    line = {_CALLED.get(name, name): _rounded(value) for name, value in fields.items()}
    for name in _IF_KNOWN:
        if line.get(name, 0) is None:
            del line[name]
    if isinstance(event, Placed) and (colour := _colour(event.id, state)) is not None:
        line["colour"] = colour
    return {"type": type(event).__name__.lower(), **line}


def _colour(event_id: int, state: RefereeState) -> str | None:
    """Whose piece it was: as applied, or of the player in turn while nothing is decided."""
    ref = next((m.ref for m in reversed(state.ledger) if m.source == event_id), None)
    applied = None if ref is None else state.applied().get(ref)
    if applied is not None and applied.colour is not None:
        return applied.colour
    position = state.position
    if ref is None or position.player is None or not position.by_sensors:
        return None
    match = position.game_state.match
    return str(match.colours[match.hands[position.game_state.current][0]])


def _score(outcome: Outcome, state: RefereeState) -> Line:
    scores = outcome.data.get("scores", state.position.scores)
    return {"type": "score", "t": _rounded(outcome.t_s), "scores": dict(scores)}


def _question(outcome: Outcome, state: RefereeState) -> Line:
    """What the table asks now; `ref` is the number of the sensors' event it is about, if any."""
    data = outcome.data
    source = next((move.source for move in state.ledger if move.ref == data["ref"]), None)
    line = {"type": "question", "t": _rounded(outcome.t_s), "id": data["id"], "kind": data["kind"]}
    return {**line, "ref": source, "text": data["text"]}


def _count(line: Line, tally: Tally) -> None:
    tally.placements += line["type"] == "placed"
    tally.placements -= line["type"] == "retracted"
    tally.topples += line["type"] == "toppled"


def _summary(state: RefereeState, tally: Tally) -> Line:
    position = state.position
    won = () if position.game_state is None else position.rules.winners(position.game_state)
    return {
        "type": "summary",
        "scores": dict(position.scores),
        "winners": list(won),
        "duration_s": _rounded(tally.end_s),
        "placements": tally.placements,
        "topples": tally.topples,
        "asked": tally.asked,
    }


def _out_of_step(tally: Tally, truth: Sequence[TrueTurn]) -> Line:
    found = out_of_step(tally.believed, truth, tally.end_s)
    return {"out_of_step_s": _rounded(found.seconds), "out_of_step_turns": found.turns}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, ROUNDING)
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value


# --- printing --------------------------------------------------------------------------------


def print_json(found: Iterable[Line], out: TextIO) -> None:
    """One JSON object a line, each as soon as it is decided."""
    for line in found:
        print(msgspec.json.encode(line).decode(), file=out)


def print_table(found: Iterable[Line], out: TextIO) -> None:
    """A table for people: time, what happened, how sure, the score."""
    table = Table(box=None, pad_edge=False)
    for name, justify in (("time", "right"), ("event", "left"), ("sure", "right")):
        table.add_column(name, justify="right" if justify == "right" else "left")
    table.add_column("score")
    last: Mapping[str, Any] = {}
    for line in found:
        last = line
        # A turn goes by with every piece; when it is in doubt, a question says so.
        if line["type"] not in ("summary", "turn"):
            table.add_row(*_row(line))
    console = console_on(out)
    console.print(table)
    console.print(Text(_closing(last)))


def _row(line: Line) -> tuple[Text, ...]:
    time = line.get("t", line.get("decided", 0.0))
    likely = line.get("confidence", line.get("probability"))
    # Rounded down: 0.9996 is not a hundred per cent.
    sure = "" if likely is None else f"{int(1000 * likely) / 10:.1f} %"
    asked = line["type"] == "placed" and line["confidence"] < SURE
    score = _scores(line["scores"]) if "scores" in line else ""
    return (
        Text(f"{time:.2f}"),
        Text(_words(line)),
        Text(sure + (" ?" if asked else "")),
        Text(score),
    )


def _words(line: Line) -> str:  # noqa: PLR0911 - one case for each
    match line["type"]:
        case "placed":
            return f"{line['id']:>3} {line.get('colour', 'piece')} on {line['cell'] or '?'}"
        case "corrected":
            return f"{line['ref']:>3} was on {line['cell']}"
        case "retracted":
            return f"{line['ref']:>3} did not stand: {line['reason']}"
        case "toppled":
            return f"{line['id']:>3} toppled ({line['kind']}, {line['cause']})"
        case "suspected":
            return f"{line['id']:>3} may have toppled ({line['kind']})"
        case "dismissed":
            return f"{line['ref']:>3} had not"
        case "fault" | "restored":
            return f"{line['type']}: {line['sensor']} {line.get('reason', '')}"
        case "question":
            return f"  ? {line['text']}"
        case other:
            return "" if other == "score" else str(other)


def _scores(scores: Mapping[str, int]) -> str:
    return "  ".join(f"{name} {points}" for name, points in scores.items())


def _closing(summary: Mapping[str, Any]) -> str:
    won = ", ".join(summary.get("winners", ()))
    counted = (
        f"{summary.get('placements', 0)} placements, {summary.get('topples', 0)} topples, "
        f"{summary.get('asked', 0)} asked in {summary.get('duration_s', 0):.0f} s"
    )
    out_of_step_s = summary.get("out_of_step_s")
    text = [
        counted,
        "" if out_of_step_s is None else f"out of step for {out_of_step_s:.0f} s",
        _scores(summary.get("scores", {})),
        f"won by {won}" if won else "",
    ]
    return " - ".join(word for word in text if word)
