"""How pieces are put down: what each habit does to the tower, and where a second thought ends."""

from collections.abc import Generator
from random import Random

import msgspec

from engine.games.topple.rules import Topple as ToppleRules
from lab.people.handling import DROP_MM, Grip, Hands
from lab.people.ways import Ways
from lab.twin.hands import Deed
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower


def hands(**habits: float) -> tuple[Tower, Hands]:
    tower = Tower(preset_parameters("calm"), 1)
    tower.advance(1.0)
    chance = Random(1)
    return tower, Hands(tower, Ways(**habits), chance, lambda: tower.topple is not None)  # type: ignore[arg-type]


def done(tower: Tower, script: Generator[float, None, Deed | None]) -> Deed | None:
    """Play a second thought to its end."""
    try:
        while True:
            tower.advance(next(script))
    except StopIteration as over:
        tower.advance(tower.now_s + 3.0)
        deed: Deed | None = over.value
        return deed


def placements(tower: Tower) -> list[str]:
    return [entry["cell"] for entry in tower.truth.in_order() if entry["type"] == "place"]


def test_usual_people_touch_nothing_else_and_leave_all_to_the_tower() -> None:
    tower, usual = hands()

    assert usual.grip() == Grip()
    assert usual.second_thoughts() == (False, False)
    assert tower.truth.entries == []


def test_a_heavy_hand_presses_harder_and_a_careless_one_lets_fall() -> None:
    tower, heavy = hands(heavy=3.0, drops=1.0)
    grip = heavy.grip()

    assert grip.press_mm is not None
    assert grip.press_mm >= 3 * tower.parameters.manners.press_mm[0]
    assert 0.3 * DROP_MM <= grip.drop_mm <= 1.3 * DROP_MM


def test_a_second_hand_that_steadies_touches_the_board_before_the_piece() -> None:
    tower, steady = hands(steadies=1.0)
    steady.grip()

    assert [entry["type"] for entry in tower.truth.entries] == ["touch"]


def test_a_piece_that_is_slid_or_taken_again_is_one_placement_where_it_ends() -> None:
    for second in ("slide", "relift"):
        tower, thinking = hands()
        first = tower.place("c3")
        tower.advance(3.0)
        assert first.done
        if second == "slide":
            deed = done(tower, thinking.slide("c3", "c4"))
        else:
            deed = done(tower, thinking.relift("c3", "c4", "red", player=1))

        assert deed is not None
        assert placements(tower) == ["c4"]
        assert [cell for cell, stack in tower.pieces.stacks.items() if stack] == ["c4"]


def test_nobody_goes_on_with_a_second_thought_when_something_falls() -> None:
    tower, thinking = hands()
    tower.place("c3")
    tower.advance(3.0)
    tower.knock_off("c3")

    assert done(tower, thinking.relift("c3", "c4", "red")) is None
    assert placements(tower) == ["c3"]


def test_a_hand_takes_a_wrong_colour_only_of_those_who_do_so_and_only_of_what_is_left() -> None:
    rules = ToppleRules()
    players = [{"name": "Ann", "colours": ["blue"]}, {"name": "Bob", "colours": ["red"]}]
    started = rules.start({"type": "start", "players": players, "first": "Ann", "target": 100})
    rolled = rules.apply(started, {"type": "roll", "value": 5})
    own = {"type": "place", "colour": "blue", "cell": "a1"}
    wrong = {**own, "colour": "red", "foreign": True}
    chance = Random(1)
    before = chance.getstate()

    usual = Hands(Tower(preset_parameters("calm"), 1), Ways(), chance, lambda: False)
    assert usual.taken(rolled, own) is own
    assert chance.getstate() == before
    _, clumsy = hands(wrong_colours=1.0)
    assert clumsy.taken(rolled, own) == wrong
    assert clumsy.taken(msgspec.structs.replace(rolled, left=(12, 0)), own) == own
    after = rules.apply(rolled, wrong)
    assert rules.current_player(after) == "Bob"
    assert rules.view(after)["left"] == {"blue": 12, "red": 11}
