"""How surely the weight of a piece names its colour, and what to add where it does not.

A table cannot see colours (`engine.pieces`). The owner may add a little mass to the pieces of some
colours: a washer glued under each, or putty. Everything is computed for ordinary pieces; a finger
on the board or a lost washer is not among them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, pairwise
from math import erfc, exp, floor, hypot, isfinite, pi, sqrt
from typing import Literal

from engine.events import SURE
from engine.pieces import ColourMass, PieceSet, Weighing
from engine.tabletop import PIECES_PER_COLOUR

Tells = Literal["none", "some", "all"]
"""Of which pieces the weight tells whose they are; see `tells`."""

WEIGHING_SD_G = 0.075
"""What a piece's weight is good to in a game: so the detector says, and so it is (344 placements on
simulated tables, 2026-11-26: 0.068 to 0.079 for the middle two thirds of each preset)."""

WANTED = 0.999
"""One piece in a thousand named wrongly, in twenty rounds of four colours one: two in a hundred
are weighed wrongly for other reasons (a hand that still lay there), so more would be for show."""

HARDLY = 0.9
"""Under that certainty colours are said not to be told apart."""

STRANGER = 0.99
"""A piece weighs like another colour's when its weight alone says so with this probability."""

LITTLE = 0.2
"""Under that share of the way from guessing to knowing, weights are said to tell nothing: so far
chance sets apart colours that weigh the same (means learned to 0.02 g, a weighing to 0.08)."""

WASHER_SHARE = 0.03
"""Washers of one bag differ by so much of their mass (tolerances of ISO 7089 allow ten)."""

PUTTY_SD_G = 0.03
"""So well putty is dosed by the weight on the screen."""

STEPS = 400
"""Of the integral over all weights: the tenth digit no longer changes."""

REACH_SDS = 7.0
"""Beyond that many standard deviations lies nothing worth counting."""

FINER = 1.02
"""The distance of two colours grows by this factor until the certainty is reached."""

MOST_DISTANCE_G = 10.0
"""More cannot be added to a piece of three grams without making another game of it."""


@dataclass(frozen=True, slots=True)
class Washer:
    """What is glued under a piece: nothing, one washer or two, or putty.

    Attributes:
        name: as people say it; empty for nothing and for putty.
        mass_g: of all of it.
        count: washers for each piece.
    """

    name: str
    mass_g: float
    count: int = 0


def _steel(inner_mm: float, outer_mm: float, thick_mm: float) -> float:
    """Grams of a plain washer of ISO 7089 (formerly DIN 125 A), steel of 7.85 g/cm3."""
    return round(7.85e-3 * pi / 4 * (outer_mm**2 - inner_mm**2) * thick_mm, 2)


SINGLE_G = {
    "M3": _steel(3.2, 7.0, 0.5),
    "M4": _steel(4.3, 9.0, 0.8),
    "M5": _steel(5.3, 10.0, 1.0),
    "M6": _steel(6.4, 12.0, 1.6),
    "M8": _steel(8.4, 16.0, 1.6),
}
"""By the standard's measures: 0.12, 0.31, 0.44, 1.02 and 1.83 g."""


def _pair(one: str, other: str) -> Washer:
    name = f"two {one} washers" if one == other else f"an {one} and an {other} washer"
    return Washer(name, round(SINGLE_G[one] + SINGLE_G[other], 2), 2)


WASHERS = tuple(sorted(
    (
        *(Washer(f"an {name} washer", mass_g, 1) for name, mass_g in SINGLE_G.items()),
        *(_pair(*pair) for pair in combinations_with_replacement(list(SINGLE_G)[1:], 2)),
    ),
    key=lambda washer: washer.mass_g,
))  # fmt: skip
"""What there is to choose from, lightest first."""

NOTHING = Washer("", 0.0)


@dataclass(frozen=True, slots=True)
class Advice:
    """What to add so that weights tell colours apart.

    Attributes:
        washers: for each piece of a colour; colours that stay as they are are left out.
        putty_g: the same by putty, g for each piece.
        certainty: what the washers make it; see `certainty`.
    """

    washers: Mapping[str, Washer]
    putty_g: Mapping[str, float]
    certainty: float


def certainty(colours: Sequence[ColourMass], weighing_sd_g: float = WEIGHING_SD_G) -> float:
    """Probability that a piece's weight names its colour, each colour being as likely before.

    Args:
        colours: two to four as a rule; one alone is always named rightly.
        weighing_sd_g: standard deviation of a weighing in a game.

    >>> plain, heavy = ColourMass(3.0, 0.0, 0.03, "weighed"), ColourMass(4.0, 0.0, 0.03, "weighed")
    >>> round(certainty([plain, plain]), 3), round(certainty([plain, heavy]), 3)
    (0.5, 1.0)
    """
    if len(colours) < 2:
        return 1.0
    known = sorted((each.mean_g, _sd_g(each, weighing_sd_g)) for each in colours)
    if len({sd for _, sd in known}) == 1:
        return _of_equal_spread([mean for mean, _ in known], known[0][1])
    return _integrated(known)


def tells(colours: Sequence[ColourMass]) -> Tells:
    """Of how many pieces the weight alone tells whose they are.

    All: each of them as surely as a placement must be known to go unasked. None: no better than
    chance makes of colours that weigh the same. Some is between: the pieces of a round together
    tell what one does not.

    Args:
        colours: those in play.

    >>> plain, heavy = ColourMass(3.0, 0.0, 0.03, "weighed"), ColourMass(4.0, 0.0, 0.03, "weighed")
    >>> dyed = ColourMass(3.1, 0.0, 0.03, "weighed")
    >>> tells([plain, plain]), tells([plain, dyed]), tells([plain, heavy])
    ('none', 'some', 'all')
    """
    known, guessed = certainty(colours), 1.0 / max(len(colours), 1)
    if len(colours) < 2 or known - guessed < LITTLE * (1.0 - guessed):
        return "none"
    return "all" if known >= SURE else "some"


def _sd_g(colour: ColourMass, weighing_sd_g: float) -> float:
    return hypot(colour.mean_sd_g, colour.spread_g, weighing_sd_g)


def _of_equal_spread(means_g: Sequence[float], sd_g: float) -> float:
    """Closed form: a piece is misnamed when it weighs beyond half the way to a neighbour."""
    gaps = [after - before for before, after in pairwise(means_g)]
    beyond = sum(0.5 * erfc(gap / (2 * sqrt(2) * sd_g)) for gap in gaps)
    return 1.0 - 2.0 * beyond / len(means_g)


def _integrated(known: Sequence[tuple[float, float]]) -> float:
    """Whichever colour is the likeliest at a weight is named: its density is what is right."""
    low = min(mean - REACH_SDS * sd for mean, sd in known)
    high = max(mean + REACH_SDS * sd for mean, sd in known)
    steps = max(STEPS, int(20 * (high - low) / min(sd for _, sd in known)))
    step = (high - low) / steps
    best = 0.0
    for index in range(steps):
        x = low + (index + 0.5) * step
        best += max(exp(-0.5 * ((x - mean) / sd) ** 2) / sd for mean, sd in known)
    return best * step / (sqrt(2 * pi) * len(known))


# --- what to add ----------------------------------------------------------------------------------


def advice(
    colours: Mapping[str, ColourMass], weighing_sd_g: float = WEIGHING_SD_G
) -> Advice | None:
    """The least that makes weights tell colours apart; None where no washer is heavy enough.

    The lightest colour stays as it is, the next is made heavier by one distance, and so on up.

    Args:
        colours: what the pieces of each weigh now.
        weighing_sd_g: standard deviation of a weighing in a game.
    """
    putty = _least(colours, weighing_sd_g, None)
    chosen = _least(colours, weighing_sd_g, WASHERS)
    if putty is None or chosen is None:
        return None
    return Advice(
        {colour: each for colour, each in chosen.items() if each.mass_g},
        {colour: each.mass_g for colour, each in putty.items() if each.mass_g},
        certainty(loaded(colours, chosen), weighing_sd_g),
    )


def loaded(colours: Mapping[str, ColourMass], added: Mapping[str, Washer]) -> list[ColourMass]:
    """What the pieces of each colour weigh with what was added to them."""
    return [_heavier(mass, added.get(colour, NOTHING)) for colour, mass in colours.items()]


def _heavier(mass: ColourMass, added: Washer) -> ColourMass:
    sd_g = WASHER_SHARE * added.mass_g if added.name else PUTTY_SD_G * bool(added.mass_g)
    spread_g = hypot(mass.spread_g, sd_g)
    return replace(mass, mean_g=mass.mean_g + added.mass_g, spread_g=spread_g)


def _least(
    colours: Mapping[str, ColourMass], weighing_sd_g: float, washers: Sequence[Washer] | None
) -> dict[str, Washer] | None:
    """The additions with the smallest distance of neighbours that is certain enough."""
    distance_g = weighing_sd_g
    while distance_g < MOST_DISTANCE_G:
        added = _apart(colours, distance_g, washers)
        if added is None:
            return None
        if certainty(loaded(colours, added), weighing_sd_g) >= WANTED:
            return added
        distance_g *= FINER
    return None


def _apart(
    colours: Mapping[str, ColourMass], distance_g: float, washers: Sequence[Washer] | None
) -> dict[str, Washer] | None:
    """The additions that bring neighbours so far apart, by putty where there are no washers."""
    added: dict[str, Washer] = {}
    reached_g = 0.0
    for colour, mass in sorted(colours.items(), key=lambda item: item[1].mean_g):
        short_g = reached_g + distance_g - mass.mean_g if added else 0.0
        found = _enough(short_g, washers)
        if found is None:
            return None
        added[colour] = found
        reached_g = mass.mean_g + found.mass_g
    return added


def _enough(short_g: float, washers: Sequence[Washer] | None) -> Washer | None:
    """The lightest addition of at least so much."""
    if short_g <= 0:
        return NOTHING
    if washers is None:
        return Washer("", round(short_g + 0.005, 2))
    return next((each for each in washers if each.mass_g >= short_g), None)


# --- in a game ------------------------------------------------------------------------------------


def strangers(pieces: PieceSet, weighings: Iterable[Weighing]) -> dict[tuple[str, str], int]:
    """How often pieces of one colour weighed like those of another: a washer may be lost.

    Args:
        pieces: what they weigh; of colours that were not weighed nothing is said.
        weighings: pieces of a game, with the colour that the table believes each had.

    Returns:
        Times by (colour, the one it weighs like).
    """
    found: Counter[tuple[str, str]] = Counter()
    before, usual = dict.fromkeys(pieces.colours, 1.0), replace(pieces, odd={})
    for each in weighings:
        if each.colour in before and isfinite(each.mass_g):
            after = usual.probabilities(each.mass_g, each.sd_g, before)
            likeliest = max(after, key=after.__getitem__)
            if likeliest != each.colour and after[likeliest] >= STRANGER:
                found[each.colour, likeliest] += 1
    return dict(found)


# --- in words -------------------------------------------------------------------------------------


def verdict_words(colours: Mapping[str, ColourMass], weighing_sd_g: float = WEIGHING_SD_G) -> str:
    """How far apart the colours of a set are, what that is worth, and what to add, in a sentence.

    Args:
        colours: two or more.
        weighing_sd_g: standard deviation of a weighing in a game.

    >>> pieces = {"red": (3.0, 0.03), "blue": (3.98, 0.03)}
    >>> verdict_words({name: ColourMass(g, 0.0, sd) for name, (g, sd) in pieces.items()})
    'Red and blue differ by 0.98 g: whose piece it is will be known in 99.99 of 100 cases.'
    """
    names, means = _listed(list(colours)), sorted(mass.mean_g for mass in colours.values())
    nearest_g = min(after - before for before, after in pairwise(means))
    differ = f"{names} differ by {nearest_g:.2f} g{' or more' * (len(means) > 2)}"
    known = certainty(list(colours.values()), weighing_sd_g)
    if known >= WANTED:
        return f"{differ}: whose piece it is will be known in {cases(known)} of 100 cases."
    if known < HARDLY:
        said = f"{differ} and cannot be told apart"
    else:
        said = f"{differ}: whose piece it is will be known in {cases(known)} of 100 cases only"
    return f"{said}: {_advised(advice(colours, weighing_sd_g))}."


def _advised(found: Advice | None) -> str:
    if found is None:
        return "no washer of this list is heavy enough; use other pieces"
    washers = ", ".join(
        f"{each.name} in each {colour} piece ({PIECES_PER_COLOUR * each.count} needed)"
        for colour, each in found.washers.items()
    )
    putty = ", ".join(f"{grams:.2f} g in each {name}" for name, grams in found.putty_g.items())
    makes = "makes" if sum(each.count for each in found.washers.values()) == 1 else "make"
    return f"{washers} {makes} it {cases(found.certainty)}; or putty, {putty} piece"


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence that they begin."""
    *others, last = names
    return f"{', '.join(others)} and {last}".capitalize()


def cases(probability: float) -> str:
    """Of a hundred, never rounded up to all of them."""
    return f"{min(floor(1e4 * probability + 1e-6) / 100, 99.99):g}"
