"""One person, one key, however the name is typed; and nobody else's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.league.names import LONGEST_NAME, alike, keys_at_a_table, meant, player_key, shown


@pytest.mark.parametrize("typed", ["Ann Lee", " ann  lee ", "ANN LEE", "Ann\tLee", "Ａｎｎ Ｌｅｅ"])  # noqa: RUF001
def test_case_width_and_spaces_do_not_matter(typed: str) -> None:
    assert player_key(typed) == "ann lee"


def test_letters_do_matter() -> None:
    assert len({player_key(name) for name in ("Ann", "Anne", "Änn", "Ann L.")}) == 4


@given(st.text())
def test_a_key_is_the_key_of_itself(name: str) -> None:
    assert player_key(player_key(name)) == player_key(name)


@given(st.text())
def test_what_is_shown_is_one_printable_line_of_bounded_length(name: str) -> None:
    found = shown(name)

    assert found.isprintable()
    assert len(found) <= LONGEST_NAME
    assert found == shown(found)


@given(st.lists(st.sampled_from(["Ann", "ann", "Bob", "ANN (3)"]), max_size=6))
def test_people_at_one_table_are_different_people(names: list[str]) -> None:
    keys = keys_at_a_table(names)

    assert len(set(keys)) == len(names)


def test_a_circle_of_names_ends() -> None:
    assert meant("a", {"a": "b", "b": "a"}) in {"a", "b"}


def test_names_that_look_alike_are_shown_once() -> None:
    assert alike(["john", "jon", "mary", "jon"]) == [("john", "jon")]
