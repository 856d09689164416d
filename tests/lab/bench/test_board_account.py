"""What a board does to rows on their way is found, whatever board it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples
from hw.calibration import Calibration
from hw.source import Item, SampleSource
from lab.bench.figures import BOARD_FIGURES
from lab.bench.scenario import Scenario, Target
from lab.bench.steps import Line

Bench = Callable[..., Any]
Doing = Callable[[Item], Item]
Change = Callable[[Any, Any], Any]
"""Of the samples that have come, and those of before."""


class Through:
    """The host's side of a board: hands the tower's samples on, and does one thing to them."""

    def __init__(self, tower: SampleSource, calibration: Calibration, doing: Doing) -> None:
        self._tower, self._calibration, self._doing = tower, calibration, doing

    def poll(self, until_s: float) -> list[Item]:
        return [self._measured(self._doing(item)) for item in self._tower.poll(until_s)]

    def _measured(self, item: Item) -> Item:
        """Grams and g of the words, as the table has them from its calibration."""
        if isinstance(item, ScaleSamples):
            return self._calibration.scale_samples(item.t_s, item.raw, item.valid)
        if isinstance(item, ImuSamples):
            return self._calibration.imu_samples(item.t_s, item.raw)
        return item

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tower, name)


@dataclass(frozen=True)
class ThroughBoard:
    source: Through
    rates_hz: Mapping[str, float] = field(default_factory=dict)

    def counters(self) -> dict[str, float]:
        return {}

    def disturb(self, line: Line, seed: int) -> None:
        raise NotImplementedError

    def handle_chip(self, order: str) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class ThroughTarget:
    make: Callable[[], Doing]
    name: str = "through"
    like: Target = "sim"
    known: Mapping[str, str] = field(default_factory=dict)

    def left_out(self, _scenario: Scenario) -> str:
        return ""

    def need(self) -> None:
        pass

    def board(self, tower: SampleSource, calibration: Calibration, _case_id: str) -> ThroughBoard:
        return ThroughBoard(Through(tower, calibration, self.make()))


FEWEST = 4
"""A block of less rows is left as it is."""


def healthy() -> Doing:
    return lambda item: item


def of(
    kind: type[ScaleSamples | ImuSamples], change: Callable[[Any, Any], Any]
) -> Callable[[], Doing]:
    """A board that changes the samples of one kind; it remembers all rows of before."""

    def make() -> Doing:
        before: list[Any] = []

        def doing(item: Item) -> Item:
            if not isinstance(item, kind):
                return item
            earlier = before[-1] if before else item
            before.append(item)
            return change(item, earlier) if len(item.t_s) >= FEWEST else item

        return doing

    return make


def words(item: Any, raw: Any) -> Any:
    return replace(item, raw=np.asarray(raw, dtype=item.raw.dtype))


def delayed(seconds: float) -> Change:
    return lambda item, _earlier: replace(item, t_s=item.t_s + seconds)


def thinned(item: Any, _earlier: Any) -> Any:
    kept = np.arange(len(item.t_s)) != 3
    return replace(item, t_s=item.t_s[kept], raw=item.raw[kept], valid=item.valid[kept])


def silenced(item: Any, _earlier: Any) -> Any:
    valid = item.valid.copy()
    valid[1, 3] = False
    return replace(item, valid=valid)


def twice(item: Any, _earlier: Any) -> Any:
    order = np.sort(np.append(np.arange(len(item.t_s)), 0))
    return replace(item, t_s=item.t_s[order], raw=item.raw[order], valid=item.valid[order])


def holding(columns: slice) -> Change:
    def hold(item: Any, _earlier: Any) -> Any:
        raw = item.raw.copy()
        raw[:, columns] = raw[0, columns]
        return words(item, raw)

    return hold


def zero_word(item: Any, _earlier: Any) -> Any:
    raw = item.raw.copy()
    raw[1, 2] = 0
    return words(item, raw)


def cell_a_row_late(item: Any, earlier: Any) -> Any:
    raw = item.raw.copy()
    raw[1:, 1], raw[0, 1] = item.raw[:-1, 1], earlier.raw[-1, 1]
    return words(item, raw)


def swapped(first: int, second: int) -> Change:
    def swap(item: Any, _earlier: Any) -> Any:
        raw = item.raw.copy()
        raw[:, [first, second]] = raw[:, [second, first]]
        return words(item, raw)

    return swap


def misdated(item: Any, _earlier: Any) -> Any:
    t_s = item.t_s.copy()
    t_s[2] += 0.4 * (t_s[3] - t_s[2])
    return replace(item, t_s=t_s)


FAULTS: dict[str, tuple[Callable[[], Doing], str]] = {
    "rows of the load cells are dated 5 ms late": (of(ScaleSamples, delayed(0.005)), "misdated_ms"),
    "motion is dated 5 ms early": (of(ImuSamples, delayed(-0.005)), "misdated_ms"),
    "a row in eight is lost": (of(ScaleSamples, thinned), "rows_missing"),
    "a word in twenty of a load cell is none": (of(ScaleSamples, silenced), "rows_missing"),
    "a row comes twice": (of(ScaleSamples, twice), "rows_disordered"),
    "a load cell's word is held": (of(ScaleSamples, holding(slice(0, 1))), "rows_held"),
    "the gyroscope is held": (of(ImuSamples, holding(slice(3, 6))), "rows_held"),
    "a word in twenty is zero": (of(ScaleSamples, zero_word), "words_unfelt"),
    "a load cell is a row late": (of(ScaleSamples, cell_a_row_late), "cell_late_periods"),
    "two load cells are swapped": (of(ScaleSamples, swapped(0, 3)), "words_unfelt"),
    "two axes are swapped": (of(ImuSamples, swapped(0, 2)), "words_unfelt"),
    "a row is dated 5 ms late": (of(ScaleSamples, misdated), "rows_uneven"),
}  # fmt: skip

SHORT = """
about: Two pieces, and a board at rest.
restarts: false
unexpected: allow
steps: [turns: [3 d4, 2 b2], wait: 1]
account: {encore: no, people: no, why: rows are looked at}
"""


def test_a_board_that_hands_everything_on_is_right(topple_bench: Bench) -> None:
    result = topple_bench(SHORT, target=ThroughTarget(healthy))

    assert result.verdict.failures == ()
    assert set(BOARD_FIGURES) <= set(result.verdict.measures)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_board_that_spoils_rows_is_found_by_the_figure_for_it(
    fault: str, topple_bench: Bench
) -> None:
    make, figure = FAULTS[fault]

    failures = topple_bench(SHORT, target=ThroughTarget(make)).verdict.failures

    assert any(words.startswith(f"{figure} ") for words in failures), failures
