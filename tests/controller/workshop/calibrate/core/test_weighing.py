"""The pieces of each colour weighed by a simulated owner: means, spread, slips, putty."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from controller.workshop.calibrate.core.course import Course
from controller.workshop.calibrate.core.steps import StepLook, StepState
from controller.workshop.calibrate.core.weighing import PieceWeighing, PuttyDosing
from engine.tabletop import ColourPiece
from hw.calibration import Calibration
from hw.source import samples_of
from lab.twin.one_cell import OneCellTower
from lab.twin.owner import Owner
from lab.twin.parameters import Preset, TwinParameters
from lab.twin.tower import Tower
from tests.controller.workshop.calibrate.core.tables import Led, drawn

LIMIT_S = 400.0
RED, BLUE = "red", "blue"


def coloured(preset: Preset = "normal", seed: int = 5, **means_g: float) -> TwinParameters:
    """A table whose pieces of each colour weigh so much, give or take one per cent."""
    table = drawn(preset, seed)
    colours = tuple(ColourPiece(name, g, 0.01 * g) for name, g in means_g.items())
    return replace(table, piece=replace(table.piece, colours=colours))


class Session(Led):
    """A course at a simulated table, and things laid on the plate."""

    def lay(self, grams: float) -> None:
        """Lay something down, a moment later."""
        self.tower.at(self.tower.now_s + 0.5, lambda: self.tower.put_weight(grams, -70.0, -70.0))

    def take(self) -> None:
        """Take away what was laid down last, a moment later."""
        self.tower.at(self.tower.now_s + 0.3, self.tower.take_weight)


def session(
    parameters: TwinParameters,
    seed: int = 5,
    make: Callable[[Calibration], Course] = lambda known: PieceWeighing(known, (RED, BLUE)),
) -> Session:
    tower = Tower(parameters, seed)
    owner = Owner(tower, np.random.default_rng([seed, 9]), (34.0,))
    return Session(tower, make(tower.calibration), owner, longest_s=LIMIT_S)


def weighed(one: Session) -> Calibration:
    for _ in one.moments():
        pass
    assert isinstance(one.course, PieceWeighing)
    return one.course.calibration()


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["calm", "normal", "rough"])
def test_two_heaps_are_weighed_to_a_few_hundredths_of_a_gram_a_piece(preset: Preset) -> None:
    one = session(coloured(preset, red=3.0, blue=4.0))

    piece = weighed(one).piece

    red, blue = piece.colours
    assert (red.colour, blue.colour) == (RED, BLUE)
    true_g = [float(np.mean(one.owner.masses_g(colour))) for colour in (RED, BLUE)]
    assert blue.mass_mean_g - red.mass_mean_g == pytest.approx(true_g[1] - true_g[0], abs=0.02)
    assert 0.01 <= red.mass_std_g == blue.mass_std_g <= 0.08
    assert piece.mass_mean_g == pytest.approx((red.mass_mean_g + blue.mass_mean_g) / 2, abs=1e-3)
    assert piece.mass_std_g == pytest.approx(0.5, abs=0.05)
    assert one.course.seconds < 150


@pytest.mark.slow
def test_pieces_that_differ_much_are_seen_to() -> None:
    table = coloured(red=3.0, blue=3.0)
    loose = tuple(replace(each, mass_std_g=0.3) for each in table.piece.colours)

    found = weighed(session(replace(table, piece=replace(table.piece, colours=loose))))

    assert found.piece.colours[0].mass_std_g == pytest.approx(0.27, abs=0.12)


@pytest.mark.slow
def test_a_wrong_piece_is_taken_back_by_one_undo() -> None:
    one = session(coloured(red=3.0, blue=4.0))
    one.until("one_blue_3")
    right_g = one.owner.masses_g(BLUE)[2]
    one.owner.masses_g(BLUE)[2] = 3.0
    one.until("one_blue_4")
    one.owner.masses_g(BLUE)[2] = right_g

    assert one.course.repeat() == "one_blue_3"
    one.watch(0.4)
    assert one.course.step.name == "clear_one_blue_3"
    assert one.course.step.asks == "Take the last piece away again."
    found = weighed(one)

    assert found.piece.colours[1].mass_std_g < 0.1


def test_a_heap_is_not_taken_for_the_next_one() -> None:
    one = session(coloured(red=3.0, blue=4.0))
    one.until("heap_blue")

    one.watch(6.0)

    assert one.course.step.name == "clear_heap_blue"
    assert one.course.step.asks == "Take everything off."


def test_a_first_handful_is_no_heap() -> None:
    one = session(coloured(red=3.0, blue=4.0))
    one.until("heap_red")
    one.watch(3.0)
    one.lay(18.0)

    looks = one.watch(6.0)

    assert "so far" in looks[-1].text
    one.lay(18.0)
    assert StepState.DONE in {look.state for look in one.watch(7.0)}


def test_two_pieces_for_one_are_refused_until_one_is_taken_away() -> None:
    one = session(coloured(red=3.0, blue=4.0))
    one.until("one_red_2")
    one.watch(3.0)
    one.lay(3.0)
    one.lay(3.0)

    looks = one.watch(3.0)

    assert looks[-1].state is StepState.WRONG
    assert "one piece only" in looks[-1].text
    one.take()
    assert StepState.DONE in {look.state for look in one.watch(3.0)}


@pytest.mark.slow
def test_a_heap_of_eleven_is_counted_by_its_single_pieces() -> None:
    one = session(coloured(red=3.0, blue=4.0))
    assert isinstance(one.course, PieceWeighing)
    with pytest.raises(RuntimeError, match="not all weighed"):
        one.course.calibration()
    one.owner.masses_g(BLUE).pop()

    found = weighed(one)

    assert one.course.counts() == {RED: 12, BLUE: 11}
    assert found.piece.colours[1].mass_mean_g == pytest.approx(4.0, abs=0.05)


@pytest.mark.slow
def test_a_starter_weighs_pieces_too() -> None:
    one = session(coloured(red=3.0, blue=4.0))
    starter = OneCellTower(one.tower)
    course = PieceWeighing(starter.calibration, (RED, BLUE))
    now_s = 0.0
    while not course.done and now_s < LIMIT_S:
        now_s += 0.2
        for item in samples_of(starter.poll(now_s)):
            course.feed(item)
        step, look = course.step, course.look()
        if look.state is not StepState.DONE:
            one.owner.attend(step.name, now_s, wrong=False)

    red, blue = course.calibration().piece.colours
    assert blue.mass_mean_g - red.mass_mean_g == pytest.approx(1.0, abs=0.05)


def test_putty_is_added_until_it_is_enough() -> None:
    one = session(coloured(red=3.0), make=lambda known: PuttyDosing(known, RED, 3.6))
    one.until("putty_red_1")
    one.watch(3.0)
    one.lay(3.0)
    wanting_g = grams_of(one.watch(2.5)[-1])
    one.lay(0.3)
    still_g = grams_of(one.watch(2.5)[-1])
    one.lay(0.45)
    more = one.watch(2.5)[-1]
    one.take()
    one.lay(still_g)
    looks = one.watch(3.0)

    assert wanting_g == pytest.approx(0.6, abs=0.2)
    assert still_g == pytest.approx(wanting_g - 0.3, abs=0.15)
    assert (more.state, more.text[-9:]) == (StepState.WRONG, "too much.")
    assert StepState.DONE in {look.state for look in looks}
    assert one.course.step.name == "clear_putty_red_2"


def grams_of(look: StepLook) -> float:
    """What the screen says is wanting."""
    assert look.text.endswith(" g more.")
    return float(look.text.split()[0])
