import pytest

from hw.errors import BadTwin
from hw.sim.twin.fault_words import FAULT_WORDS, parse_fault
from hw.sim.twin.faults import FaultKind


@pytest.mark.parametrize("words", FAULT_WORDS)
def test_every_fault_can_be_ordered_by_its_words(words: str) -> None:
    kind, size = FAULT_WORDS[words]
    fault = parse_fault(f"{words} cell 3")

    assert (fault.kind, fault.cell, fault.size) == (kind, 2, size)


def test_people_count_cells_from_one_and_may_give_a_size() -> None:
    fault = parse_fault("  Noisy   cell 4 12.5 ", start_s=3.0)

    assert (fault.kind, fault.cell, fault.size) == (FaultKind.NOISY, 3, 12.5)
    assert fault.start_s == 3.0


def test_every_kind_has_words() -> None:
    reached = {kind for kind, _ in FAULT_WORDS.values()}

    assert set(FaultKind) == reached


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("unpluged cell 2", "did you mean 'unplugged'"),
        ("", "known: unplugged"),
        ("noisy cell 5", "numbered 1 to 4"),
        ("noisy cell 0", "numbered 1 to 4"),
        ("noisy cell two", "there is no such fault"),
    ],
)
def test_an_order_nobody_can_follow_is_refused_with_a_hint(order: str, words: str) -> None:
    with pytest.raises(BadTwin, match=words):
        parse_fault(order)


def test_a_number_beyond_reason_is_no_fault() -> None:
    with pytest.raises(BadTwin, match="there is no such fault"):
        parse_fault("stuck cell " + "9" * 5000)
