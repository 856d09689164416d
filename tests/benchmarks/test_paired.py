"""The same evenings twice: what counts as worse, and how often chance alone does."""

from itertools import product
from math import comb

import numpy as np
import pytest

from tests.benchmarks.paired import chance_of_worse, holm


@pytest.mark.parametrize(
    "more", [[3, -1, 2, 0, 5], [1, 1, 1, 1], [-2, -2, 1], [40, 0, 0], [2, -2], [0, 0], []]
)
def test_p_is_the_share_of_all_ways_round_that_are_as_bad(more: list[int]) -> None:
    ways = [sum(s * each for s, each in zip(signs, more, strict=True))
            for signs in product((1, -1), repeat=len(more))]  # fmt: skip

    as_bad = sum(each >= sum(more) for each in ways)
    assert chance_of_worse(more) == pytest.approx(as_bad / len(ways))


def test_with_right_and_wrong_only_it_is_the_sign_test() -> None:
    """McNemar, exact: nine evenings went wrong that were right before, two the other way."""
    tail = sum(comb(11, lost) for lost in range(9, 12)) / 2**11

    assert chance_of_worse([1] * 9 + [-1] * 2 + [0] * 30) == pytest.approx(tail)


def test_versions_alike_are_called_worse_once_in_twenty_at_most() -> None:
    """Errors come in heaps, and four measures hang together."""
    rng, called, corpora = np.random.default_rng(1), 0, 600
    for _ in range(corpora):
        spoilt = rng.random((2, 25)) < 0.3
        errors = spoilt * rng.geometric(0.2, (4, 2, 25))
        more = [[int(each) for each in measure[1] - measure[0]] for measure in errors]
        called += min(holm([chance_of_worse(each) for each in more])) <= 0.05

    assert 0 < called / corpora <= 0.05


def test_holm_corrects_the_least_most_and_keeps_their_order() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
