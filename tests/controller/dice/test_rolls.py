from hypothesis import given
from hypothesis import strategies as st

from controller.dice.messages import Battery, DieAtRest, Rolling, Said
from controller.dice.rolls import REST_S, Die, found, heard, lost, rested, trouble

STEP_S = 0.05


def lived(*words: tuple[float, Said | str]) -> tuple[list[int], list[str], Die]:
    """The rolls of a die that says these words at these times, what was said, and the die then."""
    die, rolled, said = Die(connected=True), [], []
    due = list(words)
    for tick in range(round((words[-1][0] + 2 * REST_S) / STEP_S)):
        now_s = tick * STEP_S
        while due and due[0][0] <= now_s:
            _, word = due.pop(0)
            if word == "lost":
                die, text = lost(die)
            elif word == "found":
                die, text = found(die), ""
            else:
                assert not isinstance(word, str)
                die, text = heard(die, word, now_s)
            said += [text] if text else []
        die, value = rested(die, now_s)
        rolled += [value] if value is not None else []
    return rolled, said, die


def test_a_throw_counts_once_the_die_has_lain_still() -> None:
    assert lived((0.0, Rolling()), (1.0, DieAtRest(4, "rolled")))[:2] == ([4], [])


def test_a_die_that_still_rolls_has_not_been_thrown_to_the_end() -> None:
    assert lived((0.0, Rolling()))[0] == []


def test_a_die_that_tumbles_once_more_counts_as_it_lies_at_last() -> None:
    words = (
        (0.0, Rolling()),
        (1.0, DieAtRest(4, "rolled")),
        (1.2, Rolling()),
        (1.6, DieAtRest(3, "rolled")),
    )

    assert lived(*words)[0] == [3]


def test_a_die_that_is_knocked_over_at_once_counts_as_people_see_it() -> None:
    assert lived((0.0, Rolling()), (1.0, DieAtRest(4, "rolled")), (1.3, DieAtRest(5, "moved")))[
        0
    ] == [5]


def test_a_die_that_is_knocked_later_was_not_thrown_and_says_so() -> None:
    rolled, said, _ = lived(
        (0.0, Rolling()),
        (1.0, DieAtRest(4, "rolled")),
        (5.0, DieAtRest(2, "moved")),
        (6.0, DieAtRest(4, "moved")),
    )

    assert rolled == [4]
    assert said == ["shows 2 without a throw; its 4 stays"]


def test_a_rest_without_a_throw_is_no_roll_whatever_the_die_calls_it() -> None:
    assert lived((0.0, DieAtRest(6, "rolled")), (3.0, DieAtRest(1, "rolled")))[0] == []


def test_a_throw_that_was_too_short_for_the_die_is_none() -> None:
    assert (
        lived((0.0, Rolling()), (0.3, DieAtRest(6, "moved")), (2.0, DieAtRest(1, "rolled")))[0]
        == []
    )


def test_a_crooked_die_is_no_roll_and_the_next_throw_is() -> None:
    rolled, said, _ = lived(
        (0.0, Rolling()),
        (1.0, DieAtRest(4, "crooked")),
        (4.0, Rolling()),
        (5.0, DieAtRest(1, "rolled")),
    )

    assert rolled == [1]
    assert said == ["lies crooked: throw it again, or say on a phone what counts"]


def test_a_die_that_is_thrown_twice_rolls_twice() -> None:
    throws = (
        (0.0, Rolling()),
        (1.0, DieAtRest(4, "rolled")),
        (3.0, Rolling()),
        (4.0, DieAtRest(4, "rolled")),
    )

    assert lived(*throws)[0] == [4, 4]


def test_a_die_that_is_lost_in_the_air_tells_nothing_when_it_is_back() -> None:
    rolled, said, die = lived(
        (0.0, Rolling()), (0.5, "lost"), (3.0, "found"), (3.1, DieAtRest(4, "rolled"))
    )

    assert rolled == []
    assert said == ["its throw was not heard to the end; say on a phone what it shows"]
    assert die.connected


def test_a_die_that_is_lost_at_rest_needs_no_words_beside_the_loss() -> None:
    _, said, die = lived((0.0, Rolling()), (1.0, DieAtRest(4, "rolled")), (9.0, "lost"))

    assert said == []
    found = trouble(die, "red")
    assert found is not None
    assert (found.code, found.args) == ("die_lost", {"owner": "red"})


def test_an_empty_battery_is_a_trouble_and_a_charged_one_is_not() -> None:
    found = trouble(lived((0.0, Battery(15)))[2], "red")
    assert found is not None
    assert (found.code, found.args) == ("die_low", {"owner": "red", "percent": 15})
    assert trouble(lived((0.0, Battery(15)), (1.0, Battery(90)))[2], "red") is None


words = st.one_of(
    st.just(Rolling()),
    st.builds(DieAtRest, st.integers(1, 6), st.sampled_from(["rolled", "moved", "crooked"])),
    st.builds(Battery, st.integers(0, 100)),
    st.sampled_from(["lost", "found"]),
)


@given(st.lists(st.tuples(st.floats(0.0, 1.0), words), min_size=1, max_size=30))
def test_there_are_never_more_rolls_than_throws(said: list[tuple[float, Said | str]]) -> None:
    at_s, timed = 0.0, []
    for wait_s, word in said:
        at_s += wait_s
        timed.append((at_s, word))

    assert len(lived(*timed)[0]) <= sum(word == Rolling() for _, word in timed)
