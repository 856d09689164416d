from lab.fit.assumptions import ASSUMPTIONS
from lab.fit.fit import fitted
from tests.lab.fit.evenings import Truth, swung_evening


def test_every_assumption_is_fitted_and_every_figure_has_one_name() -> None:
    found = fitted(swung_evening(Truth(), swings=12))
    names = [each.name for family in found.values() for each in family]

    assert len(set(names)) == len(names)
    assert {each.figure for each in ASSUMPTIONS} <= set(names)
