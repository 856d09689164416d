from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.back.location import (
    Location,
    agreed,
    locate,
    locate_two,
    log_legal,
    log_normal,
    log_normal_at,
    log_prior,
    mixed,
)
from engine.detect.body import Stacks
from engine.games.topple.board import UNTOLD_SHARES
from engine.tabletop import CELLS, level
from tests.engine.detect.tables import TABLETOP

CENTRES = Stacks(TABLETOP).centres_mm
MASS = (3.0, 0.05)
AGAINST_RULES = 0.004
SHARP = np.eye(2) * 4.0**2
BLUNT = np.eye(2) * 40.0**2


def put(cell: str, x_mm: float = 0.0, y_mm: float = 0.0) -> np.ndarray:
    return 3.0 * (CENTRES[CELLS.index(cell)] + (x_mm, y_mm))


@pytest.mark.parametrize("cell", CELLS)
def test_a_piece_in_the_middle_of_its_cell_is_found_there(cell: str) -> None:
    found = locate(put(cell), SHARP, MASS, CENTRES, None, AGAINST_RULES)

    assert found.cell == cell
    assert found.probability > 0.99


def test_between_two_cells_both_are_named_and_neither_is_believed() -> None:
    found = locate(put("c3", x_mm=16.0), SHARP, MASS, CENTRES, None, AGAINST_RULES)

    assert {found.cell, found.alternatives[0][0]} == {"c3", "d3"}
    assert found.probability < 0.6


def test_the_die_settles_what_blunt_sensors_cannot() -> None:
    legal = tuple(cell for cell in CELLS if level(cell) == 5)
    told = locate(put("e5", x_mm=-10.0), BLUNT, MASS, CENTRES, legal, AGAINST_RULES)
    untold = locate(put("e5", x_mm=-10.0), BLUNT, MASS, CENTRES, None, AGAINST_RULES)

    assert told.cell == "e5"
    assert told.probability > 0.99
    assert untold.probability < 0.8


def test_plain_evidence_beats_the_die_for_people_do_err() -> None:
    legal = tuple(cell for cell in CELLS if level(cell) == 5)

    assert locate(put("c2"), SHARP, MASS, CENTRES, legal, AGAINST_RULES).cell == "c2"


def test_the_less_people_err_the_less_a_cell_against_the_rules_is_believed() -> None:
    legal, between = tuple(c for c in CELLS if level(c) == 2), put("c3", x_mm=16.0)
    strict, lax = (locate(between, SHARP, MASS, CENTRES, legal, err) for err in (1e-4, 0.5))

    assert strict.cell == "d3"
    assert strict.probability > lax.probability


def test_weight_that_does_not_weigh_on_the_board_explains_no_piece() -> None:
    """A change of nothing is far likelier under a piece in the middle than under one outside."""
    nothing = np.array([4.0, -3.0])
    outside = locate(nothing, SHARP, MASS, CENTRES, ("a1", "e5"), 1e-9)
    there = locate(put("a1"), SHARP, MASS, CENTRES, ("a1", "e5"), 1e-9)

    assert outside.log_density < there.log_density - 10.0


def test_a_change_that_any_cell_explains_is_likelier_than_one_that_none_does() -> None:
    """What lies beyond the board fits no cell, nor does what lies between two of them as well."""
    middle, between, beyond = (
        locate(change, SHARP, MASS, CENTRES, None, AGAINST_RULES).log_density
        for change in (put("e3"), put("e3", x_mm=16.0), put("e3", x_mm=64.0))
    )

    assert middle > between > beyond


@given(
    x=st.floats(-400, 400), y=st.floats(-400, 400), sd=st.floats(0.5, 300),
    pressed=st.floats(-5, 8), legal=st.sampled_from([None, (), ("c3",), ("a1", "e5"), CELLS]),
)  # fmt: skip
def test_probabilities_are_probabilities_whatever_was_measured(
    x: float, y: float, sd: float, pressed: float, legal: tuple[str, ...] | None
) -> None:
    found = locate(
        np.array([x, y]),
        np.eye(2) * sd**2,
        MASS,
        CENTRES,
        legal,
        AGAINST_RULES,
        pressed=np.where(np.arange(len(CELLS)) == 7, pressed, 0.0),
    )
    shares = [round(found.probability, 4), *(p for _, p in found.alternatives)]

    assert found.cell in CELLS
    assert all(0.0 <= p <= 1.0 for p in shares)
    assert sum(shares) <= 1.001
    assert shares == sorted(shares, reverse=True)


def test_where_no_die_is_told_a_cell_with_a_number_of_its_own_is_the_likelier() -> None:
    """A six allows every cell, a one allows c3 alone: pieces there were taken for loads."""
    between = put("c3", x_mm=18.0)
    alike = locate(between, SHARP, MASS, CENTRES, None, AGAINST_RULES)
    by_die = locate(between, SHARP, MASS, CENTRES, None, AGAINST_RULES, shares=UNTOLD_SHARES)

    assert by_die.cell == "c3"
    assert alike.cell == "d3"
    assert sum(np.exp(log_prior(None, AGAINST_RULES, UNTOLD_SHARES))) == pytest.approx(1.0)


@pytest.mark.parametrize("shares", [None, UNTOLD_SHARES])
def test_where_the_die_is_told_only_its_cells_are_legal(shares: tuple[float, ...] | None) -> None:
    legal = np.exp(log_legal(("c2", "b3"), shares))

    assert [CELLS[at] for at in np.flatnonzero(legal)] == ["c2", "b3"]
    assert legal.sum() == pytest.approx(1.0)


@given(*(st.floats(-300.0, 300.0),) * 2, st.floats(1.0, 90.0), st.floats(-0.9, 0.9))
def test_one_gap_has_the_density_that_many_have(
    x_gmm: float, y_gmm: float, sd_gmm: float, share: float
) -> None:
    gap, cov = np.array((x_gmm, y_gmm)), sd_gmm**2 * np.array(((1.0, share), (share, 1.0)))

    assert log_normal_at(gap, cov) == pytest.approx(float(log_normal(gap, cov)))
    assert log_normal_at(gap, cov, 9.0) == pytest.approx(float(log_normal(gap, 9.0 * cov)))


def test_hypotheses_that_differ_leave_in_doubt_where_a_piece_lies() -> None:
    """A push had moved the pieces, or not: b4 by 0.38, d4 announced at 0.97 (seed 2600019)."""
    d4, b4 = Location("d4", 0.99, (("e4", 0.01),), -3.0), Location("b4", 0.98, (), -4.0)
    place = mixed([(0.6, d4), (0.3, b4), (0.1, d4)])

    assert place is not None
    assert place.cell == "d4"
    assert place.probability == pytest.approx(0.7 * 0.99)
    assert place.alternatives == (("b4", 0.294), ("e4", 0.007))
    assert agreed([(0.6, d4), (0.3, b4), (0.1, d4)]) == pytest.approx(0.7)


def test_one_hypothesis_is_not_mixed_and_none_says_nothing() -> None:
    c3 = Location("c3", 0.9, (), -3.0)

    assert mixed([(0.4, c3)]) is c3
    assert mixed([]) is None
    assert agreed([]) == agreed([(0.4, c3)]) == 1.0


@given(
    p=st.floats(0.01, 0.99), of_d4=st.floats(0.3, 0.9), of_b4=st.floats(0.3, 0.9),
    halved=st.booleans(),
)  # fmt: skip
def test_what_hypotheses_say_of_a_cell_is_weighed_by_how_likely_they_are(
    p: float, of_d4: float, of_b4: float, *, halved: bool
) -> None:
    """Whether a hypothesis is told as one or as two of half the weight is all one."""
    d4, b4 = Location("d4", of_d4, (("e4", 0.05),), -3.0), Location("b4", of_b4, (), -4.0)
    first = [(p / 2, d4), (p / 2, d4)] if halved else [(p, d4)]
    place = mixed([*first, (1.0 - p, b4)])
    assert place is not None
    named = {place.cell: place.probability, **dict(place.alternatives)}

    assert named.get("d4", 0.0) == pytest.approx(p * of_d4, abs=1e-3)
    assert named.get("b4", 0.0) == pytest.approx((1.0 - p) * of_b4, abs=1e-3)
    assert place.probability > max(named.values()) - 1e-4


@given(st.floats(0.0, 2 * pi), st.floats(0.0, 3.0))
def test_one_piece_and_two_lie_off_the_middle_as_hands_put_them(
    towards: float, off_mm: float
) -> None:
    """Nearly as likely there; and the dice say which of two lies where."""
    off = off_mm * np.array((np.cos(towards), np.sin(towards)))
    priors = log_legal(("c2", "b3"), None), log_legal(("e5", "a1"), None)

    def one(off_mm: np.ndarray) -> Location:
        return locate(put("c2", *off_mm), SHARP, MASS, CENTRES, None, AGAINST_RULES)

    def two(off_mm: np.ndarray) -> tuple[Location, Location]:
        both = put("c2", *off_mm) + put("e5", *off_mm)
        return locate_two(both, SHARP, MASS, CENTRES, priors)

    assert (one(off).cell, *(place.cell for place in two(off))) == ("c2", "c2", "e5")
    assert one(0.0 * off).log_density - 1.2 < one(off).log_density
    assert two(0.0 * off)[0].log_density - 1.2 < two(off)[0].log_density
