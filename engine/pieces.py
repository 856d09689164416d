"""A set of pieces: what the pieces of each colour weigh, and so whose piece a weight was.

Colours cannot be seen by this table, but a piece is weighed whenever it is put down. Where the
colours differ in mass, by a washer or by their dye, the weight says whose piece it was; where they
do not, every colour is as likely as before, and nothing changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import exp, hypot, isfinite, log, pi, sqrt
from typing import Any, Literal

from engine.tabletop import PIECES_PER_COLOUR

Source = Literal["default", "weighed", "learned"]
"""Where a mass comes from: nobody weighed it, the owner did, or games did."""

DYE_SHARE = 0.03
"""Means of two colours of one plastic differ by this share of their mass: dyes are 1 to 3 % of it
and heavier than the plastic."""

WEIGHED_SHARE = 0.003
"""A mean that was weighed is so good: gain and warmth of the cells differ from that day's."""

STRANGE, STRANGE_RANGE = 0.01, 4.0
"""One weight in a hundred is none of a piece's - a finger beside it, a lost washer, another toy's -
and is anything up to so many pieces."""

SPREAD_COUNTS = 4
"""The spread that was expected weighs as much as so many pieces."""

TRUSTED = 0.95
"""A piece that is learned from was played by whom the table believes with this probability."""

FEWEST = 3.0
"""Fewer pieces of a colour say nothing about its mean and spread."""

CHANCE_TWICE = 2.0
"""Means must differ by more than this many times what chance makes of equal ones: of sets whose
colours weigh the same, five in six stay so."""

SURELY = 4.0
"""Standard deviations of a mean by which colours differ that are known to."""

PASSES = 4
"""So often is the evidence gone through: then the shares change no more."""

LEARNED = 64
"""Sets that are remembered: the stories of a round differ by a few of the pieces before it."""

UNLIKELY = 0.05
"""A colour that people name in spite of the weight: from there on the piece is an odd one."""

AGREE = 3.0
"""Two weighings of one piece differ by fewer standard deviations."""

FLOOR = 1e-9


@dataclass(frozen=True, slots=True)
class ColourMass:
    """What the pieces of one colour weigh.

    Attributes:
        mean_g: their mean.
        mean_sd_g: standard deviation of our knowledge of it.
        spread_g: standard deviation from piece to piece.
        source: where it comes from.
        n: pieces learned from.
    """

    mean_g: float
    mean_sd_g: float
    spread_g: float
    source: Source = "default"
    n: float = 0.0

    def log_likelihood(self, mass_g: float, sd_g: float) -> float:
        """Log density of weighing a piece of this colour so (1/g), with a fat tail.

        Args:
            mass_g: as it was weighed.
            sd_g: standard deviation of that weighing.
        """
        sd = hypot(self.mean_sd_g, self.spread_g, sd_g)
        near = exp(-0.5 * ((mass_g - self.mean_g) / sd) ** 2) / (sd * sqrt(2 * pi))
        return log((1.0 - STRANGE) * near + STRANGE / (STRANGE_RANGE * self.mean_g))


@dataclass(frozen=True, slots=True)
class OddPiece:
    """A piece that weighs otherwise than those of its colour: its washer came off, perhaps."""

    mass_g: float
    sd_g: float

    def density(self, mass_g: float, sd_g: float) -> float:
        """Density of weighing this piece so (1/g)."""
        sd = hypot(self.sd_g, sd_g)
        return exp(-0.5 * ((mass_g - self.mass_g) / sd) ** 2) / (sd * sqrt(2 * pi))


@dataclass(frozen=True, slots=True)
class PieceSet:
    """The pieces of a table.

    Attributes:
        other: of a colour about which nothing else is known.
        colours: of each colour that is known better.
        given: as they were before anything was learned, to tell another set from this one.
        odd: pieces of each colour that weigh otherwise, as people have said.
    """

    other: ColourMass
    colours: Mapping[str, ColourMass] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    odd: Mapping[str, tuple[OddPiece, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "PieceSet":
        """The set that a calibration describes.

        Args:
            given: `mass_mean_g` and `mass_std_g` of all pieces, g, and, where the owner weighed
                each colour, the same two of each in `colours`.
        """
        mean_g, std_g = float(given["mass_mean_g"]), float(given["mass_std_g"])
        spread_g = min(std_g, DYE_SHARE * mean_g)
        other = ColourMass(mean_g, hypot(DYE_SHARE * mean_g, std_g), spread_g)
        return cls(other, {
            colour: ColourMass(
                float(one["mass_mean_g"]), WEIGHED_SHARE * float(one["mass_mean_g"]),
                float(one["mass_std_g"]), "weighed",
            )
            for colour, one in (given.get("colours") or {}).items()
        }, given)  # fmt: skip

    def mass(self, colour: str) -> ColourMass:
        """What the pieces of a colour weigh."""
        return self.colours.get(colour, self.other)

    def tell_apart(self, colours: Sequence[str]) -> bool:
        """Whether the mass of each of these colours is known, and they differ beyond doubt."""
        if not all(colour in self.colours for colour in colours):
            return False
        masses = [self.colours[colour] for colour in colours]
        means = [mass.mean_g for mass in masses]
        return max(means) - min(means) > SURELY * max(mass.mean_sd_g for mass in masses)

    def log_likelihood(self, colour: str, mass_g: float, sd_g: float) -> float:
        """Log density of a weighing for a piece of a colour; 0 when nothing was weighed."""
        if not (isfinite(mass_g) and isfinite(sd_g)):
            return 0.0
        usual, odd = self.mass(colour).log_likelihood(mass_g, sd_g), self.odd.get(colour, ())
        if not odd:
            return usual
        near = sum(piece.density(mass_g, sd_g) for piece in odd)
        count = PIECES_PER_COLOUR + len(odd)
        return log((PIECES_PER_COLOUR * exp(usual) + near) / count)

    def probabilities(
        self, mass_g: float, sd_g: float, before: Mapping[str, float]
    ) -> dict[str, float]:
        """Probability of each colour, once its piece was weighed.

        Args:
            mass_g: as it was weighed.
            sd_g: standard deviation of that weighing.
            before: probability of each colour before that; they add up to 1.
        """
        weights = {
            colour: p * exp(self.log_likelihood(colour, mass_g, sd_g))
            for colour, p in before.items()
        }
        total = sum(weights.values()) or 1.0
        return {colour: weight / total for colour, weight in weights.items()}

    def learned(self, weighed: Iterable["Weighing"]) -> "PieceSet":
        """The set after pieces of finished rounds were weighed.

        Args:
            weighed: one for each piece, with the colour that the table believes it had.
        """
        pieces = tuple(each for each in weighed if isfinite(each.mass_g) and isfinite(each.sd_g))
        colours, odd = tuple(self.colours.items()), tuple(self.odd.items())
        return replace(_learned(self.other, colours, odd, pieces), given=self.given)


@dataclass(frozen=True, slots=True)
class Weighing:
    """One piece as it was weighed, and the colour that the table believes it had.

    Attributes:
        said: people said of which colour it is, in spite of its weight.
    """

    colour: str
    mass_g: float
    sd_g: float
    said: bool = False


@lru_cache(maxsize=LEARNED)
def _learned(
    other: ColourMass,
    colours: tuple[tuple[str, ColourMass], ...],
    odd: tuple[tuple[str, tuple[OddPiece, ...]], ...],
    weighed: tuple[Weighing, ...],
) -> PieceSet:
    """See `PieceSet.learned`; remembered, since every story of a round asks for the same."""
    known = found = PieceSet(other, dict(colours), odd=dict(odd))
    names = tuple(dict.fromkeys(each.colour for each in weighed))
    for _ in range(PASSES):
        found = _refined(known, found, names, weighed)
    return _with_odd(found, [each for each in weighed if each.said], names)


def _refined(
    known: PieceSet, found: PieceSet, names: Sequence[str], pieces: Sequence[Weighing]
) -> PieceSet:
    """The same evidence once more, with a better idea of which piece was whose."""
    shares = {name: [_share(found, name, names, each) for each in pieces] for name in names}
    if not names or min(map(sum, shares.values())) < FEWEST:
        return known
    spread_g = _spread_g(known, shares, pieces)
    means = {name: _mean(known.mass(name), pieces, shares[name], spread_g) for name in names}
    return replace(known, colours={**known.colours, **_shrunk(means)})


def mostly(colour: str, p: float, colours: Sequence[str]) -> dict[str, float]:
    """Probability `p` of one colour; the others share the rest.

    >>> mostly("red", 0.5, ["red", "blue", "green"])
    {'red': 0.5, 'blue': 0.25, 'green': 0.25}
    """
    others = (1.0 - p) / max(len(colours) - 1, 1)
    return {name: p if name == colour else others for name in colours}


def _with_odd(pieces: PieceSet, weighed: Sequence[Weighing], colours: Sequence[str]) -> PieceSet:
    """The set with the pieces that people have called of a colour twice although they weigh else.

    Once may be a hand that lay on the board; two such weighings do not agree.
    """
    once = list[Weighing]()
    for each in weighed:
        before = mostly(each.colour, TRUSTED, colours)
        if pieces.probabilities(each.mass_g, each.sd_g, before)[each.colour] >= UNLIKELY:
            continue
        if any(_same_piece(each, other) for other in once):
            known = (*pieces.odd.get(each.colour, ()), OddPiece(each.mass_g, each.sd_g))
            pieces = replace(pieces, odd={**pieces.odd, each.colour: known})
        once.append(each)
    return pieces


def _same_piece(one: Weighing, other: Weighing) -> bool:
    apart = abs(one.mass_g - other.mass_g) / hypot(one.sd_g, other.sd_g)
    return one.colour == other.colour and apart < AGREE


def _share(pieces: PieceSet, colour: str, colours: Sequence[str], each: Weighing) -> float:
    """Probability that a piece was of a colour and that its weight was a usual one."""
    before = mostly(each.colour, TRUSTED, colours)
    share = pieces.probabilities(each.mass_g, each.sd_g, before)[colour]
    mass = pieces.mass(colour)
    strange = log(STRANGE / (STRANGE_RANGE * mass.mean_g))
    usual = mass.log_likelihood(each.mass_g, each.sd_g)
    return share * (1.0 - exp(min(strange - usual, 0.0)))


def _mean(
    known: ColourMass, weighed: Sequence[Weighing], shares: Sequence[float], spread_g: float
) -> ColourMass:
    """The mean of one colour, after what is known and what was weighed."""
    pairs = [
        (share / (spread_g**2 + each.sd_g**2), each.mass_g)
        for share, each in zip(shares, weighed, strict=True)
    ]
    before = known.mean_sd_g**-2
    total = before + sum(weight for weight, _ in pairs)
    mean_g = (before * known.mean_g + sum(weight * mass_g for weight, mass_g in pairs)) / total
    return ColourMass(mean_g, total**-0.5, spread_g, "learned", known.n + sum(shares))


def _spread_g(
    pieces: PieceSet, shares: Mapping[str, Sequence[float]], weighed: Sequence[Weighing]
) -> float:
    """Spread from piece to piece, of all colours alike: as expected, and as it is seen."""
    seen = counted = 0.0
    for colour_shares in shares.values():
        count = sum(colour_shares)
        pairs = list(zip(colour_shares, weighed, strict=True))
        mean_g = sum(share * each.mass_g for share, each in pairs) / max(count, FLOOR)
        seen += sum(share * ((each.mass_g - mean_g) ** 2 - each.sd_g**2) for share, each in pairs)
        counted += max(count - 1.0, 0.0)
    expected_g = max(pieces.mass(colour).spread_g for colour in shares)
    total = SPREAD_COUNTS * expected_g**2 + max(seen, 0.0)
    return sqrt(max(total / (SPREAD_COUNTS + counted), FLOOR))


def _shrunk(means: Mapping[str, ColourMass]) -> dict[str, ColourMass]:
    """Means that differ by no more than chance are one; the others stand a little nearer."""
    if len(means) < 2:
        return dict(means)
    weights = {name: mass.mean_sd_g**-2 for name, mass in means.items()}
    total = sum(weights.values())
    common_g = sum(weight * means[name].mean_g for name, weight in weights.items()) / total
    apart = sum((mass.mean_g - common_g) ** 2 for mass in means.values()) / (len(means) - 1)
    chance = sum(mass.mean_sd_g**2 for mass in means.values()) / len(means)
    true = max(apart - CHANCE_TWICE * chance, 0.0)
    return {
        name: replace(
            mass,
            mean_g=common_g + (mass.mean_g - common_g) * true / (true + mass.mean_sd_g**2),
            mean_sd_g=max(mass.mean_sd_g, total**-0.5) if true else chance**0.5,
        )
        for name, mass in means.items()
    }
