"""What the scene makes of a contact in which the table was pushed."""

from engine.detect.contact import Touch
from engine.detect.pressing import Press
from engine.detect.priors import BEHAVIOUR
from engine.detect.scene import SHAKEN_SD_MM, TREMBLED_SD_MM, Scene
from tests.engine.detect.tables import TABLETOP, tick

LEVEL = (0.0, 0.0, 1.0)
PRESSED = Press((20.0, 0.0), 1.0, 12.0)


def pushed(by_g: float) -> Scene:
    """A contact that began at 1 s, in which the table was pushed so much."""
    scene = Scene(TABLETOP, BEHAVIOUR)
    scene.balance.touch = Touch(1.0)
    scene.pressing.where = lambda *_: PRESSED  # type: ignore[method-assign]
    scene.shocks.update(tick(1.1, force_x_g=by_g), LEVEL)
    return scene


def test_a_hand_says_where_it_pressed_unless_the_table_was_pushed_meanwhile() -> None:
    """The push weighs on the cells and turns no board: pieces on c2 and c4 were told on c3."""
    assert pushed(0.0)._press() == PRESSED
    assert pushed(0.1)._press() is None


def test_a_light_push_shifts_the_pieces_less_than_one_in_which_they_slide() -> None:
    assert pushed(0.0)._shaken_mm() == 0.0
    assert pushed(0.1)._shaken_mm() == TREMBLED_SD_MM
    assert pushed(0.5)._shaken_mm() == SHAKEN_SD_MM
