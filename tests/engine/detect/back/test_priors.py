from dataclasses import asdict, fields

import pytest

from engine.detect.back.priors import BEHAVIOUR, OFF, Priors

NAMES = [field.name for field in fields(Priors)]


@pytest.mark.parametrize("name", NAMES)
def test_every_assumption_about_people_can_be_switched_off(name: str) -> None:
    assert getattr(OFF, name) != getattr(BEHAVIOUR, name)


@pytest.mark.parametrize("priors", [BEHAVIOUR, OFF])
def test_nothing_is_impossible_before_it_is_weighed(priors: Priors) -> None:
    assert all(value > 0.0 for value in asdict(priors).values())


@pytest.mark.parametrize("priors", [BEHAVIOUR, OFF])
def test_what_is_a_share_is_not_more_than_all(priors: Priors) -> None:
    shares = {name: value for name, value in asdict(priors).items() if not name.endswith("_s")}

    assert all(value <= 1.0 for value in shares.values())


@pytest.mark.parametrize("name", NAMES)
def test_every_assumption_is_said_in_words(name: str) -> None:
    assert Priors.__doc__ is not None
    assert name in Priors.__doc__
