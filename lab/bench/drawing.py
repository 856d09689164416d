"""Draws a run as SVG: weight and tilt over time, decisions, faults, steps and the truth. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import inf, isnan, nan
from typing import Any

from lab.bench.observed import Mark, Run, Seen
from lab.bench.verdict import describe

WIDTH, LEFT, RIGHT = 900, 52, 12
WEIGHT_TOP, WEIGHT_HEIGHT = 26, 120
TILT_TOP, TILT_HEIGHT = 172, 90
MOST_POINTS = 1200
GAP_S = 1.35
"""At rest there is a point a second; where none comes, nobody told."""
LANE_TOP, LANE_GAP, BAR_HEIGHT, LABEL_HEIGHT = TILT_TOP + TILT_HEIGHT + 10, 8, 7, 12
LABEL_ROWS = 3
"""Labels of a lane that find no room in these are left to the tooltip."""
LONGEST_LABEL = 30
LETTER_WIDTH = 6.0
"""Of the report's 11 px sans serif, a little more than the mean."""

Point = tuple[float, float]


def picture(run: Run) -> str:
    """An inline SVG of one run; empty when nothing was measured."""
    points = [
        (message.t_s, message.document()) for message in run.sent if message.suffix == "trace"
    ]
    told = [(t_s, point) for t_s, point in points if isinstance(point, dict)]
    weight = [(t_s, nan if p.get("mass_g") is None else p["mass_g"]) for t_s, p in told]
    if all(isnan(mass_g) for _, mass_g in weight):
        return ""
    end_s = max(run.end_s, weight[-1][0], 1.0)
    tilt_x, tilt_y = (
        [(t_s, (p.get("tilt_deg") or (nan, nan))[axis]) for t_s, p in told] for axis in (0, 1)
    )
    steps, below = _lane("steps", _steps(run.marks, end_s), LANE_TOP)
    truth, bottom = _lane("truth", _truth(run.truth, end_s), below)
    height = bottom + 18
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="weight and tilt">',
        *_bands(run.marks, end_s),
        *_panel("weight, g", [("w", weight)], WEIGHT_TOP, WEIGHT_HEIGHT, end_s),
        *_panel("tilt, °", [("x", tilt_x), ("y", tilt_y)], TILT_TOP, TILT_HEIGHT, end_s),
        f'<text class="axis" x="0" y="{WEIGHT_TOP - 10}">decided</text>',
        *_events(run.seen, end_s),
        *steps,
        *truth,
        *_clock(end_s, bottom + 10),
        "</svg>",
    ]
    return "\n".join(parts)


def _x(t_s: float, end_s: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * t_s / end_s


def _panel(
    title: str,
    curves: Sequence[tuple[str, Sequence[Point]]],
    top: float,
    height: float,
    end_s: float,
) -> list[str]:
    values = [value for _, curve in curves for _, value in curve if not isnan(value)] or [0.0]
    low, high = min(values), max(values)
    room = max(0.1 * (high - low), 0.5)
    low, high = low - room, high + room
    scale = height / (high - low)
    size = f'width="{WIDTH - LEFT - RIGHT}" height="{height}"'
    parts = [
        f'<rect class="panel" x="{LEFT}" y="{top}" {size}/>',
        f'<text class="axis" x="0" y="{top + height / 2:.0f}">{title}</text>',
    ]
    for value, y in ((high, top + 10), (low, top + height - 2)):
        parts.append(f'<text class="tick" x="{LEFT - 5}" y="{y}">{_short(value)}</text>')
    for name, curve in curves:
        for piece in _pieces(curve):
            points = " ".join(
                f"{_x(t, end_s):.1f},{top + (high - value) * scale:.1f}" for t, value in piece
            )
            parts.append(f'<polyline class="{name}" points="{points}"/>')
    if len(curves) > 1:
        parts += [
            f'<text class="legend {name}" x="{LEFT + 8 + 16 * number}" y="{top + 14}">{name}</text>'
            for number, (name, _) in enumerate(curves)
        ]
    return parts


def _short(value: float) -> str:
    """At most five characters, the room beside a panel."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _pieces(curve: Sequence[Point]) -> list[list[Point]]:
    """The stretches of a curve; between them nothing was measured, and no line is drawn."""
    pieces: list[list[Point]] = []
    last_s = -inf
    for t_s, value in curve:
        if isnan(value):
            last_s = -inf
            continue
        if t_s - last_s > GAP_S:
            pieces.append([])
        pieces[-1].append((t_s, value))
        last_s = t_s
    size = -(-2 * len(curve) // MOST_POINTS) if len(curve) > MOST_POINTS else 1
    return [_thin(piece, size) for piece in pieces]


def _thin(curve: Sequence[Point], size: int) -> list[Point]:
    """Lowest and highest of each bin of so many points."""
    if len(curve) == 1:
        return [curve[0], curve[0]]  # one sample alone is a dot
    if size == 1:
        return list(curve)
    kept: list[Point] = []
    for at in range(0, len(curve), size):
        part = curve[at : at + size]
        kept += sorted({min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])})
    return kept


def _events(seen: Sequence[Seen], end_s: float) -> list[str]:
    parts, free_x = [], float(LEFT)
    for one in seen:
        x = _x(max(one.t_s, 0.0), end_s)
        text = escape(describe(one))
        parts.append(
            f'<g class="event {one.kind}"><title>{text}</title><line x1="{x:.1f}" x2="{x:.1f}" '
            f'y1="{WEIGHT_TOP - 6}" y2="{TILT_TOP + TILT_HEIGHT}"/>'
        )
        label = str(getattr(one.event, "cell", None) or one.kind)
        half = LETTER_WIDTH * len(label) / 2
        at_x = min(x, WIDTH - half)
        # Labels that would cover one another are left to the tooltip.
        if at_x - half >= free_x:
            parts.append(f'<text x="{at_x:.1f}" y="{WEIGHT_TOP - 10}">{escape(label)}</text>')
            free_x = at_x + half + 6
        parts.append("</g>")
    return parts


def _bands(marks: Sequence[Mark], end_s: float) -> list[str]:
    """Faults as bands behind the curves, for as long as they last."""
    parts, free_x = [], [0.0, 0.0]
    for mark in marks:
        if mark.kind != "fault":
            continue
        until_s = mark.end_s if mark.lasts_to_s is None else mark.lasts_to_s
        x = _x(mark.t_s, end_s)
        wide = max(3.0, _x(min(max(until_s, mark.t_s), end_s), end_s) - x)
        text = escape(mark.text)
        parts.append(
            f'<rect class="fault" x="{x:.1f}" y="{WEIGHT_TOP}" width="{wide:.1f}" '
            f'height="{TILT_TOP + TILT_HEIGHT - WEIGHT_TOP}"><title>{text}</title></rect>'
        )
        # Two lines between the panels; what would cover another word is left to the tooltip.
        line = next((n for n in (0, 1) if x >= free_x[n]), None)
        if line is not None:
            y = TILT_TOP - 4 - 11 * line
            parts.append(f'<text class="fault" x="{x:.1f}" y="{y}">{text}</text>')
            free_x[line] = x + 6.2 * len(mark.text) + 8
    return parts


# --- what was done, and what really happened ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bar:
    """Something that lasted from one place of the picture to another."""

    x: float
    end_x: float
    label: str
    tooltip: str
    kind: str


def _steps(marks: Iterable[Mark], end_s: float) -> list[Bar]:
    """The steps of the scenario."""
    return [
        Bar(
            _x(mark.t_s, end_s),
            _x(max(mark.end_s, mark.t_s), end_s),
            mark.text,
            f"{mark.text}, from {mark.t_s:.1f} to {mark.end_s:.1f} s",
            mark.kind,
        )
        for mark in marks
        if mark.id or mark.kind != "check"  # what a check found is a mark as well
    ]


TRUE_WORDS = {"place": "t_release", "topple": "t", "remove": "t", "bump": "t", "touch": "t"}
"""Kinds of the truth that are drawn, and which of their times."""


def _truth(truth: Iterable[Mapping[str, Any]], end_s: float) -> list[Bar]:
    """What really happened at the tower, whoever brought it about."""
    found = []
    for entry in truth:
        kind = entry["type"]
        t_s = entry.get(TRUE_WORDS.get(kind, "")) or entry.get("t")
        if kind in TRUE_WORDS and t_s is not None:
            label = entry["cell"] if kind == "place" else kind
            cell = f" {entry['cell']}" if entry.get("cell") else ""
            x = _x(t_s, end_s)
            found.append(Bar(x, x, label, f"really: {kind}{cell} at {t_s:.1f} s", f"true-{kind}"))
    return sorted(found, key=lambda bar: bar.x)


def _lane(name: str, bars: Sequence[Bar], top: float) -> tuple[list[str], float]:
    """A lane of bars with labels below them, and where the next one begins."""
    if not bars:
        return [], top
    parts = [f'<text class="axis" x="0" y="{top + BAR_HEIGHT + 1}">{name}</text>']
    free_x = [0.0] * LABEL_ROWS
    for bar in bars:
        wide = max(2.0, bar.end_x - bar.x)
        parts.append(
            f'<g class="bar {escape(bar.kind)}"><title>{escape(bar.tooltip)}</title>'
            f'<rect x="{bar.x:.1f}" y="{top}" width="{wide:.1f}" height="{BAR_HEIGHT}"/>'
        )
        parts += [*_label(bar, top + BAR_HEIGHT + 10, free_x), "</g>"]
    used = sum(x > 0.0 for x in free_x)
    return parts, top + BAR_HEIGHT + LABEL_HEIGHT * used + LANE_GAP


def _label(bar: Bar, top: float, free_x: list[float]) -> list[str]:
    """A bar's label in the first row with room for it; none where there is none."""
    text = bar.label if len(bar.label) <= LONGEST_LABEL else bar.label[: LONGEST_LABEL - 1] + "…"
    width = LETTER_WIDTH * len(text)
    tick = bar.end_x == bar.x
    x = min(bar.x - (width / 2 if tick else 0.0), WIDTH - RIGHT - width)
    row = next((row for row, free in enumerate(free_x) if x >= free), None)
    if row is None:
        return []
    free_x[row] = x + width + 8
    return [f'<text x="{x:.1f}" y="{top + LABEL_HEIGHT * row}">{escape(text)}</text>']


def _clock(end_s: float, y: float) -> list[str]:
    step = next((s for s in (1, 2, 5, 10, 20, 60, 120, 300) if end_s / s <= 12), 600)
    ticks = range(0, int(end_s) + 1, step)
    return [f'<text class="time" x="{_x(t, end_s):.0f}" y="{y}">{t} s</text>' for t in ticks]
