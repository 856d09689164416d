"""Draws a run as SVG: weight and tilt over time, with events and faults marked. Pure."""

from collections.abc import Sequence
from html import escape

from controller.bench.observed import Mark, Run, Seen
from controller.bench.verdict import describe

WIDTH, LEFT, RIGHT = 900, 52, 12
WEIGHT_TOP, WEIGHT_HEIGHT = 26, 120
TILT_TOP, TILT_HEIGHT = 172, 90
MOST_POINTS = 1200


def picture(run: Run) -> str:
    """An inline SVG of one run; empty when nothing was measured."""
    weight = [(t, g) for t, g in run.trace.weight_g]
    if not weight:
        return ""
    end_s = max(run.end_s, weight[-1][0], 1.0)
    tilt_x = [(t, x) for t, x, _ in run.trace.tilt_deg]
    tilt_y = [(t, y) for t, _, y in run.trace.tilt_deg]
    height = TILT_TOP + TILT_HEIGHT + 28
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="weight and tilt">',
        *_bands(run.marks, end_s),
        *_panel("weight, g", [("w", weight)], WEIGHT_TOP, WEIGHT_HEIGHT, end_s),
        *_panel("tilt, °", [("x", tilt_x), ("y", tilt_y)], TILT_TOP, TILT_HEIGHT, end_s),
        *_events(run.seen, end_s),
        *_clock(end_s),
        "</svg>",
    ]
    return "\n".join(parts)


def _x(t_s: float, end_s: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * t_s / end_s


def _panel(
    title: str,
    curves: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    top: float,
    height: float,
    end_s: float,
) -> list[str]:
    values = [value for _, curve in curves for _, value in curve] or [0.0]
    low, high = min(values), max(values)
    room = max(0.1 * (high - low), 0.5)
    low, high = low - room, high + room
    scale = height / (high - low)
    size = f'width="{WIDTH - LEFT - RIGHT}" height="{height}"'
    parts = [
        f'<rect class="panel" x="{LEFT}" y="{top}" {size}/>',
        f'<text class="axis" x="4" y="{top + height / 2:.0f}">{title}</text>',
    ]
    for value, y in ((high, top + 10), (low, top + height - 2)):
        parts.append(f'<text class="tick" x="{LEFT - 5}" y="{y}">{value:.3g}</text>')
    for name, curve in curves:
        points = " ".join(
            f"{_x(t, end_s):.1f},{top + (high - value) * scale:.1f}" for t, value in _thin(curve)
        )
        parts.append(f'<polyline class="{name}" points="{points}"/>')
    if len(curves) > 1:
        parts += [
            f'<text class="legend {name}" x="{LEFT + 8 + 16 * number}" y="{top + 14}">{name}</text>'
            for number, (name, _) in enumerate(curves)
        ]
    return parts


def _thin(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most `MOST_POINTS`, lowest and highest of each bin kept."""
    if len(curve) <= MOST_POINTS:
        return list(curve)
    size = -(-2 * len(curve) // MOST_POINTS)
    kept = []
    for at in range(0, len(curve), size):
        part = curve[at : at + size]
        kept += sorted({min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])})
    return kept


def _events(seen: Sequence[Seen], end_s: float) -> list[str]:
    parts, free_x = [], 0.0
    for one in seen:
        x = _x(max(one.t_s, 0.0), end_s)
        text = escape(describe(one))
        parts.append(
            f'<g class="event {one.kind}"><title>{text}</title><line x1="{x:.1f}" x2="{x:.1f}" '
            f'y1="{WEIGHT_TOP - 6}" y2="{TILT_TOP + TILT_HEIGHT}"/>'
        )
        label = getattr(one.event, "cell", None) or one.kind
        # Labels that would cover one another are left to the tooltip.
        if x >= free_x:
            parts.append(f'<text x="{x:.1f}" y="{WEIGHT_TOP - 10}">{escape(str(label))}</text>')
            free_x = x + 8 * len(str(label)) + 6
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


def _clock(end_s: float) -> list[str]:
    step = next((s for s in (1, 2, 5, 10, 20, 60, 120, 300) if end_s / s <= 12), 600)
    y = TILT_TOP + TILT_HEIGHT + 16
    ticks = range(0, int(end_s) + 1, step)
    return [f'<text class="time" x="{_x(t, end_s):.0f}" y="{y}">{t} s</text>' for t in ticks]
