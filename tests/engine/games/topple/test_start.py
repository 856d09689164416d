"""The opening of a game of Topple: what people need not say, and what cannot be."""

from typing import Any

import pytest

from engine.errors import IllegalAction
from engine.games.checks import MOST_TARGET
from engine.games.topple.start import MOST_PLAYERS, filled_in, match_of
from engine.games.topple.state import STANDARD, TWO_COLOUR, YOUNG

ANN, BOB = {"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}
TWO = [{"name": "Ann", "colours": ["red", "green"]}, {"name": "Bob", "colours": ["blue", "pink"]}]
MANY = [{"name": f"P{n}", "colours": [f"c{n}"]} for n in range(MOST_PLAYERS + 1)]


@pytest.mark.parametrize("players", [None, "Ann", 3, [ANN, "Bob"], {"Ann": "red"}])
def test_without_a_list_of_players_there_is_no_game(players: Any) -> None:
    with pytest.raises(IllegalAction) as refused:
        filled_in({"players": players})

    assert refused.value.code == "bad_players"


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ({}, "Ann"),
        ({"first": 1}, "Bob"),
        ({"first": 2}, 2),
        ({"first": -1}, -1),
        ({"first": True}, True),
        ({"first": "Bob"}, "Bob"),
    ],
)
def test_who_begins_can_be_said_by_seat_and_is_the_first_if_nobody_says(
    said: dict[str, Any], first: Any
) -> None:
    assert filled_in({"players": (ANN, BOB), **said})["first"] == first


@pytest.mark.parametrize(
    ("players", "said", "variant", "target"),
    [
        ([ANN, BOB], {}, STANDARD, "left out"),
        ([ANN, BOB], {"target": 30}, STANDARD, 30),
        ([ANN, BOB], {"target": None}, YOUNG, None),
        ([ANN, BOB], {"variant": YOUNG}, YOUNG, None),
        ([ANN, BOB], {"variant": YOUNG, "target": 30}, YOUNG, 30),
        (TWO, {}, TWO_COLOUR, "left out"),
        (TWO, {"variant": STANDARD}, STANDARD, "left out"),
        ([TWO[0], BOB], {}, STANDARD, "left out"),
        ([TWO[0], {"name": "Bob", "colours": "xy"}], {}, STANDARD, "left out"),
        ([*TWO, {"name": "Cat", "colours": ["a", "b"]}], {}, STANDARD, "left out"),
    ],
)
def test_the_version_follows_from_colours_and_target(
    players: Any, said: dict[str, Any], variant: str, target: Any
) -> None:
    filled = filled_in({"players": players, **said})

    assert (filled["variant"], filled.get("target", "left out")) == (variant, target)


def start(players: Any, **more: Any) -> Any:
    return match_of({"players": players, "first": players[0]["name"], **more}, {})


def test_two_to_four_play_up_to_a_hundred_if_nobody_says_otherwise() -> None:
    assert start(MANY[:MOST_PLAYERS]).target == 100
    for target in (1, MOST_TARGET):
        assert start(MANY[:2], target=target).target == target
    for players in (MANY, MANY[:1]):
        with pytest.raises(IllegalAction) as refused:
            start(players)
        assert refused.value.code == "bad_players"
    for target in (0, MOST_TARGET + 1, 10**4000):
        with pytest.raises(IllegalAction, match="a whole number from 1 to 1000") as refused:
            start(MANY[:2], target=target)
        assert refused.value.code == "bad_target"


@pytest.mark.parametrize("target", [100, 1, 0, True, "100"])
def test_the_young_version_is_refused_with_a_target_instead_of_playing_to_none(target: Any) -> None:
    with pytest.raises(IllegalAction, match="without a winning score") as refused:
        match_of(filled_in({"players": [ANN, BOB], "variant": YOUNG, "target": target}), {})

    assert refused.value.code == "bad_target"
    without: tuple[dict[str, Any], ...] = ({}, {"target": None})
    for said in without:
        assert start([ANN, BOB], variant=YOUNG, **said).target is None


@pytest.mark.parametrize(
    ("variant", "players", "words"),
    [
        (STANDARD, TWO, "1 colour each"),
        (TWO_COLOUR, [ANN, BOB], "2 players with 2 colours each"),
        (TWO_COLOUR, [*TWO, {"name": "Cat", "colours": ["a", "b"]}], "2 players with 2"),
        (YOUNG, [TWO[0], BOB], "1 colour each"),
        (YOUNG, [*TWO, {"name": "Cat", "colours": ["a", "b"]}], "1 colour each"),
    ],
)
def test_each_version_wants_its_colours(variant: str, players: Any, words: str) -> None:
    with pytest.raises(IllegalAction, match=words) as refused:
        start(players, variant=variant, target=None if variant == YOUNG else 40)

    assert refused.value.code == "bad_colours"
    assert start(TWO, variant=YOUNG).hands == ((0, 1), (2, 3))
