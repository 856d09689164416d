"""Reference masses found at home: coins, or anything weighed on a letter scale.

One or two of them are laid on the board while it is calibrated.
"""

import re
from dataclasses import dataclass
from math import sqrt

from hw.errors import BadReferenceMass

LIGHTEST_G, HEAVIEST_G = 5.0, 2000.0
"""Lighter drowns in the noise of four cells; heavier is more than four bars of 1 kg should bear."""

COIN_SPREAD = 0.01
"""Spread of single coins: tolerances of the mints are 1-2 %, wear takes as much again."""

SCALE_SPREAD = 0.005
"""A kitchen or letter scale shows whole grams and is right to half a per cent."""


@dataclass(frozen=True, slots=True)
class Coin:
    """A coin in circulation: its name as people say it, its mass as its mint publishes it."""

    name: str
    mass_g: float


COINS: dict[str, Coin] = {
    # European Central Bank, "Common sides": technical specifications.
    "1cent": Coin("1 cent", 2.30),
    "2cent": Coin("2 cent", 3.06),
    "5cent": Coin("5 cent", 3.92),
    "10cent": Coin("10 cent", 4.10),
    "20cent": Coin("20 cent", 5.74),
    "50cent": Coin("50 cent", 7.80),
    "1eur": Coin("1 euro", 7.50),
    "2eur": Coin("2 euro", 8.50),
    # The Royal Mint, "Coin design and specifications"; coppers since 1992, 12-sided pound.
    "1p": Coin("1 penny", 3.56),
    "2p": Coin("2 pence", 7.12),
    "5p": Coin("5 pence", 3.25),
    "10p": Coin("10 pence", 6.50),
    "20p": Coin("20 pence", 5.00),
    "50p": Coin("50 pence", 8.00),
    "1gbp": Coin("1 pound", 8.75),
    "2gbp": Coin("2 pounds", 12.00),
    # United States Mint, "Coin specifications".
    "penny": Coin("penny", 2.500),
    "nickel": Coin("nickel", 5.000),
    "dime": Coin("dime", 2.268),
    "quarter": Coin("quarter", 5.670),
    "halfdollar": Coin("half dollar", 11.340),
    "1usd": Coin("dollar", 8.100),
}
"""By the word for the command line."""

_COUNTED_COINS = re.compile(r"^(?:(?P<count>[1-9]\d?)x)?(?P<coin>[a-z0-9]+)$")
_GRAMS = re.compile(r"^(?P<grams>\d+(?:\.\d+)?)g?$")


@dataclass(frozen=True, slots=True)
class ReferenceMass:
    """Something of known weight, to calibrate with; `sd_g` says how well it is known."""

    name: str
    mass_g: float
    sd_g: float


def parse_reference_mass(text: str) -> ReferenceMass:
    """A coin, some coins of one kind taken together, or grams.

    Raises:
        BadReferenceMass: nobody knows what it weighs, or it is too light or too heavy.

    >>> parse_reference_mass("4x2eur").name
    '4 coins of 2 euro'
    >>> parse_reference_mass("100g").mass_g
    100.0
    """
    plain = text.strip().lower()
    grams, coins = _GRAMS.match(plain), _COUNTED_COINS.match(plain)
    if grams is not None:
        mass_g = float(grams["grams"])
        reference = ReferenceMass(f"{mass_g:g} g", mass_g, max(SCALE_SPREAD * mass_g, 0.05))
    elif coins is not None and coins["coin"] in COINS:
        reference = _of_coins(COINS[coins["coin"]], int(coins["count"] or 1))
    else:
        raise BadReferenceMass(
            f"{text!r} is no known weight; give grams (100g) or coins (4x2eur); "
            f"known coins: {', '.join(COINS)}"
        )
    if not LIGHTEST_G <= reference.mass_g <= HEAVIEST_G:
        raise BadReferenceMass(
            f"{text!r} weighs {reference.mass_g:g} g; it must weigh {LIGHTEST_G:g} to "
            f"{HEAVIEST_G:g} g. Take several coins together, such as 4x2eur"
        )
    return reference


def _of_coins(coin: Coin, count: int) -> ReferenceMass:
    name = f"a coin of {coin.name}" if count == 1 else f"{count} coins of {coin.name}"
    return ReferenceMass(name, count * coin.mass_g, COIN_SPREAD * coin.mass_g * sqrt(count))
