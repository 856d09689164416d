from typing import Any

import pytest

from lab.twin.episodes import Cause, Entry, ToppleEpisode, TruthLog
from lab.twin.pieces import TwinPiece

NEWEST = TwinPiece(0, "red", 3.1234, 0.3)


def piece(number: int, cell: str | None = None) -> TwinPiece:
    return TwinPiece(number, "red", 3.0, 0.3, cell=cell)


def placed() -> tuple[TruthLog, Entry]:
    """The newest piece was placed at 10 s."""
    log = TruthLog()
    entry = log.add(10.0, "place", t_settled=None, mass=3.1234, ended_in_topple=False)
    log.placed(entry)
    return log, entry


def falls(log: TruthLog, at_s: float, cause: Cause = "bump", fallen: Any = (NEWEST,)) -> None:
    topple = ToppleEpisode(at_s, cause, 0, fallen=list(fallen))
    log.toppled(topple)
    log.felled(topple)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["c3"], "off_stack"),
        ([None], "off_board"),
        (["c3", None, None], "off_board"),
        (["c3"] * 4, "collapse"),
        ([None] * 9, "collapse"),
    ],
)
def test_kind_follows_how_many_fell_and_where_to(cells: list, kind: str) -> None:
    topple = ToppleEpisode(1.0, "placing", 0)
    topple.add(1.2, [piece(n, cell) for n, cell in enumerate(cells)])

    assert topple.entry([])["kind"] == kind


def test_pieces_on_the_base_are_off_the_board_but_still_weigh() -> None:
    lying, gone = piece(1), piece(2)
    topple = ToppleEpisode(1.0, "bump", 1)
    topple.add(1.1, [lying, gone])

    entry = topple.entry([lying])
    assert (entry["fallen"], entry["off_board"], entry["on_base"]) == (2, 2, 1)
    assert (entry["g_off"], entry["g_table"]) == (6.0, 3.0)


def test_a_piece_that_falls_twice_is_one_piece() -> None:
    one = piece(1)
    topple = ToppleEpisode(1.0, "placing", 0)
    topple.add(1.1, [one])
    topple.add(1.3, [one])

    assert topple.entry([])["fallen"] == 1


@pytest.mark.parametrize(("settled_s", "detectable_s"), [(1.2, 1.7), (3.0, 3.0), (20.0, 6.0)])
def test_a_topple_can_be_told_at_the_earliest_after_one_swing(
    settled_s: float, detectable_s: float
) -> None:
    topple = ToppleEpisode(1.0, "placing", 0, settled_s=settled_s)

    assert topple.entry([])["t_detectable"] == detectable_s


@pytest.mark.parametrize(("later_s", "undone"), [(0.5, True), (3.0, False)])
def test_a_topple_while_placing_undoes_the_placement_just_before(
    later_s: float, undone: bool
) -> None:
    log, entry = placed()
    log.toppled(ToppleEpisode(10.0 + later_s, "placing", 0))

    assert entry["ended_in_topple"] is undone


@pytest.mark.parametrize(
    ("at_rest", "rolled", "undone"),
    [(False, False, True), (True, False, False), (False, True, False)],
)
def test_a_bump_undoes_a_placement_from_which_the_board_still_swings(
    at_rest: bool, rolled: bool, undone: bool
) -> None:
    log, entry = placed()
    for step in range(30):
        log.watch(10.0 + 0.01 * step, 0.001 if at_rest else 0.5)
    if rolled:
        log.add(10.4, "turn")
    log.toppled(ToppleEpisode(11.5, "bump", 0))

    assert entry["ended_in_topple"] is undone


@pytest.mark.parametrize("still_again", [False, True])
def test_a_piece_under_which_the_board_was_touched_stands_once_the_board_has_lain_still(
    still_again: bool,
) -> None:
    log, entry = placed()
    log.watch(10.1, 0.5)
    log.touched()
    for step in range(60):
        log.watch(10.2 + 0.01 * step, 0.001 if still_again else 0.5)
    log.toppled(ToppleEpisode(11.5, "bump", 0))

    assert entry["ended_in_topple"] is not still_again
    assert entry["t_settled"] is None


@pytest.mark.parametrize(("bumped_s", "stands"), [(10.45, False), (10.55, True), (10.9, True)])
def test_a_piece_that_has_lain_still_for_a_third_of_a_second_stands_whatever_is_bumped_off(
    bumped_s: float, stands: bool
) -> None:
    log, entry = placed()
    for step in range(45):
        log.watch(10.0 + 0.01 * step, 0.5 if step < 20 else 0.001)
    assert entry["t_settled"] == 10.2
    falls(log, bumped_s)

    assert entry["ended_in_topple"] is not stands


def test_a_bump_after_the_last_of_all_pieces_undoes_nothing() -> None:
    log, entry = placed()
    log.add(10.1, "played_out")
    falls(log, 10.5)

    assert not entry["ended_in_topple"]


OTHER = TwinPiece(1, "red", 2.9, 0.3)


@pytest.mark.parametrize(
    ("fallen", "undone"), [([NEWEST], True), ([NEWEST, OTHER], False), ([OTHER], False)]
)
def test_a_bump_that_fells_the_newest_piece_alone_undoes_it(fallen: Any, undone: bool) -> None:
    log, entry = placed()
    log.felled(ToppleEpisode(20.0, "bump", 0, fallen=fallen))

    assert entry["ended_in_topple"] is undone


@pytest.mark.parametrize("cause", ["placing", "bump"])
@pytest.mark.parametrize("rolled", [False, True])
def test_a_piece_that_falls_alone_after_the_next_roll_had_counted(
    rolled: bool, cause: Cause
) -> None:
    log, entry = placed()
    if rolled:
        log.add(12.0, "turn")
    falls(log, 14.0, cause)

    assert entry["ended_in_topple"] is not rolled


def test_rest_is_noted_when_it_lasts() -> None:
    log, entry = placed()
    for step, rate in enumerate([0.5, 0.001, 0.3, 0.001] + [0.001] * 30):
        log.watch(10.0 + 0.01 * step, rate)

    assert entry["t_settled"] == pytest.approx(10.03)
