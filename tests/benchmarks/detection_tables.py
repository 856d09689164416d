"""The table of the goals: what is measured, what is wanted, what came out.

One `Row` for each line of the goal table; the text table and the HTML report print the same rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from controller.intervals import rate_interval, wilson
from tests.benchmarks.detection_figures import Tally, quantile
from tests.benchmarks.detection_limit import Limit

AT_LEAST, AT_MOST = "at least", "at most"
Goals = Mapping[str, float]
"""Goal of each preset, in the unit that is printed."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure.

    Attributes:
        value: None when there was nothing to count.
        low, high: its 95 % interval, where it has one.
        n: how many it was counted on.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        die: whether it is taken from the replays with the die.
        goals: per preset; empty when the figure has none.
        sense: whether the goal is the least or the most.
    """

    name: str
    unit: str
    die: bool
    figure: Callable[[Tally], Measured]
    goals: Goals
    sense: str = AT_LEAST
    digits: int = 2

    def verdict(self, measured: Measured, preset: str) -> str:
        """`met`, `missed`, `open` (missed, but the interval reaches the goal), or nothing."""
        goal = self.goals.get(preset)
        if goal is None or measured.value is None:
            return ""
        if self.sense == AT_LEAST:
            met, reach = measured.value >= goal, measured.high
            return "met" if met else "open" if reach is not None and reach >= goal else "missed"
        met, reach = measured.value <= goal, measured.low
        return "met" if met else "open" if reach is not None and reach <= goal else "missed"


def _share(hits: Callable[[Tally], int], of: Callable[[Tally], int]) -> Callable[[Tally], Measured]:
    """Per cent with Wilson's interval."""

    def figure(tally: Tally) -> Measured:
        k, n = hits(tally), of(tally)
        if not n:
            return Measured(None, n="0")
        low, high = wilson(k, n)
        return Measured(100 * k / n, 100 * low, 100 * high, f"{k}/{n}")

    return figure


def _hourly(count: Callable[[Tally], int]) -> Callable[[Tally], Measured]:
    def figure(tally: Tally) -> Measured:
        k = count(tally)
        low, high = rate_interval(k, tally.hours)
        return Measured(k / tally.hours, low, high, f"{k} in {tally.hours:.2f} h")

    return figure


def _time(values: Callable[[Tally], list[float]], share: float) -> Callable[[Tally], Measured]:
    def figure(tally: Tally) -> Measured:
        found = values(tally)
        return Measured(quantile(found, share), n=str(len(found)))

    return figure


def _cost(tally: Tally) -> Measured:
    return Measured(tally.times_real, n=f"{tally.games} games")


def _all(goal: float) -> Goals:
    return dict.fromkeys(("calm", "normal", "rough"), goal)


def _each(calm: float, normal: float, rough: float) -> Goals:
    return {"calm": calm, "normal": normal, "rough": rough}


def _accuracy(name: str, goals: Goals, *, die: bool) -> Row:
    figure = _share(lambda t: t.right, lambda t: t.placements)
    return Row(name, "%", die, figure, goals)


def _silent(name: str, goals: Goals, *, die: bool) -> Row:
    figure = _share(lambda t: t.silent, lambda t: t.placements)
    return Row(name, "per 100", die, figure, goals, AT_MOST)


def _asked(name: str, goals: Goals, *, die: bool) -> Row:
    return Row(name, "%", die, _share(lambda t: t.asked, lambda t: t.placements), goals, AT_MOST)


def _reliable(name: str, *, die: bool) -> Row:
    figure = _share(lambda t: sum(t.claimed), lambda t: len(t.claimed))
    return Row(name, "%", die, figure, _all(99))


def _seconds(
    name: str,
    values: Callable[[Tally], list[float]],
    share: float,
    goals: Goals,
    unit: str = "s",
) -> Row:
    return Row(name, unit, die=True, figure=_time(values, share), goals=goals, sense=AT_MOST)


def _invented(name: str, count: Callable[[Tally], int]) -> Row:
    return Row(name, "per hour", die=True, figure=_hourly(count), goals=_all(1), sense=AT_MOST)


def _seen(name: str, hits: Callable[[Tally], int], of: Callable[[Tally], int], goals: Goals) -> Row:
    return Row(name, "%", die=True, figure=_share(hits, of), goals=goals)


ROWS: tuple[Row, ...] = (
    _accuracy("right cell, die known", _each(100, 99.8, 99), die=True),
    _accuracy("right cell of 25, die not told", _each(99.8, 99.5, 92), die=False),
    _silent("silent errors", _each(0, 0.2, 0.5), die=True),
    _silent("silent errors, die not told", {}, die=False),
    _asked("asked", _each(0.5, 1, 6), die=True),
    _asked("asked, die not told", {}, die=False),
    _seconds("release to decision, p50", lambda t: t.latency_s, 0.5, _all(0.4)),
    _seconds("release to decision, p95", lambda t: t.latency_s, 0.95, _all(1.5)),
    _seen("off board + collapse seen", lambda t: t.lost_seen, lambda t: t.lost, _all(100)),
    _seen("their cause right", lambda t: t.lost_cause_right, lambda t: t.lost_seen, _all(95)),
    _seen("off stack seen", lambda t: t.stacks_seen, lambda t: t.stacks, _each(90, 75, 50)),
    _seconds("topple to decision, p50", lambda t: t.topple_latency_s, 0.5, {}),
    _invented("invented topples", lambda t: t.false_topples),
    _invented("invented placements", lambda t: t.invented),
    _reliable("right where >= 0.99 was claimed", die=True),
    _reliable("the same, die not told", die=False),
    _seconds("last sample to decision, p99", lambda t: t.decision_ms, 0.99, _all(5), unit="ms"),
    Row("cost", "x real time", die=True, figure=_cost, goals=_all(300), digits=0),
)


def printed(measured: Measured, digits: int) -> str:
    """A figure as text, with its interval and number."""
    if measured.value is None:
        return "- (nothing to count)"
    words = f"{measured.value:.{digits}f}"
    if measured.low is not None and measured.high is not None:
        words += f" [{measured.low:.{digits}f}, {measured.high:.{digits}f}]"
    return f"{words} n={measured.n}" if measured.n else words


def limit_words(row: Row, limits: tuple[Limit, Limit]) -> str:
    """The idealised limit beside the two rows it speaks about: one rest, and three averaged."""
    if not row.name.startswith("right cell"):
        return ""
    one, three = (100 * (each.told if row.die else each.untold) for each in limits)
    return f"{one:.2f} / {three:.2f}"
