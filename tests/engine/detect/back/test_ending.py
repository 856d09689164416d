"""How often people agree to stop a round: most never do, and others show it at once."""

from hypothesis import given
from hypothesis import strategies as st

from engine.detect.back.ending import how_often_stopped, stopped_for_nothing
from engine.detect.back.parameters import HARDLY_STOPS, LOW_FOR_NOTHING

ROUNDS = st.floats(0.0, 200.0)


@given(stopped=ROUNDS, fallen=ROUNDS)
def test_it_is_a_share_that_rises_with_rounds_stopped_and_falls_with_towers(
    stopped: float, fallen: float
) -> None:
    often = how_often_stopped(stopped, fallen)
    # Who never stops does so hardly; after 199 towers nobody does oftener than that.
    counted = (stopped + 1.0) / (stopped + fallen + 2.0)

    assert min(HARDLY_STOPS, counted) - 1e-12 < often < 1.0
    assert how_often_stopped(stopped + 1.0, fallen) > often
    assert how_often_stopped(stopped, fallen + 1.0) < often + 1e-12


def test_one_round_tells_who_stops_rounds_and_a_whole_evening_who_does_not() -> None:
    assert how_often_stopped(1.0, 3.0) > 0.25
    assert how_often_stopped(0.0, 12.0) < 0.01


@given(pieces=st.integers(0, 60))
def test_the_higher_a_tower_the_likelier_people_stop_for_nothing_but_its_height(
    pieces: int,
) -> None:
    share = stopped_for_nothing(pieces)

    assert LOW_FOR_NOTHING <= share <= stopped_for_nothing(pieces + 1) <= 1.0
