"""What is told of whole evenings, to the last digit that machines agree on."""

from itertools import zip_longest
from typing import Any

import msgspec
import pytest

from tests.controller.table.told import EVENINGS, told, written

TOLERANCE = 2e-3
"""Linear algebra libraries differ in the last of sixteen digits; an evening makes more of it."""


def same(one: Any, two: Any) -> bool:
    """Equal, but for the last digits of numbers."""
    if isinstance(one, float | int) and isinstance(two, float | int):
        return abs(one - two) <= TOLERANCE * max(1.0, abs(one))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    return bool(one == two)


@pytest.mark.parametrize("name", EVENINGS)
def test_an_evening_is_told_as_it_is_written_down(name: str) -> None:
    for number, (line, before) in enumerate(zip_longest(told(name), written(name)), 1):
        plain = msgspec.json.decode(msgspec.json.encode(line))
        assert same(plain, before), (
            f"line {number} of told_evenings/{name}.jsonl: {plain} was {before}. If that is meant: "
            "python -m tests.controller.table.told, and look at the difference"
        )
