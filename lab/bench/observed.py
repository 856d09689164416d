"""The record of a run: frozen values, enough to check it and to draw it.

Times are seconds of bench time: the table time of a table that was never restarted.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from engine.errors import UNREADABLE
from engine.events import TableEvent
from engine.samples import Floats
from lab.bench.steps import SPEAKER

ANSWER = f"reply/{SPEAKER}"
"""Where the bench is answered."""

SAID_BY_US = f'"{SPEAKER}"'.encode()
"""In a command, also in what is no JSON: its answer goes to the bench."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A table event.

    Attributes:
        t_s: when it happened. decided_s: when the table knew.
        process: number of the table process that saw it; a kill begins a new one.
    """

    t_s: float
    decided_s: float
    event: TableEvent
    process: int = 0

    @property
    def kind(self) -> str:
        """Its name in scenarios."""
        return type(self.event).__name__.lower()


@dataclass(frozen=True, slots=True)
class Sent:
    """A message as the broker got it; `suffix` is the topic without `topple/1/<table>/`."""

    t_s: float
    suffix: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    process: int = 0
    connection: int = 0

    def document(self) -> Any:
        """The payload, decoded; text where it is no JSON."""
        try:
            return msgspec.json.decode(self.payload)
        except UNREADABLE:
            return self.payload.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody said to the table, as it arrived there.

    Attributes:
        verb: what was asked for; `data` of a button or of simulated people is in `payload` too.
        by_mqtt: a command; else it came with the samples.
        place: number of messages published before it.
    """

    t_s: float
    verb: str
    payload: bytes
    by_mqtt: bool = True
    retained: bool = False
    place: int = 0
    heard: bool = True

    def document(self) -> Any:
        """The payload, decoded; None where it is no JSON."""
        try:
            return msgspec.json.decode(self.payload)
        except UNREADABLE:
            return None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the journal's table `entries`, as any program reads it (docs/durability.md)."""

    entry: int
    kind: str
    t_s: float
    cause: str
    outcomes: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A step or a fault, for the judge and the pictures.

    Attributes:
        t_s, end_s: when the step was begun and done.
        lasts_to_s: how long a fault lasts; None for things that are done with their step.
    """

    t_s: float
    text: str
    kind: str = "step"
    id: str = ""
    end_s: float = 0.0
    lasts_to_s: float | None = None


@dataclass(frozen=True, slots=True)
class TowerSignals:
    """What a simulated tower truly did.

    Attributes:
        t_s: shape (n,).
        cells_g: shape (n, 4): weight on each load cell over the tare.
        tilt_deg: shape (n, 2): how far the board hung towards file e and towards rank 5.
    """

    t_s: Floats
    cells_g: Floats
    tilt_deg: Floats

    def tilt_deg_at(self, t_s: Floats) -> Floats:
        """At these times."""
        return np.column_stack([np.interp(t_s, self.t_s, axis) for axis in self.tilt_deg.T])

    def mean_cells_g(self, begin_s: Floats, end_s: Floats) -> Floats:
        """Means of these spans."""
        sums = np.vstack([np.zeros(4), np.cumsum(self.cells_g, axis=0)])
        first = np.searchsorted(self.t_s, begin_s)
        end = np.maximum(np.searchsorted(self.t_s, end_s), first + 1)
        means: Floats = (sums[end] - sums[first]) / (end - first)[:, None]
        return means

    def changes_g(self, begin_s: Floats, end_s: Floats) -> Floats:
        """The most that a cell's load changed within each of these spans."""
        first = np.searchsorted(self.t_s, begin_s)
        end = np.maximum(np.searchsorted(self.t_s, end_s), first + 1)
        spans = zip(first, end, strict=True)
        return np.array([np.ptp(self.cells_g[a:b], axis=0).max() for a, b in spans])


@dataclass(frozen=True, slots=True)
class Run:
    """Everything a run left behind.

    Attributes:
        seen: what the table decided, in order.
        sent: what it published, in order.
        retained: what the broker would give a late joiner, by suffix.
        marks: steps and faults, in order.
        checks: results of the `check` steps: bench time, words, whether it was so.
        asked: number of messages published before the bench asked for something last.
        truth: what really happened; empty when nobody knows (a real table).
        scores: as the simulated people counted; None when nobody did.
        broken: invariants that did not hold, in words.
        stopped: why the table process ended on the way; empty if it did not.
        extra: further measurements by name.
        recording: path of the recording, if one was made.
        orders: what people said to the table, in order, the encore's included.
        journal: what the journal holds at the very end.
        world: true figures of the simulated tower's sensors, by name; empty when nobody knows.
        encore: what was published after the scenario's own end.
        signals: what the simulated tower truly did; None when nobody knows.
    """

    end_s: float = 0.0
    seen: tuple[Seen, ...] = ()
    sent: tuple[Sent, ...] = ()
    retained: dict[str, bytes] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    checks: tuple[tuple[float, str, bool], ...] = ()
    asked: int = 0
    truth: tuple[dict[str, Any], ...] = ()
    scores: dict[str, int] | None = None
    broken: tuple[str, ...] = ()
    stopped: str = ""
    extra: dict[str, float] = field(default_factory=dict)
    recording: str = ""
    orders: tuple[Order, ...] = ()
    journal: tuple[Row, ...] = ()
    encore: tuple[Sent, ...] = ()
    world: dict[str, float] = field(default_factory=dict)
    signals: TowerSignals | None = None

    def newest(self, suffix: str, since: int = 0) -> Any:
        """The newest document of a topic, of all or after so many; None when there was none."""
        told = reversed(self.sent[since:])
        return next((m.document() for m in told if m.suffix == suffix), None)

    def mark(self, id_: str) -> Mark | None:
        """The step of that id."""
        return next((mark for mark in self.marks if mark.id == id_), None)
