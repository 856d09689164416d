"""Detector and referee joined: order, time, numbers, and what is remembered."""

from typing import Any

import pytest

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
    TableEvent,
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


ON_E2 = Placed(1, 3.0, 3.4, "e2", 0.99)
BUMP = Toppled(2, 6.0, 7.0, Kind.COLLAPSE, Cause.BUMP, 0.99)
EMPTY = Cleared(12.0, 12.5)


def gone_on(
    *news: TableEvent, resume_s: float = 100.0, inputs: tuple[Item, ...] = ()
) -> tuple[Pipeline, ScriptedDetector]:
    """A table that goes on after one piece and these inputs, and a detector with news for it."""
    first, detector = Pipeline(ScriptedDetector(ON_E2)), ScriptedDetector(*news)
    played(first, START, rolled(2.0, 4), until(4.0), *inputs)
    return Pipeline(detector, first.state, resume_s=resume_s), detector


def test_what_was_decided_before_an_input_comes_before_it() -> None:
    seen = (ON_E2, Placed(2, 6.0, 6.4, "c3", 0.99))
    outputs = played(Pipeline(ScriptedDetector(*seen)), START, rolled(2.0, 4), until(9.0))
    assert [output.cause for output in outputs[2:]] == list(seen)

    detector = ScriptedDetector(*seen)
    detector.feed(until(9.0))
    outputs = played(Pipeline(detector), START, rolled(2.0, 4), rolled(5.0, 1), until(9.0))

    causes = [getattr(output.cause, "type", None) or "placed" for output in outputs]
    assert causes == ["start", "roll", "placed", "roll", "placed"]


def test_what_is_decided_late_is_dated_no_earlier_than_what_was_told_before() -> None:
    # A silent sensor holds the detector up; the phone is heard at once.
    pipeline = Pipeline(ScriptedDetector(ON_E2, Fault(3.5, "imu", "-")))
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


FALL = (
    ON_E2,
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
    detector = ScriptedDetector(ON_E2)
    detector.cleared_is_news = False
    pipeline = Pipeline(detector)
    detector.feed(until(5.0))
    played(pipeline, START, rolled(2.0, 4))
    detector.feed(until(9.0))
    outputs = played(pipeline, HumanInput(8.0, "cleared"))

    assert [type(output.cause) for output in outputs] == [Placed, HumanInput]


def test_a_late_press_at_a_resumed_table_is_answered_in_its_time() -> None:
    pipeline, detector = gone_on()
    detector.cleared_is_news = False
    (answer,) = played(pipeline, HumanInput(3.0, "cleared"))

    assert detector.pressed == [3.0]
    assert answer.cause == HumanInput(103.0, "cleared")


@pytest.mark.parametrize("verb", ["pass", "cleared"])
def test_a_refused_input_changes_nothing_and_says_why(verb: str) -> None:
    detector = ScriptedDetector()
    pipeline = Pipeline(detector)
    played(pipeline, START)
    (output,) = pipeline.feed(HumanInput(3.0, verb))

    assert output.refused is not None
    assert output.state is output.before
    assert not output.remembered
    # The rules need no word of it, the detector may.
    assert detector.pressed == ([3.0] if verb == "cleared" else [])


def test_remembered_causes_rebuild_the_referee_exactly() -> None:
    seen = (ON_E2, Corrected(1, 4.0, "e4", 0.99), Fault(4.5, "scale.1", "check the wire"))
    pipeline = Pipeline(ScriptedDetector(*seen, BUMP, EMPTY))
    before_it = (START, rolled(2.0, 4), until(5.0), rolled(5.5, 1), until(9.0), rolled(9.5, 9))
    blame, undo = HumanInput(10.0, "blame", {"player": 1}), HumanInput(14.0, "undo")
    outputs = played(pipeline, *before_it, blame, until(13.0), undo)
    causes = [output.cause for output in outputs if output.remembered]

    assert len(causes) == len(outputs) - 1
    assert replayed(causes) == pipeline.state


def test_a_resumed_table_carries_time_and_numbers_on() -> None:
    resumed, detector = gone_on(Placed(1, 2.5, 2.9, "c3", 0.8))
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
    resumed, _ = gone_on(Placed(1, 2.5, 2.9, "e4", 0.8), inputs=(HumanInput(5.0, "undo"),))
    placed = played(resumed, until(3.0))[-1].cause

    assert isinstance(placed, Placed)
    assert placed.id == 2


@pytest.mark.parametrize(
    ("said", "phase"), [({}, "act"), ({"options": {"dice": "told"}}, "roll")], ids=["house", "said"]
)
def test_a_start_gets_a_name_and_the_house_rules_unless_it_says_others(
    said: dict[str, Any], phase: str
) -> None:
    pipeline = Pipeline(
        ScriptedDetector(), new_game_id=lambda: "g-77", house_rules={"dice": "untold"}
    )
    played(pipeline, HumanInput(1.0, "start", {**START.data, **said}))

    assert pipeline.state.game_id == "g-77"
    assert pipeline.state.position.phase == phase


def test_without_a_game_events_are_not_remembered() -> None:
    pipeline = Pipeline(ScriptedDetector(ON_E2))
    (output,) = pipeline.feed(until(5.0))

    assert not output.remembered
    assert pipeline.state == RefereeState()


IN_DOUBT = Placed(1, 3.0, 3.4, "e2", 0.8, (("e4", 0.1),))
BEGUN = (START, rolled(2.0, 4))
CAT = {"name": "Cat", "colours": ["green"]}
YOUNG_WITHOUT_BOB = (
    HumanInput(0.2, "start", {"players": [*ANN_AND_BOB, CAT], "variant": "young", "first": 1}),
    HumanInput(0.4, "roll", {"value": 6}),
    HumanInput(0.6, "topple", {"cause": "placing"}),
    HumanInput(0.8, "cleared"),
    rolled(2.0, 4),
)


@pytest.mark.parametrize(
    ("seen", "steps", "news"),
    [
        ((), (*BEGUN, until(9.0)), True),
        ((ON_E2, BUMP), (*BEGUN, until(9.0)), False),
        ((IN_DOUBT,), (*BEGUN, until(9.0)), True),
        (
            (Placed(1, 2.0, 2.4, "e2", 0.99), Placed(2, 4.0, 4.4, "c3", 0.99)),
            (START, until(2.5), rolled(3.0, 1), until(9.0)),
            True,
        ),
        (
            (
                ON_E2,
                Placed(2, 5.0, 5.4, "c3", 0.8, (("c2", 0.1),)),
                Toppled(3, 7.0, 7.5, Kind.COLLAPSE, Cause.PLACING, 0.99),
            ),
            (*BEGUN, until(3.5), rolled(4.0, 1), until(9.0)),
            False,
        ),
        ((ON_E2, BUMP, EMPTY), (*BEGUN, until(13.0), rolled(14.0, 4)), False),
        (
            (ON_E2, BUMP, EMPTY, Placed(3, 16.0, 16.4, "e2", 0.99)),
            (*BEGUN, until(13.0), rolled(14.0, 4), until(19.0)),
            True,
        ),
        ((ON_E2, BUMP), (*BEGUN, until(9.0), HumanInput(10.0, "blame", {"player": 1})), False),
    ],
    ids=[
        "nothing was seen",
        "the bump was seen",
        "only where a piece lies is asked",
        "a piece without a roll is asked about",
        "the fall that lies there was seen, and who placed is known",
        "before the first piece of a round the fall before is meant",
        "a question left over from a round before does not swallow it",
        "while the board is cleared every blame is of the fall before it",
    ],
)
def test_a_bump_people_speak_of_is_news_to_the_detector_only_if_it_saw_nothing(
    seen: tuple[TableEvent, ...], steps: tuple[Item, ...], news: bool
) -> None:
    detector = ScriptedDetector(*seen)
    outputs = played(Pipeline(detector), *steps, HumanInput(20.0, "blame", {"player": 1}))

    assert detector.blamed == ([20.0] if news else [])
    assert (outputs[-1].refused is None) is bool(seen)


@pytest.mark.parametrize(
    ("steps", "data"),
    [
        (BEGUN, {"player": "Carl"}),
        (BEGUN, {"player": 7}),
        (BEGUN, {}),
        (YOUNG_WITHOUT_BOB, {"player": "Bob"}),
        ((*BEGUN, until(9.0), HumanInput(10.0, "end")), {"player": 1}),
        ((), {"player": 1}),
    ],
    ids=[
        "nobody of that name",
        "no such seat",
        "nobody",
        "who is out already",
        "the game has ended",
        "no game",
    ],
)
def test_a_blame_that_is_refused_makes_nothing_fall(
    steps: tuple[Item, ...], data: dict[str, Any]
) -> None:
    detector = ScriptedDetector(ON_E2)
    pipeline = Pipeline(detector)
    played(pipeline, *steps, until(19.0))
    before = pipeline.state
    outputs = played(pipeline, HumanInput(20.0, "blame", data))

    assert outputs[-1].refused is not None
    assert detector.blamed == []
    assert pipeline.state is before


def test_a_suspicion_passes_by_and_is_not_remembered() -> None:
    suspected = Suspected(2, 4.0, 4.2, 0.6, Kind.OFF_BOARD)
    detector = ScriptedDetector(ON_E2, suspected, Dismissed(2, 4.9))
    pipeline = Pipeline(detector)
    outputs = played(pipeline, START, rolled(2.0, 4), until(4.0))
    expected = len(detector.expectations)
    passing = played(pipeline, until(5.0))

    assert [o.outcomes[0].type for o in passing] == ["suspected", "dismissed"]
    assert not any(output.remembered for output in passing)
    assert len(detector.expectations) == expected
    assert pipeline.state is outputs[-1].state


def test_a_suspicion_of_a_resumed_table_is_in_its_time_and_numbers() -> None:
    resumed, _ = gone_on(Suspected(1, 2.0, 2.5, 0.6, Kind.OFF_BOARD), Dismissed(1, 2.9))
    suspected, dismissed = played(resumed, until(3.0))

    assert suspected.cause == Suspected(2, 102.0, 102.5, 0.6, Kind.OFF_BOARD)
    assert dismissed.cause == Dismissed(2, 102.9)


def test_a_correction_and_a_retraction_after_a_restart_are_of_the_new_pieces() -> None:
    second, _ = gone_on(
        Placed(1, 2.0, 2.4, "c3", 0.99),
        Corrected(1, 3.0, "c2", 0.99),
        Placed(2, 6.0, 6.4, "a1", 0.99),
        Retracted(2, 7.0, "gone"),
    )
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


@pytest.mark.parametrize(
    ("verb", "data", "seen"), [("cleared", {}, Cleared), ("blame", {"player": 1}, Toppled)]
)
def test_what_the_detector_decides_by_a_press_comes_before_the_press(
    verb: str, data: dict[str, int], seen: type
) -> None:
    pressed = HumanInput(8.0, verb, data)
    outputs = played(Pipeline(Hearing(ON_E2)), START, rolled(2.0, 4), until(9.0), pressed)

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


def test_a_colour_is_the_same_in_capitals() -> None:
    pipeline = Pipeline(ScriptedDetector())
    players = [{"name": "Ann", "colours": ["Red"]}, {"name": "Bob", "colours": ["red"]}]
    refused = pipeline.say(HumanInput(1.0, "start", {"players": players}))[-1].refused
    players[1]["colours"] = ["Blue"]

    assert refused is not None
    assert refused.code == "bad_colours"
    for said in (
        HumanInput(1.0, "start", {"players": players}),
        HumanInput(2.0, "roll", {"value": 1}),
        HumanInput(3.0, "place", {"cell": "c3", "colour": "RED"}),
    ):
        assert pipeline.say(said)[-1].refused is None
    assert pipeline.state.position.view["board"] == {"c3": ["red"]}


def test_house_rules_are_those_of_topple() -> None:
    pipeline = Pipeline(ScriptedDetector(), house_rules={"pass": "never"})
    by_hand = HumanInput(1.0, "start", {"game": "topolo", "red": "Ann", "black": "Bob"})
    wrong = HumanInput(1.5, "start", {**START.data, "options": 3})

    assert pipeline.say(wrong)[-1].refused is not None
    started = pipeline.say(by_hand)[-1].cause
    assert isinstance(started, HumanInput)
    assert "options" not in started.data
