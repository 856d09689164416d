"""Both ends of the ring in one process; two processes are in test_cells_apart.py."""

from collections.abc import Iterator

import pytest

from firmware_bridge.messages import CellState
from hw.drivers.cells_ring import SLOTS, CellsRing
from hw.drivers.hx711 import CellCopy, CellTally, CountFlag, Hx711Reading

ENDS = tuple[CellsRing, CellsRing]


@pytest.fixture
def ends() -> Iterator[ENDS]:
    writer = CellsRing()
    reader = CellsRing(writer.descriptor)
    yield writer, reader
    reader._memory.close()
    writer.close()


def reading(number: int) -> Hx711Reading:
    return Hx711Reading(0.01 * number, -number, CountFlag.STRETCHED)


def test_readings_come_once_in_order_and_as_they_were(ends: ENDS) -> None:
    writer, reader = ends
    assert reader.take() == []
    for number in range(10):
        writer.put(number % 4, reading(number))

    assert reader.take() == [(number % 4, reading(number)) for number in range(10)]
    assert reader.take() == []


def test_what_was_overwritten_is_counted_and_the_rest_comes(ends: ENDS) -> None:
    writer, reader = ends
    for number in range(3 * SLOTS):
        writer.put(0, reading(number))
    taken = [each.count for _, each in reader.take()]

    assert taken == [-number for number in range(reader.lost, 3 * SLOTS)]
    assert reader.lost + len(taken) == 3 * SLOTS
    assert len(taken) >= SLOTS // 2


def test_a_record_that_is_half_written_is_not_taken(ends: ENDS) -> None:
    writer, reader = ends
    writer.put(0, reading(1))
    place = reader._slot_at(1)
    whole = reader._memory[place + 12]
    reader._memory[place + 12] = whole ^ 1
    assert reader.take() == []

    reader._memory[place + 12] = whole
    assert reader.take() == [(0, reading(1))]


def test_how_a_cell_is_and_how_far_it_was_read_are_told(ends: ENDS) -> None:
    writer, reader = ends
    assert reader.status(2, "C") is None
    assert reader.heard_s() == float("-inf")
    status = CellCopy("C", CellState.SILENT, True, 0.0125, CellTally(*range(9)))
    writer.tell(2, status)
    writer.tell(3, CellCopy("D"))
    writer.told_all(12.5)

    assert reader.status(2, "C") == status
    assert reader.status(3, "D") == CellCopy("D")
    assert reader.heard_s() == 12.5
