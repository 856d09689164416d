"""Pictures of the detection report, as PNG in data addresses: one file holds the whole report."""

import base64
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from controller.common.intervals import wilson
from engine.events import HumanInput
from engine.samples import Floats, ImuSamples, ScaleSamples
from engine.tabletop import FILES, RANKS
from hw.source import play
from hw.traces.recording import Recording
from tests.benchmarks.detection_falls import reliability
from tests.benchmarks.detection_figures import Miss, Tally
from tests.benchmarks.detection_games import Event
from tests.benchmarks.detection_reasons import GameSignals, deed_words
from tests.benchmarks.detection_results import Results
from tests.benchmarks.detection_sheets import CLASSIFIER, CURVE_S, curve

mpl.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False})

INK, TOLD, UNTOLD, TRUTH, DECIDED = "#22303c", "#1565a7", "#d9822b", "#2c7a3f", "#b3261e"
TILT_X, TILT_Y = "#1565a7", "#d9822b"
BIN_EDGES = (0.0, 0.7, 0.9, 0.95, 0.99, 0.999, 1.01)
BEFORE_S, AFTER_S = 3.0, 4.5
DPI = 95
LATENCY_BINS_S = np.geomspace(0.08, 6.0, 33)
LOWEST, HIGHEST = 0.36, 0.9998
DARKEST = 0.8
"""Share of wrong cells painted darkest: numbers stay legible below it."""

NEAR_CERTAIN = (5e-1, 1 - 2e-4)


def picture(figure: Figure) -> str:
    """A figure as the address of an `img`."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DPI)
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()


def reliability_diagram(told: Tally | None, untold: Tally | None) -> Figure:
    """How often a claim was right, against how sure it was; both axes in log odds."""
    figure = Figure(figsize=(3.9, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.plot(NEAR_CERTAIN, NEAR_CERTAIN, color="#9aa5ae", lw=1, zorder=0)
    for tally, colour, words in ((told, TOLD, "die known"), (untold, UNTOLD, "die not told")):
        if tally is not None:
            _reliability_points(axes, tally, colour, words)
    axes.set(xscale="logit", yscale="logit", xlim=(0.45, 0.9998), ylim=(0.35, HIGHEST))
    ticks = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998, 0.9995)
    axes.set_xticks(ticks, [f"{100 * tick:g}" for tick in ticks])
    axes.set_yticks(ticks, [f"{100 * tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set(xlabel="claimed, %", ylabel="was right, %")
    axes.legend(loc="lower right", frameon=False)
    return figure


def _reliability_points(axes: Axes, tally: Tally, colour: str, words: str) -> None:
    for index, (claimed, right, n) in enumerate(reliability(tally.claims, BIN_EDGES)):
        low, high = wilson(right, n)
        # Log odds know no 100 %: where all were right, a triangle stands at the upper edge.
        seen = HIGHEST if right == n else max(right / n, LOWEST)
        label = words if index == 0 else None
        x = min(max(claimed, 0.46), 0.9996)
        axes.plot([x, x], [max(low, LOWEST), min(high, HIGHEST)], color=colour, lw=1)
        marker = "^" if right == n else "o"
        axes.plot(x, seen, marker, color=colour, ms=5, label=label, clip_on=False)
        axes.annotate(
            str(n), (x, seen), xytext=(4, 3 if colour == TOLD else -6),
            textcoords="offset points", fontsize=7,
            color=colour, va="center",
        )  # fmt: skip


def error_map(tally: Tally) -> Figure:
    """Where pieces lay that were seen elsewhere: share of wrong cells, arrows to what was said."""
    figure = Figure(figsize=(3.3, 3.4), layout="constrained")
    axes = figure.subplots()
    counted = Counter(truth["cell"] for truth, _ in tally.pairs)
    wrong = Counter(t["cell"] for t, event in tally.pairs if t["cell"] != event["cell"])
    share = np.array(
        [[wrong[f + r] / counted[f + r] if counted[f + r] else 0.0 for f in FILES] for r in RANKS]
    )
    axes.imshow(share, cmap="OrRd", vmin=0, vmax=DARKEST, origin="lower")
    for y, rank in enumerate(RANKS):
        for x, file in enumerate(FILES):
            cell = file + rank
            words = f"{wrong[cell]}/{counted[cell]}"
            axes.text(x, y - 0.36, words, ha="center", va="center", fontsize=7, color=INK)
    _error_arrows(axes, tally)
    axes.set_xticks(range(5), FILES)
    axes.set_yticks(range(5), RANKS)
    axes.set_xticks(np.arange(-0.5, 5), minor=True)
    axes.set_yticks(np.arange(-0.5, 5), minor=True)
    axes.grid(which="minor", color="white", lw=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    return figure


def _error_arrows(axes: Axes, tally: Tally) -> None:
    confused = Counter(
        (t["cell"], e["cell"]) for t, e in tally.pairs if e["cell"] not in {None, t["cell"]}
    )
    for (truth, said), count in confused.items():
        start, end = ((FILES.index(c[0]), RANKS.index(c[1])) for c in (truth, said))
        arrow = {"arrowstyle": "->", "color": INK, "lw": 0.7 + 0.5 * count, "alpha": 0.8}
        axes.annotate("", end, start, arrowprops=arrow)


def latency_histogram(told: Tally | None, untold: Tally | None) -> Figure:
    """Time from release to the first decision."""
    figure = Figure(figsize=(3.9, 3.4), layout="constrained")
    axes = figure.subplots()
    for tally, colour, words in ((told, TOLD, "die known"), (untold, UNTOLD, "die not told")):
        if tally is not None and tally.latency_s:
            low, high = LATENCY_BINS_S[0], LATENCY_BINS_S[-1]
            values = np.clip(tally.latency_s, low, high * 0.999)
            axes.hist(
                values, list(LATENCY_BINS_S), histtype="step", color=colour, label=words, lw=1.4
            )
    for goal, words in ((0.4, "p50"), (1.5, "p95")):
        axes.axvline(goal, color="#9aa5ae", lw=1)
        axes.annotate(
            f"goal {words}", (goal, 1), xycoords=("data", "axes fraction"), rotation=90,
            fontsize=6.5, ha="right", va="top", color="#66727c",
        )  # fmt: skip
    axes.set(xscale="log", xlabel="release to decision, s", ylabel="placements")
    axes.set_xticks((0.1, 0.2, 0.5, 1, 2, 5), ("0.1", "0.2", "0.5", "1", "2", "5"))
    axes.minorticks_off()
    axes.legend(loc="upper right", frameon=False)
    return figure


def latency_curves(results: Results, group: str) -> Figure:
    """Share of topples shown, and decided, within so many seconds, beside the classifier's."""
    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    axes = figure.subplots()
    for detector, colour in zip(results.detectors, (TOLD, UNTOLD, TRUTH), strict=False):
        tally = results.of(detector, group=group)
        if tally is None or not tally.falls:
            continue
        times_s = np.linspace(0, CURVE_S[-1], 161).tolist()
        shown, decided = (curve(tally, times_s, decided=each) for each in (False, True))
        axes.plot(times_s, shown, color=colour, lw=1.6, label=f"{detector}: shown")
        axes.plot(times_s, decided, color=colour, lw=1, ls="--", label=f"{detector}: decided")
    _classifier_points(axes, group)
    axes.set(xlabel="after the first fall, s", ylabel="share of topples", ylim=(0, 1.02))
    axes.set(xlim=(0, CURVE_S[-1]))
    axes.grid(color="#e3e7ea", lw=0.6)
    axes.legend(loc="lower right", frameon=False)
    return figure


def _classifier_points(axes: Axes, group: str) -> None:
    """What the goals tell of a classifier, as bars from the least to the most."""
    for index, (seconds, words) in enumerate(CLASSIFIER.get(group, {}).items()):
        low, high = (float(end) / 100 for end in (words.split("-") * 2)[:2])
        label = "classifier: shown" if index == 0 else None
        axes.plot([seconds, seconds], [low, high], color=DECIDED, lw=4, alpha=0.6)
        axes.plot(seconds, (low + high) / 2, "_", color=DECIDED, ms=9, label=label)


# --- one miss -----------------------------------------------------------------------------------


def signals(trace: Path) -> GameSignals:
    """Read the whole of a trace."""
    scale, imu, rolls = [np.empty((0, 2))], [np.empty((0, 3))], list[float]()
    recording = Recording.open(trace)
    try:
        for item in play(recording):
            if isinstance(item, ScaleSamples):
                scale.append(np.column_stack((item.t_s, np.nansum(item.mass_g, axis=1))))
            elif isinstance(item, ImuSamples):
                tilt = np.degrees(np.arctan2(item.accel_g[:, :2], item.accel_g[:, 2:]))
                imu.append(np.column_stack((item.t_s, tilt)))
            elif isinstance(item, HumanInput) and item.type == "roll":
                rolls.append(item.t_s)
    finally:
        recording.close()
    return GameSignals(np.concatenate(scale), np.concatenate(imu), tuple(rolls))


def miss_plot(miss: Miss, heard: GameSignals) -> Figure:
    """Weight and tilt about a miss, with what really happened and what was decided."""
    figure = Figure(figsize=(8.2, 3.5), layout="constrained")
    weight, tilt = figure.subplots(2, 1, sharex=True, height_ratios=(1.25, 1))
    low, high = miss.t_s - BEFORE_S, miss.t_s + AFTER_S
    _plot_weight(weight, _within(heard.scale, low, high))
    _plot_tilt(tilt, _within(heard.imu, low, high))
    _mark_truth(weight, tilt, [e for e in miss.run.truth if low < e["t"] < high])
    _mark_decisions(weight, tilt, miss.run.events, low, high)
    tilt.set(xlim=(low, high), xlabel="table time, s", ylabel="tilt, °")
    return figure


def _within(rows: Floats, low: float, high: float) -> Floats:
    kept: Floats = rows[(rows[:, 0] >= low) & (rows[:, 0] <= high)]
    return kept


def _plot_weight(axes: Axes, rows: Floats) -> None:
    if not len(rows):
        return
    before = float(np.median(rows[:40, 1]))
    axes.plot(rows[:, 0], rows[:, 1] - before, color=INK, lw=0.9)
    # A knock of 300 g must not flatten the three grams that matter; a cup that stays is shown.
    low, high = np.percentile(rows[:, 1] - before, (4, 96))
    axes.set_ylim(low - 3, high + 3 + 0.35 * (high - low + 6))
    axes.set_ylabel("weight, g")
    axes.grid(axis="y", color="#e3e7ea", lw=0.6)


def _plot_tilt(axes: Axes, rows: Floats) -> None:
    if len(rows) < 16:
        return
    kernel = np.full(9, 1 / 9)
    for column, colour, words in ((1, TILT_X, "x (a→e)"), (2, TILT_Y, "y (1→5)")):
        axes.plot(rows[:, 0], rows[:, column], color=colour, lw=0.4, alpha=0.35)
        smooth = np.convolve(rows[:, column], kernel, mode="valid")
        axes.plot(rows[4:-4, 0], smooth, color=colour, lw=1.1, label=words)
    axes.set_ylim(*np.clip((rows[:, 1:].min() - 0.3, rows[:, 1:].max() + 0.3), -25, 25))
    axes.legend(loc="lower left", frameon=False, ncols=2, fontsize=7)
    axes.grid(axis="y", color="#e3e7ea", lw=0.6)


def _mark_truth(weight: Axes, tilt: Axes, truth: Sequence[Event]) -> None:
    """Green, written at the top."""
    row = 0
    for event in truth:
        words, span = _truth_words(event)
        if not words:
            continue
        for axes in (weight, tilt):
            axes.axvspan(*span, color=TRUTH, alpha=0.09, lw=0)
            axes.axvline(event["t"], color=TRUTH, lw=1)
        _write(weight, event["t"], 0.98 - 0.1 * (row % 3), words, TRUTH)
        row += 1


def _truth_words(event: Event) -> tuple[str, tuple[float, float]]:
    t_s = float(event["t"])
    match event["type"]:
        case "place" | "release_void":
            fell = " (fell)" if event.get("ended_in_topple") else ""
            return f"{event.get('cell', '?')} released{fell}", (event.get("t_contact", t_s), t_s)
        case "topple":
            end_s = event.get("t_detectable") or t_s
            return f"{event['kind']} by {event['cause']}, {event['fallen']} fell", (t_s, end_s)
        case "bump" | "touch" | "lean" | "lift_board":
            return deed_words(event), (t_s, t_s + float(event.get("dur") or 0.2))
        case "turn":
            return f"rolled {event.get('roll', '?')}", (t_s, t_s)
        case "pass" | "remove" | "cleared" | "played_out" as kind:
            return str(kind), (t_s, t_s)
    return "", (t_s, t_s)


def _mark_decisions(
    weight: Axes, tilt: Axes, events: Sequence[Event], low: float, high: float
) -> None:
    """Red, written below the truth; a dotted line where it is said to have happened."""
    shown = [(float(e.get("decided", e.get("t", -1.0))), e) for e in events]
    for row, (said_s, event) in enumerate((s, e) for s, e in shown if low < s < high):
        for axes in (weight, tilt):
            axes.axvline(said_s, color=DECIDED, lw=1, ls="--")
            if event.get("t", said_s) != said_s:
                axes.axvline(event["t"], color=DECIDED, lw=0.9, ls=":")
        _write(weight, said_s, 0.62 - 0.1 * (row % 3), _decision_words(event), DECIDED)


def _decision_words(event: Event) -> str:
    match event["type"]:
        case "placed" | "corrected" as kind:
            others = "".join(f", {cell} {p:.2f}" for cell, p in event.get("alternatives", ())[:2])
            return f"{kind}: {event['cell']} {event['confidence']:.3f}{others}"
        case "toppled":
            return f"toppled: {event['kind']}, {event['cause']} {event['confidence']:.2f}"
        case "retracted":
            return f"retracted: {event['reason']}"
        case "suspected":
            return f"suspected: {event['kind']} {event['probability']:.2f}"
        case "question":
            return f"asked: {event['kind']}"
    return str(event["type"])


def _write(axes: Axes, t_s: float, height: float, words: str, colour: str) -> None:
    style: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}
    axes.annotate(
        words, (t_s, height), xycoords=("data", "axes fraction"), xytext=(3, 0),
        textcoords="offset points", fontsize=7, color=colour, va="top", bbox=style, clip_on=True,
    )  # fmt: skip
