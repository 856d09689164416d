import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.trouble import Trouble


def test_the_sentence_is_made_from_form_and_arguments() -> None:
    trouble = Trouble("full", "{folder} has {mb} MB", {"folder": "/a {b}", "mb": 3})

    assert trouble.sentence == "/a {b} has 3 MB"


def test_an_argument_without_which_the_form_cannot_be_filled_is_an_error() -> None:
    with pytest.raises(KeyError):
        _ = Trouble("full", "{folder} has {mb} MB", {"mb": 3}).sentence


@given(st.text())
def test_a_sentence_without_arguments_stands_as_it_is(text: str) -> None:
    assert Trouble("", text).sentence == text
