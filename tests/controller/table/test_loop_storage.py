"""What a running table says of its disks."""

import pytest

from controller.common.errors import JournalError
from controller.common.troubles import STORAGE_FULL, STORAGE_READ_ONLY
from engine.events import Fault, ToppleCause, Toppled, ToppleKind
from tests.controller.evenings import PLACED, START, Evening, samples


def test_a_card_that_turns_read_only_is_told_and_when_it_is_well_again() -> None:
    evening = Evening(START)
    evening.step(1.0)
    trouble = STORAGE_READ_ONLY(path="/j", point="/")
    evening.places.wrong = {"journal": trouble}
    evening.step(2.0)
    said = evening.wire.last("status")
    evening.places.wrong = {}
    evening.step(3.0)

    assert said["phase"] == "degraded"
    assert said["troubles"] == [{
        "sensor": "storage.journal", "reason": trouble.sentence, "code": "storage_read_only",
        "args": {"path": "/j", "point": "/"},
    }]  # fmt: skip
    assert said["mode"] == f"The game goes on. {trouble.sentence}."
    assert evening.wire.last("status")["phase"] == "ready"


def test_little_room_is_told_beside_everything_else() -> None:
    fault = Fault(2.0, "scale.2", "No counts. Check its plug.")
    evening = Evening(samples(1.0), samples(2.5), events=(fault,))
    evening.journal.trouble = STORAGE_FULL(path="/j", mb=7.9)
    evening.step(3.0)

    troubles = evening.wire.last("status")["troubles"]
    assert [each["sensor"] for each in troubles] == ["scale.2", "storage.room"]
    assert "7.9 MB left" in troubles[1]["reason"]


def test_a_table_that_stops_since_nothing_can_be_stored_says_why_first_of_all() -> None:
    fault = Fault(2.0, "scale.2", "No counts. Check its plug.")
    evening = Evening(START, samples(2.5), samples(5.0), events=(fault,))
    evening.step(3.0)
    evening.journal.room = 0
    evening.command("undo", id="a")
    shown = evening.wire.last("state")
    with pytest.raises(JournalError):
        evening.step(6.0)
    evening.table.close(1000.0)

    status = evening.wire.last("status")
    assert (status["phase"], status["mode"]) == ("stopping", "")
    assert [each.get("code") for each in status["troubles"]] == ["journal_stopped", None]
    assert evening.wire.last("state") == shown


def test_of_two_decisions_of_one_moment_none_is_shown_that_finds_no_room() -> None:
    """Soak 158025: a piece after a fall that was none, on a disk that was full between them."""
    fallen = Toppled(2, 3.0, 3.4, ToppleKind.OFF_BOARD, ToppleCause.PLACING, 0.99)
    evening = Evening(START, samples(5.0), events=(PLACED, fallen))
    evening.step(2.0)
    evening.journal.room = 1
    with pytest.raises(JournalError):
        evening.step(6.0)
    evening.table.close(1000.0)

    kept = evening.journal.outputs[-1].state
    assert evening.pipeline.state.rev > kept.rev
    assert evening.wire.last("state")["rev"] == kept.rev
    assert evening.table.board.rev == kept.rev
