"""The table of the goals: what is measured, what is wanted, what came out.

One `Row` for each figure. The goal tables have a line for each, the tables of all kinds of
evenings a column (`MATRICES`); terminal and HTML report print the same rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from controller.common.intervals import wilson
from tests.benchmarks.detection_falls import ANY, decided_within, of_kind, shown_within
from tests.benchmarks.detection_figures import Tally, quantile
from tests.benchmarks.detection_limit import Limit
from tests.benchmarks.intervals import rate_interval

AT_LEAST, AT_MOST = "at least", "at most"
OTHERS = "others"
Goals = Mapping[str, float]
"""Goal of each preset, and of `OTHERS` (other people, odd tables), in the unit that is printed."""


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

    @property
    def sign(self) -> str:
        """Of the goal, as printed."""
        return ">=" if self.sense == AT_LEAST else "<="

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
        low, high = wilson(min(k, n), n)  # invented pieces are silent errors without a placement
        return Measured(100 * k / n, 100 * low, 100 * high, f"{k}/{n}")

    return figure


def _hourly(count: Callable[[Tally], int]) -> Callable[[Tally], Measured]:
    def figure(tally: Tally) -> Measured:
        k = count(tally)
        if not tally.hours:
            return Measured(None, n="0")
        low, high = rate_interval(k, tally.hours)
        return Measured(k / tally.hours, low, high, f"{k} in {tally.hours:.2f} h")

    return figure


def _time(values: Callable[[Tally], list[float]], share: float) -> Callable[[Tally], Measured]:
    def figure(tally: Tally) -> Measured:
        found = values(tally)
        return Measured(quantile(found, share), n=str(len(found)))

    return figure


def _cost(tally: Tally) -> Measured:
    return Measured(tally.times_real or None, n=f"{tally.games} games")


def _all(goal: float, **more: float) -> Goals:
    return {**dict.fromkeys(("calm", "normal", "rough"), goal), **more}


def _each(calm: float, normal: float, rough: float, **more: float) -> Goals:
    return {"calm": calm, "normal": normal, "rough": rough, **more}


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


def _hour(name: str, count: Callable[[Tally], int], goal: float) -> Row:
    goals = _all(goal, others=goal)
    return Row(name, "per hour", die=True, figure=_hourly(count), goals=goals, sense=AT_MOST)


def _seen(
    name: str,
    hits: Callable[[Tally], int],
    of: Callable[[Tally], int],
    goals: Goals,
    sense: str = AT_LEAST,
) -> Row:
    return Row(name, "%", die=True, figure=_share(hits, of), goals=goals, sense=sense)


def _within(name: str, seconds: float, goals: Goals, kind: str = ANY) -> Row:
    """Share of topples decided in time; those never seen are not."""
    return _seen(
        name,
        lambda t: decided_within(of_kind(t.falls, kind), seconds),
        lambda t: len(of_kind(t.falls, kind)),
        goals,
    )


def _shown(name: str, seconds: float, goals: Goals) -> Row:
    return _seen(name, lambda t: shown_within(t.falls, seconds), lambda t: len(t.falls), goals)


def _deaf(tally: Tally) -> Measured:
    share = 100 * tally.deaf_s / (3600 * tally.hours) if tally.hours else None
    return Measured(share, n=f"{len(tally.deaf)} times")


def _longest(tally: Tally) -> Measured:
    longest_s = max((seconds for seconds, _ in tally.deaf), default=0.0)
    return Measured(float(tally.longest_deaf), n=f"{longest_s:.0f} s")


RIGHT = _accuracy("right cell, die known", _each(100, 99.8, 99, others=98), die=True)
RIGHT_UNTOLD = _accuracy("right cell of 25, die not told", _each(99.8, 99.5, 92), die=False)
SILENT = _silent("silent errors", _each(0.2, 0.3, 0.6, others=0.5), die=True)
SILENT_UNTOLD = _silent("silent errors, die not told", {}, die=False)
ASKED = _asked("asked", _each(0.5, 1, 6), die=True)
SEEN = _seen(
    "topples seen",
    lambda t: t.lost_seen + t.stacks_seen,
    lambda t: t.lost + t.stacks,
    {OTHERS: 95},
)
BLAMED = _seen(
    "topples asked about",
    lambda t: sum(fall.asked for fall in t.falls),
    lambda t: len(t.falls),
    {"calm": 10, "normal": 20},
    AT_MOST,
)
INVENTED = _hour("invented topples", lambda t: t.false_topples, 1)
DECIDED_P50 = _seconds("first fall to decision, p50", lambda t: t.topple_latency_s, 0.5, {})
DECIDED_P95 = _seconds("first fall to decision, p95", lambda t: t.topple_latency_s, 0.95, {})
IN_2_S = _within("decided within 2 s", 2.0, _all(70, others=70))
IN_3_S = _within("decided within 3 s", 3.0, _all(85, others=85))
COLLAPSES_IN_1_S = _within("collapses within 1 s", 1.0, _all(95, others=95), "collapse")
SHOWN_IN_1_S = _shown("shown within 1 s", 1.0, _all(75, others=75))
SHOWN_IN_2_S = _shown("shown within 2 s", 2.0, _all(87, others=87))
SHOWN_IN_3_S = _shown("shown within 3 s", 3.0, {})
DISMISSED = _hour("suspicions dismissed", lambda t: len(t.dismissed), 8)
DEAF = Row("deaf, share of time", "%", True, _deaf, {OTHERS: 1}, AT_MOST)
LONGEST = Row("longest deafness", "placements", True, _longest, {OTHERS: 2}, AT_MOST, 0)
CAUSE = _seen("their cause right", lambda t: t.lost_cause_right, lambda t: t.lost_seen, _all(95))
SURE_RIGHT = _reliable("right where >= 0.99 was claimed", die=True)
COST = Row("cost", "x real time", die=True, figure=_cost, goals=_all(300), digits=0)
EXACT = _seen("final score exact", lambda t: t.exact, lambda t: t.scored, _each(97, 95, 85))

ROWS: tuple[Row, ...] = (
    RIGHT,
    RIGHT_UNTOLD,
    SILENT,
    SILENT_UNTOLD,
    ASKED,
    _asked("asked, die not told", {}, die=False),
    _seconds("release to decision, p50", lambda t: t.latency_s, 0.5, _all(0.4)),
    _seconds("release to decision, p95", lambda t: t.latency_s, 0.95, _all(1.5)),
    _seen("off board + collapse seen", lambda t: t.lost_seen, lambda t: t.lost, _all(100)),
    CAUSE,
    _seen("off stack seen", lambda t: t.stacks_seen, lambda t: t.stacks, _each(90, 75, 60)),
    BLAMED,
    SHOWN_IN_1_S,
    SHOWN_IN_2_S,
    SHOWN_IN_3_S,
    DISMISSED,
    DECIDED_P50,
    DECIDED_P95,
    IN_2_S,
    IN_3_S,
    COLLAPSES_IN_1_S,
    INVENTED,
    _hour("invented placements", lambda t: t.invented, 1),
    DEAF,
    LONGEST,
    EXACT,
    SURE_RIGHT,
    _reliable("the same, die not told", die=False),
    _seconds("last sample to decision, p99", lambda t: t.decision_ms, 0.99, _all(5), unit="ms"),
    COST,
)

MATRICES: Mapping[str, Sequence[Row]] = {
    "Where pieces lie": (RIGHT, RIGHT_UNTOLD),
    "Wrong and nobody was asked; asked": (SILENT, SILENT_UNTOLD, ASKED),
    "Topples": (SEEN, BLAMED, INVENTED),
    "From the first fall to the decision": (
        DECIDED_P50,
        DECIDED_P95,
        IN_2_S,
        IN_3_S,
        COLLAPSES_IN_1_S,
    ),
    "It falls, says the page": (SHOWN_IN_1_S, SHOWN_IN_2_S, SHOWN_IN_3_S, DISMISSED),
    "Following the game": (DEAF, LONGEST, EXACT),
}
"""Tables of all kinds of evenings: title and figures."""


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
