"""What the table shows of its tower (trace, film, tension), held against the tower's own signals.

Pure. Sensors, calibration and filters differ from the truth at single moments (noise, a swing, a
lifted board), so medians are judged: a wrong sign, unit, axis or cell is wrong all the time.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.samples import Floats
from lab.bench.foreign_client import PASSING
from lab.bench.observed import Run, Sent, TowerSignals
from lab.twin.truth import Span

EVERY_STEPS = 10
"""Rows of a span that are kept: one in 10 ms, a quarter of a film's frame."""

SETTLED_S = 3.0
"""A process that has just begun does not yet know where the vertical is."""

MEAN_S = 0.1
"""A point of the trace is the mean of so long."""

TELLING_DEG = 1.0
"""A board that hangs less tells no sign and no unit."""

FEWEST, FEWEST_STATES = 10, 5
"""Points, and states, of which a median says something."""

OFF_DEG, OFF_G, OFF_SHARE = 0.5, 0.3, 0.02
"""Medians of the shipped scenarios are up to 0.31 degrees (the sensor's mounting is known to some
tenths) and 0.2 g of what a cell carries, 1 % of heavy things on the plate."""

SWINGS_G, ALIKE, GLITCH_G = 0.12, 0.1, 5.0
"""The board hangs on one tip, so at rest all cells carry the same. Which is which shows by how much
of its own swing a cell tells: 0.5 to 1.0 (0.17 in bumps); of another cell's about 0 or less."""

TENSION_FACTOR = 4.0
"""The table works the tilt out from pieces in the middle of their cells; friction, hands and swings
hold the board elsewhere, a third of it at worst."""

CALM_S, CALM_G = 0.3, 1.0
"""A load cell is filtered for some 25 ms, so while its load changes it tells another one."""

WITHIN_S = 0.3
"""An event is told so soon after its decision."""

HARMLESS = ("started again", "kill", "broker", "clock", "disk")
"""Mishaps that no sensor feels."""


class TowerWitness:
    """Keeps the true signals of a simulated tower.

    Args:
        positions_mm: of the load cells.
    """

    def __init__(self, positions_mm: Sequence[tuple[float, float]]) -> None:
        self._spread = np.linalg.pinv(np.stack([np.ones(4), *np.array(positions_mm).T]))
        self._kept: list[tuple[Floats, Floats, Floats]] = []

    def take(self, span: Span) -> None:
        """Take the next span."""
        load = np.broadcast_to(span.load, (len(span.t_s), 3))[::EVERY_STEPS]
        up = span.up[::EVERY_STEPS]
        # Where the board sees the vertical is opposite to where it hangs low.
        tilt_deg = -np.degrees(np.arctan2(up[:, :2], up[:, 2:]))
        self._kept.append((span.t_s[::EVERY_STEPS], load @ self._spread.T, tilt_deg))

    def signals(self) -> TowerSignals | None:
        """All of them."""
        if not self._kept:
            return None
        t_s, cells_g, tilt_deg = (np.concatenate(part) for part in zip(*self._kept, strict=True))
        return TowerSignals(t_s, cells_g, tilt_deg)


def shown_differs(run: Run) -> tuple[str, ...]:
    """Where what is shown is not so; nothing is looked at if a sensor is disturbed on purpose."""
    true = run.signals
    if true is None or any(
        m.kind == "fault" and not m.text.startswith(HARMLESS) for m in run.marks
    ):
        return ()
    trace = [message.document() for message in run.sent if message.suffix == "trace"]
    return (*_trace_differs(trace, true), *_films_differ(run, true), *_tension_differs(run, true))


def _off(what: str, shown: Floats, true: Floats, most: Floats | float, unit: str) -> Iterator[str]:
    """Columns whose median is further off than may be."""
    off = np.median(np.abs(shown - true), axis=0)
    for column in np.flatnonzero(off > most):
        said, is_so = (float(np.median(each[:, column])) for each in (shown, true))
        yield f"{what}[{column}] is {said:.2f} {unit} in the middle, in truth {is_so:.2f}"


def _trace_differs(points: Sequence[Mapping[str, Any]], true: TowerSignals) -> Iterator[str]:
    told = [p for p in points if p["t_s"] > SETTLED_S and p["t_s"] < true.t_s[-1]]
    whole = [p for p in told if None not in p["cells_g"]]
    if len(whole) >= FEWEST:
        t_s = np.array([p["t_s"] for p in whole])
        felt_g = true.mean_cells_g(t_s - MEAN_S, t_s)
        cells_g = np.array([p["cells_g"] for p in whole])
        calm = true.changes_g(t_s - CALM_S, t_s) < CALM_G
        if calm.sum() >= FEWEST:
            most_g = OFF_G + OFF_SHARE * np.median(np.abs(felt_g[calm]), axis=0)
            yield from _off("trace: cells_g", cells_g[calm], felt_g[calm], most_g, "g")
        yield from _swapped(cells_g, felt_g)
        sums_g = np.array([[p["mass_g"]] for p in whole])
        yield from _off("trace: mass_g", sums_g, cells_g.sum(axis=1)[:, None], 0.05, "g")
    felt = [p for p in told if p["tilt_deg"] is not None]
    yield from _tilt_off(
        "trace: tilt_deg", [p["tilt_deg"] for p in felt], true, [p["t_s"] for p in felt]
    )


def _swapped(cells_g: Floats, felt_g: Floats) -> Iterator[str]:
    """Cells that do not swing as they should against the mean of all."""
    sane = (np.abs(cells_g - felt_g) < GLITCH_G).all(axis=1)
    if sane.sum() < FEWEST:
        return
    told_g, own_g = (each[sane] - each[sane].mean(axis=1)[:, None] for each in (cells_g, felt_g))
    power = (own_g**2).sum(axis=0)
    for cell in np.flatnonzero(power > SWINGS_G**2 * len(own_g)):
        share = float((told_g * own_g).sum(axis=0)[cell] / power[cell])
        if share < ALIKE:
            yield f"trace: cells_g[{cell}] tells {share:.0%} of how load cell C{cell} swings"


def _tilt_off(
    what: str,
    shown_deg: Sequence[Sequence[float]],
    true: TowerSignals,
    at_s: Sequence[float],
    within_s: float = 0.0,
) -> Iterator[str]:
    """Tilts that the board did not have within so long of their moments."""
    t_s = np.array(at_s)
    around_deg = np.stack([true.tilt_deg_at(t_s + s) for s in (-within_s, 0.0, within_s)])
    telling = np.hypot(*around_deg[1].T) > TELLING_DEG
    if telling.sum() >= FEWEST:
        shown, around_deg = np.array(shown_deg)[telling], around_deg[:, telling]
        nearest_deg = np.clip(shown, around_deg.min(axis=0), around_deg.max(axis=0))
        yield from _off(what, shown, nearest_deg, OFF_DEG, "degrees")


# --- film ------------------------------------------------------------------------------------


def _films_differ(run: Run, true: TowerSignals) -> Iterator[str]:
    boards: dict[int, Mapping[str, Any]] = {}
    events: dict[int, tuple[Sent, Mapping[str, Any]]] = {}
    for message in run.sent:
        document = message.document() if message.suffix in ("event", "state", "film") else {}
        if message.suffix == "event":
            if document["type"] not in PASSING:
                events[document["seq"]] = (message, document)
        elif message.suffix == "state":
            boards[document["seq"]] = document["board"]
        elif message.suffix == "film" and message.payload:
            yield from _film_differs(run, true, document, events.get(document["seq"]), boards)


def _film_differs(
    run: Run,
    true: TowerSignals,
    film: Mapping[str, Any],
    told: tuple[Sent, Mapping[str, Any]] | None,
    boards: Mapping[int, Mapping[str, Any]],
) -> Iterator[str]:
    if told is None or told[1]["type"] != "toppled":
        yield f"film: of event {film['seq']}, which is no topple that was told"
        return
    before = max((seq for seq in boards if seq < film["seq"]), default=None)
    if before is not None:
        stood = {cell: [p["colour"] for p in pile] for cell, pile in boards[before].items()}
        if stood != film["before"]["stacks"]:
            yield f"film: before it stood {film['before']['stacks']}, shown was {stood}"
    tilt_deg, every_s = film["tilt_deg"], film["every_s"]
    hanging_deg = np.hypot(*np.array(tilt_deg).T)[round(film["jolt_s"] / every_s) :]
    steepest_deg = float(hanging_deg.max())
    if abs(steepest_deg - film["steepest_deg"]) > 0.1:
        yield f"film: steepest_deg is {film['steepest_deg']}, its frames have {steepest_deg:.1f}"
    jolts_s = [
        seen.t_s for seen in run.seen
        if seen.kind == "toppled" and abs(seen.decided_s - told[0].t_s) < WITHIN_S
    ]  # fmt: skip
    if jolts_s:
        frames_s = jolts_s[-1] - film["jolt_s"] + every_s * np.arange(1, len(tilt_deg) + 1)
        # The jolt is told to a frame, in which a board that swings after it turns by a degree.
        yield from _tilt_off("film: tilt_deg", tilt_deg, true, frames_s.tolist(), every_s)


# --- tension ---------------------------------------------------------------------------------


def _tension_differs(run: Run, true: TowerSignals) -> Iterator[str]:
    shown: list[tuple[float, float]] = []
    for message in run.sent:
        tension = message.document()["tension"] if message.suffix == "state" else None
        if tension is None:
            continue
        if not 0.0 <= tension["low"] <= tension["value"] <= tension["high"] <= 1.0:
            yield f"state: tension is {tension}"
            return
        shown.append((message.t_s, tension["tilt_deg"]))
    if shown:
        t_s, tilt_deg = np.array(shown).T
        true_deg = np.hypot(*true.tilt_deg_at(t_s).T)
        telling = true_deg > TELLING_DEG
        if telling.sum() >= FEWEST_STATES:
            said, is_so = (float(np.median(each[telling])) for each in (tilt_deg, true_deg))
            if not is_so / TENSION_FACTOR < said < is_so * TENSION_FACTOR:
                yield f"state: tension.tilt_deg is {said:.2f} in the middle, in truth {is_so:.2f}"
