"""The tower's load cells as signals for HX711 models, to play a game through the drivers.

    cells = CellSignals(tower, seed=3)
    chip = Hx711("HX711 0", 82.0, cells.load_cell(0, 82.0))

The tower's own scale samples all four cells by one clock and calibrates them; here each cell is a
function of time, and whoever converts does it when it likes. Faults of the cells (noise, drift,
dead, stuck, saturated) are those of the tower; faults of chips and wires are the chips' business.

The tower goes on making samples of its own: whoever plays this way takes them too (`tower.collect`)
and drops what comes by another way.
"""

import numpy as np

from engine.samples import Floats
from hw.calibration import COUNTS_MAX
from lab.chips.hx711 import Conversion, LoadCell
from lab.twin.board import STEP_S
from lab.twin.faults import spoil_counts, spoil_grams
from lab.twin.sensors import fourfold_mean
from lab.twin.truth import Span
from lab.twin.world import TowerWorld

MEMORY_STEPS = 2000
"""Two seconds: at 10 samples a second a conversion looks back 0.4 s, and the tower runs ahead of
whoever converts by a span of 0.1 s."""


class CellSignals:
    """Four load cells. The tower goes on as far as they are asked about."""

    def __init__(self, tower: TowerWorld, seed: int = 0) -> None:
        """Begin to listen to a tower; what was before now is not known.

        Args:
            tower: whose cells they are.
            seed: of their noise and drift.
        """
        self._tower = tower
        self._scale = tower.parameters.scale
        self._spread = tower.scale_spread
        self._chances = [np.random.default_rng([seed, cell]) for cell in range(4)]
        self._load = np.zeros((0, 3))
        self._end_step = 0
        self._held: dict[int, int] = {}
        tower.witnesses.append(self._witness)

    def load_cell(self, cell: int, rate_hz: float) -> LoadCell:
        """What a chip with this rate converts on cell 0 to 3; its time is table time."""
        kernel = fourfold_mean(round(1 / rate_hz / STEP_S))
        slow = _SlowChanges(self._chances[cell], self._scale.drift_g, self._scale.creep)

        def count(conversion: Conversion) -> float:
            t_s = conversion.t_us * 1e-6
            load_g = float(self._filtered(t_s, kernel) @ self._spread[cell])
            load_g += slow.at(t_s, load_g, self._scale.creep_s)
            return self._count(cell, t_s, load_g)

        return count

    def _count(self, cell: int, t_s: float, load_g: float) -> float:
        """Counts of a load, with noise and the tower's faults."""
        scale, chance = self._scale, self._chances[cell]
        per_gram = scale.counts_per_gram[cell]
        time, grams, noise_g = np.array([t_s]), np.zeros((1, 4)), np.zeros((1, 4))
        noise_g[0, cell] = chance.normal(0, scale.noise_counts[cell] / abs(per_gram))
        grams[0, cell] = load_g + noise_g[0, cell]
        spoil_grams(self._tower.faults, time, grams, noise_g)
        count = grams[0, cell] * per_gram + scale.tare_counts[cell]
        counts = np.zeros((1, 4), dtype=np.int32)
        # A hair over the range, so that the chip still sees that it is.
        counts[0, cell] = round(float(np.clip(count, -COUNTS_MAX - 2, COUNTS_MAX + 1)))
        spoil_counts(self._tower.faults, time, counts, self._held, chance)
        return float(counts[0, cell])

    def _filtered(self, t_s: float, kernel: Floats) -> Floats:
        """Weight and moments as the converter's filter sees them at a time."""
        step = round(t_s / STEP_S)
        while self._end_step <= step:
            before_s = self._tower.now_s
            self._tower.advance(before_s + STEP_S)
            if self._tower.now_s == before_s:
                break  # It is closed; its last state stays.
        if not len(self._load):
            return np.zeros(3)
        newest = step - (self._end_step - len(self._load))
        window = np.clip(newest - np.arange(len(kernel)), 0, len(self._load) - 1)
        filtered: Floats = kernel @ self._load[window]
        return filtered

    def _witness(self, span: Span) -> None:
        self._load = np.concatenate([self._load, span.load])[-MEMORY_STEPS:]
        self._end_step = round(span.t_s[-1] / STEP_S) + 1


class _SlowChanges:
    """Drift and creep of one cell."""

    def __init__(self, chance: np.random.Generator, drift_g: float, creep: float) -> None:
        self._chance, self._drift_g, self._creep = chance, drift_g, creep
        self._wander_g = self._crept_g = 0.0
        self._last_s: float | None = None

    def at(self, t_s: float, load_g: float, creep_s: float) -> float:
        """Grams to be added to a load; times must go up."""
        passed_s = max(0.0, t_s - self._last_s) if self._last_s is not None else 0.0
        self._last_s = t_s
        self._wander_g += float(self._chance.normal(0, self._drift_g * np.sqrt(passed_s)))
        goal_g = self._creep * load_g
        self._crept_g += (goal_g - self._crept_g) * float(-np.expm1(-passed_s / creep_s))
        return self._wander_g + self._crept_g
