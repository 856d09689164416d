from lab.fit import seat, swing
from tests.lab.fit.evenings import Truth, swung_evening, with_rounds


def test_the_wander_of_the_seat_is_found_again_from_empty_boards() -> None:
    evening = with_rounds(swung_evening(Truth(friction_deg=0.05)), 0.05)
    found = seat.fitted(evening, swing.fitted(evening))[0]

    assert found.name == "seat_step_mm"
    assert found.low < 0.05 < found.high
    assert found.high < 0.12


def test_a_board_that_is_never_cleared_tells_nothing_of_its_seat() -> None:
    evening = swung_evening(Truth())
    found = seat.fitted(evening, swing.fitted(evening))

    assert not found[0].seen
    assert "3 clearings" in found[0].note
