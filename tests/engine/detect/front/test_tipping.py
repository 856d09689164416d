"""The tilt switch of a starter table."""

from engine.detect.front.tipping import KEPT, Tipping
from engine.samples import SwitchSample


def tipped(*edges: tuple[float, bool], believed: bool = True) -> Tipping:
    made = Tipping(believed=believed)
    for t_s, closed in edges:
        made.feed(SwitchSample(t_s, closed))
    return made


def test_a_closure_within_the_contact_or_just_before_it_counts() -> None:
    switch = tipped((9.8, True), (9.9, False))

    assert switch.since(10.0)
    assert switch.since(9.0)
    assert not switch.since(10.2)


def test_a_switch_that_stays_closed_says_nothing() -> None:
    assert not tipped((9.8, True)).since(10.2)


def test_a_table_that_knows_better_does_not_ask_it() -> None:
    assert not tipped((9.8, True), (9.9, False), believed=False).since(9.0)


def test_memory_is_bounded() -> None:
    switch = tipped(*[(float(number), number % 2 == 0) for number in range(10 * KEPT)])

    assert len(switch._closed_s) == KEPT
