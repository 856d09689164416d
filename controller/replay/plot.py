"""Draws a trace as a page: the sensors' curves, the decisions, and why they were taken.

`topple-table replay TRACE --plot OUT.html` replays as always and writes one HTML file beside it:
weight and tilt over time, zoomable, with every decision, input and fault marked; a decision's
probabilities are drawn on the board, beside the cells that the rules allowed when it was made.
The file stands alone (no script, font or address from outside), so it can be sent with a report.

`Drawing` collects, `page` builds the text; only `write_page` touches the disk.
"""

import base64
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from controller.replay.replay import Line
from engine.events import Expectation, HumanInput
from engine.samples import Floats, ImuSamples, ScaleSamples, SensorReport, SwitchSample
from hw.source import Item

TEMPLATE = Path(__file__).with_name("plot.html")
DATA_PLACE = "/*DATA*/null"

MOST_POINTS = 150_000
"""Of one sensor. A six-minute game has 72,000; what is longer is thinned to extremes, so that a
knock of one sample stays visible and a long evening stays under 10 MB."""

BOUNCING_S = 1.0
"""Edges of the tilt switch that follow each other faster belong to one shake."""

Expected = Callable[[], Expectation]


@dataclass(frozen=True, slots=True)
class Known:
    """What the rules expected when a decision was made."""

    legal_cells: tuple[str, ...] | None
    may_place: bool


class Drawing:
    """Collects items and decisions during one replay; asks before each what the rules expect."""

    def __init__(self, title: str, expected: Expected) -> None:
        self.title = title
        self._expected = expected
        self._known = Known(None, may_place=True)
        self._scale: list[Floats] = [np.empty((0, 5))]
        self._imu: list[Floats] = [np.empty((0, 3))]
        self._said: list[dict[str, Any]] = []
        self._edges: dict[str, Any] = {}
        self._edge_s = 0.0
        self._lines: list[dict[str, Any]] = []

    def watching(self, items: Iterable[Item]) -> Iterator[Item]:
        """Pass the items on and keep their values."""
        for item in items:
            expectation = self._expected()
            self._known = Known(expectation.legal_cells, expectation.may_place)
            self._keep(item)
            yield item

    def noting(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Pass the decisions on and keep them, with what the rules allowed just before."""
        for line in lines:
            noted = dict(line)
            if line["type"] in {"placed", "corrected"}:
                noted["legal"] = self._known.legal_cells
                noted["may_place"] = self._known.may_place
            self._lines.append(noted)
            yield line

    def _keep(self, item: Item) -> None:
        match item:
            case ScaleSamples():
                self._scale.append(np.column_stack((item.t_s, item.mass_g)))
            case ImuSamples():
                self._imu.append(np.column_stack((item.t_s, tilt_deg(item.accel_g))))
            case HumanInput():
                self._said.append({"t": item.t_s, "type": item.type, "data": item.data})
            case SwitchSample():
                self._keep_edge(item.t_s)
            case SensorReport():
                text = f"{item.sensor} {'is back' if item.ok else 'lost'}"
                self._said.append({"t": item.t_s, "type": text, "data": {}})

    def _keep_edge(self, t_s: float) -> None:
        """The tilt switch bounces a hundred times in a knock; that is one thing to read."""
        if self._edges and t_s - self._edge_s < BOUNCING_S:
            self._edges["data"]["edges"] += 1
        else:
            self._edges = {"t": t_s, "type": "tilt switch edges:", "data": {"edges": 1}}
            self._said.append(self._edges)
        self._edge_s = t_s

    def page(self) -> str:
        """The page as text."""
        scale, imu = np.concatenate(self._scale), np.concatenate(self._imu)
        data = {
            "title": self.title,
            "scale": packed(np.column_stack((scale, scale[:, 1:].sum(axis=1)))),
            "imu": packed(imu),
            "said": self._said,
            "lines": self._lines,
        }
        # In a script "</script>" ends it, and "<!--<script>" swallows its end: a name may be any.
        text = msgspec.json.encode(data, enc_hook=str).decode().replace("<", "\\u003c")
        return TEMPLATE.read_text(encoding="utf-8").replace(DATA_PLACE, text)


def tilt_deg(accel_g: Floats) -> Floats:
    """Angle of the apparent vertical about both axes, degrees, shape (n, 2).

    What the accelerometer says: at rest the tilt of the board, during a knock the knock.
    """
    tilt: Floats = np.degrees(np.arctan2(accel_g[:, :2], accel_g[:, 2:]))
    return tilt


def packed(rows: Floats) -> list[str]:
    """Columns as base64 of little-endian 32-bit floats, the first one being time in seconds."""
    columns = thinned(rows).astype("<f4").T
    return [base64.b64encode(column.tobytes()).decode() for column in columns]


def thinned(rows: Floats, most: int = MOST_POINTS) -> Floats:
    """At most `most` rows: of each stretch of time the least and the greatest of every column.

    The first column is time, increasing.
    """
    if len(rows) <= most:
        return rows
    stretches = np.array_split(rows, most // 2)
    out = np.empty((2 * len(stretches), rows.shape[1]))
    for index, stretch in enumerate(stretches):
        out[2 * index], out[2 * index + 1] = _extreme(stretch, np.fmin), _extreme(stretch, np.fmax)
        out[2 * index : 2 * index + 2, 0] = stretch[0, 0], stretch[-1, 0]
    return out


def _extreme(rows: Floats, which: np.ufunc) -> Floats:
    """Least or greatest of each column, missing samples left out."""
    extreme: Floats = which.reduce(rows, axis=0)
    return extreme
