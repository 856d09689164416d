"""How much sooner heavier pieces topple: `python -m tests.benchmarks.heavy_pieces [--rounds 100]`.

Two players lay their pieces in turn on the simulated tower, each on that free choice of the level
of the die which leaves the board most level, as if all pieces weighed the same, until something
falls. Blue's pieces are heavier. The same tables, dice and beginners for each mass, so that rounds
can be compared one by one.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from controller.common.intervals import Z_95, wilson
from engine.tabletop import CELLS, PIECES_PER_COLOUR, cell_xy_mm, level
from lab.twin.drawing import draw
from lab.twin.parameters import PRESETS, Preset
from lab.twin.tower import Tower

SETTLES_S = 2.5
"""From one placement to the next."""

CARELESS = 0.7
"""Share of placements on any cell of the level: then something falls in a quarter of the rounds."""

EXTRAS_G = (0.0, 0.44, 1.02, 1.83)
"""Nothing, and a washer of M5, M6, M8."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round.

    Attributes:
        placed: pieces that were laid until something fell, or all.
        fell: pieces that fell; heavy: whether the last was one of the heavier player's.
    """

    placed: int
    fell: bool
    heavy: bool


def played(preset: Preset, seed: int, extra_g: float) -> Round:
    """One round, until something falls or all pieces are laid."""
    rng = np.random.default_rng([seed, 77])
    tower = Tower(draw(rng, preset), seed)
    tower.poll(1.0)
    begins = int(rng.integers(2))
    for number in range(2 * PIECES_PER_COLOUR):
        heavy = (number + begins) % 2 == 1
        cell = _chosen(tower, rng)
        piece = tower.parameters.piece
        grams = float(rng.normal(piece.mass_mean_g, piece.mass_std_g)) + extra_g * heavy
        tower.place(cell, "blue" if heavy else "red", grams=grams)
        tower.poll(tower.now_s + SETTLES_S)
        if tower.topple is not None:
            return Round(number + 1, fell=True, heavy=heavy)
    return Round(2 * PIECES_PER_COLOUR, fell=False, heavy=False)


def _chosen(tower: Tower, rng: np.random.Generator) -> str:
    """A cell of the level that the die shows (1 to 5; a six leaves any level)."""
    die = int(rng.integers(1, 7))
    cells = [cell for cell in CELLS if die in (level(cell), 6)]
    if rng.random() < CARELESS:
        return cells[int(rng.integers(len(cells)))]
    places = [cell_xy_mm(tower.parameters, str(piece.cell)) for piece in tower.pieces]
    lies = np.sum(places, axis=0) if places else np.zeros(2)
    order = rng.permutation(len(cells))
    return min(
        (cells[index] for index in order),
        key=lambda cell: float(np.hypot(*(lies + cell_xy_mm(tower.parameters, cell)))),
    )


def report(preset: Preset, extra_g: float, rounds: Sequence[Round], plain: Sequence[Round]) -> str:
    """One line: how many pieces stood, how many fewer than without, and in whose move it fell."""
    laid = np.array([each.placed for each in rounds], dtype=np.float64)
    fewer = np.array([each.placed for each in plain], dtype=np.float64) - laid
    half = Z_95 * float(fewer.std()) / np.sqrt(len(fewer))
    fallen = [each for each in rounds if each.fell]
    heavy = sum(each.heavy for each in fallen)
    low, high = wilson(heavy, len(fallen))
    return (
        f"{preset:<7} +{extra_g:.2f} g  n {len(rounds)}  laid {laid.mean():.2f}  "
        f"fewer {fewer.mean():+.2f} +- {half:.2f}  fell {len(fallen)}  "
        f"in the heavy player's move {heavy} ({low:.0%} to {high:.0%})"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preset", choices=PRESETS, action="append")
    options = parser.parse_args(arguments)
    seeds = range(options.seed, options.seed + options.rounds)
    for preset in options.preset or PRESETS:
        plain: list[Round] = []
        for extra_g in EXTRAS_G:
            rounds = [played(preset, seed, extra_g) for seed in seeds]
            plain = plain or rounds
            print(report(preset, extra_g, rounds, plain), flush=True)


if __name__ == "__main__":
    main()
