from typing import Any

import pytest
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


ROLL, FOUR = Rolling(), DieAtRest(4, "rolled")
KNOCKED = "shows 2 without a throw; its 4 stays"
CROOKED = "lies crooked: throw it again, or say on a phone what counts"
UNHEARD = "its throw was not heard to the end; say on a phone what it shows"


@pytest.mark.parametrize(
    ("words", "rolled", "said"),
    [
        ([(0.0, ROLL), (1.0, FOUR)], [4], []),
        ([(0.0, ROLL)], [], []),
        ([(0.0, ROLL), (1.0, FOUR), (1.2, ROLL), (1.6, DieAtRest(3, "rolled"))], [3], []),
        ([(0.0, ROLL), (1.0, FOUR), (1.3, DieAtRest(5, "moved"))], [5], []),
        (
            [(0.0, ROLL), (1.0, FOUR), (5.0, DieAtRest(2, "moved")), (6.0, DieAtRest(4, "moved"))],
            [4],
            [KNOCKED],
        ),
        ([(0.0, DieAtRest(6, "rolled")), (3.0, DieAtRest(1, "rolled"))], [], []),
        ([(0.0, ROLL), (0.3, DieAtRest(6, "moved")), (2.0, DieAtRest(1, "rolled"))], [], []),
        ([(0.0, ROLL), (1.0, DieAtRest(4, "crooked")), (4.0, ROLL), (5.0, FOUR)], [4], [CROOKED]),
        ([(0.0, ROLL), (1.0, FOUR), (3.0, ROLL), (4.0, FOUR)], [4, 4], []),
        ([(0.0, ROLL), (0.5, "lost"), (3.0, "found"), (3.1, FOUR)], [], [UNHEARD]),
        ([(0.0, ROLL), (1.0, FOUR), (1.2, "lost")], [], [UNHEARD]),
        ([(0.0, ROLL), (1.0, FOUR), (9.0, "lost")], [4], []),
    ],
    ids=[
        "a throw counts once the die has lain still",
        "one that still rolls has not been thrown to the end",
        "one that tumbles once more counts as it lies at last",
        "one that is knocked over at once counts as people see it",
        "one that is knocked later was not thrown and says so",
        "a rest without a throw is no roll whatever the die calls it",
        "a throw that was too short for the die is none",
        "a crooked die is no roll and the next throw is",
        "thrown twice rolls twice",
        "lost in the air it tells nothing when it is back",
        "lost before it has lain still it tells nothing either",
        "lost at rest it needs no words beside the loss",
    ],
)
def test_what_counts_as_a_roll(
    words: list[tuple[float, Said | str]], rolled: list[int], said: list[str]
) -> None:
    assert lived(*words)[:2] == (rolled, said)


@pytest.mark.parametrize(
    ("said", "code", "args"),
    [
        ([(0.0, ROLL), (1.0, FOUR), (9.0, "lost")], "die_lost", {"owner": "red"}),
        ([(0.0, Battery(15))], "die_low", {"owner": "red", "percent": 15}),
        ([(0.0, Battery(15)), (1.0, Battery(90))], None, None),
        ([(0.5, "lost"), (3.0, "found")], None, None),
    ],
)
def test_a_lost_die_and_an_empty_battery_are_troubles(said: Any, code: Any, args: Any) -> None:
    found = trouble(lived(*said)[2], "red")

    assert (found and found.code, found and found.args) == (code, args)


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
