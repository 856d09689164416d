from types import SimpleNamespace

import pytest

from controller.ways import USUAL
from tests.benchmarks import detection_ways
from tests.benchmarks.detection_figures import load_judge
from tests.benchmarks.detection_games import Game, Replayed

JUDGE = SimpleNamespace(
    WINDOW_S=1.5,
    final_placements=lambda events: events,
    match=lambda truths, found, _key, _early, _late: (
        [(t, f) for t in truths for f in found if f["t"] == t["t"]], [], [],
    ),
)  # fmt: skip


def lived(*right: bool) -> Replayed:
    """An evening with a placement each ten seconds, seen rightly or not at all."""
    truth = [{"type": "place", "t": 10.0 * k, "cell": "c3"} for k in range(len(right))]
    events = [{"t": 10.0 * k, "cell": "c3"} for k, seen in enumerate(right) if seen]
    game = Game("g", "twin", "calm", detection_ways.NO_FILE, detection_ways.NO_FILE, "")
    return Replayed(game, events, truth, 0.0, 10.0 * len(right))


def test_one_piece_missed_is_not_deaf_two_in_a_row_are() -> None:
    assert list(detection_ways.deaf_spans(JUDGE, lived(True, False, True, True))) == []  # type: ignore[arg-type]
    spans = list(detection_ways.deaf_spans(JUDGE, lived(True, False, False, False, True)))  # type: ignore[arg-type]
    assert spans == [(30.0, 3)]


def test_a_table_that_stays_deaf_is_deaf_to_the_end() -> None:
    assert list(detection_ways.deaf_spans(JUDGE, lived(True, False, False))) == [(20.0, 2)]  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [["--only", "nobody"], ["--games", "0"]])
def test_what_cannot_be_played_is_refused_in_words(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        detection_ways.main(given)

    assert stopped.value.code == 2
    assert given[0] in capsys.readouterr().err


def test_an_evening_of_the_usual_people_is_followed_to_the_point() -> None:
    judge = load_judge()
    if judge is None:
        pytest.skip("the judge (../shared/traces/evaluate.py) is not beside the checkout")
    row = detection_ways.Row("usual")
    played = detection_ways.play(3, "calm", USUAL, detection_ways.OddTable(), 60.0)
    detection_ways.take(row, judge, played)

    assert row.found.placements > 5
    assert row.found.right == row.found.placements
    assert (row.exact, row.finished) == (1, 1)
    assert "1/1" in detection_ways._cells(row)
