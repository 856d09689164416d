"""The measurements of every run: names, units, and how each is calculated. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.events import SURE, Corrected, Placed, Retracted, Toppled
from lab.bench.observed import Run, Seen

NAN = float("nan")

SAME_S = 1.0
"""A placement seen this close to the true release is that placement; two are never closer."""

LATE_S = 6.0
"""A piece may be seen so long after it was let go, if somebody drums on the table or steadies the
board meanwhile; people need as long for a turn and a half."""

TOPPLE_S = 3.0
"""The same for topples: the moment at which the first piece falls is known less well."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement.

    Attributes:
        text: what it is.
        of: how it is worked out; None where the run has counted it (`Run.extra`).
        always: limit that holds in every case where somebody counts it.
    """

    unit: str
    text: str
    of: Callable[[Run], float] | None = None
    always: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The final result of a placement: the cell, and how sure."""

    seen: Seen
    cell: str | None
    confidence: float


def standing(run: Run) -> list[Standing]:
    """Placements that were not retracted, with the cell of the last correction."""
    found: dict[int, Standing] = {}
    for seen in run.seen:
        event = seen.event
        if isinstance(event, Placed):
            found[event.id] = Standing(seen, event.cell, event.confidence)
        elif isinstance(event, Corrected) and event.ref in found:
            found[event.ref] = Standing(found[event.ref].seen, event.cell, event.confidence)
        elif isinstance(event, Retracted):
            found.pop(event.ref, None)
    return list(found.values())


def let_go(run: Run) -> list[dict[str, Any]]:
    """Pieces that were truly let go, those that did not stand included."""
    return [entry for entry in run.truth if entry["type"] in ("place", "release_void")]


def stays(entry: Mapping[str, Any] | None) -> bool:
    """Whether it is a placement that stood: neither it nor others fell as it was let go."""
    return entry is not None and entry["type"] == "place" and not entry["ended_in_topple"]


def matched(run: Run) -> list[tuple[Standing, dict[str, Any] | None]]:
    """Each decided placement that stands, with the piece that was let go; None if there was none.

    A piece that was slid before it was let go may be dated from when it first lay on the board. One
    that nobody could see at once, because the table shook or a hand was there, may be dated when it
    was seen: then only its own cell is right.
    """
    truth = let_go(run)
    found = standing(run)
    prompt = [_taken(truth, stood, lambda e, s: _away_s(e, s) < SAME_S) for stood in found]
    entries = [
        entry or _taken(truth, stood, lambda e, s: _late(e, s) and e["cell"] == s.cell)
        for stood, entry in zip(found, prompt, strict=True)
    ]
    return list(zip(found, entries, strict=True))


def _taken(
    truth: list[dict[str, Any]],
    stood: Standing,
    fits: Callable[[dict[str, Any], Standing], bool],
) -> dict[str, Any] | None:
    """The nearest piece that fits, which no other decision can have then."""
    near = [entry for entry in truth if fits(entry, stood)]
    best = min(near, key=lambda entry: _away_s(entry, stood), default=None)
    if best is not None:
        truth.remove(best)
    return best


def _away_s(entry: dict[str, Any], stood: Standing) -> float:
    release_s, seen_s = float(entry["t"]), stood.seen.t_s
    laid_s = float(entry["t_contact"]) if "slid_from" in entry else release_s
    return max(laid_s - seen_s, seen_s - release_s)


def _late(entry: dict[str, Any], stood: Standing) -> bool:
    return 0 <= stood.seen.t_s - float(entry["t"]) < LATE_S


def silent_errors(run: Run) -> list[Standing]:
    """Wrong placements that the table was sure of."""
    if not run.truth:
        return []
    return [s for s, entry in matched(run) if s.confidence >= SURE and not _agree(s, entry)]


def _agree(stood: Standing, entry: Mapping[str, Any] | None) -> bool:
    return entry is not None and stood.cell == entry["cell"]


def _latencies(run: Run) -> list[float]:
    return [seen.decided_s - seen.t_s for seen in run.seen if isinstance(seen.event, Placed)]


def _percentile(values: list[float], share: float) -> float:
    return float(np.percentile(values, share)) if values else NAN


def _missed(run: Run) -> float:
    stood = [entry for entry in let_go(run) if stays(entry)]
    return float(len(stood) - sum(stays(entry) for _, entry in matched(run)))


def _invented(run: Run) -> float:
    return float(sum(entry is None for _, entry in matched(run))) if run.truth else NAN


def _right(run: Run) -> float:
    stood = [entry for entry in let_go(run) if stays(entry)]
    right = sum(stays(entry) and _agree(s, entry) for s, entry in matched(run))
    return right / len(stood) if stood else NAN


def _topples_missed(run: Run) -> float:
    true = [entry["t"] for entry in run.truth if entry["type"] == "topple"]
    seen = [s.t_s for s in run.seen if isinstance(s.event, Toppled)]
    return float(sum(not any(abs(t - s) < TOPPLE_S for s in seen) for t in true))


def _topples_invented(run: Run) -> float:
    true = [entry["t"] for entry in run.truth if entry["type"] in ("topple", "remove")]
    seen = [s.t_s for s in run.seen if isinstance(s.event, Toppled)]
    return float(sum(not any(abs(t - s) < TOPPLE_S for t in true) for s in seen))


def _asked(run: Run) -> float:
    sent = [m.document() for m in run.sent if m.suffix == "event"]
    return float(sum(event.get("type") == "asked" for event in sent))


def _largest_state(run: Run) -> float:
    return float(max((len(m.payload) for m in run.sent if m.suffix == "state"), default=0))


BOARD_FIGURES = {
    # The lab's host learns the time from answers that it looks for every 2 ms; a single piece put
    # down tells a delay to a millisecond.
    "misdated_ms": Figure(
        "ms", "how early or late samples are dated, by what the sensors felt", always="at most 3 ms"
    ),
    "cell_late_periods": Figure(
        "", "periods that a load cell, or a half of the inertial sensor, is later than the others",
        always="at most 0.5",
    ),
    "rows_missing": Figure(
        "", "share of the rows, or of a cell's words, that never came", always="at most 0.002"
    ),
    "rows_disordered": Figure(
        "", "rows that are not later than the one before", always="at most 0"
    ),
    "rows_uneven": Figure(
        "", "share of the rows that are not dated midway between their neighbours",
        always="at most 0.002",
    ),
    "rows_held": Figure("", "rows that say again what is no longer so", always="at most 0"),
    "words_unfelt": Figure(
        "", "share of the words that no sensor has felt", always="at most 0.0002"
    ),
}  # fmt: skip
"""What is measured of every board from its rows and the tower (`lab.bench.board_account`); all but
the first only where nothing is disturbed on purpose."""

CATALOGUE: Mapping[str, Figure] = {
    "latency_p50_s": Figure(
        "s", "from release to decision, median", lambda r: _percentile(_latencies(r), 50)
    ),
    "latency_max_s": Figure(
        "s", "from release to decision, longest", lambda r: _percentile(_latencies(r), 100)
    ),
    "placements": Figure("", "placements that stand", lambda r: float(len(standing(r)))),
    "right": Figure("", "share of true placements seen where they were", _right),
    "missed": Figure("", "true placements nobody saw", _missed),
    "invented": Figure("", "placements that were none", _invented),
    "silent_errors": Figure(
        "", "placements wrong and not asked about", lambda r: float(len(silent_errors(r)))
    ),
    "topples_missed": Figure("", "topples nobody saw", _topples_missed),
    "topples_invented": Figure("", "topples that were none", _topples_invented),
    "questions": Figure("", "questions asked", _asked),
    "messages": Figure("", "messages published", lambda r: float(len(r.sent))),
    "largest_state_bytes": Figure("B", "largest state document", _largest_state),
    "deaths": Figure("", "times the process ended by itself"),
    "dropped": Figure("", "messages dropped while the broker was down"),
    "lost_frames": Figure("", "frames lost on the serial line"),
    "bad_frames": Figure("", "frames that arrived damaged"),
    "disordered": Figure("", "frames that came twice or out of order", always="at most 0"),
    "pin_violations": Figure("", "rules of the data sheets broken", always="at most 0"),
    "misreported": Figure("", "frames that say what no chip gave", always="at most 0"),
    **BOARD_FIGURES,
}
"""Measurement -> what it is. Every run measures all of them; a scenario limits some."""


def measured(run: Run) -> dict[str, float]:
    """All measurements of a run, without those that do not apply to it."""
    values = {
        name: run.extra.get(name, NAN) if figure.of is None else figure.of(run)
        for name, figure in CATALOGUE.items()
    }
    return {name: value for name, value in values.items() if value == value}  # noqa: PLR0124
