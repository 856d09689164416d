"""What the tape gets of a running table, and how it is switched."""

from engine.events import HumanInput
from engine.trouble import Trouble
from tests.controller.evenings import START, Evening, samples


def test_the_tape_gets_the_samples_and_what_people_said_in_the_time_of_the_source() -> None:
    roll = HumanInput(1.0, "roll", {"value": 1})
    evening = Evening(START, roll, samples(5.0))
    evening.step(6.0)
    evening.command("undo")
    evening.command("view")
    evening.step(7.0)

    kinds = [getattr(item, "type", "samples") for item in evening.tape.written]
    assert kinds == ["start", "roll", "samples", "undo"]
    assert [item.t_s for item in evening.tape.written if isinstance(item, HumanInput)] == [
        START.t_s, 1.0, 7.0,
    ]  # fmt: skip


def test_the_recording_is_switched_by_a_command_and_told_at_once() -> None:
    evening = Evening(START)
    told = []
    for number, wanted in enumerate((True, False, "yes")):
        evening.command("record", id=str(number), data={"on": wanted})
        evening.step(1.0 + number)
        told.append(evening.wire.last("health")["recording"])
        assert evening.wire.last("reply/phone")["ok"] is isinstance(wanted, bool)
    assert told == [True, False, False]


def test_trouble_with_the_recording_is_told_and_leaves_the_game_alone() -> None:
    evening = Evening(START)
    evening.tape.trouble = Trouble("recording_slow", "{n} steps are missing", {"n": 3})
    evening.step(1.0)

    assert evening.wire.last("status")["troubles"] == [{
        "sensor": "recording", "reason": "3 steps are missing",
        "code": "recording_slow", "args": {"n": 3},
    }]  # fmt: skip
    assert "The game is not touched" in evening.wire.last("status")["mode"]
