"""Detector and referee joined: order, time, numbers, and what is remembered."""

from controller.table.pipeline import Output, Pipeline, replayed
from engine.events import (
    Cleared,
    Corrected,
    Dismissed,
    Fault,
    HumanInput,
    Placed,
    Retracted,
    Suspected,
    Toppled,
)
from engine.events import ToppleCause as Cause
from engine.events import ToppleKind as Kind
from engine.referee import RefereeState
from hw.source import Item
from tests.controller.scripted import ScriptedDetector, until
from tests.engine.referee.script import ANN_AND_BOB

START = HumanInput(1.0, "start", {"players": ANN_AND_BOB, "target": 100, "first": 0})


def rolled(t_s: float, value: int) -> HumanInput:
    return HumanInput(t_s, "roll", {"value": value})


def played(pipeline: Pipeline, *items: Item) -> list[Output]:
    return [output for item in items for output in pipeline.feed(item)]


def test_what_was_decided_before_an_input_comes_before_it() -> None:
    detector = ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99), Placed(2, 6.0, 6.4, "c3", 0.99))
    pipeline = Pipeline(detector)
    outputs = played(pipeline, START, rolled(2.0, 4), until(9.0))
    assert [type(output.cause).__name__ for output in outputs[2:]] == ["Placed", "Placed"]

    detector = ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99), Placed(2, 6.0, 6.4, "c3", 0.99))
    pipeline = Pipeline(detector)
    detector.feed(until(9.0))
    outputs = played(pipeline, START, rolled(2.0, 4), rolled(5.0, 1), until(9.0))

    causes = [getattr(output.cause, "type", None) or "placed" for output in outputs]
    assert causes == ["start", "roll", "placed", "roll", "placed"]


def test_what_is_decided_late_is_dated_no_earlier_than_what_was_told_before() -> None:
    # A silent sensor holds the detector up; the phone is heard at once.
    pipeline = Pipeline(ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99), Fault(3.5, "imu", "-")))
    played(pipeline, START, rolled(2.0, 4))
    pipeline.say(HumanInput(3.9, "undo", {}))
    late = pipeline.feed(until(9.0))

    assert [outcome.t_s for output in late for outcome in output.outcomes] == [3.9]


def test_the_detector_is_told_what_to_expect_after_each_change() -> None:
    detector = ScriptedDetector()
    played(Pipeline(detector), START, rolled(2.0, 2))

    assert [each.legal_cells for each in detector.expectations[-2:]] == [
        None,
        ("c2", "b3", "d3", "c4"),
    ]


def test_peoples_word_reaches_the_detector() -> None:
    detector = ScriptedDetector(Placed(7, 3.0, 3.4, "e2", 0.8, (("e4", 0.15),)))
    pipeline = Pipeline(detector)
    played(pipeline, START, rolled(2.0, 4), until(4.0), HumanInput(5.0, "answer", {"value": "e4"}))

    assert detector.amended == [(7, "e4")]


def test_cleared_is_passed_on_even_when_the_rules_do_not_need_it() -> None:
    detector = ScriptedDetector()
    outputs = played(Pipeline(detector), START, HumanInput(4.0, "cleared"))

    assert detector.pressed == [4.0]
    assert outputs[-1].refused is not None
    assert not outputs[-1].remembered


FALL = (
    Placed(1, 3.0, 3.4, "e2", 0.99),
    Toppled(2, 6.0, 7.0, Kind.COLLAPSE, Cause.PLACING, 0.99),
)


def test_cleared_ends_the_round_when_the_table_had_not_seen_it() -> None:
    pipeline = Pipeline(ScriptedDetector(*FALL))
    played(pipeline, START, rolled(2.0, 4), until(9.0))
    assert pipeline.state.position.clearing
    played(pipeline, HumanInput(10.0, "cleared"))

    assert not pipeline.state.position.clearing


def test_cleared_that_the_table_had_seen_before_changes_nothing_and_is_answered() -> None:
    detector = ScriptedDetector(*FALL, Cleared(9.5, 10.0), Placed(3, 13.0, 13.4, "c3", 0.99))
    detector.cleared_is_news = False
    pipeline = Pipeline(detector)
    outputs = played(pipeline, START, rolled(2.0, 4), until(10.0), rolled(11.0, 1), until(14.0))
    before = outputs[-1].state
    pressed = HumanInput(15.0, "cleared")
    answers = played(pipeline, pressed)

    assert detector.pressed == [15.0]
    assert [answer.cause for answer in answers] == [pressed]
    assert answers[0].refused is None
    assert answers[0].outcomes == ()
    assert not answers[0].remembered
    assert pipeline.state is before


def test_what_was_decided_before_a_late_press_is_not_lost() -> None:
    detector = ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99))
    detector.cleared_is_news = False
    pipeline = Pipeline(detector)
    detector.feed(until(5.0))
    played(pipeline, START, rolled(2.0, 4))
    detector.feed(until(9.0))
    outputs = played(pipeline, HumanInput(8.0, "cleared"))

    assert [type(output.cause) for output in outputs] == [Placed, HumanInput]


def test_a_late_press_at_a_resumed_table_is_answered_in_its_time() -> None:
    first = Pipeline(ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99)))
    played(first, START, rolled(2.0, 4), until(4.0))
    detector = ScriptedDetector()
    detector.cleared_is_news = False
    (answer,) = played(Pipeline(detector, first.state, resume_s=100.0), HumanInput(3.0, "cleared"))

    assert detector.pressed == [3.0]
    assert isinstance(answer.cause, HumanInput)
    assert answer.cause.t_s == 103.0


def test_a_refused_input_changes_nothing_and_says_why() -> None:
    pipeline = Pipeline(ScriptedDetector())
    played(pipeline, START)
    (output,) = pipeline.feed(HumanInput(3.0, "pass"))

    assert output.refused is not None
    assert output.state is output.before


def test_remembered_causes_rebuild_the_referee_exactly() -> None:
    detector = ScriptedDetector(
        Placed(1, 3.0, 3.4, "e2", 0.99),
        Corrected(1, 4.0, "e4", 0.99),
        Fault(4.5, "scale.1", "check the wire"),
        Toppled(2, 6.0, 7.0, Kind.COLLAPSE, Cause.BUMP, 0.99),
        Cleared(12.0, 12.5),
    )
    pipeline = Pipeline(detector)
    outputs = played(
        pipeline,
        START,
        rolled(2.0, 4),
        until(5.0),
        rolled(5.5, 1),
        until(9.0),
        HumanInput(9.5, "roll", {"value": 9}),
        HumanInput(10.0, "blame", {"player": 1}),
        until(13.0),
        HumanInput(14.0, "undo"),
    )
    causes = [output.cause for output in outputs if output.remembered]

    assert replayed(causes) == pipeline.state


def test_a_resumed_table_carries_time_and_numbers_on() -> None:
    first = Pipeline(ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99)))
    played(first, START, rolled(2.0, 4), until(4.0))

    detector = ScriptedDetector(Placed(1, 2.5, 2.9, "c3", 0.8))
    resumed = Pipeline(detector, first.state, resume_s=100.0)
    outputs = played(resumed, rolled(1.0, 1), until(3.0))

    assert detector.restored == ((0, "e2"),)
    placed = outputs[-1].cause
    assert isinstance(placed, Placed)
    assert (placed.id, placed.t_s, placed.decided_s) == (2, 102.5, 102.9)
    played(resumed, HumanInput(4.0, "undo"))
    assert detector.amended == [(1, None)]
    played(resumed, HumanInput(5.0, "undo"), HumanInput(6.0, "undo"))
    assert detector.amended[-1] == (0, None)


def test_a_resumed_table_gives_no_number_again_that_an_undone_piece_has() -> None:
    first = Pipeline(ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99)))
    played(first, START, rolled(2.0, 4), until(4.0), HumanInput(5.0, "undo"))

    detector = ScriptedDetector(Placed(1, 2.5, 2.9, "e4", 0.8))
    resumed = Pipeline(detector, first.state, resume_s=100.0)
    placed = played(resumed, until(3.0))[-1].cause

    assert isinstance(placed, Placed)
    assert placed.id == 2


def test_a_start_gets_a_name_and_the_house_rules_of_the_table() -> None:
    pipeline = Pipeline(
        ScriptedDetector(), new_game_id=lambda: "g-77", house_rules={"dice": "untold"}
    )
    played(pipeline, START)

    assert pipeline.state.game_id == "g-77"
    assert pipeline.state.position.phase == "act"


def test_house_rules_said_at_the_start_are_stronger() -> None:
    pipeline = Pipeline(ScriptedDetector(), house_rules={"dice": "untold"})
    played(pipeline, HumanInput(1.0, "start", {**START.data, "options": {"dice": "told"}}))

    assert pipeline.state.position.phase == "roll"


def test_without_a_game_events_are_not_remembered() -> None:
    pipeline = Pipeline(ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99)))
    outputs = pipeline.feed(until(5.0))

    assert len(outputs) == 1
    assert not outputs[0].remembered
    assert pipeline.state == RefereeState()


def test_a_bump_people_speak_of_is_news_to_the_detector_only_if_it_saw_nothing() -> None:
    unseen, seen = (
        ScriptedDetector(),
        ScriptedDetector(
            Placed(1, 3.0, 3.4, "e2", 0.99), Toppled(2, 6.0, 7.0, Kind.COLLAPSE, Cause.BUMP, 0.99)
        ),
    )
    for detector in (unseen, seen):
        blame = HumanInput(10.0, "blame", {"player": 1})
        played(Pipeline(detector), START, rolled(2.0, 4), until(9.0), blame)

    assert unseen.blamed == [10.0]
    assert seen.blamed == []


def test_a_question_left_over_from_an_earlier_round_does_not_swallow_the_blame_for_this_one() -> (
    None
):
    detector = ScriptedDetector(
        Placed(1, 3.0, 3.4, "e2", 0.99),
        Toppled(2, 6.0, 7.0, Kind.COLLAPSE, Cause.BUMP, 0.99),
        Cleared(12.0, 12.5),
        Placed(3, 16.0, 16.4, "e2", 0.99),
    )
    blame = HumanInput(20.0, "blame", {"player": 1})
    pipeline = Pipeline(detector)
    played(pipeline, START, rolled(2.0, 4), until(13.0), rolled(14.0, 4), until(19.0))
    assert any(question.kind == "blame" for question in pipeline.state.questions())
    played(pipeline, blame)

    assert detector.blamed == [20.0]


def test_a_suspicion_passes_by_and_is_not_remembered() -> None:
    detector = ScriptedDetector(
        Placed(1, 3.0, 3.4, "e2", 0.99),
        Suspected(2, 4.0, 4.2, 0.6, Kind.OFF_BOARD),
        Dismissed(2, 4.9),
    )
    pipeline = Pipeline(detector)
    outputs = played(pipeline, START, rolled(2.0, 4), until(4.0))
    expected = len(detector.expectations)
    passing = played(pipeline, until(5.0))

    assert [o.outcomes[0].type for o in passing] == ["suspected", "dismissed"]
    assert not any(output.remembered for output in passing)
    assert len(detector.expectations) == expected
    assert pipeline.state is outputs[-1].state


def test_a_suspicion_of_a_resumed_table_is_in_its_time_and_numbers() -> None:
    first = Pipeline(ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99)))
    played(first, START, rolled(2.0, 4), until(4.0))
    detector = ScriptedDetector(Suspected(1, 2.0, 2.5, 0.6, Kind.OFF_BOARD), Dismissed(1, 2.9))

    suspected, dismissed = played(Pipeline(detector, first.state, resume_s=100.0), until(3.0))

    assert suspected.cause == Suspected(2, 102.0, 102.5, 0.6, Kind.OFF_BOARD)
    assert dismissed.cause == Dismissed(2, 102.9)


def test_a_correction_and_a_retraction_after_a_restart_are_of_the_new_pieces() -> None:
    first = Pipeline(ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99)))
    played(first, START, rolled(2.0, 4), until(4.0))
    news = (
        Placed(1, 2.0, 2.4, "c3", 0.99),
        Corrected(1, 3.0, "c2", 0.99),
        Placed(2, 6.0, 6.4, "a1", 0.99),
        Retracted(2, 7.0, "gone"),
    )
    second = Pipeline(ScriptedDetector(*news), first.state, resume_s=10.0)
    outputs = played(second, rolled(1.0, 2), until(4.0), rolled(5.0, 6), until(9.0))

    assert set(second.state.position.refs) == {"e2", "c2"}
    assert [output.cause.ref for output in outputs if isinstance(output.cause, Corrected)] == [2]


class Hearing(ScriptedDetector):
    """Decides something as soon as people say what it had not seen."""

    def press_cleared(self, t_s: float) -> bool:
        self._events.append(Cleared(t_s, t_s))
        return super().press_cleared(t_s)

    def press_blame(self, t_s: float) -> None:
        super().press_blame(t_s)
        self._events.append(Toppled(9, t_s, t_s, Kind.COLLAPSE, Cause.BUMP, 0.99))


def test_what_the_detector_decides_by_a_press_comes_before_the_press() -> None:
    for verb, data, seen in (("cleared", {}, Cleared), ("blame", {"player": 1}, Toppled)):
        detector = Hearing(Placed(1, 3.0, 3.4, "e2", 0.99))
        pressed = HumanInput(8.0, verb, data)
        outputs = played(Pipeline(detector), START, rolled(2.0, 4), until(9.0), pressed)

        assert [type(output.cause) for output in outputs[-2:]] == [seen, HumanInput]


def test_a_table_that_goes_on_expects_at_once_what_the_rules_do() -> None:
    first = Pipeline(ScriptedDetector())
    played(first, START, rolled(2.0, 4))
    resumed = ScriptedDetector()
    second = Pipeline(resumed, first.state, resume_s=10.0)
    said = second.say(HumanInput(1.0, "pass"))[-1]

    assert resumed.expectations[0].legal_cells is not None
    assert second.now_s == 10.0
    assert isinstance(said.cause, HumanInput)
    assert said.cause.t_s == 11.0


def test_a_new_table_takes_numbers_and_times_as_they_are() -> None:
    detector = ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.99))
    outputs = played(Pipeline(detector), START, rolled(2.0, 4), until(9.0))

    assert outputs[-1].cause == Placed(1, 3.0, 3.4, "e2", 0.99)


def test_who_made_pieces_fall_that_lie_there_is_no_news_to_the_detector() -> None:
    seen = (
        Placed(1, 3.0, 3.4, "e2", 0.99),
        Placed(2, 5.0, 5.4, "c3", 0.8, (("c2", 0.1),)),
        Toppled(3, 7.0, 7.5, Kind.COLLAPSE, Cause.PLACING, 0.99),
    )
    detector = ScriptedDetector(*seen)
    steps = (START, rolled(2.0, 4), until(3.5), rolled(4.0, 1), until(9.0))
    blame = HumanInput(10.0, "blame", {"player": 1})
    outputs = played(Pipeline(detector), *steps, blame)

    assert detector.blamed == []
    assert outputs[-1].refused is None


def test_where_a_piece_lies_is_no_question_of_blame() -> None:
    detector = ScriptedDetector(Placed(1, 3.0, 3.4, "e2", 0.8, (("e4", 0.1),)))
    blame = HumanInput(6.0, "blame", {"player": 1})
    pipeline = Pipeline(detector)
    played(pipeline, START, rolled(2.0, 4), until(5.0), blame)

    assert detector.blamed == [6.0]


def test_house_rules_are_those_of_topple() -> None:
    pipeline = Pipeline(ScriptedDetector(), house_rules={"pass": "never"})
    by_hand = HumanInput(1.0, "start", {"game": "topolo", "red": "Ann", "black": "Bob"})
    wrong = HumanInput(1.5, "start", {**START.data, "options": 3})

    assert pipeline.say(wrong)[-1].refused is not None
    started = pipeline.say(by_hand)[-1].cause
    assert isinstance(started, HumanInput)
    assert "options" not in started.data


def test_a_piece_that_is_asked_about_is_no_fall_that_is_known() -> None:
    detector = ScriptedDetector(Placed(1, 2.0, 2.4, "e2", 0.99), Placed(2, 4.0, 4.4, "c3", 0.99))
    blame = HumanInput(8.0, "blame", {"player": 1})
    pipeline = Pipeline(detector)
    played(pipeline, START, until(2.5), rolled(3.0, 1), until(7.0), blame)

    assert detector.blamed == [8.0]


def test_while_the_board_is_to_be_cleared_every_blame_is_of_the_fall_before_it() -> None:
    detector = ScriptedDetector(
        Placed(1, 3.0, 3.4, "e2", 0.99), Toppled(2, 6.0, 7.0, Kind.COLLAPSE, Cause.BUMP, 0.99)
    )
    blames = [HumanInput(t_s, "blame", {"player": 1}) for t_s in (10.0, 12.0)]
    played(Pipeline(detector), START, rolled(2.0, 4), until(9.0), *blames)

    assert detector.blamed == []


def test_before_the_first_piece_of_a_round_a_blame_is_of_the_fall_that_is_asked_about() -> None:
    detector = ScriptedDetector(
        Placed(1, 3.0, 3.4, "e2", 0.99),
        Toppled(2, 6.0, 7.0, Kind.COLLAPSE, Cause.BUMP, 0.99),
        Cleared(12.0, 12.5),
    )
    blame = HumanInput(20.0, "blame", {"player": 1})
    played(Pipeline(detector), START, rolled(2.0, 4), until(13.0), rolled(14.0, 4), blame)

    assert detector.blamed == []
