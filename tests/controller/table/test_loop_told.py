"""What is told of whole evenings, to the last digit that machines agree on."""

import re
from itertools import zip_longest

import pytest

from tests.controller.table.told import EVENINGS, told, written
from tests.soaked import soaked

TOLERANCE = 2e-3
"""Linear algebra libraries differ in the last of sixteen digits; an evening makes more of it."""

NUMBER = re.compile(r"-?\d+\.\d+")


def same(one: str, two: str) -> bool:
    """Equal, but for the last digits of numbers with a point."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", two):
        return False
    pairs = zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(two)), strict=True)
    return all(abs(a - b) <= TOLERANCE * max(1.0, abs(a)) for a, b in pairs)


@pytest.mark.parametrize("name", soaked(EVENINGS, but=("calm", "sensor"), mark=pytest.mark.slow))
def test_an_evening_is_told_as_it_is_written_down(name: str) -> None:
    *lines, messages = told(name)
    *before, messages_before = written(name)
    meant = f"{name}.txt. If that is meant: make golden, and look at the difference"

    for number, (line, was) in enumerate(zip_longest(lines, before, fillvalue=""), 1):
        assert same(line, was), f"line {number} of {meant}: {line} was {was}"
    pairs = zip_longest(messages.split(), messages_before.split(), fillvalue="")
    for number, (message, was) in enumerate(pairs, 1):
        assert same(message, was), f"message {number} of {meant}: {message} was {was}"


def test_a_number_may_differ_in_its_last_digits_and_a_word_may_not() -> None:
    assert same("placed c3 confidence=0.9987", "placed c3 confidence=0.9989")
    assert not same("placed c3 confidence=0.9987", "placed c3 confidence=0.9887")
    assert not same("placed c3 confidence=0.9987", "placed c4 confidence=0.9987")
    assert not same("state:1:0.5000", "state:2:0.5000")
    assert not same("placed 0.5", "placed 0.5 0.5")
