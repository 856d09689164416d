import pytest

from controller.workshop.calibrate.core.reference_mass import COINS, parse_reference_mass
from hw.errors import BadReferenceMass


def test_coins_are_weighed_as_their_mints_say() -> None:
    assert parse_reference_mass("2x2eur").mass_g == pytest.approx(17.0)
    assert parse_reference_mass("1gbp").mass_g == pytest.approx(8.75)
    assert parse_reference_mass("nickel").mass_g == pytest.approx(5.0)
    assert all(1 < coin.mass_g < 15 for coin in COINS.values())


def test_grams_are_taken_as_they_are() -> None:
    assert parse_reference_mass("250").mass_g == parse_reference_mass("250g").mass_g == 250.0


@pytest.mark.parametrize("words", ["", "3 bananas", "2xdoubloon", "-5g", "nan", "0x2eur"])
def test_what_nobody_knows_is_refused_with_the_known_coins(words: str) -> None:
    with pytest.raises(BadReferenceMass, match="2eur"):
        parse_reference_mass(words)


@pytest.mark.parametrize("words", ["1cent", "1g", "9000g"])
def test_too_light_and_too_heavy_are_refused(words: str) -> None:
    with pytest.raises(BadReferenceMass, match="must weigh"):
        parse_reference_mass(words)


def test_many_coins_are_known_better_than_one() -> None:
    one, four = parse_reference_mass("2eur"), parse_reference_mass("4x2eur")

    assert four.sd_g / four.mass_g < one.sd_g / one.mass_g
