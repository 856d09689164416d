import pytest

from hw.errors import BadTwin
from lab.twin.fault_words import FAULT_WORDS, parse_fault
from lab.twin.faults import FaultKind


@pytest.mark.parametrize("words", FAULT_WORDS)
def test_every_fault_can_be_ordered_by_its_words(words: str) -> None:
    kind, size = FAULT_WORDS[words]
    fault = parse_fault(f"{words} cell C2")

    assert (fault.kind, fault.cell, fault.size) == (kind, 2, size)


def test_a_cell_is_named_as_on_the_drawings_and_a_size_may_follow() -> None:
    fault = parse_fault("  Noisy   cell C3 12.5 ", start_s=3.0)

    assert (fault.kind, fault.cell, fault.size) == (FaultKind.NOISY, 3, 12.5)
    assert fault.start_s == 3.0


def test_an_older_file_counts_load_cells_from_one() -> None:
    assert parse_fault("noisy cell 4 12.5") == parse_fault("noisy cell C3 12.5")


def test_every_kind_has_words() -> None:
    reached = {kind for kind, _ in FAULT_WORDS.values()}

    assert set(FaultKind) == reached


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("unpluged cell C1", "did you mean 'unplugged'"),
        ("", "known: unplugged"),
        ("noisy cell C4", "they are C0 to C3"),
        ("noisy cell 0", "they are C0 to C3"),
        ("noisy cell two", "there is no such fault"),
    ],
)
def test_an_order_nobody_can_follow_is_refused_with_a_hint(order: str, words: str) -> None:
    with pytest.raises(BadTwin, match=words):
        parse_fault(order)


def test_a_number_beyond_reason_is_no_fault() -> None:
    with pytest.raises(BadTwin, match="there is no such fault"):
        parse_fault("stuck cell " + "9" * 5000)
