"""The winner waits for answers, and not for ever."""

from dataclasses import replace

from controller.table.calling import UNANSWERED_S, Calling
from engine.events import HumanInput, Placed, ToppleCause, Toppled, ToppleKind
from engine.referee import RefereeState
from tests.controller.evenings import START as EVENING
from tests.controller.evenings import Evening, samples

KIND = ToppleKind.OFF_BOARD
START = replace(EVENING, data={**EVENING.data, "target": 8})
PLACED = tuple(
    (4.0 + 6.0 * turn, cell, 0.6 if cell == "e1" else 0.999)
    for turn, cell in enumerate(("a1", "b1", "c1", "d1", "e1"))
)
"""When the die was told, where the piece went, and how sure the table is of that."""
ASKED = RefereeState(game_id="g", at_end=("cell-3", "blame-9"))


def test_answers_are_awaited_for_half_a_minute() -> None:
    calling = Calling()

    assert calling.waits(ASKED, 100.0)
    assert calling.waits(ASKED, 100.0 + UNANSWERED_S - 0.1)
    assert not calling.lapsed(ASKED, "open", 100.0 + UNANSWERED_S - 0.1)
    assert not calling.lapsed(ASKED, "final", 1000.0)
    assert not calling.lapsed(ASKED, None, 1000.0)
    assert calling.lapsed(ASKED, "open", 100.0 + UNANSWERED_S)
    assert calling.waits(replace(ASKED, game_id="the next"), 1000.0)


def test_each_answer_gives_the_others_as_long_again() -> None:
    calling = Calling()
    calling.waits(ASKED, 100.0)
    answered = replace(ASKED, at_end=("blame-9",))

    assert calling.waits(answered, 120.0)
    assert calling.waits(answered, 149.0)
    assert not calling.waits(answered, 150.0)


def test_the_table_calls_the_winner_when_nobody_has_answered_for_so_long() -> None:
    ends_s = 40.0
    evening = Evening(
        START,
        *(HumanInput(at_s, "roll", {"value": 6}) for at_s, _, _ in PLACED),
        HumanInput(ends_s - 2.0, "roll", {"value": 6}),
        samples(ends_s + 2.0),
        events=(
            *(
                Placed(number, at_s + 2.0, at_s + 2.4, cell, p, (("e5", 1.0 - p),))
                for number, (at_s, cell, p) in enumerate(PLACED, 1)
            ),
            Toppled(9, ends_s, ends_s + 1.0, KIND, ToppleCause.PLACING, 0.99, 0.99),
        ),
    )
    evening.step(ends_s + 3.0)
    evening.announcer.flush_now()
    open_one = evening.wire.last("state")
    evening.step(ends_s + 3.0 + UNANSWERED_S)
    evening.step(ends_s + 4.0 + UNANSWERED_S)
    evening.announcer.flush_now()  # not twice in a moment of the real clock
    final = evening.wire.last("state")

    assert (open_one["phase"], open_one["result"]) == ("over", "open")
    assert (final["result"], final["winners"], final["rev"]) == ("final", ["Ann"], open_one["rev"])
    assert [asked["kind"] for asked in final["before_winner"]] == ["cell"]
