"""What one piece of this table weighs: as the owner told, or as its pieces turned out to weigh.

Where each colour was weighed, a piece weighs as one of them. Where nothing was, the pieces of the
set may be marked with weights all the same, or be those of another game: a piece weighs as told, as
one that was seen before, or, once in `UNWEIGHED_SHARE`, anything near (a Dirichlet process, whose
base is what was told).
"""

from dataclasses import dataclass
from functools import cached_property
from math import hypot, log

import numpy as np

from engine.detect.back.distributions import wide_normal, wide_normals
from engine.detect.back.parameters import (
    GAIN_SD,
    PIECE_SPREAD,
    TOLD_PIECES,
    UNWEIGHED_SD_SHARE,
    UNWEIGHED_SHARE,
    UNWEIGHED_TIMES,
)
from engine.samples import Floats
from engine.tabletop import Piece

Weighing = tuple[float, float]
"""Mass of a piece and the standard deviation of that weighing, g."""


@dataclass(frozen=True)
class Masses:
    """What a piece may weigh.

    Attributes:
        piece: as told.
        seen: pieces of this evening, as they were weighed.
    """

    piece: Piece
    seen: tuple[Weighing, ...] = ()

    @cached_property
    def told_g(self) -> Weighing:
        """Mean of all pieces by what was told, with the error of the scale's gain."""
        piece = self.piece
        return piece.mass_mean_g, PIECE_SPREAD * piece.mass_std_g + GAIN_SD * piece.mass_mean_g

    def log_density(self, mass_g: float, own_sd_g: float) -> float:
        """Log density of the weight of one piece, weighed with such an error."""
        if self.piece.colours:
            return float(np.logaddexp.reduce(self.of_colours(mass_g, own_sd_g)))
        return float(np.logaddexp(*self._as_told_or_not(mass_g, own_sd_g)))

    def _as_told_or_not(self, mass_g: float, own_sd_g: float) -> tuple[float, float]:
        """Log density of such a weight of a piece that weighs as told, and of any other."""
        mean_g, spread_g = self.told_g
        sd_g = hypot(own_sd_g, spread_g)
        other_sd_g = hypot(own_sd_g, UNWEIGHED_SD_SHARE * mean_g)
        told = wide_normal(mass_g - mean_g, sd_g) + log((1.0 - UNWEIGHED_SHARE) * TOLD_PIECES)
        other = wide_normal(mass_g - mean_g, other_sd_g) + log(UNWEIGHED_SHARE * TOLD_PIECES)
        pieces = log(TOLD_PIECES + len(self.seen))
        if self.seen:
            seen_g, seen_sd_g = self._seen
            seen = wide_normals(mass_g - seen_g, np.hypot(sd_g, seen_sd_g))
            other = float(np.logaddexp(other, np.logaddexp.reduce(seen)))
        return told - pieces, other - pieces

    @cached_property
    def _seen(self) -> tuple[Floats, Floats]:
        """Masses of the pieces that were seen, and their standard deviations, (n,) each."""
        masses_g, sds_g = np.array(self.seen).T
        return masses_g, sds_g

    def fused(self, gained_g: float, own_sd_g: float) -> Weighing:
        """Mass of a placed piece and its standard deviation: pieces are alike, scales are noisy."""
        mean_g, spread_g = self.told_g
        if not self.piece.colours:
            told, other = self._as_told_or_not(gained_g, own_sd_g)
            if other > told:
                return gained_g, own_sd_g
        known, seen = spread_g**-2, own_sd_g**-2
        return (known * mean_g + seen * gained_g) / (known + seen), (known + seen) ** -0.5

    @cached_property
    def mean_g(self) -> Weighing:
        """Mean and standard deviation of the pieces of which nothing else is known."""
        mean_g, spread_g = self.told_g
        if self.piece.colours or not self.seen:
            return mean_g, spread_g
        masses = np.array([mass_g for mass_g, _ in self.seen])
        pieces = TOLD_PIECES + masses.size
        mean_g = (TOLD_PIECES * mean_g + masses.sum()) / pieces
        return float(mean_g), hypot(spread_g, float(((masses - mean_g) ** 2).sum() / pieces) ** 0.5)

    def of_colours(self, mass_g: float, own_sd_g: float) -> Floats:
        """The same for each colour that was weighed, each as likely as any other."""
        colours = self.piece.colours
        found = [
            wide_normal(
                mass_g - each.mass_mean_g,
                hypot(own_sd_g, PIECE_SPREAD * each.mass_std_g, GAIN_SD * each.mass_mean_g),
            )
            for each in colours
        ]
        return np.array(found) - log(len(colours))

    @cached_property
    def range_g(self) -> tuple[float, float]:
        """The lightest and the heaviest piece that is to be expected."""
        mean_g = self.piece.mass_mean_g
        if self.piece.colours:
            known = [each.mass_mean_g for each in self.piece.colours]
        else:
            known = [mean_g, *(mass_g for mass_g, _ in self.seen)]
            if len(self.seen) < TOLD_PIECES:
                known += [mean_g / UNWEIGHED_TIMES, mean_g * UNWEIGHED_TIMES]
        return min(known), max(known)

    @property
    def differ_g(self) -> float:
        """By so much pieces differ at most: one is put down as another falls."""
        lightest_g, heaviest_g = self.range_g
        return heaviest_g - lightest_g

    def may_be(self, gained_g: float, pieces: int) -> bool:
        """Whether a weight may be that of so many pieces, rather than of one more or less."""
        lightest_g, heaviest_g = self.range_g
        return (pieces - 0.5) * lightest_g < gained_g <= (pieces + 0.5) * heaviest_g
