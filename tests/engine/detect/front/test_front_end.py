"""What the front end says of the sensors, beside what it sees."""

import pytest

from engine.detect.detector import Detector
from engine.detect.front.ailing import _Episode
from engine.detect.front.ticks import TICK_S
from engine.events import Fault
from tests.engine.detect.tables import TABLETOP, tick


def note(detector: Detector, loads_g: tuple[float, ...]) -> None:
    """A rest in which the cells showed these loads."""
    front = detector._front
    front.contacts.cells_g = loads_g
    front._rests.note(loads_g)


@pytest.mark.parametrize("dead", range(4))
@pytest.mark.parametrize("far_g", [-201.2, 1.9])
def test_a_load_cell_that_was_never_plugged_in_is_named_and_not_the_one_across(
    dead: int, far_g: float
) -> None:
    """Loads of a simulated evening: the board leans, and the dead cell shows nothing of it."""
    detector = Detector(TABLETOP)
    for pieces in range(4):
        loads = [2.3 + 0.7 * pieces] * 4
        loads[dead] = far_g
        note(detector, tuple(loads))
    loads[(dead + 2) % 4] -= 1.55
    leaning = dict(zip(("cell_0_g", "cell_1_g", "cell_2_g", "cell_3_g"), loads, strict=True))

    assert detector._front._jumped_alone(tick(10.0, **leaning))
    ((sensor, words),) = detector.health().faults.items()
    assert sensor == f"scale.{dead}"
    assert words.startswith(f"Load cell C{dead} follows no load; check its plug")


@pytest.mark.parametrize("loose", range(4))
def test_a_load_cell_that_jumps_alone_on_a_sound_table_is_the_one_named(loose: int) -> None:
    detector = Detector(TABLETOP)
    for pieces in range(4):
        note(detector, (2.3 + 0.7 * pieces,) * 4)
    loads = [4.4] * 4
    loads[loose] -= 3.0
    jumped = dict(zip(("cell_0_g", "cell_1_g", "cell_2_g", "cell_3_g"), loads, strict=True))

    assert detector._front._jumped_alone(tick(10.0, **jumped))
    ((sensor, words),) = detector.health().faults.items()
    assert (sensor, "jumped alone" in words) == (f"scale.{loose}", True)


@pytest.mark.parametrize("g", [5.0, 15.0, -60.0])
def test_a_foot_that_leaves_the_ground_condemns_no_load_cell(g: float) -> None:
    """Two cells across take the load of the others; the weight stays what it was."""
    detector = Detector(TABLETOP)
    for pieces in range(4):
        note(detector, (2.3 + 0.7 * pieces,) * 4)
    rocked = {f"cell_{k}_g": 4.4 + sign * g / 4 for k, sign in enumerate((1.02, -1, 1, -1))}

    assert not detector._front._jumped_alone(tick(10.0, **rocked))
    assert detector.health().faults == {}


def test_what_a_piece_explains_condemns_no_load_cell() -> None:
    """Cell 3 rubs and hides its part of a piece; the one beside it looks as if it had jumped."""
    detector = Detector(TABLETOP)
    note(detector, (7.2, 7.9, 7.6, 8.6))
    shown = {f"cell_{k}_g": gram for k, gram in enumerate((7.2, 7.3, 9.4, 8.7))}

    assert not detector._front._jumped_alone(tick(10.0, **shown))


@pytest.mark.parametrize("doubtful", [True, False])
def test_contacts_are_told_of_a_tilt_that_two_sensors_contradict(doubtful: bool) -> None:
    front = Detector(TABLETOP)._front
    front._attitude.doubtful = doubtful
    front._step(tick(1.0))
    assert front.contacts.tilt_doubtful is doubtful


def test_how_a_cell_ails_is_judged_anew_when_a_cell_is_lost() -> None:
    front = Detector(TABLETOP)._front
    ailing = front._watch.ailing
    ailing._episodes.append(_Episode(1.0, 2, 1.0))
    front._sensor_changed(Fault(2.0, "imu", "no answer"))
    assert ailing._episodes
    front._sensor_changed(Fault(2.0, "scale.1", "no answer"))
    assert not ailing._episodes


@pytest.mark.parametrize(("grams", "judged"), [(0.0, True), (-9.0, True), (-18.0, False)])
def test_a_board_of_which_hands_bear_a_tenth_is_no_measure_of_the_gyroscope(
    grams: float, judged: bool
) -> None:
    """Three pieces less are no lifted board."""
    front = Detector(TABLETOP)._front
    for k in range(20):
        front._hang(tick(k * TICK_S, mass_g=grams))

    assert (len(front._attitude._said) > 10) == judged
