"""What is made of rolls, of buttons, and learned of how rounds end."""

from dataclasses import replace
from math import inf, log

import pytest

from engine.detect.back.account import Account, Fall, Sighting
from engine.detect.back.parameters import HIGH_TOWER
from engine.detect.front.observation import Left, Rested
from engine.events import (
    ANYTHING,
    Cleared,
    Expectation,
    Placed,
    Retracted,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.tabletop import ColourPiece
from tests.engine.detect.back.test_scene import (
    BETWEEN_TURNS,
    CLEAR_FIRST,
    PIECE_G,
    ROLLED,
    Watched,
    cleared_scene,
    feel,
    hand,
    place,
    scene_at_rest,
    take_off,
    weigh,
)
from tests.engine.detect.rests import believing, fell

UNTOLD = (0.04,) * 25

FELL = Fall(1, 0.0, ToppleKind.OFF_STACK, 0.1, 1)


def test_a_roll_told_as_the_table_is_tapped_is_heard_at_the_rest_that_follows() -> None:
    """A piece on c3 beside a lean was taken for a load on the plate (seed 1200029)."""
    scene = scene_at_rest()
    scene.expect(ROLLED)
    hand(scene, 0.0)
    weigh(scene, PIECE_G, 0.2)
    feel(scene, [PIECE_G + g for g in (2.0, -6.0, 1.0)])
    assert scene.tracker is not None
    unplaced = scene.tracker.probability(lambda account: not account.stands)
    scene.expect(replace(ROLLED, legal_cells=("a1", "c3"), ahead=True))
    weigh(scene, PIECE_G, 0.2)

    assert scene.tracker.probability(lambda account: not account.stands) < 0.3 * unplaced


@pytest.mark.parametrize("felt", [True, False])
def test_a_bump_that_people_name_was_what_the_table_felt_last_and_not_just_now(felt: bool) -> None:
    """It took along the piece under which the board still swung then (seed 1200055)."""
    scene = scene_at_rest()
    scene.expect(ROLLED)
    place(scene)
    assert scene.teller.last is not None
    if felt:
        feel(scene, [PIECE_G + g for g in (12.0, -20.0, 9.0, -14.0, 6.0)])
    scene.teller.last.still_s = scene.now_s + 0.5
    weigh(scene, PIECE_G, 4.0)
    scene.press_blame()

    (fall,) = (event for event in scene.teller.events if isinstance(event, Toppled))
    assert fall.rested is not None
    assert (fall.rested < 0.1) is felt


@pytest.mark.parametrize(("fell", "rarer"), [(0.99, True), (0.01, False)])
def test_who_never_stops_a_round_is_believed_less_and_less_to_have(
    fell: float, rarer: bool
) -> None:
    """A high tower that is cleared between two turns had mostly come down (seed 1200050)."""
    scene = scene_at_rest()
    before = scene.priors.agreed
    scene.tracker = believing(
        Account(log(fell), 0.0, emptied=1, last_fall=FELL), Account(log(1.0 - fell), 0.0, emptied=1)
    )
    for ref in range(HIGH_TOWER):
        scene.stacks.put(ref, "c3")
    scene._say(1.0)

    assert scene.teller.clears == 1
    assert (scene.priors.agreed < before) is rarer


def test_what_falls_when_all_pieces_are_played_does_not_end_the_round_again() -> None:
    """The rules say once more then that it is over (rough, seed 1200034)."""
    scene = scene_at_rest()
    place(scene, 1)
    scene.expect(CLEAR_FIRST)
    scene.teller.topple(FELL, 0.95, scene.now_s)
    scene.expect(CLEAR_FIRST)

    assert scene.teller.closed


@pytest.mark.parametrize(("pushed_s", "rested"), [(inf, False), (5.0, True)])
def test_a_fall_that_people_may_call_a_bump_is_told_with_whether_the_piece_had_rested_then(
    pushed_s: float, rested: bool
) -> None:
    """The table takes the fall for the placing, and people name the push (rough, seed 1400010)."""
    scene = scene_at_rest()
    place(scene, 1)
    assert scene.teller.last is not None
    scene.teller.last.still_s, scene.teller.pushed_s = 3.0, pushed_s
    scene.now_s = 6.0
    scene.teller.topple(replace(FELL, began_s=1.0), 0.95, scene.now_s)
    told = scene.teller.events[-1]

    assert isinstance(told, Toppled)
    assert told.rested is not None
    assert (told.rested > 0.5) is rested


def test_a_bump_that_sweeps_the_board_empty_takes_the_last_piece_along() -> None:
    """The round is cleared in the same moment (rough, seed 1200011)."""
    scene = scene_at_rest()
    place(scene, 1)
    assert scene.teller.last is not None
    scene.teller.last.still_s = inf
    swept = replace(FELL, bumped=0.97, began_s=scene.now_s)
    scene.tracker = believing(Account(0.0, 0.0, emptied=1, last_fall=swept))
    scene.teller.events.clear()
    scene.teller.tell(scene.tracker, scene.now_s, 1.0)

    assert [type(event) for event in scene.teller.events] == [Toppled, Retracted, Cleared]


@pytest.mark.parametrize(("since_s", "shares", "in_turn"), [
    (0.3, None, True), (0.3, UNTOLD, False), (2.0, UNTOLD, True),
])  # fmt: skip
def test_where_no_die_is_told_the_next_hand_takes_its_time(
    since_s: float, shares: tuple[float, ...] | None, in_turn: bool
) -> None:
    """What rolled about after a bump was the next player's piece (normal, seed 1500009)."""
    scene = scene_at_rest()
    scene.expect(Expectation(shares=shares))
    place(scene)
    assert scene.teller.last is not None
    scene.teller.last.released_s = scene.now_s - since_s
    hand(scene, PIECE_G)
    weigh(scene, PIECE_G, 0.2)

    assert scene._seen is not None
    assert scene._seen.in_turn is in_turn


@pytest.mark.parametrize("heard", [True, False])
def test_a_hand_that_presses_on_once_its_piece_is_announced_places_no_other(heard: bool) -> None:
    """The rules hear of the piece after the tick in which it was announced (seed 2600002)."""
    scene = scene_at_rest()
    scene.expect(ROLLED)
    said = place(scene)
    piece = next(event for event in said if isinstance(event, Placed))
    if not heard:
        scene.teller.events.append(piece)
    feel(scene, [PIECE_G + g for g in (4.0, 7.0, 3.0, 8.0)])
    scene.expect(BETWEEN_TURNS)
    weigh(scene, PIECE_G, 0.2)

    assert scene._seen is not None
    assert scene._seen.in_turn is heard


def test_after_a_clearing_nobody_places_before_the_pieces_are_gathered() -> None:
    scene = scene_at_rest()
    scene.expect(Expectation(shares=UNTOLD))
    place(scene, 3)
    for left in (2, 1, 0):
        hand(scene, left * PIECE_G)
        cleared = weigh(scene, left * PIECE_G, 1.0)
    assert any(isinstance(event, Cleared) for event in cleared)
    hand(scene, 0.0)
    weigh(scene, PIECE_G, 0.2)

    assert scene._seen is not None
    assert not scene._seen.in_turn


@pytest.mark.parametrize("left", [False, True])
def test_a_hand_that_puts_nothing_down_is_remembered_until_a_piece_stands(left: bool) -> None:
    scene = scene_at_rest()
    scene.expect(Expectation(shares=UNTOLD))
    place(scene)
    weigh(scene, PIECE_G, 2.0)
    hand(scene, PIECE_G)
    weigh(scene, PIECE_G, 3.0)
    if left:
        place(scene, on=1)
    hand(scene, 2 * PIECE_G if left else PIECE_G)
    weigh(scene, 2 * PIECE_G if left else PIECE_G, 0.2)

    assert scene._handled is not None
    assert (scene._handled is scene.teller.last) is not left


def test_the_next_turn_may_come_though_it_was_told_only_now_that_the_board_is_empty() -> None:
    """The first piece of a round was no piece, for the clearing had just been told (1900015)."""
    scene = scene_at_rest()
    place(scene)
    scene.tracker = believing(Account(0.0, 0.0, emptied=1, last_fall=FELL))
    scene._say(5.0)

    assert scene.teller.cleared_s == pytest.approx(scene.now_s - 5.0)
    assert scene._turn_has_come(scene.now_s)


def surely_placed(shares: tuple[float, ...] | None) -> tuple[Watched, Sighting]:
    """A piece was told for sure, and lay for some seconds."""
    scene = scene_at_rest()
    scene.expect(Expectation(shares=shares))
    place(scene)
    last = scene.teller.last
    assert last is not None
    last.confidence = 0.99
    weigh(scene, PIECE_G, 3.0)
    return scene, last


@pytest.mark.parametrize(("shares", "settled"), [(None, False), (UNTOLD, True)])
def test_where_no_die_is_told_the_next_hand_settles_the_piece_before(
    shares: tuple[float, ...] | None, settled: bool
) -> None:
    """Ten seconds later it was said to have fallen as it was put down (calm, seed 1600001)."""
    scene, last = surely_placed(shares)
    assert not last.settled
    hand(scene, PIECE_G)

    assert last.settled is settled


@pytest.mark.parametrize("hangs_anyhow", [True, False])
def test_a_weight_of_a_moment_is_no_rest_while_nobody_can_tell_how_the_board_hangs(
    hangs_anyhow: bool,
) -> None:
    """The piece was told on c3 at 0.17, and where it lay was seen well later (normal, 1800006)."""
    scene = scene_at_rest()
    hand(scene, 0.0)
    weigh(scene, PIECE_G, 0.1)
    scene._hangs_anyhow = hangs_anyhow
    scene.tracker = believing(Account(0.0, PIECE_G, (1,)))
    left = scene.end(Rested(0.1, let_go=False, mass_g=PIECE_G, mean_g=PIECE_G, hung_gmm=(0.0, 0.0)))

    assert left == Left(forgotten=hangs_anyhow, moves=not hangs_anyhow)


def test_a_hand_says_nothing_of_a_fall_before_it_for_it_may_come_to_clear() -> None:
    """It was a hundred times less likely then, and a round was stopped (calm, seed 1800005)."""
    scene, last = surely_placed(UNTOLD)
    fallen = Fall(last.contact, last.released_s, ToppleKind.OFF_STACK, 0.0, 1, lies=True)
    scene.tracker = believing(
        Account(log(0.96), PIECE_G, (last.contact,)),
        Account(log(0.04), PIECE_G, fall=fallen, over=True),
    )
    hand(scene, PIECE_G)
    weigh(scene, PIECE_G, 0.2)

    assert last.settled
    assert fell(scene.tracker) > 0.01


def test_a_fall_that_was_not_told_is_past_once_the_next_piece_is_settled() -> None:
    """It was told 93 s later, and twenty pieces lost their turns by it (rough, seed 1700002)."""
    scene, last = surely_placed(UNTOLD)
    stands = Account(log(0.5), PIECE_G, (last.contact,))
    scene.tracker = believing(stands, stands.but(emptied=1, last_fall=FELL))
    hand(scene, PIECE_G)

    accounts = [each.account for each in scene.tracker.now]
    assert accounts
    assert all(a.emptied == 0 and a.last_fall is None for a in accounts)


def test_a_round_that_has_begun_does_not_begin_the_one_before_again() -> None:
    """By one account all 35 stood again, and the table was deaf (corpus, evening 3)."""
    scene, last = surely_placed(UNTOLD)
    scene.teller.clears = 1
    full = Account(log(0.5), PIECE_G, tuple(range(1, 36)), over=True)
    scene.tracker = believing(full, Account(log(0.5), PIECE_G, (last.contact,), emptied=1))
    scene.expect(Expectation(None, may_place=False, pieces_left=0))
    scene.expect(Expectation(None, pieces_left=24))

    assert all(each.account.over for each in scene.tracker.now if each.account.emptied == 0)


# -- people say that the board is clear ------------------------------------------------------------


def test_a_press_long_after_the_table_saw_the_board_empty_says_nothing_new() -> None:
    scene = cleared_scene()
    scene.expect(ANYTHING)
    weigh(scene, 0.0, 8.0)
    assert place(scene)

    assert scene.press_cleared(scene.now_s) is False
    assert not scene.clearing
    assert [type(event) for event in place(scene, on=1)] == [Placed]


def test_only_the_first_press_after_a_clearing_can_be_a_late_one() -> None:
    scene = cleared_scene()
    scene.expect(ANYTHING)
    assert scene.press_cleared(scene.now_s + 20.0) is False

    assert scene.press_cleared(scene.now_s + 40.0) is True


def test_a_button_pressed_twice_ends_one_round() -> None:
    scene = cleared_scene()
    scene.expect(ANYTHING)
    assert scene.press_cleared(scene.now_s) is False
    assert scene.press_cleared(scene.now_s + 1.0) is False


def test_an_empty_board_is_said_to_be_clear_because_its_first_piece_slid_off() -> None:
    """Nobody can have bumped down what did not stand (26400874)."""
    scene = scene_at_rest()
    scene.expect(BETWEEN_TURNS)
    scene.expect(ROLLED)
    hand(scene, 0.0)
    assert weigh(scene, 0.0, 4.0) == []
    assert scene.press_cleared(scene.now_s) is True
    (event,) = scene.teller.events

    assert isinstance(event, Toppled)
    assert event.cause is ToppleCause.PLACING
    assert event.fallen == 1
    scene.teller.events.clear()
    assert [type(event) for event in place(scene)] == [Placed]


def test_a_press_by_mistake_on_a_board_at_which_nobody_has_been_tells_of_no_fall() -> None:
    scene = scene_at_rest()
    scene.expect(BETWEEN_TURNS)
    scene.expect(ROLLED)
    weigh(scene, 0.0, 4.0)

    assert scene.press_cleared(scene.now_s) is True
    assert not scene.teller.events


def test_a_press_before_anybody_has_rolled_in_the_new_round_is_of_the_round_before() -> None:
    """The table had seen its board clear four seconds before, and a hand since (26400693)."""
    scene = cleared_scene()
    scene.expect(BETWEEN_TURNS)
    clears = scene.teller.clears
    touched = Account(0.0, 0.0, emptied=clears, over=True)
    scene.tracker = believing(touched, touched.but(log_p=log(0.01), fall=FELL))

    assert scene.press_cleared(scene.now_s) is True
    assert not scene.teller.events


@pytest.mark.parametrize(("left", "clear"), [(0, True), (2, False)])
def test_who_rolls_after_people_have_said_that_the_board_is_clear_plays_on_an_empty_one(
    left: int, clear: bool
) -> None:
    """It hung turning after a fall, as if somebody held it for minutes (26400405, at once)."""
    scene = scene_at_rest()
    place(scene, 3)
    hand(scene, left * PIECE_G)
    weigh(scene, left * PIECE_G, 0.3)
    tracker, fall = scene.tracker, Fall(3, scene.now_s, ToppleKind.COLLAPSE, 0.9, None)
    assert tracker is not None
    tracker.amend(lambda a: a.but(stands=(1, 2, 3), over=True, fall=fall, held=9, emptied=0))
    scene.teller.fall, scene.teller.pressed = scene.teller.new_id(), True
    scene.expect(BETWEEN_TURNS)
    scene.expect(ROLLED)

    assert (scene.teller.clears == 1) == clear
    assert scene.clearing != clear
    # No sensor has said how the board hangs: what comes next is compared with that.
    assert all(each.account.carried_gmm == (0.0, 0.0) for each in tracker.now)


def test_a_press_before_the_board_is_empty_is_news_and_closes_the_round() -> None:
    scene = scene_at_rest()
    place(scene, 3)

    assert scene.press_cleared(scene.now_s) is True
    assert scene.clearing
    events = take_off(scene, 3)
    told = [event for event in events if isinstance(event, Cleared) and event.perhaps is None]
    assert told == [], "people have said it"
    assert not scene.clearing

    scene.expect(ANYTHING)
    assert [type(event) for event in place(scene)] == [Placed]


def test_a_press_on_an_empty_board_before_any_round_is_answered_and_changes_nothing() -> None:
    scene = scene_at_rest()
    weigh(scene, 0.0, 60.0)

    assert scene.press_cleared(scene.now_s) is True
    assert not scene.clearing
    assert [type(event) for event in place(scene)] == [Placed]


def test_a_press_and_a_blame_before_the_first_weight_do_no_harm() -> None:
    scene = Watched()
    scene.press_cleared(0.0)
    scene.press_blame()

    assert not scene.teller.events


@pytest.mark.parametrize("fallen", [True, False])
def test_people_who_say_that_a_topple_ended_the_round_make_the_table_tell_it(fallen: bool) -> None:
    """Asked where a piece lay, they said that it fell; the table had forgotten it (26500873)."""
    scene = scene_at_rest()
    place(scene)
    assert scene.tracker is not None
    stands, fall = scene.tracker.best.account, replace(FELL, contact=1)
    doubted = stands.but(log_p=log(0.05), fall=fall, over=True)
    scene.tracker = believing(stands.but(log_p=log(0.95)), doubted)
    scene.teller.events.clear()
    scene.expect(Expectation(may_place=False, pieces_left=0, fallen=fallen))

    assert any(isinstance(event, Toppled) for event in scene.teller.events) == fallen


def test_rules_that_name_no_colours_change_no_pieces() -> None:
    scene = scene_at_rest()
    light, heavy = ColourPiece("ivory", 2.0, 0.05), ColourPiece("black", 4.0, 0.05)
    scene.expect(Expectation(("c3",), colours=(light, heavy)))
    told = scene.tabletop.piece
    scene.expect(Expectation(("c3",)))

    assert told.colours == (light, heavy)
    assert scene.tabletop.piece == told


def test_an_empty_board_is_weighed_as_soon_as_it_is_known_to_be_clear() -> None:
    """The cells have crept during the round, and the next piece comes soon."""
    scene = scene_at_rest()
    place(scene, 3)
    scene.expect(CLEAR_FIRST)
    hand(scene, 0.4)
    events = weigh(scene, 0.4, 1.0)

    assert [type(event) for event in events] == [Cleared]
    assert scene.zero.g == pytest.approx(0.4, abs=0.1)
    assert scene.zero.drift_g == pytest.approx(0.4, abs=0.1)


@pytest.mark.parametrize(("cell", "stands"), [("b2", 1), (None, 0)])
def test_a_piece_that_people_speak_of_while_its_rest_lasts_is_counted_as_they_say(
    cell: str | None, stands: int
) -> None:
    """The rest is looked at again: it put the piece down once more, or once again."""
    scene = scene_at_rest()
    hand(scene, 0.0)
    (event,) = weigh(scene, PIECE_G, 1.5)
    assert isinstance(event, Placed)
    scene.amend(event.id, cell)
    weigh(scene, PIECE_G, 6.0)

    assert scene.tracker is not None
    (contact,) = scene.teller.sightings
    assert {each.account.stands.count(contact) for each in scene.tracker.now} == {stands}
