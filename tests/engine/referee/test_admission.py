"""Names that nobody should have to read do not come in, in whichever field of a start."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import HumanInput
from engine.games.checks import LONGEST_ID, LONGEST_NAME
from engine.referee import handle_input, objection
from engine.referee.state import RefereeState
from tests.soaked import examples

LONG = "x" * (LONGEST_NAME + 1)
UNSHOWABLE = [
    "\x1b[31m",
    "a\nb",
    "\x00",
    "\u202eAnn",
    "\u2066Ann",
    "\u200fAnn",
    "\u2028",
    "\ud800",
    "\u200d",
    "\u3164",  # a Hangul filler
    "\u2800\ufe0f",  # Braille without a dot
    "Z" + "\u0353" * 12,  # marks that cover the lines around it
]


def code(data: dict[str, Any], verb: str = "start") -> str | None:
    refused = objection(HumanInput(0.0, verb, data))
    return refused.code if refused else None


def start_with(name: str) -> list[dict[str, Any]]:
    """Every place in a start where a text can stand."""
    return [
        {"players": [{"name": name, "colours": ["red"]}]},
        {"players": [{"name": "Ann", "colours": [name]}]},
        {"players": [name, "Bob"]},
        {"game": "topolo", "red": "Eve", "black": name},
        {"game": "triple-topper-toe", "x": name, "o": "Bob"},
        {"racks": {name: [1]}},
        {"first": name},
        {"options": {"share": name}},
        {name: 1},
    ]


@pytest.mark.parametrize("name", [LONG, *UNSHOWABLE])
def test_such_a_name_comes_in_nowhere(name: str) -> None:
    assert {code(data) for data in start_with(name)} == {"bad_name"}


@pytest.mark.parametrize(
    "name",
    [
        "Ann",
        "x" * LONGEST_NAME,
        "Zoë",
        "Łukasz",
        "山田",
        "مریم",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # as Persian spells it
        "👩\u200d👧",
        "❤\ufe0f",
        "Nguye\u0302\u0303n",
        "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0",  # with Hebrew points
        'O\'Hara "B" 2',
    ],
)
def test_names_of_all_languages_come_in(name: str) -> None:
    assert {code(data) for data in start_with(name)} == {None}


TWO = [("Ann", "\u0410nn"), ("Ann", "ann "), ("Bill", "BiII"), ("Ann", "Ann\u3164")]


@pytest.mark.parametrize(("one", "other"), TWO)
def test_two_players_whose_names_look_the_same_do_not_come_in(one: str, other: str) -> None:
    starts: list[dict[str, Any]] = [
        {"players": [{"name": one, "colours": ["red"]}, {"name": other, "colours": ["blue"]}]},
        {"game": "topominos", "players": ["Zo\u00eb", one, other]},
        {"game": "topolo", "red": one, "black": other},
        {"game": "triple-topper-toe", "x": one, "o": other},
    ]

    assert {code(data) for data in starts} == {"bad_players"}


def test_a_name_may_look_like_anything_that_is_no_player() -> None:
    players = [{"name": "Red", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]

    assert code({"players": players, "first": "Red", "variant": "bob"}) is None


@pytest.mark.parametrize(
    "game", ["x" * (LONGEST_ID + 1), {"a": 1}, [1], True, 1.5, 10**30, *UNSHOWABLE]
)
def test_such_an_id_names_no_game(game: Any) -> None:
    assert code({"id": game}) == "bad_id"


@pytest.mark.parametrize("game", ["x" * LONGEST_ID, "evening-3", 7, "", None])
def test_an_id_is_a_text_or_a_number(game: Any) -> None:
    assert code({"id": game}) is None


def test_only_a_start_brings_names_along() -> None:
    assert code({"player": LONG}, "roll") is None


def test_what_an_older_version_let_in_still_plays() -> None:
    """A journal is heard again without being asked."""
    players = [{"name": "A" * 870, "colours": ["red"]}, {"name": "a" * 870, "colours": ["blue"]}]
    start = HumanInput(0.0, "start", {"players": players})
    assert objection(start) is not None

    assert handle_input(RefereeState(), start).refused is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=60), inner),
    max_leaves=8,
)


@examples(30)
@given(st.dictionaries(st.text(max_size=8), json_values, max_size=4))
def test_whatever_is_sent_is_let_in_or_refused_in_short_words(data: dict[str, Any]) -> None:
    refused = objection(HumanInput(0.0, "start", data))

    assert refused is None or (len(refused.message) < 600 and refused.message.isprintable())
