"""When the journal waits for the disk: often enough for what is confirmed, and not more often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.sync_policy import EVERY_S, SyncPolicy
from controller.table.pipeline import Cause, Output, Pipeline
from engine.events import Cleared, Corrected, Fault, HumanInput, Placed, Retracted, Reweighed
from tests.controller.scripted import ScriptedDetector, decided_s, until
from tests.engine.referee.script import ANN_AND_BOB

START = HumanInput(1.0, "start", {"players": ANN_AND_BOB, "target": 100, "first": 0, "id": "g1"})


def decided(*causes: Cause) -> list[Output]:
    """What a table makes of these."""
    events = [cause for cause in causes if not isinstance(cause, HumanInput)]
    pipeline = Pipeline(ScriptedDetector(*events))
    found: list[Output] = []
    for cause in causes:
        if isinstance(cause, HumanInput):
            found += pipeline.feed(cause)
        else:
            found += pipeline.feed(until(decided_s(cause)))
    return found


def roll(t_s: float, value: int = 1) -> HumanInput:
    return HumanInput(t_s, "roll", {"value": value})


def placed(number: int, t_s: float, cell: str = "c3") -> Placed:
    return Placed(number, t_s, t_s, cell, 0.99, (), 3.0)


def waits(policy: SyncPolicy, outputs: list[Output], now_s: float = 0.0) -> list[bool]:
    return [policy.waits(output, now_s) for output in outputs]


THOUGHTS = [Corrected(1, 4.0 + n / 10, cell, 0.97) for n, cell in enumerate(("b3", "c3", "b3"))]
LATE = (Corrected(1, 9.0, "b3", 0.97), Reweighed(1, 9.1, 3.2, 0.1), Retracted(1, 9.5, "gone"))


@pytest.mark.parametrize(
    ("causes", "found"),
    [
        ([roll(2), placed(1, 4), roll(6), placed(2, 8), roll(10), placed(3, 12)], "-W-W-W"),
        ([roll(2), HumanInput(4, "pass"), HumanInput(5, "undo"), HumanInput(6, "redo")], "-WWW"),
        ([roll(2), placed(1, 4), *THOUGHTS, roll(8)], "-WW--W"),
        ([roll(2), placed(1, 4), roll(6), placed(2, 8, "d3"), *LATE], "-W-WWWW"),
        ([roll(2), placed(1, 4), HumanInput(5, "topple"), Cleared(7, 7.5)], "-WWW"),
        ([Fault(2.0 + n, "imu", "Check its plug.") for n in range(50)], "-" * 50),
    ],
    ids=[
        "a usual turn waits once, for its placement",
        "words of people wait and a roll does not",
        "second thoughts about the last piece wait for the roll that confirms them",
        "evidence about a piece after which play went on waits at once",
        "a cleared board waits since the round is settled by it",
        "a flickering sensor never waits",
    ],
)
def test_what_waits_for_the_disk(causes: list[Cause], found: str) -> None:
    policy = SyncPolicy()
    assert not policy.pending

    told = waits(policy, decided(START, *causes))
    assert "".join("W" if each else "-" for each in told) == f"W{found}"


def test_what_did_not_wait_is_due_after_a_minute_and_not_again() -> None:
    policy = SyncPolicy()
    waits(policy, decided(START, roll(2)))

    assert policy.pending
    assert [policy.minute(now_s) for now_s in (1.0, 59.0, 60.0, 61.0, 119.0, 120.0)] == [
        False, False, True, False, False, True,
    ]  # fmt: skip


def test_a_clock_that_stands_or_goes_back_earns_nothing() -> None:
    policy = SyncPolicy()
    waits(policy, decided(START, roll(2)), now_s=1000.0)

    assert not policy.minute(1000.0)
    assert not policy.minute(-5000.0)
    assert not policy.minute(-5000.0 + EVERY_S)


happenings = st.lists(
    st.tuples(st.sampled_from(["roll", "place", "again", "past", "fault"]), st.floats(0.0, 90.0)),
    max_size=60,
)


@given(happenings)
def test_sensors_alone_cost_one_wait_a_turn_and_one_a_minute(
    drawn: list[tuple[str, float]],
) -> None:
    """People pass now and then; whatever else happens comes from the sensors."""
    causes: list[Cause] = [START]
    for at, (what, _) in enumerate(drawn):
        t_s, number = 2.0 * at + 4.0, max(1, sum(isinstance(c, Placed) for c in causes))
        match what:
            case "roll":
                causes.append(roll(t_s, 6))
            case "place":
                causes.append(placed(sum(isinstance(c, Placed) for c in causes) + 1, t_s))
            case "again":
                causes.append(Corrected(number, t_s, "b3" if at % 2 else "c3", 0.97))
            case "fault":
                causes.append(Fault(t_s, "imu", f"Check plug {at}."))
            case _:
                continue
    policy, now_s, count = SyncPolicy(), 0.0, 0
    past = 0
    steps = [0.0, *(step_s for _, step_s in drawn)]
    outputs = [output for output in decided(*causes) if output.remembered]
    for output, step_s in zip(outputs, steps, strict=False):
        now_s += step_s
        count += policy.minute(now_s)
        count += policy.waits(output, now_s)
        cause = output.cause
        past += isinstance(cause, Corrected) and output.state.ledger[-1].source != cause.ref
    turns = sum(o.type == "turn" for output in outputs for o in output.outcomes)

    # One to begin with, and one in advance: a roll that confirms comes before its turn is over.
    assert count <= turns + now_s / EVERY_S + 2 + past
