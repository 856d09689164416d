import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.table.degraded import mode

CELL = "Load cell C{} gives no valid values; check its plug and its supply"
IMU = "The inertial sensor is silent; check its four wires. Cells will be asked for"


@pytest.mark.parametrize(
    ("troubles", "words"),
    [
        ({}, ""),
        (
            {"scale.1": CELL.format(1)},
            (
                "Load cell C1 gives no valid values: playing on with three; check its plug and its "
                "supply."
            ),
        ),
        (
            {"scale.1": CELL.format(1), "scale.3": CELL.format(3)},
            (
                "2 of the four load cells are lost: the table cannot weigh any more; please enter "
                "each placement by hand; check its plug and its supply."
            ),
        ),
        (
            {"imu": "The inertial sensor does not answer. Check its four wires."},
            (
                "The inertial sensor does not answer: the table still weighs, and asks for the "
                "cell of each piece; check its four wires."
            ),
        ),
        (
            {"client": "The die of red has no connection; shake it beside the table."},
            (
                "The die of red has no connection: the game goes on, and phones can say all of it; "
                "shake it beside the table."
            ),
        ),
        (
            {"link": "The USB port is gone"},
            (
                "The USB port is gone: the table hears nothing, and the score is safe; please "
                "enter each placement by hand."
            ),
        ),
    ],
)
def test_a_player_is_told_what_it_means_and_what_to_check(
    troubles: dict[str, str], words: str
) -> None:
    assert mode(troubles) == words


def test_the_link_comes_first_since_it_explains_the_rest() -> None:
    words = mode({"imu": IMU, "scale.0": CELL.format(0), "link": "The plug is out; push it in"})

    assert words.index("plug is out") < words.index("Load cell C0") < words.index("inertial")


@given(
    st.dictionaries(
        st.sampled_from(["scale", "scale.0", "scale.3", "imu", "link", "camera"]), st.text()
    )
)
def test_no_reason_whatever_breaks_the_sentence(troubles: dict[str, str]) -> None:
    words = mode(troubles)

    assert bool(words) is bool(troubles)
    assert not words or words.endswith(".")
