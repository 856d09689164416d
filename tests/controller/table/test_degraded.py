import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.table.degraded import mode

CELL = "Load cell C{} gives no valid values; check its plug and its supply"
IMU = "The inertial sensor is silent; check its four wires. Cells will be asked for"
QUIET = (
    "nothing answered in 2 s. Is the firmware on the board (topple-table firmware flash), and is "
    "it the right port?"
)
UNPLUGGED = (
    "Load cell C1 is silent, its DOUT stays high. Unplugged? Check that its HX711 board has power "
    "(VCC, GND) and that its wire DT is on the right pin."
)
BY_HAND = "please enter each placement by hand"


@pytest.mark.parametrize(
    ("troubles", "words"),
    [
        ({}, ""),
        (
            {"scale.1": CELL.format(1)},
            f"The table is playing on with three load cells. {CELL.format(1)}.",
        ),
        (
            {"scale.1": UNPLUGGED},
            f"The table is playing on with three load cells. {UNPLUGGED}",
        ),
        (
            {"scale.1": CELL.format(1), "scale.3": CELL.format(3)},
            (
                "2 of the four load cells are lost: the table cannot weigh any more; "
                f"{BY_HAND}. {CELL.format(1)}. {CELL.format(3)}."
            ),
        ),
        (
            {"scale": "The process that reads the load cells hangs."},
            (
                f"The table cannot weigh any more; {BY_HAND}. "
                "The process that reads the load cells hangs."
            ),
        ),
        (
            {"imu": IMU},
            f"The table still weighs, and asks for the cell of each piece. {IMU}.",
        ),
        (
            {"client": "The die of red has no connection; shake it beside the table."},
            (
                "The game goes on, and phones can say everything. "
                "The die of red has no connection; shake it beside the table."
            ),
        ),
        (
            {"link": QUIET},
            f"The table hears nothing, and the score is safe; {BY_HAND}. {QUIET}",
        ),
        (
            {"camera": "The camera is dark"},
            "The table is playing on. The camera is dark.",
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
def test_every_reason_whatever_it_is_is_passed_on_unchanged(troubles: dict[str, str]) -> None:
    words = mode(troubles)

    assert bool(words) is bool(troubles)
    assert not words or words.endswith((".", "?", "!"))
    assert all(reason in words for reason in troubles.values())
