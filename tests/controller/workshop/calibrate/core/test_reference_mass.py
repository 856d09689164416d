import pytest

from controller.workshop.calibrate.core.reference_mass import COINS, parse_reference_mass
from hw.errors import BadReferenceMass


def test_coins_are_weighed_as_their_mints_say_and_grams_taken_as_they_are() -> None:
    said = {"2x2eur": 17.0, "1gbp": 8.75, "nickel": 5.0, "250": 250.0, "250g": 250.0}
    assert {words: parse_reference_mass(words).mass_g for words in said} == pytest.approx(said)
    assert all(1 < coin.mass_g < 15 for coin in COINS.values())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        *((words, "2eur") for words in ("", "3 bananas", "2xdoubloon", "-5g", "nan", "0x2eur")),
        *((words, "must weigh") for words in ("1cent", "1g", "9000g")),
    ],
)
def test_what_nobody_knows_and_what_is_too_light_or_heavy_is_refused(words: str, told: str) -> None:
    with pytest.raises(BadReferenceMass, match=told):
        parse_reference_mass(words)


def test_many_coins_are_known_better_than_one() -> None:
    one, four = parse_reference_mass("2eur"), parse_reference_mass("4x2eur")

    assert four.sd_g / four.mass_g < one.sd_g / one.mass_g
