"""The whole wizard: what it comes to, what it says, what it refuses."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from controller.workshop.calibrate.core.placement import PIECE_CELLS
from controller.workshop.calibrate.core.reference_mass import parse_reference_mass
from controller.workshop.calibrate.core.result import CalibrationVerdict
from controller.workshop.calibrate.core.sides import mounting, sphere
from controller.workshop.calibrate.core.steps import StepState
from controller.workshop.calibrate.core.wizard import LONGEST_S, Wizard
from engine.samples import ScaleSamples
from hw.building.design import drawn_table
from hw.calibration import Calibration, calibration_json, parse_calibration
from hw.source import samples_of
from hw.stretch import NO_SCALE
from lab.twin.owner import CLUMSY
from lab.twin.tower import Tower
from tests.controller.workshop.calibrate.core.tables import (
    TWO_THINGS,
    Session,
    drawn,
    exchanged,
    finished,
    session,
)


def turn_deg(found: Calibration, true: np.ndarray) -> float:
    """How far the sensor is turned about the vertical from where it really looks."""
    apart = np.asarray(found.imu.rotation) @ true.T
    return float(np.degrees(np.arctan2(apart[1, 0], apart[0, 0])))


@pytest.mark.slow
def test_a_table_with_turned_sensor_and_inverted_cells_is_calibrated_in_three_minutes() -> None:
    one = finished()
    result, true = one.wizard.result(), one.tower.parameters
    figures = {figure.name: figure for figure in result.figures}

    found = result.calibration
    assert result.verdict is CalibrationVerdict.GOOD, result.text
    assert result.seconds < LONGEST_S
    assert parse_calibration(calibration_json(found)) == found
    assert np.allclose(found.scale.counts_per_gram, true.scale.counts_per_gram, rtol=0.03)
    assert abs(turn_deg(found, np.asarray(true.imu.rotation))) < 3
    assert found.empty_moment_gmm[2] == pytest.approx(true.body.empty_moment_gmm[2], rel=0.05)
    assert found.piece.mass_mean_g == pytest.approx(true.piece.mass_mean_g, rel=0.06)
    assert np.allclose(found.imu.gyro_bias_dps, true.imu.gyro_bias_dps, atol=0.05)
    second = next(figure for name, figure in figures.items() if name.startswith("second"))
    assert second.value == pytest.approx(50.0, rel=0.02)
    assert second.verdict is CalibrationVerdict.GOOD
    for name, truth in (
        ("board's moment", true.body.empty_moment_gmm[2]),
        *((f"load cell C{cell}", true.scale.counts_per_gram[cell]) for cell in range(4)),
    ):
        # Stated uncertainties cover the truth.
        figure = figures[name]
        assert figure.sd is not None
        assert abs(figure.value - truth) < 3.5 * figure.sd


def test_friction_and_period_come_from_the_swing() -> None:
    one = finished()
    figures = {figure.name: figure for figure in one.wizard.result().figures}
    body = one.tower.parameters.body

    friction = figures["friction of the pivot"]
    period_s = (
        2 * np.pi * body.gyration_mm
        * np.sqrt(body.empty_mass_g / (9806.65 * -body.empty_moment_gmm[2]))
    )  # fmt: skip
    assert friction.value == pytest.approx(body.friction_band_deg, abs=0.03)
    assert figures["period"].value == pytest.approx(period_s, rel=0.02)


@pytest.mark.slow
def test_a_rough_pivot_is_usable_and_says_so() -> None:
    one = finished("rough", 12)
    result = one.wizard.result()

    assert result.verdict is CalibrationVerdict.USABLE
    assert "pivot sticks" in result.text


def stiff() -> Session:
    """A table whose pivot sticks within 1.1 degrees."""
    plain = drawn("rough", 12)
    return session(replace(plain, body=replace(plain.body, friction_band_deg=1.1)), 12)


@pytest.mark.slow
def test_a_pivot_that_cannot_be_good_is_refused_with_the_reason() -> None:
    one = stiff()
    for _ in one.moments():
        pass

    result = one.wizard.result()
    assert result.verdict is CalibrationVerdict.REFUSED
    assert "not saved" in result.text
    assert "pivot" in result.text


@pytest.mark.slow
def test_a_piece_on_a_board_that_hardly_swings_asks_for_a_nudge() -> None:
    asked = [(name, look.text) for name, look in stiff().moments() if look.nudge]

    assert {name for name, _ in asked} == {f"piece_{cell}" for cell in PIECE_CELLS}
    assert all("nudge the board" in text for _, text in asked)


@pytest.mark.slow
def test_no_nudge_is_asked_for_with_a_piece_on_a_board_that_swings() -> None:
    one = session(drawn("rough", 12), 12)

    assert not any(look.nudge for _, look in one.moments())


@pytest.mark.slow
def test_exchanged_plugs_are_found_and_taken_into_account() -> None:
    one = session(change=exchanged)
    for _ in one.moments():
        pass

    result = one.wizard.result()
    assert "Plugs of load cells C0, C2 are exchanged" in result.notices[0]
    design = drawn_table().scale.positions_mm
    assert np.sign(result.calibration.scale.positions_mm[0]).tolist() == np.sign(design[2]).tolist()


@pytest.mark.slow
def test_a_second_thing_of_another_weight_than_said_is_refused() -> None:
    one = session(references=TWO_THINGS)
    one.owner._things_g = (34.0, 70.0)
    for _ in one.moments():
        pass

    result = one.wizard.result()
    assert result.verdict is CalibrationVerdict.REFUSED
    assert "not what you said" in result.text


@pytest.mark.soak
def test_a_clumsy_owner_comes_to_the_end_too() -> None:
    one = session(drawn(seed=8), 8, manners=CLUMSY)
    for _ in one.moments():
        pass

    assert one.wizard.done
    result = one.wizard.result()
    assert (
        result.verdict is not CalibrationVerdict.GOOD
        or abs(
            result.calibration.empty_moment_gmm[2] / one.tower.parameters.body.empty_moment_gmm[2]
            - 1
        )
        < 0.06
    )


def test_a_weight_on_a_corner_that_was_had_is_a_wrong_corner() -> None:
    one = session()
    one.until("corner1")
    x_mm, y_mm = one.tower.parameters.scale.positions_mm[0]
    one.tower.take_weights()
    one.tower.put_weight(20.0, x_mm, y_mm)

    looks = one.watch(4.0)

    assert looks[-1].state is StepState.WRONG
    assert "front left again" in looks[-1].text
    assert one.wizard.step.name == "corner1"


@pytest.mark.parametrize(
    ("grams", "y_share", "seconds", "states", "words"),
    [
        (34.0, 0.0, 8.0, {StepState.WRONG}, "between two cells"),
        (0.3, 1.0, 4.0, {StepState.WAITING, StepState.MEASURING}, ""),
    ],
    ids=["between two cells", "too light"],
)
def test_what_is_no_weight_on_a_corner_is_not_taken_for_one(
    grams: float, y_share: float, seconds: float, states: set[StepState], words: str
) -> None:
    one = session()
    one.until("corner0")
    x_mm, y_mm = one.tower.parameters.scale.positions_mm[0]
    one.tower.put_weight(grams, x_mm, y_share * y_mm)

    looks = one.watch(seconds)

    assert looks[-1].state in states
    assert words in looks[-1].text


@pytest.mark.parametrize(
    ("step", "wait_s", "do", "seconds", "words"),
    [
        ("side2", 2.5, lambda tower: tower.touch("e3", 2.0, 25.0), 2.0, "opposite side"),
        pytest.param(
            "piece_a1", 0.0, lambda tower: tower.place("c2"), 9.0, "lay it on a1",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["the opposite side is pressed", "a piece lies on another cell"],
)  # fmt: skip
def test_what_was_not_asked_for_is_noticed(
    step: str, wait_s: float, do: Callable[[Tower], object], *, seconds: float, words: str
) -> None:
    one = session()
    one.until(step)
    if wait_s:
        one.watch(wait_s)
    do(one.tower)

    assert any(words in look.text for look in one.watch(seconds))
    assert one.wizard.step.name == step


def test_a_board_that_moves_is_waited_for() -> None:
    one = session()
    one.until("tare")
    one.tower.knock("e3", 0.3)

    looks = one.watch(3.0)

    assert looks[-1].state is StepState.WRONG
    assert "swings" in looks[-1].text


def test_a_dead_cell_stops_the_sensor_check_with_advice() -> None:
    wizard = Wizard(drawn_table(), (parse_reference_mass("100g"),))
    tower = session().tower
    look = wizard.look()
    for tenth in range(1, 31):
        for item in samples_of(tower.poll(tenth / 10)):
            if isinstance(item, ScaleSamples):
                item.raw[:, 1] = 77
            wizard.feed(item)
        look = wizard.look()

    assert look.state is StepState.WRONG
    assert "Load cell C1" in look.text


def test_repeating_begins_the_part_again_also_one_that_has_just_ended_and_goes_on() -> None:
    one = session()
    one.until("corner2")

    assert one.wizard.repeat() == "weight"
    assert one.wizard.step.name == "corner0"

    one.tower.take_weights()
    one.until("swing")
    assert one.wizard.repeat() == "sides"


def test_nothing_is_concluded_before_the_end() -> None:
    wizard = Wizard(drawn_table(), (parse_reference_mass("100g"),))
    wizard.feed(NO_SCALE)

    assert wizard.look().state is StepState.WAITING
    with pytest.raises(RuntimeError):
        wizard.result()


def test_the_mounting_is_found_for_any_right_angled_position() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        true, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        true *= np.sign(np.linalg.det(true))
        lean = np.sin(np.radians(12))
        up = np.cos(np.radians(12))
        sides = np.array([[-lean, 0, up], [0, -lean, up], [lean, 0, up], [0, lean, up]])

        found = mounting(np.array([0, 0, 1.0]) @ true, sides @ true)

        assert np.allclose(found, true, atol=1e-6)


def test_bias_is_seen_where_tilts_are_wide() -> None:
    tilts = np.radians([0, 35, 35, 35, 35])
    turns = np.radians([0, 0, 90, 180, 270])
    up = np.column_stack(
        (np.sin(tilts) * np.cos(turns), np.sin(tilts) * np.sin(turns), np.cos(tilts))
    )
    bias = np.array([0.02, -0.03, 0.025])

    found, sd = sphere(up + bias)

    assert np.allclose(found, bias, atol=0.012)
    assert (sd < 0.03).all()
