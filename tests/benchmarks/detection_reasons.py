"""Why something was missed, as far as a program can tell: what people did there, and what the
table believed just then. Possible reasons, the likeliest first; a look at the plot decides."""  # noqa: D205, D209

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.samples import Floats
from tests.benchmarks.detection_figures import Miss
from tests.benchmarks.detection_games import Event

AROUND_S = (5.0, 2.0)
"""What people did so long before and after counts."""

QUICKLY_S = 1.5
LATER_S = 30.0
RESTS_S = 0.6
"""The weight before and after is that of so long."""

UNCHANGED_G = 1.0
"""A third of a piece."""

HEAVY_G = 4.0
"""Pieces that come down one after the other are told as their weight; a die as well."""


class GameSignals(NamedTuple):
    """What the sensors of one game said, and when rolls were told.

    Attributes:
        scale: time and weight, g.
        imu: time and tilt about both axes, degrees.
        rolls_s: table times at which a roll was told.
    """

    scale: Floats
    imu: Floats
    rolls_s: tuple[float, ...] = ()


def deed_words(event: Event) -> str:  # noqa: C901, PLR0911 - one case for each
    """What people did, of an entry of the truth that is no part of the game."""
    target, grams = event.get("target"), event.get("grams")
    match event["type"], target:
        case "touch", "base" if grams:
            what = "a hand" if event.get("hand") else "a thing" if grams > HEAVY_G else "a piece"
            return f"{what} of {grams:.0f} g on the base plate"
        case "touch", "hold":
            return "fingers held the board"
        case "touch", "tentative_piece":
            return f"a piece touched {event.get('cell')} and was taken away again"
        case "touch", "piece":
            return f"the piece on {event.get('cell')} was pushed {event.get('travel_mm')} mm"
        case "touch", _:
            return f"a hand on the board at {event.get('cell', '?')}"
        case "bump", "tap":
            return "drumming on the table"
        case "bump", "walk":
            return "somebody walked past"
        case "bump", "board":
            return "a blow on the board"
        case "bump", _:
            return f"a bump of {event.get('amp', 0):.1f} m/s2"
        case "lean", _:
            return f"an arm on the table ({event.get('deg', 0):.2f} degrees)"
        case "lift_board", _:
            return "the board was lifted off its tip"
    return ""


def reasons(miss: Miss, heard: GameSignals | None = None) -> list[str]:
    """Possible reasons in words; never empty."""
    found = [
        *_believed(miss),
        *_said_elsewhere(miss),
        *_deeds(miss),
        *_the_piece(miss, heard),
        *(_weighed(miss, heard) if heard is not None and miss.kind == "topple unseen" else ()),
    ]
    return found or ["no reason found by the program"]


def _believed(miss: Miss) -> Iterator[str]:
    """Whether the table had another idea of the round."""
    before = [e for e in miss.run.events if float(e.get("decided", e.get("t", 0.0))) < miss.t_s]
    last = next((e for e in reversed(before) if e["type"] in ("toppled", "cleared")), None)
    if last is not None and last["type"] == "toppled":
        cleared = [e["t"] for e in miss.run.truth if e["type"] == "cleared"]
        fell = [e["t"] for e in miss.run.truth if e["type"] == "topple"]
        true = any(abs(last["t"] - t_s) < LATER_S / 5 for t_s in fell)
        since = f"the table had waited for an empty board since {last['decided']:.1f} s"
        if not true:
            yield f"{since}, for a topple that was none"
        elif any(last["t"] < t_s < miss.t_s for t_s in cleared):
            yield f"{since}, and did not notice that it was empty"
    faults = [e for e in before if e["type"] in ("fault", "restored")]
    if faults and faults[-1]["type"] == "fault":
        yield f"a sensor was given up: {faults[-1]['sensor']}"


def _said_elsewhere(miss: Miss) -> Iterator[str]:
    """What was decided about it all the same."""
    if miss.kind != "topple unseen":
        return
    for event in miss.run.events:
        said_s = float(event.get("decided", -1.0)) - miss.t_s
        if not 0 <= said_s < LATER_S:
            continue
        if event["type"] == "toppled":
            yield f"decided {said_s:.1f} s after it fell, for {event['t']:.1f} s"
        elif event["type"] == "dismissed":
            yield f"suspected, and dismissed {said_s:.1f} s after it fell"
        elif event["type"] == "retracted":
            yield f"only a placement was taken back, {said_s:.1f} s after it fell"
        elif event["type"] == "cleared":
            yield f"the board was empty {said_s:.1f} s after it fell, and nothing followed from it"
            return


def _deeds(miss: Miss) -> Iterator[str]:
    """What else people did there."""
    before_s, after_s = AROUND_S
    for event in miss.run.truth:
        words = deed_words(event)
        ends_s = float(event["t"]) + float(event.get("dur") or 0.0)
        if words and event["t"] < miss.t_s + after_s and ends_s > miss.t_s - before_s:
            yield f"{words} ({event['t'] - miss.t_s:+.1f} to {ends_s - miss.t_s:+.1f} s)"


def _the_piece(miss: Miss, heard: GameSignals | None) -> Iterator[str]:
    """What was special about the placement."""
    truth = miss.run.truth
    places = [e for e in truth if e["type"] in ("place", "release_void")]
    own = next((e for e in places if e["t"] == miss.t_s), None)
    for other in places:
        gap_s = other["t"] - miss.t_s
        if other is not own and abs(gap_s) < QUICKLY_S:
            when = "after" if gap_s > 0 else "before"
            what = "a piece" if own is None else "another piece"
            yield f"{what} was let go {abs(gap_s):.1f} s {when}"
    if own is None:
        return
    if own.get("slid_from"):
        yield f"the piece was slid there from {own['slid_from']}"
    if own.get("mode"):
        yield f"it was set down badly ({own['mode']})"
    turn_s = max((e["t"] for e in truth if e["type"] == "turn" and e["t"] < own["t"]), default=None)
    if heard is None or turn_s is None or not heard.rolls_s:
        return
    told_s = min(heard.rolls_s, key=lambda t_s: abs(t_s - turn_s))
    if told_s > own["t"]:
        yield f"the roll was told {told_s - own['t']:.1f} s after the piece was let go"
    elif told_s < turn_s - 0.05:
        yield f"the roll was told {turn_s - told_s:.1f} s early, while the hand before was there"


def _weighed(miss: Miss, heard: GameSignals) -> Iterator[str]:
    """Whether any weight went."""
    true = next((e for e in miss.run.truth if e["type"] == "topple" and e["t"] == miss.t_s), None)
    if true is None:
        return
    ends_s = float(true.get("t_detectable") or true["t"])
    gone_g = _rest(heard.scale, miss.t_s - 0.2) - _rest(heard.scale, ends_s + RESTS_S)
    if np.isfinite(gone_g):
        many = f"{true['fallen']} fell ({true.get('off_board', '?')} off the board)"
        nothing = abs(gone_g) < UNCHANGED_G
        change = f"the weight changed by {-gone_g:+.1f} g"
        words = "no weight went: only the tilt could tell" if nothing else change
        yield f"{many}, {words}"


def _rest(rows: Floats, until_s: float) -> float:
    """Median weight of the time up to a moment, g."""
    inside = rows[(rows[:, 0] > until_s - RESTS_S) & (rows[:, 0] <= until_s), 1]
    return float(np.median(inside)) if len(inside) else float("nan")
