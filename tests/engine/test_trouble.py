import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.trouble import Trouble, TroubleKind


def test_the_sentence_is_made_from_form_and_arguments() -> None:
    trouble = Trouble("full", "{folder} has {mb} MB", {"folder": "/a {b}", "mb": 3})

    assert trouble.sentence == "/a {b} has 3 MB"


def test_a_kind_makes_troubles_that_are_equal_by_code_and_arguments() -> None:
    full = TroubleKind("full", "{mb} MB")

    assert full(mb=3) == Trouble("full", "{mb} MB", {"mb": 3})
    assert full(mb=3) != full(mb=2)


def test_an_argument_without_which_the_form_cannot_be_filled_is_an_error() -> None:
    with pytest.raises(KeyError):
        _ = Trouble("full", "{folder} has {mb} MB", {"mb": 3}).sentence


@given(st.text())
def test_a_sentence_without_arguments_stands_as_it_is(text: str) -> None:
    assert Trouble("", text).sentence == text
